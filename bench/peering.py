"""Blind explorers of one room: they watch what moves, then go where they can look into, onto or behind things.

Such an explorer knows what the question names, where the things stand that it has seen, its own camera, and what a picture has shown. It
knows nothing of what lies where it has not looked, nor the answer. It goes by one of the ways that it likes: each explorer finds rising,
going and stepping aside more or less irksome, and none insists on the best way.

In Unobserved Change it looks, one after the other in an order of its own, into, onto or behind what the question names: it goes, turns and
looks down until the place is in the picture, near enough for what it looks for; then again from half as far, while views are left.

In Agent Observation it waits, rises or goes nearer while the robot walks, as long as the robot, where that goes on to, and things beside
the way stay in the picture; where none of the three does, it turns to the side at which the robot leaves, or steps back. After the walk
there is left to look at: what views have shown too small to tell, from nearer; and the places, behind things that are as wide and tall as
the kind asked about, where it has not looked. It goes to where it sees many of these at once for the steps that this takes (most often from
above and from nearer, so that what lies close behind something comes last), looks again at what is left, and stops when nothing is.
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
AHEAD_DEG = (-40.0, 0.0, 40.0)
"""So far a thing that walks may turn from one view to the next."""
WATCHED = 0.95
"""What walks is in that part of the picture's breadth and height, about its middle."""
WATCHING = ("move_up", "move_forward", "turn_left", "turn_right", "turn_up", "turn_down", "move_backward")
"""What it may do while something walks, beside waiting."""
NEARER = 0.8
"""It goes so much nearer than the distance from which a thing should just be clear."""
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
    itself: bool = False
    """Whether it is the thing, in the open, and not what it may hide."""


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
        moves, axes = self._ideas()
        at = np.array(self.poses[-1].position_m) + moves @ axes
        turns, pitches = self._turned(self.poses[-1], np.array(place.at) - at)
        good = self._able(at) & self.clear(at, place, near_m) & self.shown(self.poses[-1], np.array(place.at) - at, turns, pitches)
        cost = np.abs(moves) @ np.array(self._irksome) + np.abs(turns) + np.abs(pitches)
        able = np.flatnonzero(good & (cost <= WASTE * cost[good].min(initial=np.inf)))
        for n in self.numbers.sample(able.tolist(), min(len(able), TRIED)):
            if (legs := self._legs(moves[n], axes)) is not None:
                return [*legs, *_turning(turns[n], pitches[n])]
        return None

    def survey(self, waiting: Sequence[tuple[Hidden, float]], most: int) -> list[str] | None:
        """The actions, `most` or fewer, to where it sees many of some places at once, by one of the ways that it likes; None: none.

        Args:
            waiting: places, each with the distance from which it must be seen, or from nearer.
            most: actions that are left.
        """
        moves, axes = self._ideas()
        pose = self.poses[-1]
        at = np.array(pose.position_m) + moves @ axes
        clear = np.array([self.clear(at, place, near_m) for place, near_m in waiting]) & self._able(at)
        aims = [*(place.at for place, _ in waiting), tuple(np.mean([place.at for place, _ in waiting], axis=0))]
        turned = [self._turned(pose, np.array(aim) - at) for aim in aims]
        worth = np.zeros((len(aims), len(at)))
        for k, (turns, pitches) in enumerate(turned):
            seen = sum(c & self.shown(pose, np.array(p.at) - at, turns, pitches) for c, (p, _) in zip(clear, waiting, strict=True))
            bends = np.abs(turns) + np.abs(pitches)
            cost = np.abs(moves) @ np.array(self._irksome) + bends
            worth[k] = np.where(np.abs(moves).sum(1) + bends <= most, seen / np.maximum(cost, 1.0), 0.0)
        able = np.flatnonzero((worth > 0) & (worth * WASTE >= worth.max()))
        for one in self.numbers.sample(able.tolist(), min(len(able), TRIED)):
            k, n = divmod(one, len(at))
            if (legs := self._legs(moves[n], axes)) is not None:
                return [*legs, *_turning(turned[k][0][n], turned[k][1][n])]
        return None

    def looked_at(self, place: Hidden, near_m: float) -> bool:
        """Whether it has stood where it saw a place from no farther than `near_m`."""
        for pose in self.poses:
            at, none = np.array([pose.position_m]), np.zeros(1, dtype=np.int64)
            if self.clear(at, place, near_m)[0] and self.shown(pose, np.array(place.at) - at, none, none)[0]:
                return True
        return False

    def _ideas(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Moves that it thinks of, shape (n, 3): ahead, to the right, up; and what one step of each is in metres, shape (3, 3)."""
        ahead_x, ahead_y = heading(self.poses[-1])
        axes = self.camera.move_step_m * np.array([(ahead_x, ahead_y, 0.0), (ahead_y, -ahead_x, 0.0), (0.0, 0.0, 1.0)])
        return np.array(list(itertools.product(*STEPS))), axes

    def _able(self, at: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether it can be at places, shape (n, 3)."""
        highest = max(HIGHEST_M, self.poses[-1].position_m[2])
        good = (at[:, 2] >= MIN_CAMERA_Z_M - 1e-9) & (at[:, 2] <= highest + 1e-9)
        for box in self.boxes.values():
            good &= ~_within(at, box, APART_M)
        return np.asarray(good)

    def clear(self, at: NDArray[np.float64], place: Hidden, near_m: float) -> NDArray[np.bool_]:
        """Whether nothing that it knows hides a place from eyes at `at`, shape (n, 3), no farther off than `near_m`."""
        good = np.linalg.norm(np.array(place.at) - at, axis=1) <= near_m
        for handle, box in self.boxes.items():
            if place.into and handle == place.of:
                good &= _through_top(at, place.at, box)
            elif not (place.itself and handle == place.of):
                good &= ~crossing(at, place.at, box)
        return np.asarray(good)

    def _turned(self, pose: Pose, away: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Turns to the left and pitches up that bring what lies so far off before a camera at each place."""
        yaw, _, pitch = angles_deg(pose.quaternion_xyzw)
        step, flat = self.camera.turn_step_deg, np.hypot(away[:, 0], away[:, 1])
        off = (np.degrees(np.arctan2(away[:, 1], away[:, 0])) - 90.0 - yaw + 180.0) % 360.0 - 180.0
        half, high = self._halves()
        turns = np.where((np.abs(off) <= math.degrees(half)) | (flat < 0.1), 0, np.round(off / step)).astype(np.int64)
        up = np.degrees(np.arctan2(away[:, 2], flat)) - (pitch - 90.0)
        pitches = np.where(np.abs(up) <= math.degrees(high), 0, np.round(up / step)).astype(np.int64)
        return turns, pitches

    def _halves(self) -> tuple[float, float]:
        """Half of the middle part of the picture, across and upright, in radians."""
        wide = math.tan(math.radians(self.camera.hfov_deg / 2)) * MIDDLE
        return math.atan(wide), math.atan(wide * self.camera.height / self.camera.width)

    def shown(self, pose: Pose, away: NDArray[np.float64], turns: NDArray[np.int64], pitches: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether what lies so far off, shape (n, 3), is in the middle part of the picture once it has turned from a pose."""
        yaw, _, pitch = angles_deg(pose.quaternion_xyzw)
        (half, high), step = self._halves(), self.camera.turn_step_deg
        yaws, tilts = np.radians(yaw + turns * step), np.radians(pitch - 90.0 + pitches * step)
        ahead = -away[:, 0] * np.sin(yaws) + away[:, 1] * np.cos(yaws)
        right = away[:, 0] * np.cos(yaws) + away[:, 1] * np.sin(yaws)
        deep, above = ahead * np.cos(tilts) + away[:, 2] * np.sin(tilts), away[:, 2] * np.cos(tilts) - ahead * np.sin(tilts)
        return np.asarray((deep > 0) & (np.abs(right) <= deep * math.tan(half)) & (np.abs(above) <= deep * math.tan(high)))

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


def _turning(turns: int, pitches: int) -> list[str]:
    return [*_repeated("turn", turns, "left", "right"), *_repeated("turn", pitches, "up", "down")]


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
        views = [dict(trial.first.observation.visible)]
        explorer = Peeker(task.scene.camera, task.start, {}, numbers)
        room = Seen(explorer, {o.handle: o for o in first}, ask.against, ask.category)
        room.take(views[-1])
        robot, came = trial.objects()[ask.against], None
        beside = [_middle(room.things[h]) for h in explorer.boxes]
        while robot.flags.get("walking", False) and len(views) < task.budget:
            if views[-1].get(ask.against, 0) < watched:
                return None
            action = while_watching(explorer, robot, came, beside)
            views.append(dict(trial.act(action, pictures=False).observation.visible))
            explorer.poses.append(trial.last.observation.camera)
            room.take(views[-1])
            robot, came = trial.objects()[ask.against], robot
        if robot.flags.get("walking", False) or views[-1].get(ask.against, 0) < watched:
            return None
        explorer.boxes[ask.against] = box_of(robot)
        done = _seen_by(views, pieces)
        if done is not None:
            return max(done, len(views))
        while len(views) < task.budget and (way := room.next_way(task.budget - len(views))):
            for action in way:
                views.append(dict(trial.act(action, pictures=False).observation.visible))
                explorer.poses.append(trial.last.observation.camera)
                room.take(views[-1])
                if (done := _seen_by(views, pieces)) is not None:
                    return done
    return None


def while_watching(explorer: Peeker, robot: ObjectState, came: ObjectState | None = None, beside: Sequence[Vec3] = ()) -> str:
    """An action after which the robot, and where it goes on to, is in the picture, and what it can pass is too.

    Where none of waiting, rising and going nearer does, it turns to the side at which the robot leaves, or steps back.

    Args:
        explorer: who watches.
        robot: as it is in the newest view.
        came: as it was in the view before.
        beside: what lies beside its way, as the first view shows.
    """
    x, y, z = _middle(robot)
    ahead = [(x, y, z)]
    if came is not None:
        dx, dy = x - _middle(came)[0], y - _middle(came)[1]
        for off in map(math.radians, AHEAD_DEG):
            ahead.append((x + dx * math.cos(off) - dy * math.sin(off), y + dx * math.sin(off) + dy * math.cos(off), z))
    after = {a: explorer.poses[-1] if a == "wait" else moved(explorer.camera, explorer.poses[-1], a) for a in ("wait", *WATCHING)}
    able = [a for a in ("wait", "move_up", "move_forward") if after[a].position_m[2] <= HIGHEST_M + 1e-9]
    able = [a for a in able if all(in_picture(explorer.camera, after[a], at, WATCHED) for at in (*ahead, *(beside if a != "wait" else ())))]
    if able:
        return explorer.numbers.choice(able)
    return min(after, key=lambda a: max(_off_middle(explorer.camera, after[a], at) for at in ahead))


def in_picture(camera: Camera, pose: Pose, at: Vec3, share: float = MIDDLE) -> bool:
    """Whether a point lies in such a part of the picture about its middle, things that could hide it aside."""
    return _off_middle(camera, pose, at) <= share


def _off_middle(camera: Camera, pose: Pose, at: Vec3) -> float:
    """How far from the middle of the picture a point is, in halves of its breadth or height; infinite behind the camera."""
    offset = [a - p for a, p in zip(at, pose.position_m, strict=True)]
    right, up, back = (
        sum(axis * o for axis, o in zip(column, offset, strict=True)) for column in zip(*rotation_matrix(pose.quaternion_xyzw), strict=True)
    )
    if back >= 0:
        return math.inf
    wide = math.tan(math.radians(camera.hfov_deg / 2))
    return max(abs(right) / wide, abs(up) / (wide * camera.height / camera.width)) / -back


class Seen:
    """What an explorer of Agent Observation has seen, and where it looks next.

    Args:
        explorer: who looks.
        things: handle → thing of the scene; only of those that views have shown is anything read.
        robot: handle of what walks.
        asked: the kind that the question names; its size is known.
    """

    def __init__(self, explorer: Peeker, things: Mapping[str, ObjectState], robot: str, asked: str) -> None:
        self.explorer, self.things, self._robot = explorer, things, robot
        kind = next((o for o in things.values() if o.category == asked), None)
        sides = [high - low for low, high in zip(*box_of(kind), strict=True)] if kind is not None else [SMALL_M] * 3
        self._wide_m, self._high_m, self._near_m = min(sides[:2]), sides[2], explorer.near_m(min(sides), CLEAR_PIXELS)
        self._best: dict[str, tuple[int, float]] = {}
        """Handle → most pixels in a view, and from how far."""

    def take(self, view: Mapping[str, int]) -> None:
        """Take in a view from the explorer's newest pose."""
        for handle, pixels in view.items():
            if handle not in self.things or handle == self._robot or pixels <= self._best.get(handle, (0, 0.0))[0]:
                continue
            self._best[handle] = pixels, math.dist(self.explorer.poses[-1].position_m, _middle(self.things[handle]))
            if pixels >= ENOUGH_PIXELS:
                self.explorer.boxes[handle] = box_of(self.things[handle])

    def next_way(self, most: int) -> list[str] | None:
        """Actions, `most` or fewer, to where it sees many at once of what is left; None: it knows nowhere to look."""
        for nearer in (1.0, 0.5):
            waiting = self._unclear() + self._hidden(self._near_m * nearer)
            if waiting and (way := self.explorer.survey(waiting, most)):
                return way
        return None

    def _unclear(self) -> list[tuple[Hidden, float]]:
        """What views have shown too small to tell what it is, and from how near it may be clear."""
        found = []
        for handle, (pixels, away_m) in self._best.items():
            if pixels < CLEAR_PIXELS:
                near_m = away_m * max(0.5, NEARER * math.sqrt(pixels / CLEAR_PIXELS))
                found.append((Hidden(handle, _middle(self.things[handle]), itself=True), near_m))
        return found

    def _hidden(self, near_m: float) -> list[tuple[Hidden, float]]:
        """Places where it has not looked, behind things that are as wide as the kind asked about and hide it up to its top."""
        found = []
        for handle, (low, high) in self.explorer.boxes.items():
            if handle == self._robot or max(high[0] - low[0], high[1] - low[1]) < self._wide_m:
                continue
            eye = self.explorer.poses[0].position_m
            place = place_of(self.things[handle], "behind", eye)
            top = (*place.at[:2], low[2] + self._high_m)
            if crossing(np.array([eye]), top, (low, high))[0] and not self.explorer.looked_at(place, near_m):
                found.append((place, near_m))
        return found
