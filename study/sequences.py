"""What is shown one picture after the other: a frozen set of a task, or what another participant saw.

The sequence of an episode never changes while it goes on: a frozen set stays as it was rendered, and the partner of a yoked episode has
ended theirs. Each picture is one frame; those on the way of an action (a slide, a pour) are pictures of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from data.store import Store
from sim_bridge.spec import PixelBox, Pose
from study import frozen, steps
from study.errors import SceneUnplayable
from study.records import EpisodeRecord
from study.steps import Step, StepKind, steps_of

NEXT: StepKind = "frame"
"""Kind and action of a step that shows the next picture."""
ON_THE_WAY_MS = 200.0
"""How long a picture on the way of an action stays on the play page (``PICTURE_MS`` of its component)."""
LONGEST_LOOK_MS = 60_000.0
"""Where pictures come at the partner's pace, one stays at most so long: the partner may have gone for a walk."""


@dataclass(frozen=True)
class Picture:
    """One picture of a sequence."""

    pixel_hash: str
    pose: Pose
    phase: str
    """Part of the task that it shows; empty: the task has one part."""
    clipped: bool
    visible: dict[str, int] = field(default_factory=dict)
    boxes: dict[str, PixelBox] = field(default_factory=dict)
    looked_ms: float | None = None
    """How long the partner looked at it before they went on, milliseconds; None: there is no partner, or it was their last."""


def pictures(store: Store, record: EpisodeRecord) -> tuple[Picture, ...]:
    """The pictures that an episode shows, in order.

    Args:
        store: the database.
        record: the episode, in a paradigm that shows pictures one after the other.

    Raises:
        SceneUnplayable: they are not there: nobody has rendered the set, the place has no partner, or the partner's data were erased.
    """
    found = kept(store, record)
    if not found:
        raise SceneUnplayable("The pictures of this task are not there. Please report it; you can go on with another task.")
    return found


def kept(store: Store, record: EpisodeRecord) -> tuple[Picture, ...]:
    """The same; empty where they are not there."""
    way = record.met
    if record.partner:
        return seen_in(steps_of(store, record.partner))
    if way.frozen or _practice(store, record):
        return _frozen(store, record.task_hash, way.frozen or way.stand_in)
    return ()


def rendered_with(store: Store, record: EpisodeRecord) -> tuple[str, bool | None, str]:
    """The simulator that rendered the pictures: its name, whether it promises equal pixels, and its fingerprint."""
    if record.partner:
        theirs = store.row("SELECT * FROM episodes WHERE episode_id = ?", EpisodeRecord, [record.partner])
        return ("", None, "{}") if theirs is None else (theirs.backend, theirs.deterministic, theirs.fingerprint)
    first = frozen.views_of(store, record.task_hash, record.met.frozen or record.met.stand_in)[0]
    return first.backend, True, first.fingerprint


def _practice(store: Store, record: EpisodeRecord) -> bool:
    return bool(store.query("SELECT 1 FROM slots WHERE slot_id = ? AND practice = 1", [record.slot_id]))


def _frozen(store: Store, task_hash: str, name: str) -> tuple[Picture, ...]:
    views = frozen.views_of(store, task_hash, name)
    return tuple(Picture(view.pixel_hash, view.pose, view.phase, view.clipped, view.visible) for view in views)


def seen_in(steps: Sequence[Step]) -> tuple[Picture, ...]:
    """Every picture that somebody saw, in order, with how long they looked."""
    looks: list[float | None] = [looked_ms(step, following) for step, following in pairwise(steps)]
    shown: list[Picture] = []
    for step, look in zip(steps, [*looks, None], strict=False):
        shown += (Picture(name, step.pose_after, step.phase, step.clipped, looked_ms=ON_THE_WAY_MS) for name in step.more_frames)
        shown.append(Picture(step.pixel_hash, step.pose_after, step.phase, step.clipped, step.visible, step.boxes, look))
    return tuple(shown)


def looked_ms(step: Step, following: Step) -> float:
    """How long somebody looked at a step's view before they gave the next action, milliseconds, at most `LONGEST_LOOK_MS`.

    By the browser's clock from the picture being on the screen to the press; where that is not known (a press that waited in line, a model)
    by the server's clock from step to step.
    """
    if following.client_time_ms is not None and following.painted_ms is not None and not following.queued_ms:
        passed = following.client_time_ms - following.painted_ms
    else:
        since, until = datetime.fromisoformat(step.server_time), datetime.fromisoformat(following.server_time)
        passed = (until - since).total_seconds() * 1000.0
    return min(max(passed, 0.0), LONGEST_LOOK_MS)


def step(record: EpisodeRecord, shown: Sequence[Picture], seq: int, at: str) -> Step:
    """One picture of a sequence as a step.

    Args:
        record: the episode.
        shown: its pictures, in order.
        seq: which, from 0.
        at: when it is shown, ISO-8601 UTC.
    """
    picture = shown[seq]
    return steps.shown(
        record.episode_id,
        seq,
        NEXT,
        epoch=record.epoch,
        at=at,
        pixel_hash=picture.pixel_hash,
        pose_before=shown[max(0, seq - 1)].pose,
        pose=picture.pose,
        visible=picture.visible,
        boxes=picture.boxes,
        clipped=picture.clipped,
        phase=picture.phase,
    )
