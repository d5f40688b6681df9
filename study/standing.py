"""How an episode stands: its record and its task, and what follows from the two. Read once per call, never changed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

from data.store import Store
from data.task import Question, Task
from sim_bridge.actions import ACTIONS
from study import states
from study.ordering import picked
from study.paradigms.paradigm import Paradigm
from study.protocol import Protocol
from study.records import EpisodeRecord

HISTORY_LENGTH = 5
"""Earlier frames shown under the rule ``last5``, beside the current one (released runner)."""


@dataclass(frozen=True)
class Standing:
    """One episode at one moment."""

    record: EpisodeRecord
    task: Task
    """With the actions that this episode offers."""

    @cached_property
    def protocol(self) -> Protocol:
        """Its settings."""
        return self.record.settings

    @cached_property
    def paradigm(self) -> Paradigm:
        """How the task is met."""
        return self.record.met

    @property
    def over(self) -> bool:
        """Whether nothing can be added."""
        return self.record.state in states.OVER

    @property
    def budget(self) -> int:
        """Observations of the whole episode, the first view included; of pictures that exist: all of them."""
        return self.record.pictures or self.paradigm.budget(self.task, self.protocol.budget)

    @property
    def left(self) -> int:
        """Observations that may follow."""
        return self.budget - self.used if self.paradigm.acts or self.paradigm.paged else 0

    @property
    def used(self) -> int:
        """Observations so far."""
        return self.record.last_seq + 1

    @property
    def question(self) -> Question:
        """The question as this showing asks it."""
        return asked(self.task.question, self.protocol)

    @property
    def offered(self) -> Question:
        """The question as this showing asks it, with what it offers in the order of this showing."""
        question, order = self.question, self.record.option_order
        if question is not self.task.question:
            return question
        blanks = tuple(picked(blank, shown) for blank, shown in zip(question.blanks, order.blanks, strict=True))
        lists = {"options": picked(question.options, order.options), "blanks": blanks, "targets": picked(question.targets, order.targets)}
        return question.model_copy(update=lists)

    @property
    def options(self) -> tuple[str, ...]:
        """The task's options in the order of this showing, whether or not they are shown."""
        return picked(self.task.question.options, self.record.option_order.options)

    @property
    def next_phase(self) -> str | None:
        """Name of the task's next part; None: there is none, or one may not go on to it."""
        names = [phase.name for phase in self.task.scene.phases]
        if not self.paradigm.acts or self.record.phase not in names[:-1]:
            return None
        return names[names.index(self.record.phase) + 1]

    @property
    def shown(self) -> tuple[int, ...]:
        """Steps whose frames the history rule shows now, oldest first, the current one last."""
        last = self.record.last_seq
        if self.paradigm.opens == "words":
            return ()
        if self.paradigm.opens == "grid":
            return tuple(range(last + 1))
        reach = {"none": 0, "last5": HISTORY_LENGTH, "all": last}[self.protocol.history]
        return tuple(range(max(0, last - reach), last + 1))


def standing(store: Store, episode_id: str) -> Standing | None:
    """How an episode stands; None: there is none of that id."""
    record = store.row("SELECT * FROM episodes WHERE episode_id = ?", EpisodeRecord, [episode_id])
    return None if record is None else Standing(record, as_met(store.get_task(record.task_hash), record))


def asked(question: Question, protocol: Protocol) -> Question:
    """The question as a showing asks it: where its protocol asks for free text, without options and answered in words (or a number)."""
    if protocol.answer_form != "free_text":
        return question
    form = question.form if question.form in ("count", "number") else "free_text"
    return question.model_copy(update={"form": form, "options": (), "blanks": (), "targets": ()})


def as_offered(task: Task, actions: str) -> Task:
    """`task` with the actions of an episode's row (`episodes.actions`): all, before its first view and in episodes of schema 1."""
    return task.model_copy(update={"actions": tuple(json.loads(actions))}) if actions else task


def as_met(task: Task, record: EpisodeRecord) -> Task:
    """`task` as an episode's paradigm meets it: with the actions offered; where nobody acts, with none, and needing none."""
    if record.met.acts:
        return as_offered(task, record.actions)
    return as_looked_at(task)


def as_looked_at(task: Task) -> Task:
    """`task` where nobody acts: with no actions, and needing none."""
    needs = tuple(need for need in task.required_features if need not in ACTIONS)
    return task.model_copy(update={"actions": (), "required_features": needs})
