"""Turning the camera: 15° about world z, or about the camera's own x axis without a clamp (ESI-Bench's released runner)."""

from __future__ import annotations

from sim_bridge.actions.kind import ActionKind

KINDS = (
    ActionKind(
        "turn_left",
        label="Turn left",
        short="Left",
        done="Turned left.",
        camera=True,
        practised="turn",
        inverse="turn_right",
        pad=("Look", 3),
        key="ArrowLeft",
    ),
    ActionKind(
        "turn_right",
        label="Turn right",
        short="Right",
        done="Turned right.",
        camera=True,
        practised="turn",
        inverse="turn_left",
        pad=("Look", 5),
        key="ArrowRight",
    ),
    ActionKind(
        "turn_up",
        label="Look up",
        short="Up",
        done="Looked up.",
        camera=True,
        practised="tilt",
        inverse="turn_down",
        pad=("Look", 1),
        key="ArrowUp",
    ),
    ActionKind(
        "turn_down",
        label="Look down",
        short="Down",
        done="Looked down.",
        camera=True,
        practised="tilt",
        inverse="turn_up",
        pad=("Look", 4),
        key="ArrowDown",
    ),
)
