"""What Action Planning and Step Execution share: options are ordered sequences of direction words."""

from __future__ import annotations

from itertools import combinations

from annotation.qa import directions
from annotation.qa.subtasks.base import Item, Problem, Proposal, is_none

DISTRACTORS = {
    "reversed": "A direction turned round.",
    "reordered": "The right steps in a wrong order.",
    "collision": "Leads into something.",
    "misses": "Ends beside the goal.",
    "wrong_arm": "The other arm.",
    "by_hand": "Another wrong motion.",
}


def options(item: Item) -> Proposal:
    """The author writes them."""
    return Proposal(dict(item.options), item.gold, item.hard, dict(item.provenance))


def check(item: Item, fewest: int) -> list[Problem]:
    """Every option names directions, no two the same in the same order."""
    problems = []
    sequences = {letter: directions.read(text) for letter, text in item.options.items() if text.strip() and not is_none(text)}
    for letter, steps in sequences.items():
        if len(steps) < fewest:
            named = f"{len(steps) or 'no'} direction{'' if len(steps) == 1 else 's'}"
            words = f"Option {letter} names {named}, it needs {fewest} or more (right, left, forward, backward, upward, downward)."
            problems.append(Problem(f"options.{letter}", words))
    for a, b in combinations(sorted(sequences), 2):
        if sequences[a] and sequences[a] == sequences[b]:
            problems.append(
                Problem(
                    f"options.{b}", f"Options {a} and {b} go the same way ({', '.join(sequences[a])}): no two may share their directions."
                )
            )
    return problems
