"""In which order a showing lists the options of its question (measurement 9).

Options are shuffled per showing, and the order is recorded. Two kinds are not: numerals stand in ascending order, and yes/no and A/B keep
one order per person, which alternates between people. Blanks that offer the same texts show them in one order.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec

from data.task import Question

_PAIRS: tuple[tuple[str, str], ...] = (("yes", "no"), ("a", "b"))
"""Options that keep one order per person, in lower case."""


class Order(msgspec.Struct, frozen=True):
    """Indices into the question's own lists, in the order shown."""

    options: tuple[int, ...]
    blanks: tuple[tuple[int, ...], ...]
    """Per blank."""
    targets: tuple[int, ...]


def as_written(question: Question) -> Order:
    """Everything in the question's own order."""
    return Order(_plain(question.options), tuple(_plain(blank) for blank in question.blanks), _plain(question.targets))


def per_showing(question: Question, seed: int, person: int | None) -> Order:
    """Shuffled as measurement 9 says.

    Args:
        question: the question.
        seed: the episode's: equal seeds give equal orders.
        person: the participant's number; None where nobody has one (models, scripts): the order of a pair is drawn like any other.
    """
    if question.form in ("count", "number"):
        return as_written(question)
    draw = random.Random(seed)

    def order(texts: Sequence[str]) -> tuple[int, ...]:
        indices = list(_plain(texts))
        # drawn in any case, so that a seed's further draws do not depend on what the texts are
        draw.shuffle(indices)
        return _ascending(texts) or _of_person(texts, person) or tuple(indices)

    return Order(order(question.options), _alike(question.blanks, [order(blank) for blank in question.blanks]), order(question.targets))


def _alike(blanks: Sequence[tuple[str, ...]], drawn: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """The orders of the blanks, where those that offer the same texts show them in the same order: the first one's."""
    first: dict[frozenset[str], tuple[str, ...]] = {}
    return tuple(
        tuple(blank.index(text) for text in first.setdefault(frozenset(blank), picked(blank, order)))
        for blank, order in zip(blanks, drawn, strict=True)
    )


def picked(texts: Sequence[str], order: Sequence[int]) -> tuple[str, ...]:
    """`texts` in that order."""
    return tuple(texts[index] for index in order)


def _plain(texts: Sequence[str]) -> tuple[int, ...]:
    return tuple(range(len(texts)))


def _ascending(texts: Sequence[str]) -> tuple[int, ...]:
    """The order of numerals; empty where not all are."""
    try:
        values = [float(text) for text in texts]
    except ValueError:
        return ()
    return tuple(sorted(_plain(texts), key=values.__getitem__))


def _of_person(texts: Sequence[str], person: int | None) -> tuple[int, ...]:
    """The person's order of yes/no or A/B; empty for other texts and for nobody.

    The parity of the number's bits gives each two neighbours (0 and 1, 2 and 3, …) both orders, and does not go along with a design
    that repeats every n people.
    """
    known = [text.strip().lower() for text in texts]
    pair = next((pair for pair in _PAIRS if sorted(pair) == sorted(known)), None)
    if pair is None or person is None:
        return ()
    order = [known.index(word) for word in pair]
    return tuple(order[::-1] if person.bit_count() % 2 else order)
