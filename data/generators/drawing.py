"""What seed and number of an item decide before anything is drawn: its layout, its wording, and whose turn it is.

A random draw alone leaves golds, ranks and kinds uneven over ten items; a fixed cycle over the number makes every seed's first item the
same. So turns are taken in blocks, in an order that the seed draws for each block: even over every whole block, and other for every seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from data.task import Ask

T = TypeVar("T")

Wording = Callable[[Ask, Mapping[str, str], tuple[str, ...]], str]
"""(what is asked, words of the named objects, options) → the question's text. Objects are keys while an item is drafted, later handles."""
Words = Callable[[Ask, Mapping[str, str], tuple[str, ...]], Mapping[str, str]]
"""The same → the words that templates of a question name in braces."""


@dataclass(frozen=True)
class Item:
    """One item to be drafted.

    Example:
        >>> items = [Item("line", 7, number) for number in range(1, 7)]
        >>> [sorted(item.turn("gold", 3) for item in items[i : i + 3]) for i in (0, 3)]
        [[0, 1, 2], [0, 1, 2]]
    """

    slug: str
    """Of its generator."""
    seed: int
    number: int
    """From 1."""
    layout: str = ""
    """One of the generator's layouts, by name."""

    def turn(self, what: str, size: int, each: int = 1) -> int:
        """A number below `size`; over `size` × `each` items in a row each comes `each` times, in an order of the seed's.

        Args:
            what: its name; turns of different names are independent.
            each: so many items in a row have the same.
        """
        block, at = divmod((self.number - 1) // each, size)
        return random.Random(f"{self.slug}/{self.seed}/{what}/{block}").sample(range(size), size)[at]

    def dealt(self, what: str, pool: Sequence[T]) -> T:
        """One of the pool by `turn`: none comes again before all others have come."""
        return pool[self.turn(what, len(pool))]

    def against(self, what: str, pool: Sequence[T]) -> tuple[T, int]:
        """One of the pool, and 0 or 1: two items in a row (from an odd number on) have both, and over two deals of the pool each of it
        comes once with either. So neither tells the other, where a pool comes round again within a bundle.

        Example:
            >>> found = [Item("boxed", 7, number).against("kind", ("mug", "can", "bun")) for number in range(1, 7)]
            >>> sorted(found)
            [('bun', 0), ('bun', 1), ('can', 0), ('can', 1), ('mug', 0), ('mug', 1)]
        """
        size = len(pool)
        block, at = divmod(self.number - 1, size)
        draw = random.Random(f"{self.slug}/{self.seed}/{what} against/{block // 2}")
        first = draw.randrange(2)
        order = draw.sample(range(size), size)
        sides = order[::2], order[1::2]
        chosen = sides[at % 2]
        if block % 2:
            chosen = draw.sample(chosen, len(chosen))
        return pool[chosen[at // 2]], (at + block + first) % 2


def wordings(words: Words, *templates: str) -> tuple[Wording, ...]:
    """Equivalent ways to ask the same: templates with words in braces.

    Each asks for the same answer in the same terms, yes for yes; none says more than another. The first is the plainest: authors get it.

    Example:
        >>> ways = wordings(lambda ask, names, options: {"a": names["x"]}, "Where is the {a}?", "In which place is the {a}?")
        >>> [way(Ask(what="where"), {"x": "mug"}, ()) for way in ways]
        ['Where is the mug?', 'In which place is the mug?']
    """

    def worded(template: str) -> Wording:
        return lambda ask, names, options: template.format_map(words(ask, names, options))

    return tuple(worded(template) for template in templates)


def named(words: str) -> str:
    """With its article: ``an orange``."""
    return f"{'an' if words[:1].lower() in 'aeiou' or words.startswith('hour') else 'a'} {words}"
