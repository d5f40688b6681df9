"""Stepping into the live simulator at a view of a task's verified trajectory, to try something else.

It is an episode that belongs to no study and to no kind of run that counts. The engine does the trajectory again up to that view; from
there on its verifier plays as people play.
"""

from __future__ import annotations

from annotation.verifying import queue
from annotation.verifying.errors import CannotStepIn
from annotation.verifying.showing import task_of
from data.store import Store
from data.task import Task
from sim_bridge.actions import parse_action
from study import trajectories
from study.episode import EpisodeEngine
from study.errors import StudyError
from study.ground_truth import parts
from study.handles import Handles, handles
from study.protocol import Protocol
from study.records import EpisodeRecord
from study.steps import steps_of

AGENT = "verifier"
"""Name of the agent of these episodes."""
MODE = "preview"
"""Kind of run of these episodes, which no result counts."""
BEGAN = "verifier_stepped_in"
"""Kind of the event that says whose such an episode is."""


def begin(engine: EpisodeEngine, review_id: str, who: str, n: int) -> str:
    """Step into the task of a review at view `n` of its trajectory (from 0); returns the episode.

    Raises:
        CannotStepIn: its first stage is not stored yet, or the trajectory cannot be done again up to that view.
        NotYours, UnknownReview: as `annotation.verifying.queue.look`.
        BridgeDown, NoRoom: no simulator now; do it again later.
    """
    store = engine.store
    review = queue.review_of(store, review_id, who)
    if not review.stages:
        raise CannotStepIn("Say first what the first view tells you; then you can step in.")
    return begin_at(engine, task_of(store, review.subject), review_id, who, n)


def begin_at(engine: EpisodeEngine, task: Task, review_id: str, who: str, n: int = 0) -> str:
    """Step into a task at view `n` of its trajectory (0: its start view, before anything of the trajectory is done); returns the episode:
    where they stepped in there already and have done nothing since, the same (the reply may have got lost).

    Args:
        engine: the engine.
        task: the task.
        review_id: the review for which it is; whoever calls has seen to it that it is `who`'s, and may show this much.
        who: its reviewer.
        n: from 0.

    Raises:
        CannotStepIn: the trajectory cannot be done again up to that view.
        BridgeDown, NoRoom: no simulator now; do it again later.
    """
    store = engine.store
    task = trajectories.known(store, task) if n else task
    way = _way(task) if n else []
    n = max(0, min(n, len(way)))  # views that were recorded elsewhere lie on no way: then it begins at the start
    if again := store.one(_UNTOUCHED, {"kind": BEGAN, "who": who, "review": review_id, "view": n}):
        return str(again["episode_id"])
    protocol = Protocol(
        history="all", belief_bar=False, confidence_required=False, enlarge=True, objects="listed", budget=min(1000, n + 1 + task.budget)
    )
    with store.atomic():
        episode_id = engine.create(task.content_hash, agent_kind="script", agent_name=AGENT, protocol=protocol, mode=MODE)
        store.event(BEGAN, {"review": review_id, "view": n}, actor=who, episode_id=episode_id)
    try:
        _do(engine, episode_id, task, way[:n])
    except StudyError:
        # whoever tries again begins anew
        end(engine, episode_id, who)
        raise
    return episode_id


_UNTOUCHED = (
    "SELECT e.episode_id FROM events v JOIN episodes e USING (episode_id) WHERE v.kind = :kind AND v.actor = :who "
    "AND v.data ->> '$.review' = :review AND v.data ->> '$.view' = :view AND e.state = 'active' AND e.last_seq = :view LIMIT 1"
)


def whose(store: Store, episode_id: str) -> str | None:
    """The staff id of whoever stepped in with this episode; None: it is no such episode."""
    row = store.one(
        "SELECT v.actor FROM episodes e CROSS JOIN events v USING (episode_id) WHERE e.episode_id = ? AND e.agent_name = ? AND v.kind = ?",
        [str(episode_id), AGENT, BEGAN],
    )
    return None if row is None else str(row["actor"])


def end(engine: EpisodeEngine, episode_id: str, who: str) -> None:
    """Step out: its simulator is free again. What has ended stays as it is."""
    record = _record(engine.store, episode_id)
    if whose(engine.store, episode_id) == who and record.state in ("created", "active"):
        engine.end(episode_id, "return", actor=who)


def _way(task: Task) -> list[str]:
    """One entry per view after the first: an action with the scene's handles, or empty where the task goes on to its next part."""
    first, *others = parts(task)
    return [*first[1], *(step for _, actions in others for step in ("", *actions))]


def _do(engine: EpisodeEngine, episode_id: str, task: Task, way: list[str]) -> None:
    view = engine.open(episode_id, tab=AGENT)
    for seq, action in enumerate(way, 1):
        if action:
            engine.act(episode_id, view.epoch, seq, _public(action, _offered(engine.store, episode_id, task), task, seq))
        else:
            engine.next_phase(episode_id, view.epoch, seq)


def _offered(store: Store, episode_id: str, task: Task) -> Handles:
    """What the episode offers now."""
    record = _record(store, episode_id)
    return handles(task, record.seed, record.settings.object_rule, record.hands, (step.visible for step in steps_of(store, episode_id)))


def _public(action: str, offered: Handles, task: Task, seq: int) -> str:
    """An action with the handles that the episode gives its player."""
    read = parse_action(action)
    public = {scene: name for name, scene in offered.to_scene.items()}
    if missing := [handle for handle in read.objects if handle not in public]:
        names = ", ".join(task.names.get(handle, "a thing that is not named") for handle in missing)
        raise CannotStepIn(
            f"Step {seq} of the trajectory takes {names}, which has not come into view by then, so nobody who plays could do it. "
            "Step in before it; and ask whether the task is answerable."
        )
    objects = set(read.objects)
    return str(type(read)(read.name, tuple(public[arg] if arg in objects else arg for arg in read.args)))


def _record(store: Store, episode_id: str) -> EpisodeRecord:
    found = store.row("SELECT * FROM episodes WHERE episode_id = ?", EpisodeRecord, [episode_id])
    assert found is not None, f"no episode {episode_id!r}"
    return found
