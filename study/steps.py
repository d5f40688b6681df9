"""One step of an episode: what is kept of an observation and of the action that led to it.

This is the one list of a step's fields. The event that records it, its row in the database and the row of an export are derived from it;
what a browser or a model is told is a view of its own (`study.views.StepView`).
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from data.rows import Json, columns
from data.store import Store
from sim_bridge.spec import PixelBox, Pose

StepKind = Literal["start", "action", "phase", "stay", "view", "frame"]
"""How a step came about: the first view, an action, the task's next part, a model's text that was no action, or a view of a set that is
shown all at once."""
UNKEPT = 0
"""`Step.event_seq` of a step that is not written yet: events are numbered from 1."""
_NOT_IN_EVENT = frozenset({"episode_id", "event_seq", "server_time", "timing_ms"})
"""The event has the first three as columns of its own; how long the simulator took is no fact of the study."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One observation; `seq` 0 is the first view. Field order is column order; a field's text is its entry in the data dictionary."""

    episode_id: Annotated[str, Meta(description="Episode.")]
    seq: Annotated[int, Meta(description="Step number from 0; the released runner's numbering is seq + 1.")]
    epoch: Annotated[int, Meta(description="Which opening of the episode (from 1) it was taken in.")]
    event_seq: Annotated[int, Meta(description="The server's monotonic sequence number.")]
    kind: Annotated[
        StepKind,
        Meta(
            description="start, action, phase (next part), stay (a model's text that was no action), view (one of a set that is shown "
            "all at once) or frame (the next of pictures that are shown one after the other)."
        ),
    ]
    action: Annotated[str, Meta(description="Canonical action as given, with the episode's object handles.")]
    sim_action: Annotated[
        str,
        Meta(
            description="What the simulator executed: the same with the scene's handles; empty where nothing lasts of it "
            "(a stay, a forbidden move)."
        ),
    ]
    ok: Annotated[bool, Meta(description="False: well-formed but physically impossible; it is a step all the same.")]
    reason: Annotated[str, Meta(description="Why it failed; of what was done, how it ended where that is not what the action says.")]
    pose_before: Annotated[Pose, Json, Meta(description="Camera before the action, metres, world frame, z up; looks along −z.")]
    pose_after: Annotated[Pose, Json, Meta(description="Camera of the observation.")]
    pixel_hash: Annotated[str, Meta(description="SHA-256 of shape and raw RGB of the observation.")]
    more_frames: Annotated[tuple[str, ...], Json, Meta(description="Pixel hashes of the frames on the way, in order.")]
    visible: Annotated[dict[str, int], Json, Meta(description="Scene handle → visible pixels, JSON.")]
    clipped: Annotated[bool, Meta(description="The camera is inside a wall or object, or outside the room.")]
    phase: Annotated[str, Meta(description="Part of a two-part task; empty otherwise.")]
    client_time_ms: Annotated[float | None, Meta(description="Browser clock when the action was given, milliseconds.")]
    painted_ms: Annotated[float | None, Meta(description="Browser clock when the frame before it was on the screen, milliseconds.")]
    queued_ms: Annotated[
        float | None,
        Meta(
            description="How long the press waited behind the step before it, milliseconds; 0: not at all. A press that waited was given "
            "before the newest frame was on the screen."
        ),
    ] = None
    input: Annotated[
        str,
        Meta(
            description="What the action was given with: key, button (one on the page), pointer (in the picture), touch, or agent (a model "
            "or a program); empty: unknown, or the first view."
        ),
    ] = ""
    boxes: Annotated[
        dict[str, PixelBox],
        Json,
        Meta(description="Scene handle → box around its visible pixels: x0, y0, x1, y1, half-open, JSON; empty: unknown."),
    ] = {}
    timing_ms: Annotated[dict[str, float], Json, Meta(description="Milliseconds in the simulator process, by part of the work.")]
    server_time: Annotated[str, Meta(description="When the step was on disk, ISO-8601 UTC, milliseconds.")]

    @property
    def frames(self) -> tuple[str, ...]:
        """Pixel hashes of all frames of this step in order; the last is the observation."""
        return (*self.more_frames, self.pixel_hash)

    def event(self) -> dict[str, Any]:
        """The payload of the event ``step``."""
        told: dict[str, Any] = msgspec.to_builtins(self)
        return {name: value for name, value in told.items() if name not in _NOT_IN_EVENT}


def shown(
    episode_id: str,
    seq: int,
    kind: StepKind,
    *,
    epoch: int,
    at: str,
    pixel_hash: str,
    pose_before: Pose,
    pose: Pose,
    visible: dict[str, int],
    clipped: bool,
    phase: str,
    boxes: dict[str, PixelBox] | None = None,
) -> Step:
    """A step that shows a picture which exists: nothing was simulated, and no action led to it.

    Args:
        episode_id: the episode.
        seq: its number; 0 is the first view, whatever `kind` the others are.
        kind: of the steps that follow.
        epoch: the opening.
        at: when it is shown, ISO-8601 UTC.
        pixel_hash: the picture.
        pose_before: camera of the picture before it.
        pose: its camera.
        visible: scene handle → visible pixels.
        clipped: whether its camera is inside a wall or a thing.
        phase: part of a two-part task.
        boxes: scene handle → where its pixels lie; None: not known.
    """
    said: StepKind = kind if seq else "start"
    return Step(
        episode_id=episode_id,
        seq=seq,
        epoch=epoch,
        event_seq=UNKEPT,
        kind=said,
        action=said,
        sim_action="",
        ok=True,
        reason="",
        pose_before=pose_before,
        pose_after=pose,
        pixel_hash=pixel_hash,
        more_frames=(),
        visible=visible,
        boxes=boxes or {},
        clipped=clipped,
        phase=phase,
        client_time_ms=None,
        painted_ms=None,
        timing_ms={},
        server_time=at,
    )


def keep(store: Store, step: Step) -> Step:
    """Write a step's event and its row; part of the caller's transaction. Returns it with the event's number."""
    event_seq = store.event("step", step.event(), at=step.server_time, episode_id=step.episode_id)
    kept = msgspec.structs.replace(step, event_seq=event_seq)
    store.insert("steps", columns(kept))
    return kept


def steps_of(store: Store, episode_id: str) -> list[Step]:
    """The episode's steps in order. For exports, commands, replays and pages of staff; never for a participant's browser."""
    return store.rows("SELECT * FROM steps WHERE episode_id = ? ORDER BY seq", Step, [episode_id])


def step_at(store: Store, episode_id: str, seq: int) -> Step | None:
    """One step, or None."""
    return store.row("SELECT * FROM steps WHERE episode_id = ? AND seq = ?", Step, [episode_id, seq])


def clock(value: Any) -> float | None:
    """A sender's clock reading, milliseconds; what is none is left out."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and abs(value) < 1e15
    return float(value) if good else None
