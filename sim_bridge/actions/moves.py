"""Moving the camera: 0.25 m along the horizontal heading, to a side, or along world z (ESI-Bench's released runner)."""

from __future__ import annotations

from sim_bridge.actions.kind import ActionKind

KINDS = (
    ActionKind(
        "move_forward",
        label="Move forward",
        short="Forward",
        done="Moved forward.",
        camera=True,
        practised="move",
        inverse="move_backward",
        pad=("Move", 1),
        key="KeyW",
    ),
    ActionKind(
        "move_backward",
        label="Move back",
        short="Back",
        done="Moved backward.",
        camera=True,
        practised="move",
        inverse="move_forward",
        pad=("Move", 4),
        key="KeyS",
    ),
    ActionKind(
        "move_left",
        label="Move left",
        short="Left",
        done="Moved left.",
        camera=True,
        practised="move",
        inverse="move_right",
        pad=("Move", 3),
        key="KeyA",
    ),
    ActionKind(
        "move_right",
        label="Move right",
        short="Right",
        done="Moved right.",
        camera=True,
        practised="move",
        inverse="move_left",
        pad=("Move", 5),
        key="KeyD",
    ),
    ActionKind(
        "move_up",
        label="Move up",
        short="Up",
        done="Moved up.",
        camera=True,
        practised="rise",
        inverse="move_down",
        pad=("Move", 0),
        key="KeyQ",
    ),
    ActionKind(
        "move_down",
        label="Move down",
        short="Down",
        done="Moved down.",
        camera=True,
        practised="rise",
        inverse="move_up",
        pad=("Move", 2),
        key="KeyE",
    ),
)
