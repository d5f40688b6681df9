"""Whether somebody could be given a session: an exact answer by maximum flow, which knows nothing of how places are assigned.

A session is so many tasks, at most one of each content, of at least so many categories. The network: source → content (1) → item (1) →
category; each category → fresh (1) and → more (as many as come); fresh → sink (as many as come), more → sink (tasks − categories). The
session can be had exactly if the flow reaches the number of tasks: the flow through *fresh* is one task of each of that many categories.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)
Edge = tuple[Hashable, Hashable, int]
"""From, to, capacity."""


@dataclass(frozen=True)
class Item:
    """Something that can be given."""

    category: Hashable
    group: Hashable
    """What is met once: the content of a task, its twin and its siblings."""


def max_flow(edges: Sequence[Edge], source: Hashable, sink: Hashable) -> int:
    """The largest flow from `source` to `sink` (shortest augmenting paths; Edmonds & Karp 1972)."""
    left: dict[Hashable, dict[Hashable, int]] = defaultdict(lambda: defaultdict(int))
    for start, end, capacity in edges:
        left[start][end] += capacity
        left[end][start] += 0
    total = 0
    while True:
        came: dict[Hashable, Hashable] = {source: source}
        line = deque([source])
        while line and sink not in came:
            here = line.popleft()
            for there, room in left[here].items():
                if room > 0 and there not in came:
                    came[there] = here
                    line.append(there)
        if sink not in came:
            return total
        way, there = [], sink
        while there != source:
            way.append((came[there], there))
            there = came[there]
        flow = min(left[start][end] for start, end in way)
        for start, end in way:
            left[start][end] -= flow
            left[end][start] += flow
        total += flow


def seatable(items: Mapping[Name, Item], tasks: int, categories: int, met: frozenset[Hashable] = frozenset()) -> bool:
    """Whether a session, or the rest of one, can be had.

    Args:
        items: what is free and nothing that they have met; its name → what it is.
        tasks: how many tasks are wanted.
        categories: of how many categories the session is at least, those of `met` counted.
        met: categories that their session has had already.

    Returns:
        Whether there is such a choice.
    """
    wanted = max(0, categories - len(met))
    if wanted > tasks:
        return False
    edges: list[Edge] = [(("to", "more"), "sink", tasks - wanted), (("to", "fresh"), "sink", tasks)]
    for group in {item.group for item in items.values()}:
        edges.append(("source", ("group", group), 1))
    for name, item in items.items():
        edges += [(("group", item.group), ("item", name), 1), (("item", name), ("category", item.category), 1)]
    for category in {item.category for item in items.values()}:
        edges.append((("category", category), ("to", "more"), len(items)))
        if category not in met:
            edges.append((("category", category), ("to", "fresh"), 1))
    return max_flow(edges, "source", "sink") >= tasks


def most_sessions(places: Mapping[Name, int], group_of: Mapping[Name, Hashable], tasks: int, people: int) -> int:
    """How many whole sessions all places together could make, had all that was to come been known: the largest n ≤ `people` for which the
    contents, each given at most n times, hold n sessions (Gale & Ryser). An upper bound: categories are not looked at.
    """
    room: dict[Hashable, int] = defaultdict(int)
    for name, count in places.items():
        room[group_of[name]] += count
    best = 0
    for n in range(1, people + 1):
        if sum(min(n, count) for count in room.values()) < n * tasks:
            break
        best = n
    return best
