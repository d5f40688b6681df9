"""Golds of Cognitive Mapping from the scene document."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from data.task import Task
from sim_bridge.spec import HouseLayout, Object
from tests.data.generators.recomputing import asked, base, eye, made_by

PROOF_VIEWS = 20
"""Two thirds of the budget."""


def ids(task: Task) -> str:
    return task.task_id


def layout(task: Task) -> HouseLayout:
    assert task.scene.house is not None and task.scene.house.layout is not None
    return task.scene.house.layout


def rooms_asked(task: Task) -> tuple[str, ...]:
    assert task.question.ask is not None
    return task.question.ask.rooms


def doors(task: Task) -> set[frozenset[str]]:
    return {frozenset(d.rooms) for d in layout(task).doors}


def room_of(task: Task, point: np.ndarray) -> str:
    x, y = point[:2]
    return next(r.name for r in layout(task).rooms for a, b, c, d in r.rects_m if a <= x < c and b <= y < d)


def ways(task: Task, a: str, b: str) -> list[tuple[int, float, tuple[str, ...]]]:
    """Every way without repeated rooms: doors, metres from middle to middle by the doors' middles, rooms; fewest doors first."""
    names = [r.name for r in layout(task).rooms]
    largest = {r.name: max(r.rects_m, key=lambda q: (q[2] - q[0]) * (q[3] - q[1])) for r in layout(task).rooms}
    at = {frozenset(d.rooms): np.array(d.centre_m) for d in layout(task).doors}
    middles = {n: np.array([(q[0] + q[2]) / 2, (q[1] + q[3]) / 2]) for n, q in largest.items()}
    found = []
    for size in range(len(names) - 1):
        for between in itertools.permutations([n for n in names if n not in (a, b)], size):
            rooms = (a, *between, b)
            steps = [frozenset(p) for p in itertools.pairwise(rooms)]
            if all(s in at for s in steps):
                points = [middles[a], *(at[s] for s in steps), middles[b]]
                found.append((len(steps), float(sum(np.linalg.norm(q - p) for p, q in itertools.pairwise(points))), rooms))
    return sorted(found)


def only_way(task: Task, a: str, b: str, count: int) -> tuple[str, ...]:
    first, *others = ways(task, a, b)
    assert first[0] == count and all(n > count and length >= first[1] + 1.0 for n, length, _ in others)
    return first[2]


@pytest.mark.parametrize("task", made_by("connect"), ids=ids)
def test_connect(task: Task) -> None:
    assert task.gold.accepted == (("yes",) if frozenset(rooms_asked(task)) in doors(task) else ("no",))


@pytest.mark.parametrize("task", made_by("passage"), ids=ids)
def test_passage(task: Task) -> None:
    way = only_way(task, *rooms_asked(task), 2)  # type: ignore[arg-type, call-arg]
    assert task.gold.accepted == (way[1],) and not {way[0], way[2]} & set(task.question.options)


@pytest.mark.parametrize("task", made_by("region"), ids=ids)
def test_region(task: Task) -> None:
    assert task.question.ask is not None
    points = [base(o) for o in asked(task)]
    where = [room_of(task, p) for p in points]
    if task.question.ask.what == "same_room":
        assert task.gold.accepted == (("yes",) if where[0] == where[1] else ("no",))
    elif task.question.ask.what == "belongs":
        assert task.gold.accepted == (where[0],)
    else:
        rects = {r.name: np.array(r.rects_m) for r in layout(task).rooms}

        def away(name: str) -> float:
            q, (x, y) = rects[name], points[0][:2]
            beside, before = (np.maximum(np.maximum(q[:, i] - v, v - q[:, i + 2]), 0) for i, v in ((0, x), (1, y)))
            return float(np.hypot(beside, before).min())

        near, second = sorted(task.question.options, key=away)[:2]
        assert task.gold.accepted == (near,) and away(second) - away(near) >= 0.79 and where[0] not in task.question.options


@pytest.mark.parametrize("task", made_by("route"), ids=ids)
def test_route(task: Task) -> None:
    rooms = rooms_asked(task)
    way = only_way(task, rooms[0], rooms[-1], 3)
    assert room_of(task, eye(task)) == way[0]
    if task.tags["question_kind"] == "regions":
        assert task.gold.accepted == ([way[1], way[2]],)
        return
    at = {frozenset(d.rooms): d for d in layout(task).doors}
    entry, leave = at[frozenset(way[1:3])], at[frozenset(way[2:4])]
    k = 1 if entry.along == "x" else 0
    inside = next(r for r in layout(task).rooms if r.name == way[2]).rects_m
    into = np.zeros(2)
    c = entry.centre_m
    into[k] = 1.0 if any(q[k] <= c[k] + 0.1 < q[k + 2] and q[1 - k] <= c[1 - k] < q[3 - k] for q in inside) else -1.0
    to = np.array(leave.centre_m) - np.array(entry.centre_m)
    bend = math.degrees(math.atan2(into[0] * to[1] - into[1] * to[0], into @ to))
    assert abs(bend) >= 42
    turn = "turn back" if abs(bend) > 150 else "turn left" if bend > 0 else "turn right"
    assert task.gold.accepted == ([turn],)


@pytest.mark.parametrize("slug", ["connect", "passage", "region", "route"])
def test_the_proof_needs_two_thirds_of_the_budget_at_most(slug: str) -> None:
    for task in made_by(slug):
        assert task.budget == 30 and task.proof_views <= PROOF_VIEWS, task.task_id


def test_things_stand_well_within_their_rooms() -> None:
    for task in made_by("region"):
        things: list[Object] = asked(task)
        for o in things:
            x, y = o.pose.position_m[:2]
            turns = np.linspace(0, 2 * np.pi, 16, endpoint=False)
            assert {room_of(task, np.array([x + 0.25 * np.cos(a), y + 0.25 * np.sin(a)])) for a in turns} == {room_of(task, base(o))}
