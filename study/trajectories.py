"""Ground-truth trajectories: the generator's proof that a task brings, else one that a person recorded."""

from __future__ import annotations

from typing import Annotated

import msgspec

from data.rows import Json, columns
from data.store import Store, new_id, now
from data.task import Task
from study import frozen
from study.errors import StudyError

RECORDED = "recorded"
"""The part of somebody in a task who recorded its trajectory (`task_people`)."""


class NoTrajectory(StudyError):
    """The task has no ground-truth trajectory."""

    code = "no_trajectory"
    status = 404


class TrajectoryStays(StudyError):
    """The trajectory cannot be put aside: people are shown its pictures."""

    code = "trajectory_stays"
    status = 409


class Trajectory(msgspec.Struct, frozen=True):
    """A row of `trajectories`: one that a person recorded; field order is column order."""

    trajectory_id: str
    task_hash: str
    actions: Annotated[tuple[str, ...], Json]
    """Canonical actions with the scene's handles, in order."""
    phase_starts: Annotated[tuple[int, ...], Json]
    """Where in `actions` the second and every later part of the task begins."""
    says: str
    """What the recorder says that its end shows."""
    staff_id: str
    """Who recorded it."""
    state: str
    """in_use or retired."""
    recorded_at: str


def recorded(store: Store, task_hash: str) -> Trajectory | None:
    """The recorded trajectory that is in use for a task; None: nobody has recorded one."""
    return store.row("SELECT * FROM trajectories WHERE task_hash = ? AND state = 'in_use'", Trajectory, [task_hash])


def those_recorded(store: Store) -> frozenset[str]:
    """Content hashes of the tasks whose trajectory a person recorded."""
    return frozenset(row["task_hash"] for row in store.query("SELECT task_hash FROM trajectories WHERE state = 'in_use'"))


def known(store: Store, task: Task) -> Task:
    """`task` with its ground-truth trajectory, where it does not bring one and a person has recorded one."""
    if task.gt_trajectory or task.shown or (own := recorded(store, task.content_hash)) is None:
        return task
    return task.model_copy(update={"gt_trajectory": own.actions, "gt_phase_starts": own.phase_starts})


def use(store: Store, task_hash: str, actions: tuple[str, ...], phase_starts: tuple[int, ...], *, says: str, staff_id: str) -> Trajectory:
    """Keep a recorded trajectory and use it from now on; another one that was in use is put aside. Who recorded it counts as an author of
    the task.

    Returns:
        The trajectory.

    Raises:
        TrajectoryStays: the pictures of the one in use are frozen.
    """
    with store.atomic():
        if recorded(store, task_hash) is not None:
            retire(store, task_hash, actor=staff_id)
        kept = Trajectory(new_id("tr"), task_hash, actions, phase_starts, says, staff_id, "in_use", now())
        store.insert("trajectories", columns(kept))
        took_part(store, task_hash, staff_id, RECORDED)
        told = {"task": task_hash, "trajectory": kept.trajectory_id, "actions": list(actions), "says": says}
        store.event("trajectory_recorded", told, at=kept.recorded_at, actor=staff_id)
    return kept


def retire(store: Store, task_hash: str, *, actor: str) -> None:
    """Put the recorded trajectory of a task aside; it is kept.

    Raises:
        NoTrajectory: none was recorded.
        TrajectoryStays: its pictures are frozen.
    """
    with store.atomic() as db:
        own = recorded(store, task_hash)
        if own is None:
            raise NoTrajectory("Nobody has recorded a trajectory for this task.")
        if frozen.there(store, frozen.GROUND_TRUTH, [task_hash]):
            raise TrajectoryStays(
                "The pictures along this trajectory are rendered and frozen, so it stays: everybody is shown the same. Make another "
                "version of the task if it must change."
            )
        db.execute("UPDATE trajectories SET state = 'retired' WHERE trajectory_id = ?", [own.trajectory_id])
        store.event("trajectory_retired", {"task": task_hash, "trajectory": own.trajectory_id}, actor=actor)


def took_part(store: Store, task_hash: str, staff_id: str, part: str) -> None:
    """Keep that somebody of the staff took part in making or judging a task: they are never its participant (measurement 16)."""
    with store.atomic() as db:
        db.execute(
            "INSERT INTO task_people (task_hash, staff_id, part, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [task_hash, staff_id, part, now()],
        )
