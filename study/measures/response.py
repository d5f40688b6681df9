"""The response model by which answers are drawn where the truth must be known: coverage of intervals, simulated people.

logit P(right) = centre of the paradigm + person + task + (person's gain + task's gain) in the second paradigm, all normal
(`study.measures.power` uses the same). The truth that an estimate is held against is computed from the model, by Gauss–Hermite quadrature
over people, and never from drawn answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from study.measures.intervals import Floats, Whole
from study.measures.power import Spread, intercept

_NODES, _SHARES = np.polynomial.hermite.hermgauss(61)


def sigmoid(logits: Floats) -> Floats:
    """Probabilities of logits."""
    found: Floats = 1.0 / (1.0 + np.exp(-logits))
    return found


def centres(accuracies: tuple[float, float], spread: Spread) -> tuple[float, float]:
    """The logits at which people like these have these accuracies at tasks like these, in the first paradigm and in the second.

    Args:
        accuracies: between 0 and 1, both excluded.
        spread: how much people and tasks differ.
    """
    first = float(np.hypot(spread.person, spread.task))
    second = float(np.sqrt(first**2 + spread.person_paradigm**2 + spread.task_paradigm**2))
    return intercept(accuracies[0], first), intercept(accuracies[1], second)


@dataclass(frozen=True)
class Response:
    """People and tasks of known ability and difficulty."""

    centre: tuple[float, float]
    """Logit of each paradigm."""
    spread: Spread
    person: Floats
    """Ability, logits around the centre, shape (people,)."""
    person_gain: Floats
    """What each gains by the second paradigm, shape (people,)."""
    task: Floats
    """Ease, shape (tasks,)."""
    task_gain: Floats
    """Shape (tasks,)."""

    @classmethod
    def drawn(cls, draw: np.random.Generator, people: int, tasks: int, centre: tuple[float, float], spread: Spread) -> Response:
        """People and tasks drawn from the population."""
        return cls(
            centre,
            spread,
            draw.normal(0.0, spread.person, people),
            draw.normal(0.0, spread.person_paradigm, people),
            draw.normal(0.0, spread.task, tasks),
            draw.normal(0.0, spread.task_paradigm, tasks),
        )

    def probability(self, person: Whole, task: Whole, arm: Whole) -> Floats:
        """Of each answer being right; all of shape (answers,)."""
        centre = np.where(arm == 1, self.centre[1], self.centre[0])
        return sigmoid(centre + self.person[person] + self.task[task] + arm * (self.person_gain[person] + self.task_gain[task]))

    def of_these_tasks(self, tasks: Sequence[int] | Whole, arm: int) -> float:
        """Accuracy of people like these at exactly these tasks, each as often as it stands in `tasks`."""
        numbers = np.asarray(tasks, dtype=np.int64)
        sd = float(np.hypot(self.spread.person, self.spread.person_paradigm)) if arm else self.spread.person
        at = self.centre[arm] + self.task[numbers] + (self.task_gain[numbers] if arm else 0.0)
        logits = at[:, None] + np.sqrt(2.0) * sd * _NODES[None, :]
        return float((sigmoid(logits) @ (_SHARES / np.sqrt(np.pi))).mean())
