"""Whether somebody could be seated: the flow against published values, a library's solver, and trying everything."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_flow

from study.dryrun.seats import Item, max_flow, most_sessions, seatable

CLRS = [(0, 1, 16), (0, 2, 13), (1, 2, 10), (2, 1, 4), (1, 3, 12), (3, 2, 9), (2, 4, 14), (4, 3, 7), (3, 5, 20), (4, 5, 4)]
"""Cormen, Leiserson, Rivest & Stein, Introduction to Algorithms: the flow-network example."""


def items(**named: str) -> dict[str, Item]:
    return {name: Item(*told.split()) for name, told in named.items()}


TWINS = items(a="c1 g1", b="c1 g1", c="c2 g2")


@pytest.mark.parametrize(
    ("free", "tasks", "categories", "can"),
    [
        (TWINS, 2, 2, True),
        (TWINS, 3, 2, False),
        # who takes the first that is free, a of c1, has nothing left for a second category
        (items(a="c1 g1", b="c2 g1", c="c1 g2"), 2, 2, True),
        (items(a="c1 g1", b="c2 g1", c="c2 g2", d="c3 g3"), 3, 3, True),
        (items(a="c1 g1", b="c2 g1", d="c3 g3"), 3, 3, False),
        ({}, 1, 1, False),
        ({}, 0, 0, True),
        (items(a="c1 g1"), 1, 2, False),
    ],
)
def test_small_cases(free: Any, tasks: int, categories: int, can: bool) -> None:
    assert seatable(free, tasks, categories) is can


def test_what_the_session_has_had_already_counts() -> None:
    free = items(a="c1 g1", b="c1 g2", c="c2 g3")
    assert not seatable(free, 2, 3)
    assert seatable(free, 2, 3, frozenset(("c3",)))
    assert not seatable(free, 2, 3, frozenset(("c1",))), "the second of c1 is no further category"


def test_the_flow_of_the_textbook() -> None:
    assert max_flow(CLRS, 0, 5) == 23


def test_the_flow_is_that_of_another_solver() -> None:
    draw = random.Random(7)
    for _ in range(150):
        size = draw.randint(2, 9)
        capacity = np.array([[draw.randint(0, 9) * (draw.random() < 0.4) * (i != j) for j in range(size)] for i in range(size)])
        edges = [(int(i), int(j), int(capacity[i, j])) for i, j in zip(*capacity.nonzero(), strict=True)]
        assert max_flow(edges, 0, size - 1) == maximum_flow(csr_matrix(capacity.astype(np.int32)), 0, size - 1).flow_value


def test_a_session_can_be_had_exactly_if_trying_everything_finds_one() -> None:
    draw = random.Random(11)
    found = set()
    for _ in range(400):
        free = {str(n): Item(draw.randrange(3), draw.randrange(5)) for n in range(draw.randint(0, 7))}
        tasks, categories = draw.randint(1, 4), draw.randint(1, 3)
        met = frozenset(draw.sample(range(3), draw.randint(0, 2)))
        tried = any(
            len({free[name].group for name in some}) == tasks and len(met | {free[name].category for name in some}) >= categories
            for some in itertools.combinations(free, tasks)
        )
        assert seatable(free, tasks, categories, met) is tried, (free, tasks, categories, met)
        found.add(tried)
    assert found == {True, False}


def test_how_many_sessions_all_places_would_have_made() -> None:
    places, groups = {"a": 5, "b": 1, "c": 1}, {"a": 1, "b": 2, "c": 3}
    assert most_sessions(places, groups, 2, 99) == 2, "two sessions need b and c once each, and a twice"
    assert most_sessions(places, groups, 1, 3) == 3, "no more than people"
