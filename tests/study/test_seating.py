"""A session is planned whenever there is one, by a maximum flow that knows nothing of the planner; it is balanced and counterbalanced."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_flow

from study import seating
from study.seating import Levels, Offer, Rule


def flow(items: dict[str, tuple[str, str]], k: int, need: int, met: frozenset[str] = frozenset()) -> bool:
    """Whether k items of `need` categories can be had, one of each content: source → content → item → category → sink by two ways, one of
    which takes one of each category that is still missing and the other whatever makes up the number."""
    missing = max(0, need - len(met))
    if missing > k:
        return False
    nodes: list[str | tuple[str, str]] = ["source", "sink", "first", "rest"]
    for item, (category, content) in items.items():
        nodes += [("item", item), ("category", category), ("content", content)]
    index = {node: n for n, node in enumerate(dict.fromkeys(nodes))}
    edges: dict[tuple[int, int], int] = {(index["first"], index["sink"]): missing, (index["rest"], index["sink"]): k - missing}
    for item, (category, content) in items.items():
        i, c, g = index["item", item], index["category", category], index["content", content]
        edges |= {(index["source"], g): 1, (g, i): 1, (i, c): 1, (c, index["rest"]): k + 1}
        if category not in met:
            edges[c, index["first"]] = 1
    graph = csr_matrix(
        (np.array(list(edges.values()), dtype=np.int32), ([a for a, _ in edges], [b for _, b in edges])), shape=(len(index), len(index))
    )
    return int(maximum_flow(graph, index["source"], index["sink"]).flow_value) >= k


def offers_of(items: dict[str, tuple[str, str]], way: str = "active") -> list[Offer]:
    groups = {content: n for n, content in enumerate(sorted({content for _, content in items.values()}))}
    return [Offer(0, 0, n, way, category, groups[content], item) for n, (item, (category, content)) in enumerate(sorted(items.items()))]


def levels_of(offers: list[Offer]) -> Levels:
    way = {o.way: (min(p.filled for p in offers if p.way == o.way), max(p.filled for p in offers if p.way == o.way)) for o in offers}
    cell = {}
    for o in offers:
        filled = [p.filled for p in offers if (p.way, p.category) == (o.way, o.category)]
        cell[o.way, o.category] = (min(filled), max(filled))
    return Levels(way, cell)


def planned(offers: list[Offer], rule: Rule, row: int = 0) -> tuple[Offer, ...] | None:
    ways, categories = sorted({o.way for o in offers}), sorted({o.category for o in offers})
    return seating.plan(offers, levels_of(offers), seating.turns(ways, categories, row), rule)


@pytest.mark.parametrize(
    ("items", "k", "need", "feasible"),
    [
        ({"a": ("c1", "g1"), "b": ("c1", "g1"), "c": ("c2", "g2")}, 2, 2, True),
        ({"a": ("c1", "g1"), "b": ("c1", "g1"), "c": ("c2", "g2")}, 3, 2, False),
        ({"a": ("c1", "g1"), "b": ("c2", "g1"), "c": ("c1", "g2")}, 2, 2, True),
        ({"a": ("c1", "g1"), "b": ("c2", "g1"), "c": ("c2", "g2"), "d": ("c3", "g3")}, 3, 3, True),
        ({"a": ("c1", "g1"), "b": ("c2", "g1"), "d": ("c3", "g3")}, 3, 3, False),
        ({}, 1, 1, False),
    ],
    ids=["twins", "twins_3", "greedy_trap", "three", "three_minus", "empty"],
)
def test_known_cases(items: dict[str, Any], k: int, need: int, feasible: bool) -> None:
    assert flow(items, k, need) is feasible
    assert seating.can_be_had(offers_of(items), Rule(k, need)) is feasible
    assert (planned(offers_of(items), Rule(k, need)) is not None) is feasible


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_a_session_is_planned_exactly_when_the_maximum_flow_says_that_there_is_one(data: st.DataObject) -> None:
    items = {
        f"t{n}": (f"c{category}", f"g{content}")
        for n, (category, content) in enumerate(data.draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=12)))
    }
    done = tuple(("active", f"c{n}") for n in data.draw(st.lists(st.integers(0, 5), max_size=3)))
    rule = Rule(data.draw(st.integers(1, 7)), data.draw(st.integers(0, 6)), done)
    ways = st.sampled_from(("active", "yoked"))
    offers = [offer._replace(filled=data.draw(st.integers(0, 4)), way=data.draw(ways)) for offer in offers_of(items)]
    there = flow(items, rule.wanted, rule.categories, frozenset(category for _, category in done))
    brute = any(
        len({items[name][1] for name in some}) == rule.wanted
        and len({items[name][0] for name in some} | {category for _, category in done}) >= rule.categories
        for some in itertools.combinations(items, rule.wanted)
    )
    found = planned(offers, rule, data.draw(st.integers(0, 20)))
    assert there is brute is seating.can_be_had(offers, rule) is (found is not None)
    if found is not None:
        assert len({offer.group for offer in found}) == len(found) == rule.wanted
        assert len({offer.category for offer in found} | {category for _, category in done}) >= rule.categories
    else:
        less = seating.within_reach(offers, rule)
        assert less.wanted < rule.wanted and planned(offers, less) is not None


@pytest.mark.parametrize(("n_ways", "n_categories"), [(2, 10), (5, 10), (3, 7), (4, 6)])
def test_categories_and_paradigms_take_turns_and_are_balanced_between_people(n_ways: int, n_categories: int) -> None:
    """In an empty study whose every cell is wide, each person gets exactly their own order; over all people each category, each paradigm
    and each pair of them stands in each place equally often."""
    ways, categories = [f"w{n}" for n in range(n_ways)], [f"c{n}" for n in range(n_categories)]
    offers = [Offer(0, 0, 0, way, c, n * n_categories + m, f"{c}-{n}") for way in ways for m, c in enumerate(categories) for n in range(3)]
    places: Counter[tuple[int, str, str]] = Counter()
    people = n_ways * (1 + n_ways % 2) * n_categories * (1 + n_categories % 2)
    for row in range(people):
        turn = seating.turns(ways, categories, row)
        found = seating.plan(offers, levels_of(offers), turn, Rule(n_categories, n_categories)) or ()
        assert [o.category for o in found] == list(turn.categories)
        assert [o.way for o in found] == [turn.ways[n % n_ways] for n in range(n_categories)]
        places.update((n, o.way, o.category) for n, o in enumerate(found))
    for n in range(n_categories):
        assert set(Counter({key: m for key, m in places.items() if key[0] == n}).values()) == {people // n_ways // n_categories}


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 10])
def test_orders_are_balanced_for_place_and_neighbour(n: int) -> None:
    rows = [seating.balanced_order(n, row) for row in range(n if n % 2 == 0 else 2 * n)]
    assert all(sorted(row) == list(range(n)) for row in rows)
    for position in range(n):
        assert len(set(Counter(row[position] for row in rows).values())) == 1
    pairs = Counter((row[k], row[k + 1]) for row in rows for k in range(n - 1))
    assert len(set(pairs.values())) <= 1


def test_a_category_is_filled_further_only_when_whoever_leaves_leaves_it_balanced() -> None:
    """Four tasks of a category, each done by one, one of them only begun by a second: were the last of a level begun and left, a task of
    the next level would stand two above it. A task elsewhere comes first while there is one."""
    offers = [Offer(2, 0, n, "active", "c1", n, f"c1-{n}") for n in range(3)] + [Offer(2, 0, 9, "active", "c2", 9, "c2-0")]
    turn, rule = seating.turns(["active"], ["c1", "c2"], 0), Rule(1, 1)
    assert turn.categories[0] == "c1"
    level: dict[str, Any] = {"way": {"active": (2, 2)}, "cell": {("active", "c1"): (2, 2), ("active", "c2"): (2, 2)}}
    (calm,) = seating.plan(offers, Levels(**level, stays={("active", "c1"): 2, ("active", "c2"): 2}), turn, rule) or ()
    assert calm.category == "c1", "whose turn it is"
    held = Levels(**level, stays={("active", "c1"): 1, ("active", "c2"): 2})
    (careful,) = seating.plan(offers, held, turn, rule) or ()
    assert careful.category == "c2"
    (forced,) = seating.plan(offers[:3], held, turn, rule) or ()
    assert forced.category == "c1", "nobody is turned away for it"


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_where_a_session_may_be_cut_short_no_category_comes_twice_before_the_least_number_is_met(data: st.DataObject) -> None:
    made = data.draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=20))
    offers = [Offer(filled, 0, n, "active", f"c{category}", group, f"t{n}") for n, (category, group, filled) in enumerate(made)]
    rule = Rule(data.draw(st.integers(1, 8)), data.draw(st.integers(1, 6)), early=True)
    found = planned(offers, rule, data.draw(st.integers(0, 20)))
    assert (found is None) is not seating.can_be_had(offers, rule)
    first = [offer.category for offer in (found or ())[: rule.categories]]
    assert len(first) == len(set(first))
