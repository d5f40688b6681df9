"""Golds of Spatial Relations, Specular Reflection, Perceptual Grounding (two kinds) and Action Sequencing from the scene document."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from data.task import Task
from sim_bridge.spec import Object
from tests.data.generators.recomputing import Floats, asked, axes, base, bearing_deg, eye, made_by, middle, view


def ids(task: Task) -> str:
    return task.task_id


@pytest.mark.parametrize("task", made_by("line"), ids=ids)
def test_line(task: Task) -> None:
    points = np.array([base(o)[:2] for o in asked(task)])
    # the least singular value of the centred points is the spread across the best line
    across = np.linalg.svd(points - points.mean(0))[1][-1]
    assert across < 0.005 if task.gold.accepted[0] == "yes" else across > 0.1


@pytest.mark.parametrize("task", made_by("triangle"), ids=ids)
def test_triangle(task: Task) -> None:
    sides = np.sort([np.linalg.norm(base(a)[:2] - base(b)[:2]) for a, b in itertools.combinations(asked(task), 2)])
    equal = int(np.sum(np.diff(sides) < 0.005))
    assert task.gold.accepted[0] == ("scalene", "isosceles", "equilateral")[equal]
    assert all(step < 0.005 or step / low >= 0.149 for step, low in zip(np.diff(sides), sides[:-1], strict=True))


@pytest.mark.parametrize("task", made_by("contact"), ids=ids)
def test_contact(task: Task) -> None:
    _, ahead = view(task)
    near, far = sorted(asked(task), key=lambda o: float(base(o)[:2] @ ahead))
    depths = [abs(axes(o.pose.quaternion_xyzw)[:2, :2].T @ ahead) @ np.array(o.size_m[:2]) for o in (near, far) if o.size_m]
    gap = float((base(far) - base(near))[:2] @ ahead) - sum(depths) / 2
    assert -0.002 < gap < 0.001 if task.gold.accepted[0] == "yes" else gap > 0.05


def shown(task: Task, mirror: Object, thing: Object) -> bool:
    """Whether the straight line from the start camera to the thing's image crosses the glass."""
    assert mirror.size_m is not None
    turned, at = axes(mirror.pose.quaternion_xyzw), middle(mirror)
    a, b = turned.T @ (eye(task) - at), turned.T @ (base(thing) - at)
    if a[1] * b[1] <= 0:
        return False
    image = b * np.array([1.0, -1.0, 1.0])
    hit = a + (image - a) * a[1] / (a[1] - image[1])
    return bool(abs(hit[0]) < mirror.size_m[0] / 2 and abs(hit[2]) < mirror.size_m[2] / 2)


def mirror_of(task: Task) -> Object:
    return next(o for o in task.scene.objects if o.category == "mirror")


@pytest.mark.parametrize("task", made_by("mirror"), ids=ids)
def test_mirror(task: Task) -> None:
    (thing,) = asked(task)
    direct = abs(bearing_deg(task, base(thing))) < task.scene.camera.hfov_deg / 2
    assert (shown(task, mirror_of(task), thing), direct) == ((True, False) if task.gold.accepted[0] == "yes" else (False, True))


@pytest.mark.parametrize("task", made_by("nearer"), ids=ids)
def test_nearer(task: Task) -> None:
    things = asked(task)
    assert all(shown(task, mirror_of(task), o) and abs(bearing_deg(task, base(o))) > task.scene.camera.hfov_deg / 2 for o in things)
    far = [float(np.linalg.norm((base(o) - eye(task))[:2])) for o in things]
    assert task.gold.accepted[0] == task.question.options[int(np.argmin(far))] and abs(far[0] - far[1]) > 0.34


@pytest.mark.parametrize("task", made_by("mirrored"), ids=ids)
def test_mirrored(task: Task) -> None:
    ask = task.question.ask
    assert ask is not None
    things = sorted((o for o in task.scene.objects if o.category == ask.category), key=lambda o: bearing_deg(task, base(o)))
    found = [name for name, o in zip(("left", "middle", "right"), things, strict=True) if shown(task, mirror_of(task), o)]
    assert found == [task.gold.accepted[0]]


CALLED = {"toilet_paper": "roll of toilet paper", "half_coconut_fruit": "half coconut"}


def target(task: Task) -> Object:
    """The thing to be named: what the answer depends on."""
    (handle,) = task.essential
    return next(o for o in task.scene.objects if o.handle == handle)


def turn_deg(task: Task) -> float:
    """From where the target is first seen from to where it is last seen from, from above."""
    at, last = middle(target(task))[:2], eye(task)[:2].copy()
    right, ahead = view(task)
    for action in task.gt_trajectory:
        name, _, way = action.partition("_")
        if name == "turn" and way in ("left", "right"):
            a = np.radians(15.0 if way == "left" else -15.0)
            spin = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
            right, ahead = spin @ right, spin @ ahead
        elif name == "move":
            last = last + 0.25 * {"forward": ahead, "backward": -ahead, "right": right, "left": -right}.get(way, 0 * ahead)
    one, other = eye(task)[:2] - at, last - at
    return float(np.degrees(np.arccos(one @ other / np.linalg.norm(one) / np.linalg.norm(other))))


@pytest.mark.parametrize("task", [*made_by("looks"), *made_by("hidden")], ids=ids)
def test_looks_and_hidden(task: Task) -> None:
    kind = target(task).category
    assert task.gold.accepted[0] == CALLED.get(kind, kind.replace("_", " ")) and turn_deg(task) >= 75


def _enters(o: Object, start: Floats, end: Floats) -> bool:
    """Whether a straight way enters the box around a thing."""
    assert o.size_m is not None
    turned = axes(o.pose.quaternion_xyzw)
    a, b = turned.T @ (start - middle(o)), turned.T @ (end - middle(o))
    low, high = 0.0, 1.0
    for k in range(3):
        if abs(b[k] - a[k]) > 1e-9:
            ends = sorted(((-o.size_m[k] / 2 - a[k]) / (b[k] - a[k]), (o.size_m[k] / 2 - a[k]) / (b[k] - a[k])))
            low, high = max(low, ends[0]), min(high, ends[1])
        elif abs(a[k]) > o.size_m[k] / 2:
            return False
    return low < high


@pytest.mark.parametrize("task", made_by("hidden"), ids=ids)
def test_the_box_stands_before_what_it_hides(task: Task) -> None:
    assert task.question.ask is not None
    box = next(o for o in task.scene.objects if o.handle == task.question.ask.against)
    assert _enters(box, eye(task), middle(target(task)))


@pytest.mark.parametrize("task", made_by("order"), ids=ids)
def test_order(task: Task) -> None:
    right, _ = view(task)
    bases, tops = asked(task)[:2], asked(task)[2:]

    def side(one: Object, other: Object) -> str:
        return "right" if float((base(one) - base(other))[:2] @ right) > 0 else "left"

    def volume(o: Object) -> float:
        assert o.size_m is not None
        return float(np.prod(o.size_m))

    # what fits: into the larger of two like bases, and the smaller of two like tops
    wide, narrow = sorted(bases, key=volume, reverse=True)
    small, large = sorted(tops, key=volume)
    assert task.gold.accepted[0] == dict(zip(task.question.blank_names, (side(wide, narrow), side(small, large)), strict=True))
    assert volume(wide) / volume(narrow) > 1.5 and volume(large) / volume(small) > 1.5
