"""Somebody of the staff records a task's ground-truth trajectory.

They play the task as people play it, in an episode that belongs to no study and to no kind of run that counts. No move can end inside a
wall or a thing (measurement 7). The last action can be undone: a new episode does all others again. The answer given at the end says what
the trajectory shows; the trajectory is used only if it is the task's own answer, and if a second run of it ends at the same picture. It has
two thirds of the task's budget.
"""

from __future__ import annotations

from dataclasses import dataclass

from annotation.recording.errors import NotYours, Unusable
from data.store import Store
from data.task import Task
from study import scoring, states, trajectories
from study.episode import EpisodeEngine
from study.protocol import Protocol
from study.records import AnswerRecord, EpisodeRecord
from study.steps import Step, steps_of
from study.trajectories import Trajectory

AGENT = "recorder"
"""Name of the agent of these episodes."""
HOW = Protocol(history="all", belief_bar=False, confidence_required=False, clipping="forbid", show_feedback=True)
"""How a task is played for recording, but for its budget: never through a wall."""
MODE = "preview"
"""Kind of run of these episodes, which no result counts."""


@dataclass(frozen=True)
class Way:
    """What was done in an episode, as a trajectory."""

    actions: tuple[str, ...]
    """Canonical actions that succeeded, with the scene's handles."""
    phase_starts: tuple[int, ...]
    """Where in `actions` the second and every later part of the task begins."""

    @property
    def views(self) -> int:
        """Observations: the start view, one per action and one per further part."""
        return 1 + len(self.actions) + len(self.phase_starts)


def begin(engine: EpisodeEngine, task_hash: str, staff_id: str) -> str:
    """A new recording of a task; returns its episode."""
    with engine.store.atomic():
        episode_id = _episode(engine, task_hash)
        engine.store.event("recording_began", {"task": task_hash}, actor=staff_id, episode_id=episode_id)
    return episode_id


def recorder_of(store: Store, episode_id: str) -> str | None:
    """The staff id of whoever records in this episode; None: nobody does."""
    row = store.one(
        "SELECT v.actor FROM episodes e CROSS JOIN events v USING (episode_id) "
        "WHERE e.episode_id = ? AND e.agent_name = ? AND v.kind = 'recording_began'",
        [str(episode_id), AGENT],
    )
    return None if row is None else str(row["actor"])


def going_on(store: Store, task_hash: str, staff_id: str) -> EpisodeRecord | None:
    """The newest recording of a task by somebody that can be played on or used; None: there is none."""
    return store.row(
        "SELECT e.* FROM episodes e JOIN events v ON v.episode_id = e.episode_id AND v.kind = 'recording_began' AND v.actor = ? "
        "WHERE e.task_hash = ? AND e.state IN ('created', 'active', 'completed') ORDER BY e.created_at DESC, e.rowid DESC LIMIT 1",
        EpisodeRecord,
        [staff_id, task_hash],
    )


def way(steps: list[Step]) -> Way:
    """The trajectory in an episode's steps; what failed is left out."""
    actions: list[str] = []
    starts: list[int] = []
    for step in steps:
        if step.kind == "phase":
            starts.append(len(actions))
        elif step.kind == "action" and step.ok and step.sim_action:
            actions.append(step.sim_action)
    return Way(tuple(actions), tuple(starts))


def undo(engine: EpisodeEngine, episode_id: str, staff_id: str) -> str:
    """Take the last action back: a new recording does all others again, and this one is put aside.

    Returns:
        The new episode.

    Raises:
        NotYours: somebody else records in it.
        BridgeDown, NoRoom: no simulator now; the recording stays as it is.
    """
    record = _own(engine.store, episode_id, staff_id)
    kept = steps_of(engine.store, episode_id)[1:-1]
    again = begin(engine, record.task_hash, staff_id)
    _do(engine, again, kept)
    drop(engine, episode_id, staff_id)
    return again


def drop(engine: EpisodeEngine, episode_id: str, staff_id: str) -> None:
    """Put a recording aside.

    Raises:
        NotYours: somebody else records in it.
    """
    record = _own(engine.store, episode_id, staff_id)
    event = next((name for name in ("return", "reject") if name in states.EPISODE[record.state]), None)
    if event is not None:
        engine.end(episode_id, event, actor=staff_id)


def episode(store: Store, episode_id: str) -> EpisodeRecord | None:
    """The episode of a recording; None: it is gone."""
    return store.row("SELECT * FROM episodes WHERE episode_id = ?", EpisodeRecord, [episode_id])


def problems(store: Store, episode_id: str) -> list[str]:
    """Why what was recorded cannot be the task's trajectory, each a sentence; empty: it can."""
    record = episode(store, episode_id)
    assert record is not None
    task, steps = store.get_task(record.task_hash), steps_of(store, episode_id)
    own, found = way(steps), []
    if not own.actions:
        found.append("Nothing was done: a trajectory has at least one action.")
    if any(step.clipped for step in steps):
        found.append("A view is from inside a wall or a thing. Start again, and go round it.")
    missing = len(task.scene.phases) - 1 - len(own.phase_starts)
    if missing > 0:
        found.append("It ends before the task's last part: go on to it before you answer.")
    return found + _shows(store, task, episode_id)


def _shows(store: Store, task: Task, episode_id: str) -> list[str]:
    """Whether the recorder found at its end what the task says."""
    answer = store.row("SELECT * FROM answers WHERE episode_id = ?", AnswerRecord, [episode_id])
    if answer is None:
        return ["It has no end yet: give the answer that it shows."]
    if not scoring.score(task, answer.value, task.question.options).correct_strict:
        return ["The answer that you gave at the end is not the task's own: either it is not seen on this way, or the task is wrong."]
    return []


def use(engine: EpisodeEngine, episode_id: str, staff_id: str, says: str) -> Trajectory:
    """Use what was recorded as the task's ground-truth trajectory. It is played once more, and must end at the same picture.

    Args:
        engine: the engine.
        episode_id: the recording, answered.
        staff_id: who recorded it; they count as one of the task's authors.
        says: what its end shows, in their words.

    Raises:
        NotYours: somebody else recorded it.
        Unusable: it cannot be the trajectory; the message says why.
        TrajectoryStays: the pictures of another one are frozen.
        BridgeDown, NoRoom: no simulator now; do it again later.
    """
    store = engine.store
    record = _own(store, episode_id, staff_id)
    if why := problems(store, episode_id):
        raise Unusable(" ".join(why))
    if not says.strip():
        raise Unusable("Say in a sentence what the end of the trajectory shows.")
    steps = steps_of(store, episode_id)
    again = _episode(engine, record.task_hash)
    try:
        last = _do(engine, again, [step for step in steps[1:] if step.kind == "phase" or (step.ok and step.sim_action)])
        if last.pixel_hash != steps[-1].pixel_hash:
            raise Unusable("Played once more, it ends at another picture: something in this scene does not go the same way twice.")
    finally:
        engine.end(again, "return", actor=staff_id)
    own = way(steps)
    return trajectories.use(store, record.task_hash, own.actions, own.phase_starts, says=says.strip()[:500], staff_id=staff_id)


def without(store: Store, tasks: list[str]) -> list[Task]:
    """Those of the tasks in scenes (content hashes) that have no ground-truth trajectory, neither a generator's nor a person's."""
    found = (trajectories.known(store, store.get_task(content_hash)) for content_hash in tasks)
    return [task for task in found if not task.shown and not task.gt_trajectory]


def _episode(engine: EpisodeEngine, task_hash: str) -> str:
    """A new episode with two thirds of the task's budget, which is what a proof may take (measurement 25)."""
    task = engine.store.get_task(task_hash)
    protocol = HOW.model_copy(update={"budget": max(task.budget * 2 // 3, 1 + len(task.scene.phases))})
    return engine.create(task_hash, agent_kind="script", agent_name=AGENT, protocol=protocol, mode=MODE)


def _own(store: Store, episode_id: str, staff_id: str) -> EpisodeRecord:
    record = episode(store, episode_id)
    if record is None or recorder_of(store, episode_id) != staff_id:
        raise NotYours("This recording is somebody else's, or there is none: begin one of your own.")
    return record


def _do(engine: EpisodeEngine, episode_id: str, steps: list[Step]) -> Step:
    """Do the steps of another episode again in this new one; returns the last step."""
    view = engine.open(episode_id, tab=AGENT)
    for seq, step in enumerate(steps, 1):
        if step.kind == "phase":
            engine.next_phase(episode_id, view.epoch, seq)
        else:
            engine.act(episode_id, view.epoch, seq, step.action)
    return steps_of(engine.store, episode_id)[-1]
