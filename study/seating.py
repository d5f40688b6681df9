"""Which tasks somebody is given in a session, in which paradigms and in which order: a pure function of what is open to them.

A session is `wanted` tasks of at least `categories` categories, no two of one content. Among those that can be had the least filled place
comes first; among equals, the category and the paradigm whose turn it is in this person's counterbalanced order. A choice that would leave
the rest of the session impossible is not made, so that a session is planned whenever there is one.

That this can be asked exactly and at once rests on one fact: a session of k tasks with c categories exists if and only if k contents are
open and c categories can be matched with different contents. (The matched ones are taken; any others make up the number. It is the maximum
flow source → content → category → sink, with one unit for each of c categories and the rest for any.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple


class Offer(NamedTuple):
    """A task in a paradigm of which somebody can be given a place."""

    filled: int
    """How many have done or are doing it."""
    claimed: int
    """For how many others a place is reserved that they have not begun."""
    draw: int
    """Decides between equals; drawn for the person."""
    way: str
    """The paradigm."""
    category: str
    group: int
    """Its content, twins and versions included: nobody meets it twice."""
    task_hash: str


@dataclass(frozen=True)
class Levels:
    """How full a study is, in each paradigm: lowest and highest number of people who have done or are doing a task."""

    way: Mapping[str, tuple[int, int]]
    """Paradigm → lowest and highest."""
    cell: Mapping[tuple[str, str], tuple[int, int]]
    """Paradigm and category → lowest and highest."""
    stays: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """Paradigm and category → the lowest number if everybody left who is at a task now, and all tasks were open that wait for a partner;
    where there is no such task, as `cell` has it."""

    def stays_in(self, way: str) -> int:
        """The same of a paradigm."""
        return min((low for (one, _), low in self.stays.items() if one == way), default=self.way[way][0])


@dataclass(frozen=True)
class Rule:
    """What is still wanted in a session."""

    wanted: int
    """Tasks."""
    categories: int
    """Least number of categories of the whole session."""
    met: tuple[tuple[str, str], ...] = ()
    """Paradigm and category of those that were done in it, in order."""
    early: bool = False
    """Whether those categories come before any is met twice: the session may be cut short."""


@dataclass(frozen=True)
class Turns:
    """A person's own order of paradigms and of categories, in which the places of a session take turns."""

    ways: Sequence[str]
    categories: Sequence[str]


def balanced_order(n: int, row: int) -> list[int]:
    """Row `row` of a Williams design over `n` conditions: each stands in each place, and after each other one, equally often."""
    if n == 0:
        return []
    first = [0] + [(k + 1) // 2 if k % 2 else n - k // 2 for k in range(1, n)]
    order = [(value + row) % n for value in first]
    return order[::-1] if n % 2 and (row // n) % 2 else order


def turns(ways: Sequence[str], categories: Sequence[str], row: int) -> Turns:
    """The orders of the person who comes as number `row`: categories by one Williams design, paradigms by another, which is shifted
    whenever all rows of the first were used, so that each order of the one meets each of the other."""
    rows = max(1, len(categories) * (1 + len(categories) % 2))
    shift, place = divmod(row, rows)
    return Turns(
        ways=tuple(ways[k] for k in balanced_order(len(ways), place + shift)),
        categories=tuple(categories[k] for k in balanced_order(len(categories), row)),
    )


def can_be_had(offers: Iterable[Offer], rule: Rule) -> bool:
    """Whether the rest of a session exists among `offers`."""
    return _Contents(offers).enough(rule.wanted, rule.categories, {category for _, category in rule.met}, frozenset())


def is_plenty(offers: Iterable[Offer], cut: Collection[str], wanted: int, categories: int) -> bool:
    """Whether more offers in the categories `cut` would make no session possible that is impossible with these: there are `wanted` contents
    among them, and in each of those categories as many as there must be categories."""
    contents = _Contents(offers)
    return len(contents.groups) >= wanted and all(len(contents.of[category]) >= categories for category in cut)


def within_reach(offers: Sequence[Offer], rule: Rule) -> Rule:
    """What can be had of a session that was begun and cannot be completed any more: as many tasks as there are, in as many categories, and
    always fewer than the whole, so that it is nowhere taken for a complete one."""
    contents, covered = _Contents(offers), {category for _, category in rule.met}
    wanted = min(rule.wanted - 1, len(contents.groups))
    reached = next(n for n in range(rule.categories, -1, -1) if contents.enough(wanted, n, covered, frozenset()))
    return replace(rule, wanted=wanted, categories=reached)


def plan(offers: Sequence[Offer], levels: Levels, turn: Turns, rule: Rule) -> tuple[Offer, ...] | None:
    """The rest of a session, in order; None: there is none.

    Args:
        offers: what is open to the person, contents that they have met taken away.
        levels: how full the study is.
        turn: the person's own orders.
        rule: what is wanted.
    """
    contents = _Contents(offers)
    cells: dict[tuple[str, str], list[Offer]] = defaultdict(list)
    for offer in sorted(offers):
        cells[offer.way, offer.category].append(offer)
    chosen: list[Offer] = []
    used: set[int] = set()
    met = list(rule.met)
    covered = {category for _, category in met}
    if not contents.enough(rule.wanted, rule.categories, covered, used):
        return None
    stays = {way: levels.stays_in(way) for way in levels.way}
    for left in range(rule.wanted - 1, -1, -1):
        late = covered if rule.early and len(covered) < rule.categories else frozenset()
        order = _Nearness(levels, stays, turn, met, late)
        heads = (next((offer for offer in cell if offer.group not in used), None) for cell in cells.values())
        nearest = sorted((offer for offer in heads if offer is not None), key=order)
        first = _first_possible(nearest, contents, left, rule.categories, covered, used)
        if first is None:
            rest = sorted((offer for offer in offers if offer.group not in used), key=order)
            first = _first_possible(rest, contents, left, rule.categories, covered, used)
        assert first is not None, "a session that exists has a next task"
        chosen.append(first)
        used.add(first.group)
        covered.add(first.category)
        met.append((first.way, first.category))
    return tuple(chosen)


def _first_possible(
    offers: Iterable[Offer], contents: _Contents, left: int, categories: int, covered: Set[str], used: Set[int]
) -> Offer | None:
    """The first after which the rest of the session still exists."""
    return next((o for o in offers if contents.enough(left, categories, covered | {o.category}, used | {o.group})), None)


class _Nearness:
    """How near an offer is to what should come next; the smallest first."""

    def __init__(self, levels: Levels, stays: Mapping[str, int], turn: Turns, met: Sequence[tuple[str, str]], late: Set[str]) -> None:
        self._levels, self._stays, self._late = levels, stays, frozenset(late)
        at = len(met)
        ways, categories = [way for way, _ in met], [category for _, category in met]
        self._way = {way: (ways.count(way), (n - at) % len(turn.ways)) for n, way in enumerate(turn.ways)}
        self._category = {c: (categories.count(c), (n - at) % len(turn.categories)) for n, c in enumerate(turn.categories)}

    def __call__(self, offer: Offer) -> tuple[object, ...]:
        low, high = self._levels.cell[offer.way, offer.category]
        lowest, highest = self._levels.way[offer.way]
        # a paradigm's tasks may differ by 1 within a category, and by 2 over all categories
        beyond = max(offer.filled - low, offer.filled - lowest - 1, 0)
        # and so it stays whoever leaves the task that they are at: nobody may come after them who could fill the hole
        stays = self._levels.stays.get((offer.way, offer.category), low)
        risked = max(offer.filled - stays, offer.filled - self._stays[offer.way] - 1, 0)
        behind = high - offer.filled > 1 or highest - offer.filled > 2
        used, turn = self._way[offer.way]
        late = offer.category in self._late
        return late, beyond, risked, used, not behind, turn, *self._category[offer.category], offer


class _Contents:
    """What contents there are, and in which categories."""

    def __init__(self, offers: Iterable[Offer]) -> None:
        self.groups: set[int] = set()
        self.of: dict[str, dict[int, None]] = defaultdict(dict)
        """Category → its contents, in order."""
        for offer in offers:
            self.groups.add(offer.group)
            self.of[offer.category][offer.group] = None

    def enough(self, wanted: int, categories: int, covered: Collection[str], used: Set[int]) -> bool:
        """Whether `wanted` contents are left, and with them at least `categories` categories in all, those `covered` counted."""
        if len(self.groups) - len(used) < wanted:
            return False
        missing = categories - len(covered)
        if missing <= 0:
            return True
        return missing <= wanted and self._matched(missing, [c for c in self.of if c not in covered], used) >= missing

    def _matched(self, wanted: int, categories: Iterable[str], used: Set[int]) -> int:
        """How many of these categories can each have a content of its own, counted to `wanted` (augmenting paths)."""
        holder: dict[int, str] = {}

        def placed(category: str, tried: set[int]) -> bool:
            for group in self.of[category]:
                if group not in used and group not in tried:
                    tried.add(group)
                    if group not in holder or placed(holder[group], tried):
                        holder[group] = category
                        return True
            return False

        for category in categories:
            if len(holder) == wanted:
                break
            placed(category, set())
        return len(holder)
