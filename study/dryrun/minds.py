"""What simulated people know and how they go about it: ability, lapses, caution, confidence, changes of mind, habits; all of it known.

Whether an answer is right is drawn from the response model (`study.measures.response`), not seen in a picture. So a mind reads the right
answer of its task; it lives in this process alone, and nothing of it passes a participant's route.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from data.task import Task
from study import scoring
from study.measures.power import Spread
from study.measures.response import Response, centres
from study.views import EpisodeView

SPREAD = Spread()
TRIES = 60
"""Guesses until a wrong one is found."""


@dataclass(frozen=True)
class Traits:
    """What is put into a crowd."""

    accuracies: tuple[float, float] = (0.45, 0.75)
    """Population accuracy in the study's first paradigm and in its last; in the others evenly between."""
    spread: Spread = SPREAD
    """How much people and tasks differ, logits."""
    lapse: float = 0.05
    """Share of answers that are a guess."""
    looks: float = 5.0
    """Mean number of actions in a task, before the budget cuts it."""
    caution_sd: float = 0.4
    """Standard deviation of its logarithm between people."""
    overconfident: float = 0.4
    """By which stated confidence lies above the true probability of being right, logits."""
    revises: float = 0.4
    """Share of tasks in which the first stated answer is not the last."""
    repeats: float = 0.35
    """Probability that an action is the one before it again; else it is drawn among all, that one too."""


@dataclass(frozen=True)
class Put:
    """What was put into one answer."""

    number: int
    """The person's, in the order in which they came."""
    task: int
    """The task's, in the study's list."""
    paradigm: str
    p: float
    """Probability that the answer is right, lapses included."""
    confidence: float
    """As it is stated, 0 to 1."""
    luck: float
    """Probability that a guess at it is right."""
    looks: float = 0.0
    """Expected number of actions."""
    acts: bool = False
    """Whether one acts in it, rather than sees what is given."""
    parts: int = 1
    """Parts of the scene."""
    repeats: float | None = None
    """Expected share of actions that are the one before again; None: fewer than two were done."""
    revisable: bool = False
    """An answer was stated before the last view, so a change can be seen."""


@dataclass
class Minds:
    """The minds of a crowd, and what was put into each answer that was given."""

    traits: Traits
    accuracies: dict[str, float]
    """Paradigm → population accuracy in it, without lapses, in the study's order."""
    tasks: dict[str, int]
    """Hash of a task document → its number."""
    response: Response
    caution: Sequence[float]
    """Of each person: mean number of actions."""
    put: dict[str, Put] = field(default_factory=dict)
    """Episode → what was put into its answer."""

    @classmethod
    def drawn(cls, ways: Sequence[str], tasks: Sequence[str], people: int, seed: int, traits: Traits = Traits()) -> Minds:
        """Minds for so many people."""
        draw = np.random.default_rng([seed, 0x3117D5])
        accuracies = dict(zip(ways, np.linspace(*traits.accuracies, len(ways)).tolist(), strict=True))
        middle = centres(list(accuracies.values()), traits.spread)
        response = Response.drawn(draw, people, len(tasks), middle, traits.spread)
        caution = traits.looks * np.exp(draw.normal(0.0, traits.caution_sd, people) - traits.caution_sd**2 / 2)
        return cls(traits, accuracies, {task: n for n, task in enumerate(tasks)}, response, caution.tolist())

    @property
    def ways(self) -> list[str]:
        """The study's paradigms."""
        return list(self.accuracies)

    def meets(self, number: int, task_hash: str, paradigm: str, task: Task, view: EpisodeView, draw: random.Random) -> Meets:
        """What somebody will think of a task that they meet now.

        Args:
            number: the person's.
            task_hash: of the task as it stands in the study's list.
            paradigm: how they meet it.
            task: the document, for its right answer.
            view: what they are shown.
            draw: of their life.
        """
        item, arm = self.tasks[task_hash], self.ways.index(paradigm)
        one = np.asarray([0])
        able = float(self.response.probability(one + number, one + item, one + arm)[0])
        lapse, lucky = self.traits.lapse, chance(task, view)
        p = (1 - lapse) * able + lapse * lucky
        lapsed = draw.random() < lapse
        right = draw.random() < (lucky if lapsed else able)
        stated = round(100 / (1 + math.exp(-(_logit(p) + self.traits.overconfident))))
        answer = task.gold.accepted[0] if right else wrong(task, view, draw)
        return Meets(self, Put(number, item, paradigm, p, stated / 100, lucky), task, view, answer, stated)

    def guided(self, number: int, task: Task, view: EpisodeView) -> Meets:
        """What somebody thinks of a practice task: what its guidance says."""
        return Meets(self, Put(number, 0, self.ways[0], 1.0, 1.0, 1.0), task, view, task.gold.accepted[0], 100)


@dataclass
class Meets:
    """One person with one task."""

    minds: Minds
    so_far: Put
    task: Task
    view: EpisodeView
    answer: Any
    """What they will answer."""
    confidence: int
    """0–100."""

    def wanted(self, most: int, draw: random.Random) -> tuple[int, float]:
        """(actions before the answer, their expectation), at most `most`."""
        mean = self.minds.caution[self.so_far.number]
        expected = 1 + sum(math.exp(-k / mean) for k in range(1, most)) if most else 0.0
        return min(1 + int(draw.expovariate(1 / mean)), most), expected

    def next_action(self, before: str | None, moves: Sequence[str], draw: random.Random) -> str:
        """One of `moves`."""
        if before is not None and draw.random() < self.minds.traits.repeats:
            return before
        return draw.choice(list(moves))

    def first_thought(self, draw: random.Random) -> Any:
        """The answer that is stated at first: another one in as many tasks as is put in."""
        if draw.random() >= self.minds.traits.revises:
            return self.answer
        last = self._read(self.answer)
        for _ in range(TRIES):
            other = guess(self.view, draw)
            if self._read(other) != last:
                return other
        return self.answer

    def _read(self, answer: Any) -> Any:
        return scoring.normalise(self.task.question.form, self.task.question, answer, self.view.options)


def chance(task: Task, view: EpisodeView) -> float:
    """Probability that `guess` is right: as the task declares it, where it is drawn among what the task offers."""
    return task.gold.chance if view.options or view.blanks or view.targets or view.form == "yes_no" else 0.0


def wrong(task: Task, view: EpisodeView, draw: random.Random) -> Any:
    """A well-formed answer that is not right."""
    for _ in range(TRIES):
        found = guess(view, draw)
        score = scoring.score(task, found, view.options)
        if score.answered and not score.correct_strict:
            return found
    raise ValueError(f"{task.task_id}: {TRIES} guesses, and none is a wrong answer")


def guess(view: EpisodeView, draw: random.Random) -> Any:
    """A random well-formed answer."""

    def order(texts: Sequence[str]) -> list[str]:
        return draw.sample(list(texts), len(texts))

    def each(blanks: Sequence[Sequence[str]]) -> list[str]:
        return [draw.choice(list(blank)) for blank in blanks]

    match view.form:
        case "sequence":
            return order(view.options)
        case "blanks":
            return each(view.blanks)
        case "pair":
            return dict(zip(view.blank_names, each(view.blanks), strict=True))
        case "assignment":
            return {item: draw.choice(list(view.targets)) for item in view.options}
        case "yes_no" if not view.options:
            return draw.choice(["yes", "no"])
        case _ if view.options:
            return draw.choice(list(view.options))
        case "count" | "number":
            return str(draw.randint(0, 9))
        case _:
            return draw.choice(["yes", "no", "left", "right", "something else"])


def _logit(p: float) -> float:
    return math.log(p / (1 - p))
