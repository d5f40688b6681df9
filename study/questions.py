"""A question about pictures that exist (paradigm *multi-view QA*): everything is shown at once, nothing is simulated.

Slots, assignment, beliefs, the one answer, its score, reports and the end are the episode engine's own (`study.episode`). What is different
is the showing: one event ``shown`` with what was shown, instead of steps with frames; the pictures are kept elsewhere by their SHA-256.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from data.store import Store
from data.task import Task
from study import clocks, states
from study.devices import Device
from study.episode import EpisodeEngine
from study.errors import EpisodeOver, FrameNotShown, UnknownEpisode, WrongParadigm
from study.records import AnswerRecord, EpisodeRecord
from study.views import BeliefView


class QuestionView(BaseModel):
    """What a person's browser may know of a question, and on the server, what it shows."""

    model_config = ConfigDict(frozen=True)

    episode_id: str
    epoch: int
    """Grows with every opening; only the latest may answer."""
    state: str
    stopped_by: str | None
    """How it ended; None while it goes on."""
    saved_at: str
    """Server time of the last thing kept."""
    shown: dict[str, Any]
    """The blind document (`Task.shown`), with the pictures' hashes: not for the browser as it is."""
    letters: tuple[str, ...]
    """The options' letters, as the benchmark has them."""
    belief: BeliefView | None
    """The last choice and confidence, from whatever tab."""
    enlarge: bool
    external_references: bool
    confidence_required: bool
    seconds_left: float | None
    """Until the time limit; None without one."""


def open_question(engine: EpisodeEngine, episode_id: str, *, tab: str = "", device: Device | None = None) -> QuestionView:
    """Take the episode over and show its question. The first time, what is shown is written down before it is.

    Raises:
        UnknownEpisode: no such episode.
        WrongParadigm: it is no question about pictures.
        EpisodeOver: it ended before it was shown.
        StorageFull: no room; the episode is as it was.
    """
    store = engine.store
    engine.settle(_question(store, episode_id))
    with store.atomic() as db:
        record = engine.take_over(episode_id, tab, device)
        task = store.get_task(record.task_hash)
        if record.last_seq < 0:
            if record.state in states.OVER:
                raise EpisodeOver(f"This question is over ({record.state}); nothing can be added.")
            told = {"epoch": record.epoch, "item": task.task_id, "item_hash": task.source.get("item_hash", ""), "pictures": pictures(task)}
            store.event("shown", told, at=record.started_at, episode_id=episode_id)
            db.execute("UPDATE episodes SET last_seq = 0 WHERE episode_id = ?", [episode_id])
    return view(engine, episode_id)


def view(engine: EpisodeEngine, episode_id: str) -> QuestionView:
    """The question as it stands, without taking it over.

    Raises:
        UnknownEpisode: no such episode, or not shown yet.
        WrongParadigm: it is no question about pictures.
    """
    store = engine.store
    record = _question(store, episode_id)
    if record.last_seq < 0:
        raise UnknownEpisode(f"The question of {episode_id!r} has not been shown yet: open it.")
    task, protocol = store.get_task(record.task_hash), record.settings
    belief = engine.last_belief(episode_id)
    answer = store.row("SELECT * FROM answers WHERE episode_id = ?", AnswerRecord, [episode_id])
    return QuestionView(
        episode_id=episode_id,
        epoch=record.epoch,
        state=record.state,
        stopped_by=answer.stopped_by if answer else clocks.ended_by(store, record) or None,
        saved_at=answer.server_time if answer else belief.saved_at if belief else record.started_at or record.created_at,
        shown=task.shown,
        letters=task.question.options,
        belief=belief,
        enlarge=protocol.enlarge,
        external_references=protocol.external_references,
        confidence_required=protocol.confidence_required,
        seconds_left=None if (left := clocks.left(store, record)) is None else left.seconds,
    )


def pictures(task: Task) -> list[dict[str, Any]]:
    """Every picture of a question, in order: ``place`` (a view's name or an option's letter), ``image`` (SHA-256), ``transform``."""
    named = [(view["view"], view) for view in task.shown["views"]] + list(task.shown["option_images"].items())
    return [{"place": place, "image": image["image"], "transform": image.get("transform", "")} for place, image in named]


def picture(store: Store, episode_id: str, place: str, *, asked: bool = True) -> dict[str, Any]:
    """The picture at one place of a question: as in `pictures`, with ``width``, ``height`` and the ``marks`` that lie on it.

    Args:
        store: the database.
        episode_id: the question's episode.
        place: a view's name, or an option's letter.
        asked: only while the question is being asked, as for whoever answers it; staff may look later.

    Raises:
        UnknownEpisode, WrongParadigm: as `view`.
        FrameNotShown: the question is not asked now, or has no such picture.
    """
    record = _question(store, episode_id)
    if record.last_seq < 0 or (asked and record.state != "active"):
        raise FrameNotShown("This question is not asked now, so its pictures are not shown.")
    shown = store.get_task(record.task_hash).shown
    found = {view["view"]: view for view in shown["views"]} | shown["option_images"]
    if place not in found:
        raise FrameNotShown(f"This question has no picture {place[:40]!r}.")
    return dict(found[place]) | {"marks": [mark for mark in shown["marks"] if mark["view"] == place]}


def _question(store: Store, episode_id: str) -> EpisodeRecord:
    record = store.row("SELECT * FROM episodes WHERE episode_id = ?", EpisodeRecord, [str(episode_id)])
    if record is None:
        raise UnknownEpisode(f"There is no episode {str(episode_id)[:40]!r} here.")
    if record.met.simulated:
        raise WrongParadigm("This is a task in a scene, not a question about pictures: open it on the task page.")
    return record
