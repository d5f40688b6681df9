"""The response model by which answers are drawn where the truth must be known: coverage of intervals, simulated people.

logit P(right) = centre of the paradigm + person + task + (person's gain + task's gain) in every paradigm but the first, all normal
(`study.measures.power` uses the same with two). The truth that an estimate is held against is computed from the model, by Gauss–Hermite
quadrature over people, and never from drawn answers.
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


def centres(accuracies: Sequence[float], spread: Spread) -> tuple[float, ...]:
    """The logits at which people like these have these accuracies at tasks like these, one for each paradigm.

    Args:
        accuracies: between 0 and 1, both excluded.
        spread: how much people and tasks differ.
    """
    first = float(np.hypot(spread.person, spread.task))
    other = float(np.sqrt(first**2 + spread.person_paradigm**2 + spread.task_paradigm**2))
    return tuple(intercept(accuracy, other if arm else first) for arm, accuracy in enumerate(accuracies))


@dataclass(frozen=True)
class Response:
    """People and tasks of known ability and difficulty."""

    centre: tuple[float, ...]
    """Logit of each paradigm."""
    spread: Spread
    person: Floats
    """Ability, logits around the centre, shape (people,)."""
    person_gain: Floats
    """What each gains by a paradigm, shape (paradigms, people); 0 in the first."""
    task: Floats
    """Ease, shape (tasks,)."""
    task_gain: Floats
    """Shape (paradigms, tasks); 0 in the first."""

    @classmethod
    def drawn(cls, draw: np.random.Generator, people: int, tasks: int, centre: Sequence[float], spread: Spread) -> Response:
        """People and tasks drawn from the population."""

        def gains(n: int, sd: float) -> Floats:
            found = draw.normal(0.0, sd, (len(centre), n))
            found[0] = 0.0
            return found

        person, task = draw.normal(0.0, spread.person, people), draw.normal(0.0, spread.task, tasks)
        return cls(tuple(centre), spread, person, gains(people, spread.person_paradigm), task, gains(tasks, spread.task_paradigm))

    def probability(self, person: Whole, task: Whole, arm: Whole) -> Floats:
        """Of each answer being right; all of shape (answers,)."""
        centre = np.asarray(self.centre)[arm]
        return sigmoid(centre + self.person[person] + self.task[task] + self.person_gain[arm, person] + self.task_gain[arm, task])

    def of_these_tasks(self, tasks: Sequence[int] | Whole, arm: int) -> float:
        """Accuracy of people like these at exactly these tasks, each as often as it stands in `tasks`."""
        numbers = np.asarray(tasks, dtype=np.int64)
        sd = float(np.hypot(self.spread.person, self.spread.person_paradigm)) if arm else self.spread.person
        at = self.centre[arm] + self.task[numbers] + self.task_gain[arm, numbers]
        logits = at[:, None] + np.sqrt(2.0) * sd * _NODES[None, :]
        return float((sigmoid(logits) @ (_SHARES / np.sqrt(np.pi))).mean())
