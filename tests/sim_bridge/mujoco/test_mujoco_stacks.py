"""Stacks in the embedded simulator: built by hand, they stand where they should and fall where they should; things hardly bounce."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sim_bridge.actions import parse_action
from sim_bridge.backend import ActionOutcome
from sim_bridge.backends.mujoco import create
from sim_bridge.backends.mujoco.deeds.stage import MAX_FRAMES
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.backends.mujoco.engine.session import advance
from sim_bridge.kinematics import looking, rotation_matrix
from sim_bridge.spec import Camera, Object, Pose, Room, Scene

if not gl.available():
    pytest.skip("libOSMesa is not installed (apt-get install libosmesa6)", allow_module_level=True)

START = looking(0.0, -0.95, 0.6, 0.0, -30.0)
SMALL = Camera(240, 180, 75.0)
EMPTY = Room(furnished=False, seed=3)


@pytest.fixture(scope="module")
def backend() -> Iterator[Any]:
    made = create()
    yield made
    made.shutdown()


def scene(*things: Any, settle_steps: int = 30) -> Scene:
    return Scene(SMALL, EMPTY, things, settle_steps=settle_steps)


def stack(backend: Any, *categories: Any) -> Any:
    """Put the things side by side, then each on the one before, and wait a second; returns their states, bottom to top."""
    row = [Object(f"object_{k + 1}", c, Pose((-0.3 + 0.3 * k, 0.0, 0.0)), on_floor=True, dynamic=True) for k, c in enumerate(categories)]
    backend.load("s", scene(*row), START, 0)
    for k in range(2, len(row) + 1):
        for text in (f"pick_up(object_{k})", f"put(object_{k}, on, object_{k - 1})"):
            outcome = backend.act("s", parse_action(text))
            if not outcome.ok:
                return None
    for _ in range(2):
        backend.act("s", parse_action("wait"), render=False)
    return backend.state("s")[0]


def stands(states: Any) -> bool:
    """The published rule: each bottom 2 cm or more above the one below it, footprints overlap (IoU ≥ 0.1), nothing leans (up · z ≥ 0.9)."""
    if states is None:
        return False
    for lower, upper in itertools.pairwise(states):
        a, b = np.array(lower.aabb_min_m), np.array(lower.aabb_max_m)
        c, d = np.array(upper.aabb_min_m), np.array(upper.aabb_max_m)
        shared = float(np.prod(np.maximum(np.minimum(b, d) - np.maximum(a, c), 0.0)[:2]))
        union = float(np.prod((b - a)[:2]) + np.prod((d - c)[:2])) - shared
        up = rotation_matrix(upper.pose.quaternion_xyzw)[2][2]
        if c[2] - a[2] < 0.02 or shared / union < 0.1 or up < 0.9:
            return False
    return True


@pytest.mark.parametrize(
    "categories",
    [
        ("box_of_cereal", "can_of_beans"),
        ("can_of_beans", "can_of_soup"),
        ("book", "box_of_cereal", "can_of_beans"),
    ],
)
def test_these_stacks_stand(backend: Any, categories: Any) -> None:
    states = stack(backend, *categories)
    assert stands(states)
    heights = [s.aabb_max_m[2] - s.aabb_min_m[2] for s in states]
    assert states[-1].aabb_max_m[2] == pytest.approx(sum(heights), abs=0.004)


@pytest.mark.parametrize(
    "categories",
    [
        ("tennis_ball", "orange"),
        ("book", "tennis_ball", "mug"),
        ("lemon", "book", "mug"),
    ],
)
def test_these_stacks_fall(backend: Any, categories: Any) -> None:
    assert not stands(stack(backend, *categories))


def put_on(backend: Any, lower: str, upper: str, **more: Any) -> ActionOutcome:
    """One thing put on another."""
    things = [Object("object_1", lower, Pose((-0.1, 0.0, 0.0)), on_floor=True, dynamic=True, **more)]
    things.append(Object("object_2", upper, Pose((0.35, 0.0, 0.0)), on_floor=True, dynamic=True))
    backend.load("s", scene(*things), START, 0)
    assert backend.act("s", parse_action("pick_up(object_2)")).ok
    outcome: ActionOutcome = backend.act("s", parse_action("put(object_2, on, object_1)"))
    return outcome


@pytest.mark.parametrize(("lower", "upper"), [("pumpkin", "canister"), ("potato", "vase"), ("orange", "bottle_of_wine")])
def test_a_fall_is_shown_to_its_end_and_said(backend: Any, lower: str, upper: str) -> None:
    outcome = put_on(backend, lower, upper)
    assert (outcome.ok, outcome.reason, outcome.ended) == (True, "", "object_2 did not stay on object_1")
    assert ("on", "object_2", "object_1") not in [(r.kind, r.subject, r.object) for r in backend.state("s")[1]]
    assert 4 < len(outcome.observation.frames) <= MAX_FRAMES, "the fall is followed"
    place = backend.state("s")[0][1].pose.position_m
    advance(backend._session("s"), 250)
    assert math.dist(place, backend.state("s")[0][1].pose.position_m) < 0.01, "the last picture shows where it lies"


@pytest.mark.parametrize(("lower", "upper"), [("teddy_bear", "can_of_soup"), ("tray", "orange"), ("book", "tennis_ball")])
def test_what_stays_is_done_as_before(backend: Any, lower: str, upper: str) -> None:
    outcome = put_on(backend, lower, upper)
    assert (outcome.ok, outcome.ended, len(outcome.observation.frames)) == (True, "", 4)


def test_what_falls_into_a_vessel_is_said_to_be_inside(backend: Any) -> None:
    outcome = put_on(backend, "recycling_bin", "mug", size_m=(0.18, 0.14, 0.14), params={"bears_at_rim": True})
    assert (outcome.ok, outcome.ended) == (True, "object_2 is inside object_1 now")


def test_the_same_stacking_ends_in_the_same_place(backend: Any) -> None:
    ends = [[s.pose for s in stack(backend, "tennis_ball", "orange")] for _ in range(2)]
    assert ends[0] == ends[1]


@pytest.mark.parametrize("offset", [0.0, 0.3, 0.7])
def test_a_box_stands_on_an_edge_as_long_as_its_middle_is_supported(backend: Any, offset: float) -> None:
    """Two equal boxes: the upper one, moved by a share of their width, falls once its middle is beyond the edge (share 0.5)."""
    size = (0.12, 0.08, 0.06)
    lower = Object("object_1", "box_of_cereal", Pose((0.0, 0.0, 0.03)), size_m=size, dynamic=True)
    upper = Object("object_2", "box_of_cereal", Pose((offset * 0.12, 0.0, 0.091)), size_m=size, dynamic=True)
    backend.load("s", scene(lower, upper, settle_steps=250), START, 0)
    assert stands(backend.state("s")[0]) == (offset < 0.5)


@pytest.mark.parametrize(("category", "least_m"), [("tennis_ball", 0.001), ("box_of_cereal", 0.0)])
def test_with_a_restitution_of_a_tenth_things_hardly_bounce(backend: Any, category: str, least_m: float) -> None:
    """Dropped from half a metre, the bounce is below 5 % of the drop (0.1² = 1 %); a ball's can be seen."""
    thing = Object("object_1", category, Pose((0.0, 0.0, 0.55)), dynamic=True, params={"restitution": 0.1})
    backend.load("s", scene(thing, settle_steps=0), START, 0)
    s = backend._session("s")
    heights = []
    for _ in range(350):
        advance(s, 1)
        heights.append(float(s.data.xpos[s.world.objects[0].body][2]))
    lowest = next(i for i in range(1, 349) if heights[i] < heights[i - 1] and heights[i] <= heights[i + 1])
    rest = heights[-1]
    drop, bounce = 0.55 - rest, max(heights[lowest:]) - rest
    assert least_m <= bounce < 0.05 * drop
    assert np.ptp(heights[-50:]) < 0.001
