"""Blind explorers of one room: they watch what moves, then go where they can look into, onto or behind things.

Such an explorer knows what the question names, where the things stand that it has seen, its own camera, and what a picture has shown. It
knows nothing of what lies where it has not looked, nor the answer. While something walks it keeps that in the picture, and waits, rises or
steps as it likes. Then it looks, one after the other in an order of its own, into, onto or behind what may hide something: it goes by one
of the ways that it likes (each explorer finds rising, going and stepping aside more or less irksome, and none insists on the best way),
turns and looks down until the place is in the picture, near enough for what it looks for. What was not large enough it looks at again from
half as far, while views are left.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from data.generators.lab import Lab
from data.generators.temporal import BOX_PIXELS, CLEAR_PIXELS, WHERE
from data.task import Task
from sim_bridge.actions import MIN_CAMERA_Z_M
from sim_bridge.kinematics import angles_deg, heading, moved, rotation_matrix
from sim_bridge.spec import Camera, ObjectState, Pose, Vec3
from study.action_results import share_of
from study.analysis.evidence import ENOUGH_PIXELS

HIGHEST_M = 2.5
"""The eye goes no higher."""
APART_M = 0.15
"""It keeps so far from things."""
MIDDLE = 0.8
"""What it looks for lies in that part of the picture's breadth and height, about its middle."""
STEPS = (range(-4, 13), range(-8, 9), range(-4, 9))
"""Moves ahead, to the right and up that it thinks of."""
LIKES = (1.0, 2.0)
"""How irksome a kind of move is to an explorer, from the least to the most."""
WASTE = 1.5
"""It goes ways that are so many times as irksome as the best one, or less: nobody goes the shortest way."""
TRIED = 40
"""Ways that it thinks of at most, where things stand in the way."""
OVER_BOTTOM_M = 0.05
"""Of a place it looks for what lies that high above its bottom."""
OVER_TOP_M = 0.01
"""And on a thing."""
BEHIND_M = 0.25
"""And, behind a thing, that far from it."""
SMALL_M = 0.08
"""A thing of unknown kind may be that small."""
RIM_M = 0.02
"""Thickness of a box's walls."""


@dataclass(frozen=True)
class Hidden:
    """A place that may hold something."""

    of: str
    """Handle of the thing in, on or behind which it lies; of a thing in the open its own."""
    at: Vec3
    into: bool = False
    """Whether it is seen through the thing's open top alone."""


class Peeker:
    """One exploration of a room.

    Args:
        camera: how it looks.
        start: where it begins.
        boxes: handle → (least, greatest) corner of the things that it has seen stand there.
        numbers: decides what it likes, and the order.
    """

    def __init__(self, camera: Camera, start: Pose, boxes: Mapping[str, tuple[Vec3, Vec3]], numbers: random.Random) -> None:
        self.camera, self.boxes, self.numbers = camera, dict(boxes), numbers
        self.poses = [start]
        self.focal_px = camera.width / 2 / math.tan(math.radians(camera.hfov_deg / 2))
        self._irksome = [numbers.uniform(*LIKES) for _ in range(3)]

    def near_m(self, size_m: float, pixels: float) -> float:
        """So near a thing of that size has so many pixels, if it fills half of its square."""
        return self.focal_px * size_m / math.sqrt(2 * pixels)

    def go(self, action: str) -> Pose:
        """Do an action; the new pose."""
        self.poses.append(moved(self.camera, self.poses[-1], action))
        return self.poses[-1]

    def way(self, place: Hidden, near_m: float) -> list[str] | None:
        """The actions to where it sees a place from no farther than `near_m`, by one of the ways that it likes; None: it finds none."""
        pose, step = self.poses[-1], self.camera.move_step_m
        (ahead_x, ahead_y), eye = heading(pose), np.array(pose.position_m)
        moves = np.array(list(itertools.product(*STEPS)))
        axes = step * np.array([(ahead_x, ahead_y, 0.0), (ahead_y, -ahead_x, 0.0), (0.0, 0.0, 1.0)])
        at = eye + moves @ axes
        away = np.array(place.at) - at
        good = (at[:, 2] >= MIN_CAMERA_Z_M - 1e-9) & (at[:, 2] <= max(HIGHEST_M, eye[2])) & (np.linalg.norm(away, axis=1) <= near_m)
        for handle, box in self.boxes.items():
            good &= ~_within(at, box, APART_M)
            if place.into and handle == place.of:
                good &= _through_top(at, place.at, box)
            else:
                good &= ~crossing(at, place.at, box)
        turns, pitches, shown = self._turned(pose, away)
        good &= shown
        cost = np.abs(moves) @ np.array(self._irksome) + np.abs(turns) + np.abs(pitches)
        able = np.flatnonzero(good & (cost <= WASTE * cost[good].min(initial=np.inf)))
        for n in self.numbers.sample(able.tolist(), min(len(able), TRIED)):
            if (legs := self._legs(moves[n], axes)) is not None:
                return [*legs, *_repeated("turn", turns[n], "left", "right"), *_repeated("turn", pitches[n], "up", "down")]
        return None

    def _turned(self, pose: Pose, away: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Turns to the left and pitches up that bring what lies so far off before a camera at each place, and whether it then is."""
        yaw, _, pitch = angles_deg(pose.quaternion_xyzw)
        step, flat = self.camera.turn_step_deg, np.hypot(away[:, 0], away[:, 1])
        off = (np.degrees(np.arctan2(away[:, 1], away[:, 0])) - 90.0 - yaw + 180.0) % 360.0 - 180.0
        half = math.atan(math.tan(math.radians(self.camera.hfov_deg / 2)) * MIDDLE)
        high = math.atan(math.tan(math.radians(self.camera.hfov_deg / 2)) * MIDDLE * self.camera.height / self.camera.width)
        turns = np.where((np.abs(off) <= math.degrees(half)) | (flat < 0.1), 0, np.round(off / step)).astype(np.int64)
        up = np.degrees(np.arctan2(away[:, 2], flat)) - (pitch - 90.0)
        pitches = np.where(np.abs(up) <= math.degrees(high), 0, np.round(up / step)).astype(np.int64)
        yaws, tilts = np.radians(yaw + turns * step), np.radians(pitch - 90.0 + pitches * step)
        ahead = -away[:, 0] * np.sin(yaws) + away[:, 1] * np.cos(yaws)
        right = away[:, 0] * np.cos(yaws) + away[:, 1] * np.sin(yaws)
        deep, above = ahead * np.cos(tilts) + away[:, 2] * np.sin(tilts), away[:, 2] * np.cos(tilts) - ahead * np.sin(tilts)
        shown = (deep > 0) & (np.abs(right) <= deep * math.tan(half)) & (np.abs(above) <= deep * math.tan(high))
        return turns, pitches, shown

    def _legs(self, moves: NDArray[np.int64], axes: NDArray[np.float64]) -> list[str] | None:
        """The moves in an order in which nothing stands in the way; None: there is none."""
        names = (("forward", "backward"), ("right", "left"), ("up", "down"))
        orders = list(itertools.permutations(range(3)))
        self.numbers.shuffle(orders)
        for order in orders:
            at, legs = np.array(self.poses[-1].position_m), []
            for k in order:
                for _ in range(abs(int(moves[k]))):
                    at = at + math.copysign(1.0, moves[k]) * axes[k]
                    if any(_within(at[None], box, APART_M)[0] for box in self.boxes.values()):
                        break
                    legs.append(f"move_{names[k][int(moves[k] < 0)]}")
            if len(legs) == int(np.abs(moves).sum()):
                return legs
        return None


def _repeated(name: str, count: int, more: str, less: str) -> list[str]:
    return [f"{name}_{more if count > 0 else less}"] * abs(int(count))


def _within(at: NDArray[np.float64], box: tuple[Vec3, Vec3], apart_m: float) -> NDArray[np.bool_]:
    return np.asarray(((at > np.array(box[0]) - apart_m) & (at < np.array(box[1]) + apart_m)).all(1))


def crossing(eyes: NDArray[np.float64], to: Vec3, box: tuple[Vec3, Vec3]) -> NDArray[np.bool_]:
    """Whether the straight line from each eye, shape (n, 3), to a point passes through a box."""
    with np.errstate(divide="ignore", invalid="ignore"):
        near, far = ((np.array(corner) - eyes) / (np.array(to) - eyes) for corner in box)
    first, last = np.nanmax(np.fmin(near, far), axis=1), np.nanmin(np.fmax(near, far), axis=1)
    return np.asarray((first < last) & (first < 1.0) & (last > 0.0))


def _through_top(eyes: NDArray[np.float64], to: Vec3, box: tuple[Vec3, Vec3]) -> NDArray[np.bool_]:
    """Whether the line from each eye to a point in an open box enters by its top."""
    rise = eyes[:, 2] - to[2]
    share = np.where(rise > 0, (box[1][2] - to[2]) / np.maximum(rise, 1e-9), 2.0)
    where = np.array(to[:2]) + share[:, None] * (eyes[:, :2] - np.array(to[:2]))
    inside = (where > np.array(box[0][:2]) + RIM_M) & (where < np.array(box[1][:2]) - RIM_M)
    return np.asarray((share <= 1.0) & inside.all(1))


def box_of(thing: ObjectState) -> tuple[Vec3, Vec3]:
    """Least and greatest corner of a thing."""
    return thing.aabb_min_m, thing.aabb_max_m


def place_of(thing: ObjectState, how: str, eye: Vec3) -> Hidden:
    """What lies in, on or behind a thing, seen from an eye."""
    low, high = box_of(thing)
    x, y = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2
    if how == "in":
        return Hidden(thing.handle, (x, y, low[2] + OVER_BOTTOM_M), into=True)
    if how == "on":
        return Hidden(thing.handle, (x, y, high[2] + OVER_TOP_M))
    away = math.dist((x, y), eye[:2])
    unit = ((x - eye[0]) / away, (y - eye[1]) / away)
    deep = abs(unit[0]) * (high[0] - low[0]) / 2 + abs(unit[1]) * (high[1] - low[1]) / 2 + BEHIND_M
    return Hidden(thing.handle, (x + deep * unit[0], y + deep * unit[1], low[2] + OVER_BOTTOM_M))


# --- Unobserved Change ------------------------------------------------------------------------------------------------


def change_views(task: Task, lab: Lab, seeds: Sequence[int]) -> list[int | None]:
    """Observations after which explorers have seen at both visits what the places hold; None: not within a visit's share of the budget.

    A place that holds nothing was looked at where that which lies there in the twin, or at the other visit, would have been seen.
    """
    ask = task.question.ask
    assert ask is not None
    with lab.open(task.scene, task.start) as trial:
        objects = trial.objects()
    places = {h: objects[h] for h in ask.things}
    needed: list[list[int | None]] = []
    walks = [_into_places(task, places, seed) for seed in seeds]
    for phase in task.scene.phases:
        wanted = _could_lie(task, places, phase.hidden)
        others = _contents(task) - set(wanted.values())
        scene = msgspec.structs.replace(task.scene, phases=(), objects=tuple(o for o in task.scene.objects if o.handle not in others))
        with lab.open(scene, task.start) as trial:
            counts = [trial.visible(poses[: share_of(task.budget, phase.budget_share)]) for poses in walks]
        pieces = {**dict.fromkeys(wanted.values(), CLEAR_PIXELS), **dict.fromkeys(places, BOX_PIXELS)}
        needed.append([_seen_by(views, pieces) for views in counts])
    return [None if None in each else sum(n for n in each if n is not None) for each in zip(*needed, strict=True)]


def _seen_by(views: Iterable[Mapping[str, int]], pieces: Mapping[str, float]) -> int | None:
    """Observations after which all was seen, each thing with so many pixels in some of them."""
    left = dict(pieces)
    for n, view in enumerate(views, start=1):
        left = {h: pixels for h, pixels in left.items() if view.get(h, 0) < pixels}
        if not left:
            return n
    return None


def _could_lie(task: Task, places: Mapping[str, ObjectState], hidden: Sequence[str]) -> dict[str, str]:
    """Place → what lies there at a visit; where nothing does, one of those that could."""
    found: dict[str, str] = {}
    contents = _contents(task)
    for handle, at in sorted(
        ((o.handle, o.pose.position_m) for o in task.scene.objects if o.handle in contents), key=lambda one: one[0] in hidden
    ):
        place = min(places, key=lambda p: math.dist(_middle(places[p])[:2], at[:2]))
        found.setdefault(place, handle)
    return found


def _contents(task: Task) -> set[str]:
    """What lies in the places at some visit of either twin."""
    ever = {h for phase in task.scene.phases for h in phase.hidden}
    return ever | {e.handle for e in task.evidence if e.kind == "unseen"}


def _middle(thing: ObjectState) -> Vec3:
    low, high = box_of(thing)
    return ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2)


def _into_places(task: Task, places: Mapping[str, ObjectState], seed: int) -> list[Pose]:
    """Where an explorer looks from, view by view: into every place, then again from half as far."""
    numbers = random.Random(f"{task.task_id}/{seed}")
    explorer = Peeker(task.scene.camera, task.start, {h: box_of(o) for h, o in places.items()}, numbers)
    near_m = explorer.near_m(SMALL_M, CLEAR_PIXELS)
    order = sorted(places)
    numbers.shuffle(order)
    for far in (near_m, near_m / 2):
        for handle in order:
            how = WHERE[task.names[handle].split()[-1]]
            for action in explorer.way(place_of(places[handle], how, task.start.position_m), far) or ():
                explorer.go(action)
    return explorer.poses[: task.budget]


# --- Agent Observation ------------------------------------------------------------------------------------------------


def passing_views(task: Task, lab: Lab, seeds: Sequence[int]) -> list[int | None]:
    """Observations after which explorers have seen the robot walk its whole way and all that counts; None: not within the budget."""
    return [_watched(task, lab, seed) for seed in seeds]


def _watched(task: Task, lab: Lab, seed: int) -> int | None:
    ask = task.question.ask
    assert ask is not None
    numbers = random.Random(f"{task.task_id}/{seed}")
    pieces = {e.handle: float(e.low or ENOUGH_PIXELS) for e in task.evidence if e.kind == "seen" and e.handle != ask.against}
    watched = max(float(e.low or ENOUGH_PIXELS) for e in task.evidence if e.kind == "seen" and e.handle == ask.against)
    with lab.open(task.scene, task.start, actions=task.actions) as trial:
        first = trial.state().objects
        known = {h for h, n in trial.first.observation.visible.items() if n >= ENOUGH_PIXELS}
        boxes = {o.handle: box_of(o) for o in first if o.handle in known and o.handle != ask.against}
        explorer = Peeker(task.scene.camera, task.start, boxes, numbers)
        views = [dict(trial.first.observation.visible)]
        robot = trial.objects()[ask.against]
        while robot.flags.get("walking", False) and len(views) < task.budget:
            if views[-1].get(ask.against, 0) < watched:
                return None
            action = while_watching(explorer, robot)
            views.append(dict(trial.act(action, pictures=False).observation.visible))
            explorer.poses.append(trial.last.observation.camera)
            robot = trial.objects()[ask.against]
        if robot.flags.get("walking", False) or views[-1].get(ask.against, 0) < watched:
            return None
        done = _seen_by(views, pieces)
        if done is not None:
            return max(done, len(views))
        things = {o.handle: o for o in first}
        for action in _round_places(task, explorer, things, views, pieces):
            if len(views) >= task.budget:
                return None
            views.append(dict(trial.act(action, pictures=False).observation.visible))
            if (done := _seen_by(views, pieces)) is not None:
                return done
    return None


def while_watching(explorer: Peeker, robot: ObjectState) -> str:
    """An action after which the robot, and where it can be next, is still well in the picture."""
    x, y, z = _middle(robot)
    ahead = [(x + dx, y + dy, z) for dx, dy in ((0.0, 0.0), (0.7, 0.0), (-0.7, 0.0), (0.0, 0.7), (0.0, -0.7))]
    able = ["wait"]
    for action in ("move_up", "move_forward", "move_left", "move_right"):
        pose = moved(explorer.camera, explorer.poses[-1], action)
        if pose.position_m[2] <= HIGHEST_M and all(in_picture(explorer.camera, pose, at) for at in ahead):
            able.append(action)
    return explorer.numbers.choice(able)


def in_picture(camera: Camera, pose: Pose, at: Vec3) -> bool:
    """Whether a point lies in the middle part of the picture (`MIDDLE`), things that could hide it aside."""
    offset = [a - p for a, p in zip(at, pose.position_m, strict=True)]
    right, up, back = (
        sum(axis * o for axis, o in zip(column, offset, strict=True)) for column in zip(*rotation_matrix(pose.quaternion_xyzw), strict=True)
    )
    wide = math.tan(math.radians(camera.hfov_deg / 2)) * MIDDLE
    return back < 0 and abs(right) <= -back * wide and abs(up) <= -back * wide * camera.height / camera.width


def _round_places(
    task: Task, explorer: Peeker, things: Mapping[str, ObjectState], views: Sequence[Mapping[str, int]], pieces: Mapping[str, float]
) -> Iterable[str]:
    """Actions, one by one: behind everything that could hide what is asked about, and nearer to what was seen too small to tell."""
    ask = task.question.ask
    assert ask is not None
    asked = next((o for o in things.values() if o.category == ask.category), None)
    size = min(high - low for low, high in zip(*box_of(asked), strict=True)) if asked is not None else SMALL_M
    near_m = explorer.near_m(size, CLEAR_PIXELS)
    for far in (near_m, near_m / 2):
        waiting = [place_of(things[h], "behind", explorer.poses[0].position_m) for h in explorer.boxes if things[h].aabb_max_m[2] > size]
        small = {h for view in views for h, n in view.items() if n} - {h for view in views for h, n in view.items() if n >= CLEAR_PIXELS}
        waiting += [Hidden(h, _middle(things[h])) for h in small if h in things and h != ask.against]
        explorer.numbers.shuffle(waiting)
        while waiting:
            ways = [(place, way) for place in waiting if (way := explorer.way(place, far)) is not None]
            if not ways:
                break
            place, way = min(ways, key=lambda one: len(one[1]))
            waiting = [one for one, path in ways if one is not place]
            for action in way:
                explorer.go(action)
                yield action
