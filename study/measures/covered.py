"""How often the printed intervals hold the truth: what `vantage bench coverage` found, which stands beside them.

1,000 sets of answers of each kind of study (40 tasks; standard deviation of tasks 0.5, 1.0 and 1.5 logits; accuracy 0.3, 0.6 and 0.9;
everybody at every task, or five people to a task), seed 1; each share is exact to about 1.5 points. The aim is 93 to 97 %.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from study.measures.accuracy import Tasks

Of = Literal["accuracy", "difference"]

FOUND: Mapping[tuple[Of, Tasks, int], tuple[float, float]] = {
    ("accuracy", "random", 6): (0.950, 0.990),
    ("accuracy", "random", 12): (0.947, 0.977),
    ("accuracy", "random", 28): (0.931, 0.975),
    ("accuracy", "random", 60): (0.939, 0.979),
    ("accuracy", "fixed", 6): (0.930, 0.967),
    ("accuracy", "fixed", 12): (0.939, 0.968),
    ("accuracy", "fixed", 28): (0.942, 0.969),
    ("accuracy", "fixed", 60): (0.939, 0.978),
    ("difference", "random", 6): (0.985, 0.993),
    ("difference", "random", 12): (0.965, 0.987),
    ("difference", "random", 28): (0.948, 0.981),
    ("difference", "random", 60): (0.938, 0.973),
    ("difference", "fixed", 6): (0.945, 0.971),
    ("difference", "fixed", 12): (0.948, 0.979),
    ("difference", "fixed", 28): (0.947, 0.982),
    ("difference", "fixed", 60): (0.942, 0.973),
}
"""(figure, of which tasks it speaks, people) → the lowest and the highest share of sets whose interval held the truth."""


def said(of: Of, tasks: Tasks, people: int) -> str:
    """What is known of an interval's coverage for about so many people, as a sentence.

    Args:
        of: an accuracy, or a difference of two.
        tasks: of which tasks the interval speaks.
        people: who gave the answers.
    """
    sizes = sorted(size for figure, of_tasks, size in FOUND if (figure, of_tasks) == (of, tasks))
    if people < sizes[0]:
        return f"How often such an interval holds the truth was not tried with fewer than {sizes[0]} people."
    size = max(one for one in sizes if one <= people)
    low, high = FOUND[of, tasks, size]
    return (
        f"In drawn studies of {size} people and 40 tasks such a 95 % interval held the truth in {100 * low:.0f} to {100 * high:.0f} % of "
        "them, by how much tasks differ and how easy they are."
    )
