"""Numbers in front of a word, as English has them."""

from __future__ import annotations


def number_of(number: int, one: str, more: str = "") -> str:
    """A number with its word: ``1 study``, ``2 studies``, ``12,480 tasks``.

    Args:
        number: how many.
        one: the word, with what follows it where that changes too (``view is``).
        more: the same for any other number; empty: `one` with an s.
    """
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"
