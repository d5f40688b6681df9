"""Frozen views: pictures of a task that are rendered once, kept as frames, and shown alike to everybody.

A set has a name: ``random_walk`` (the views of a multi-view showing) or ``ground_truth`` (the way of the ground-truth trajectory). It is
kept whole or not at all, and never changed: a task whose pictures should be others is another task.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import msgspec

from data.frames import FrameStore
from data.rows import Json, columns
from data.store import Store, StoreBusy, now
from sim_bridge.spec import Frame, Pose
from study.errors import StudyError

RANDOM_WALK = "random_walk"
"""The views along a random walk from the start: the set that a multi-view showing shows."""
GROUND_TRUTH = "ground_truth"
"""The pictures along the ground-truth trajectory, in order."""
EVIDENCE = "evidence"
"""The start view and the last picture of every step of the ground-truth trajectory, for those who verify the task."""


class FrozenOtherwise(StudyError):
    """The set is kept already, with other pictures."""

    code = "frozen_otherwise"
    status = 409


class FrozenView(msgspec.Struct, frozen=True):
    """One kept view of a set; field order is column order."""

    task_hash: str
    name: str
    """Which set."""
    n: int
    """Its place in the set, from 0."""
    pixel_hash: str
    pose: Annotated[Pose, Json]
    """Of the camera, metres, world frame, z up."""
    phase: str
    """Part of the task that it shows; empty: the task has one part."""
    visible: Annotated[dict[str, int], Json]
    """Scene handle → visible pixels; empty: not counted."""
    clipped: bool
    """The camera is inside a wall or a thing."""
    fingerprint: str
    """The simulator that rendered it, as kept with episodes."""
    made_at: str

    @property
    def backend(self) -> str:
        """Name of the simulator, without its version."""
        return str(json.loads(self.fingerprint).get("backend", "")).partition(" ")[0]


@dataclass(frozen=True)
class Rendered:
    """One view before it is kept."""

    frame: Frame
    pose: Pose
    phase: str = ""
    visible: dict[str, int] = field(default_factory=dict)
    clipped: bool = False


def views_of(store: Store, task_hash: str, name: str) -> list[FrozenView]:
    """A set in order; empty: it is not there."""
    return store.rows("SELECT * FROM frozen_views WHERE task_hash = ? AND name = ? ORDER BY n", FrozenView, [task_hash, name])


def firsts(store: Store, tasks: Iterable[str]) -> list[FrozenView]:
    """The first view of every set that is kept of some tasks (content hashes)."""
    sql = "SELECT * FROM frozen_views WHERE n = 0 AND task_hash IN (SELECT value FROM json_each(?))"
    return store.rows(sql, FrozenView, [json.dumps(list(tasks))])


def there(store: Store, name: str, tasks: Iterable[str]) -> frozenset[str]:
    """Those of the tasks (content hashes) whose set of this name is kept."""
    rows = store.query(
        "SELECT w.value AS task_hash FROM json_each(?) w WHERE EXISTS "
        "(SELECT 1 FROM frozen_views v WHERE v.task_hash = w.value AND v.name = ?)",
        [json.dumps(list(tasks)), name],
    )
    return frozenset(row["task_hash"] for row in rows)


def keep(
    store: Store, frames: FrameStore, task_hash: str, name: str, views: Sequence[Rendered], *, fingerprint: str, actor: str = ""
) -> list[FrozenView]:
    """Keep a set: the files first, then all rows in one transaction. A set that is kept already with the same pictures stays as it is.

    Args:
        store: the database.
        frames: its frame folder.
        task_hash: content hash of the task.
        name: of the set.
        views: in order.
        fingerprint: `study.simulators.fingerprint_of` the simulator that rendered them.
        actor: who had it rendered.

    Raises:
        FrozenOtherwise: another set of this name is kept; it stays.
        StorageFull, StoreError: it cannot be kept; nothing of it is.
    """
    if not views:
        raise ValueError(f"a set of views holds at least one, got none for {name!r}")
    refs = [frames.put(view.frame) for view in views]
    with store.atomic() as db:
        if kept := views_of(store, task_hash, name):
            if [view.pixel_hash for view in kept] == [ref.pixel_hash for ref in refs]:
                return kept
            raise FrozenOtherwise(
                f"The pictures of this task for {name} were rendered on {kept[0].made_at[:10]} and stay as they are: everybody is shown "
                "the same. Make another version of the task if they must change."
            )
        for ref in refs:
            ref.record(db)
            if not frames.path(ref.pixel_hash).exists():
                # An erasure took the file away after it had been found there.
                raise StoreBusy(f"A picture of {name} was removed while it was being kept. Do it again.")
        at = now()
        for n, (view, ref) in enumerate(zip(views, refs, strict=True)):
            row = FrozenView(
                task_hash=task_hash,
                name=name,
                n=n,
                pixel_hash=ref.pixel_hash,
                pose=view.pose,
                phase=view.phase,
                visible=dict(sorted(view.visible.items())),
                clipped=view.clipped,
                fingerprint=fingerprint,
                made_at=at,
            )
            store.insert("frozen_views", columns(row))
        told = {"task": task_hash, "set": name, "views": [ref.pixel_hash for ref in refs], "fingerprint": fingerprint}
        store.event("views_frozen", told, at=at, actor=actor)
        return views_of(store, task_hash, name)
