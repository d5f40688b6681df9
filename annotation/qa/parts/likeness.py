"""How alike the options of an item are to each other, so that the right one is not the one that resembles all others.

Wrong options made by changing the right one leave it in the middle: it can then be guessed without a look at the images. Here candidates
grow along a random tree in which the right option has no special place.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def tree(rng: random.Random, size: int) -> list[tuple[int, int]]:
    """A uniformly drawn labelled tree as (parent, child) pairs outward from node 0, every parent before its children."""
    if size < 2:
        return []
    code = [rng.randrange(size) for _ in range(size - 2)]
    degree = [1 + code.count(node) for node in range(size)]
    edges = []
    for node in code:
        leaf = degree.index(1)
        edges.append((leaf, node))
        degree[leaf] -= 1
        degree[node] -= 1
    edges.append(tuple(node for node in range(size) if degree[node] == 1))  # type: ignore[arg-type]
    ordered: list[tuple[int, int]] = []
    reached = [0]
    for parent in reached:
        for a, b in edges:
            child = b if a == parent else a if b == parent else None
            if child is not None and child not in reached:
                ordered.append((parent, child))
                reached.append(child)
    return ordered


def grow(first: T, count: int, rng: random.Random, vary: Callable[[T], T], fits: Callable[[T], bool]) -> list[tuple[T, bool]]:
    """`count` candidates made by `vary` from `first` or from each other, none equal, each one that `fits`.

    Returns:
        (candidate, whether it was made from `first` itself: those come close to it), the close ones first.
    """
    made = {0: first}
    near = set()
    for parent, child in tree(rng, count + 1):
        while True:
            candidate = vary(made[parent])
            if candidate not in made.values() and fits(candidate):
                break
        made[child] = candidate
        if parent == 0:
            near.add(child)
    return sorted(((made[k], k in near) for k in range(1, count + 1)), key=lambda entry: not entry[1])


def middle(options: Mapping[str, Sequence[object]]) -> list[str]:
    """The options (letter → parts) that share most parts, place by place, with the others; several where they tie."""
    shared = {
        letter: sum(a == b for other, theirs in options.items() if other != letter for a, b in zip(parts, theirs, strict=False))
        for letter, parts in options.items()
    }
    best = max(shared.values(), default=0)
    return [letter for letter, value in shared.items() if value == best]
