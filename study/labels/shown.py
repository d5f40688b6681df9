"""Which trajectories are labelled, and what a coder gets to see of one.

A coder sees the question, the pictures, the actions and what was thought on the way. Who acted (a person or a model, and which), whether
the answer was right, what anybody else said of it and the gold are not shown (measurement 21). Whether it was right is known all the same
where only right ones are grouped, as the paper does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from data.store import Store
from study.action_results import in_words, put_out_of_sight
from study.errors import StudyError
from study.paradigms import PARADIGMS
from study.standing import standing
from study.states import LIVE
from study.steps import Step, steps_of
from study.words import answer_in_words

Outcome = Literal["right", "wrong", "any"]

ACTIVE: tuple[str, ...] = tuple(way.name for way in PARADIGMS if way.acts)
"""Paradigms in which somebody chooses what to look at."""


class NotLabelled(StudyError):
    """A label cannot be given in this way; the message says why."""

    code = "not_labelled"


class Trajectory(msgspec.Struct, frozen=True):
    """One trajectory in a coder's list: an episode without its agent."""

    episode_id: str
    task_hash: str
    category: str
    subcategory: str
    views: int


class View(msgspec.Struct, frozen=True):
    """One observation of it."""

    seq: int
    pixel_hash: str
    action: str
    """What was done and what came of it, in words; empty at the start."""
    ok: bool
    phase: str
    belief: str
    """What was thought after this view, where something was said: an answer in the question's words."""


class Shown(msgspec.Struct, frozen=True):
    """What a coder sees of a trajectory."""

    episode_id: str
    question: str
    note: str
    options: tuple[str, ...]
    views: tuple[View, ...]


class _Thought(msgspec.Struct, frozen=True):
    seq: int
    answer: str


def trajectories(
    store: Store, study_id: str, *, outcome: Outcome = "any", subcategory: tuple[str, str] | None = None, only: str | None = None
) -> list[Trajectory]:  # fmt: skip
    """The trajectories of a study in which somebody acted, live ones alone, in an order that tells nothing of agents.

    Args:
        store: the database.
        study_id: the study.
        outcome: those that were answered right (lenient reading), wrong, or all that are complete.
        subcategory: (category, subcategory); None: all.
        only: this episode, if it is among them; None: all.
    """
    category, kind = subcategory or ("", "")
    return store.rows(
        "SELECT e.episode_id, e.task_hash, t.category, t.subcategory, e.last_seq + 1 AS views FROM episodes e "
        "JOIN tasks t ON t.content_hash = e.task_hash LEFT JOIN scores c ON c.episode_id = e.episode_id AND c.task_hash = e.task_hash "
        "LEFT JOIN slots s USING (slot_id) WHERE e.study_id = ? AND e.state = 'completed' AND e.mode = ? AND coalesce(s.practice, 0) = 0 "
        "AND e.paradigm IN (SELECT value FROM json_each(?)) AND (? = 'any' OR coalesce(c.correct_lenient, 0) = (? = 'right')) "
        "AND (? = '' OR (t.category = ? AND t.subcategory = ?)) "
        + ("" if only is None else "AND e.episode_id = ? ")
        + "ORDER BY t.category, t.subcategory, e.task_hash, e.episode_id",
        Trajectory,
        [study_id, LIVE, msgspec.json.encode(ACTIVE).decode(), outcome, outcome, kind, category, kind, *([] if only is None else [only])],
    )


def shown(store: Store, episode_id: str) -> Shown:
    """What a coder sees.

    Raises:
        NotLabelled: there is no such trajectory.
    """
    here = standing(store, episode_id)
    if here is None:
        raise NotLabelled("There is no such trajectory any more: its person took the data back, or it was never there.")
    thoughts = store.rows(
        "SELECT seq, answer FROM beliefs WHERE episode_id = ? AND answer IS NOT NULL ORDER BY epoch, n", _Thought, [episode_id]
    )
    after = {thought.seq: thought.answer for thought in thoughts}
    question = here.offered
    views = tuple(
        View(
            step.seq,
            step.pixel_hash,
            _result(step, here.task.names),
            step.ok,
            step.phase,
            answer_in_words(msgspec.json.decode(after[step.seq])) if step.seq in after else "",
        )
        for step in steps_of(store, episode_id)
    )
    return Shown(episode_id, question.text, question.note, question.options, views)


def _result(step: Step, names: Mapping[str, str]) -> str:
    """What the step did, in the words that its person read, with the objects' names."""
    if not step.seq:
        return ""
    action = step.sim_action or step.action
    return in_words(action, step.ok, step.reason, names, unseen=put_out_of_sight(action, step.ok, step.visible))


def known(store: Store, study_id: str, episode_id: str) -> Trajectory:
    """A trajectory of the study.

    Raises:
        NotLabelled: it is none.
    """
    for found in trajectories(store, study_id, only=episode_id):
        return found
    raise NotLabelled("This is no trajectory of this study: only those in which somebody acted, and answered, are labelled.")
