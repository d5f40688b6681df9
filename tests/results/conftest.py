"""Studies that never were, as the trials of their answers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from data.subcategories import CATEGORIES
from study.analysis.trials import Path, Trial, Trials
from study.paradigms import PARADIGMS

WAYS = tuple(way.name for way in PARADIGMS[:3])


def trial(person: int, task: str, right: bool | None, **more: Any) -> Trial:
    """One trial; `right` None: no answer was given."""
    told: dict[str, Any] = {
        "episode_id": f"ep-{person}-{task}-{more.get('paradigm', WAYS[0])}",
        "agent": "human",
        "person": f"p{person}",
        "number": person,
        "task": f"hash of {task}",
        "task_id": task,
        "content": task,
        "category": CATEGORIES[0],
        "subcategory": "One",
        "paradigm": WAYS[0],
        "trial_index": 1,
        "budget": 30,
        "probed": True,
        "state": "timed_out" if right is None else "completed",
        "answered": right is not None,
        "answer": None if right is None else '"a"' if right else '"b"',
        "chance": 0.25,
        "confidence": 80,
        "observations": 9,
        "evidence_seq": None,
        "evidence_declared": False,
        "stopped_by": "answer",
        "excluded": (),
    }
    return Trial(**told | dict.fromkeys(("strict", "lenient", "coded", "settled"), right) | more)


def gathered(rows: Iterable[Trial], *, path: Callable[[str], Path] = lambda episode_id: Path()) -> Trials:
    """The trials of one study."""
    rows = tuple(rows)
    return Trials(
        study_id="st_1",
        title="A study of looking",
        source="nowhere",
        mode="live",
        versions=(1,),
        rows=rows,
        read_at="2026-01-01T00:00:00.000Z",
        people=len({row.person for row in rows}),
        withdrawn=0,
        unfinished=0,
        path=path,
    )


def drawn(people: int = 12, categories: int = 4, seed: int = 1) -> Trials:
    """A study with several paradigms and categories, some missing answers and some that are left out."""
    chance = random.Random(seed)
    rows = []
    for person in range(people):
        for category in CATEGORIES[:categories]:
            for n in range(len(WAYS)):
                way = WAYS[(person + n) % len(WAYS)]
                right = None if chance.random() < 0.05 else chance.random() < 0.4 + 0.15 * n
                rows.append(
                    trial(
                        person,
                        f"{category}-{n}",
                        right,
                        category=category,
                        paradigm=way,
                        confidence=10 * chance.randint(0, 10),
                        observations=chance.randint(1, 30),
                        excluded=("rejected",) if chance.random() < 0.05 else (),
                    )
                )
    return gathered(rows)


@pytest.fixture
def study() -> Trials:
    return drawn()


EDGES: dict[str, Trials] = {
    "no answers": gathered([]),
    "one person": gathered(trial(0, f"t{n}", n % 2 == 0) for n in range(6)),
    "one person, one task": gathered([trial(0, "t", True)]),
    "one category": gathered(trial(p, f"t{n}", (p + n) % 3 > 0) for p in range(4) for n in range(5)),
    "all right": gathered(trial(p, f"t{n}", True) for p in range(4) for n in range(5)),
    "all wrong": gathered(trial(p, f"t{n}", False) for p in range(4) for n in range(5)),
    "nobody answered": gathered(trial(p, f"t{n}", None) for p in range(4) for n in range(5)),
    "confidence never given": gathered(trial(p, f"t{n}", (p + n) % 3 > 0, confidence=None) for p in range(4) for n in range(5)),
    "all left out": gathered(trial(p, f"t{n}", True, excluded=("rejected",)) for p in range(3) for n in range(3)),
}
"""Studies of which something cannot be said."""


@pytest.fixture(params=sorted(EDGES))
def edge(request: pytest.FixtureRequest) -> Trials:
    found: Trials = EDGES[request.param]
    return found
