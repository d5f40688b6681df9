"""Own tasks of Cognitive Mapping: houses with a fork, what can be seen in them, ways through them, and their judges."""

from __future__ import annotations

import dataclasses
import math
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from data.generators.cognitive import GENERATORS
from data.generators.forks import Fork, forks, starts_in
from data.generators.framework import Generator, generate, problems
from data.generators.houses import HOUSE_CAMERA, PROOF_ACTIONS, SCALE, TWO_OF_FOUR, TWO_OF_THREE
from data.generators.lab import Lab, Playing, Step, play
from data.generators.layout import path_poses
from data.generators.registry import bundled
from data.generators.routes import TURN_WORDS, direction
from data.generators.sight import EYE_M, Sight, longest_gap, sight_of, signs_of
from data.generators.walking import Walk, sign_goal, walkable
from data.task import Task
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.backends.mujoco.rooms import house_shell
from sim_bridge.houses import plan, plan_of
from sim_bridge.houses.routes import shortest
from sim_bridge.kinematics import looking

BY_SLUG = {g.slug: g for g in GENERATORS}
TASKS = {slug: [t for t in bundled() if t.task_id.startswith(f"own-{slug}-")] for slug in BY_SLUG}
HOUSES = ("connect", "passage", "route")
"""Kinds whose twins are different houses."""


def test_no_room_is_an_option_that_would_never_or_always_be_right() -> None:
    asked = [t for t in TASKS["region"] if len(t.question.options) == 3]
    assert len(asked) >= 12
    for option in (o for t in asked for o in t.question.options):
        assert not option.startswith(("bathroom", "storage room", "hallway")) and not option[-1].isdigit()


def walked(task: Task, steps: int | None = None) -> Playing:
    """The cameras of the trajectory, without a simulator."""
    poses = path_poses(task.start, task.gt_trajectory, task.scene.camera)[:steps]
    none: Any = None
    return Playing(task, tuple(Step("", True, "", {}, False, p, none, 1, None) for p in poses))


def twins(slug: str) -> list[tuple[Task, Task]]:
    by_id = {t.task_id: t for t in TASKS[slug]}
    return [(t, by_id[t.twin]) for t in TASKS[slug] if t.twin and t.task_id.endswith("a")]


@pytest.fixture(scope="module")
def fork() -> Fork:
    numbers = random.Random(5)
    return next(f for _ in range(100) for f in forks(numbers, (5,), scale=SCALE))


def test_a_fork_differs_in_one_door(fork: Fork) -> None:
    a, b = (set(p.doors) for p in fork.plans)
    assert len(a - b) == len(b - a) == 1
    assert {d.rooms for d in a - b} == {(fork.far, fork.left)} and {d.rooms for d in b - a} == {(fork.far, fork.right)}
    for house, middle in zip(fork.plans, fork.middle, strict=True):
        assert house.problem() == "" and shortest(house, fork.before, fork.far).rooms == (fork.before, fork.near, middle, fork.far)


@pytest.mark.parametrize("arrangement", ["along_walls", "lived_in"])
@pytest.mark.parametrize("seed", range(6))
def test_signs_hang_where_the_simulator_puts_them(seed: int, arrangement: str) -> None:
    house = plan(seed, 6)
    for space in house_shell.house_spaces(house, house.bounding_room(arrangement=arrangement), True):
        plates = [p for p in house_shell.signs(space) if p.texture is not None]
        there = sorted(tuple(np.round(p.vertices[:, :2].mean(0), 1).tolist()) for p in plates)
        ours = signs_of(house, space.label, arrangement == "lived_in")
        assert len(ours) == len(there)
        for sign in ours:
            assert min(math.dist(sign.at, p) for p in there) < 0.12, (space.label, ours, there)


def test_walls_hide_and_doorways_show(fork: Fork) -> None:
    house, sight = fork.plans[0], Sight(fork.plans[0], HOUSE_CAMERA)
    door = house.door(fork.near, fork.left)
    assert door is not None
    x, y = door.centre_m
    step = (0.0, 0.5) if door.along == "x" else (0.5, 0.0)
    assert sight.free((x - step[0], y - step[1]), (x + step[0], y + step[1]))
    wall = next(w for w in house.walls if set(w.rooms) == {fork.right, fork.far} and w.length_m > 1.0)
    x, y = wall.point((wall.low_m + wall.high_m) / 2)
    step = (0.0, 0.5) if wall.along == "x" else (0.5, 0.0)
    assert not sight.free((x - step[0], y - step[1]), (x + step[0], y + step[1]))


def test_a_way_is_the_shortest_and_keeps_to_the_floor(fork: Fork) -> None:
    house, sight = fork.plans[0], Sight(fork.plans[0], HOUSE_CAMERA)
    start = next(p for p, _ in starts_in(random.Random(1), house, fork.near, fork.middle))
    walk = Walk(house, start, 90, HOUSE_CAMERA)
    way = walk.find([sign_goal(sight, fork.left)], PROOF_ACTIONS)
    assert way is not None
    poses = path_poses(looking(*start, EYE_M, yaw_deg=90.0), way, HOUSE_CAMERA)
    assert all(walkable(house, (p.position_m[0], p.position_m[1])) for p in poses[1:])
    assert sight.reads(poses[-1], fork.left) and not any(sight.reads(p, fork.left) for p in poses[1:-1])
    assert walk.find([sign_goal(sight, fork.left)], limit=len(way) - 1) is None


def test_a_leaf_hides_the_wall_behind_it() -> None:
    assert longest_gap(np.array([True, False, False, True])) == 2
    assert longest_gap(np.array([False, True, True, False])) == 2  # walls go round
    assert longest_gap(np.array([False] * 3 + [True])) == 3


@pytest.mark.parametrize("slug", HOUSES)
def test_the_judge_derives_the_gold_and_only_from_the_whole_way(slug: str) -> None:
    judge = BY_SLUG[slug].judge
    assert judge is not None and twins(slug)
    for pair in twins(slug):
        for task, other in (pair, pair[::-1]):
            assert judge(walked(task)) == task.gold.accepted[0], task.task_id
            assert judge(walked(task, 1)) in ("", [])
            # The same walk through the twin's house never gives this gold.
            moved = task.model_copy(update={"scene": other.scene})
            assert judge(walked(moved)) != task.gold.accepted[0]


@pytest.mark.parametrize("slug", BY_SLUG)
def test_the_first_view_shows_nothing_of_what_differs(slug: str) -> None:
    for a, b in twins(slug):
        one, two = (plan_of(t.scene.house) for t in (a, b))  # type: ignore[arg-type]
        differ = {r for d in set(one.doors) ^ set(two.doors) for r in d.rooms}
        assert differ if slug in HOUSES else not differ
        things = {one.room_at((o.pose.position_m[0], o.pose.position_m[1])) for t in (a, b) for o in t.scene.objects}
        for task in (a, b):
            assert task.scene.house is not None
            assert not sight_of(task.scene).rooms_in_view(task.start) & (differ | things)
            assert len(task.gt_trajectory) <= PROOF_ACTIONS and task.clipping == "forbid"
        assert a.start == b.start


@pytest.mark.parametrize("slug", BY_SLUG)
def test_every_task_has_eight_views_of_four_rooms(slug: str) -> None:
    for task in TASKS[slug]:
        house = plan_of(task.scene.house)  # type: ignore[arg-type]
        views = task.views["rooms"]
        assert len(views) == 8
        assert Counter(house.room_at((v.pose.position_m[0], v.pose.position_m[1])) for v in views) == Counter(
            {v.label.split(", view")[0]: 2 for v in views}
        )


def test_endpoints_are_no_options_and_places_are_even() -> None:
    for task in TASKS["passage"]:
        ends = set(walked(task).ask.rooms)
        assert len(ends) == 2 and not ends & set(task.question.options)
        assert all(room in task.question.text for room in ends)
    places = [TWO_OF_FOUR[i % 6] for i in range(12)]
    assert set(Counter(p for pair in places for p in pair).values()) == {6}
    places = [TWO_OF_THREE[i % 3] for i in range(12)]
    assert set(Counter(p for pair in places for p in pair).values()) == {8}


def test_the_same_seed_gives_the_same_item() -> None:
    one, two = (generate(BY_SLUG["region"], seed=3, pairs=1).tasks for _ in range(2))
    assert [t.content_hash for t in one] == [t.content_hash for t in two] and len(one) == 2


@pytest.mark.parametrize(
    ("degrees", "words"),
    [
        (0, "straight ahead of you"), (-21, "straight ahead of you"), (46, "ahead of you on the left"), (-46, "ahead of you on the right"),
        (90, "to your left"), (-104, "to your right"), (127, "behind you on the left"), (-141, "behind you on the right"),
        (180, "behind you"), (-165, "behind you"),
    ],
)  # fmt: skip
def test_where_a_doorway_lies_is_said_as_the_picture_shows_it(degrees: float, words: str) -> None:
    assert direction(degrees) == words


def test_a_turn_is_never_straight_on() -> None:
    for task in TASKS["route"]:
        assert set(task.gold.accepted[0]) <= {*TURN_WORDS.values(), *plan_of(task.scene.house).names}  # type: ignore[arg-type]


@pytest.mark.skipif(not gl.available(), reason="the software renderer libOSMesa is not installed")
@pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: g.slug)
def test_an_item_is_proven_in_the_simulator(generator: Generator, lab: Lab) -> None:
    task = min(TASKS[generator.slug], key=lambda t: len(t.gt_trajectory))
    playing = play(lab, task, pictures=False)
    assert problems(generator, playing) == []
    if task.essential:
        elsewhere = dataclasses.replace(
            playing, task=task.model_copy(update={"gold": task.gold.model_copy(update={"accepted": ("attic",)})})
        )
        assert "the simulator does not confirm the gold" in problems(generator, elsewhere)


def test_walls_of_own_houses_cannot_be_passed_and_those_of_other_tasks_as_published() -> None:
    by_house = {(task.scene.house is not None, task.clipping) for task in bundled()}
    assert by_house == {(True, "forbid"), (False, "flag")}
