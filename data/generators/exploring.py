"""A blind explorer of houses with a known policy: turn, look, enter. It tells whether a budget leaves room for exploring.

It knows the rooms that the question names, how many doors the way has that it asks about, its own camera, and what has been in the
picture: doorways, signs, walls. It knows neither the plan nor the answer. Where it starts it turns once round. In every other room it
turns one way, drawn once per room, until it has read the room's sign and a doorway is in the picture that it has not been through; a sign
that turning does not show it steps up to. Rooms whose walls the question is about it looks round in whole, behind open leaves too. It goes
through the nearest doorway by the shortest way and faces on; one behind which it has read the sign of a room of the question comes first,
and one beyond the way that is asked about last. Where nothing new is left in a room it goes to a doorway that it has seen elsewhere, or
back to a room that it has not looked round. Furniture hides nothing from it and stops it nowhere.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Sequence

from data.generators.lab import Playing, Step
from data.generators.sight import (
    EDGE_DEG,
    MAX_UNSEEN,
    SEEN_M,
    Sight,
    bearing_to,
    eye_of,
    longest_gap,
    off_deg,
    outline_points,
    seen_of_walls,
    sight_of,
    wall_in_sight,
    walls_known,
)
from data.generators.walking import Goal, Walk, sign_goal, whole
from data.task import Answer, Task
from sim_bridge.houses.outline import Point
from sim_bridge.houses.plan import MAX_ROOMS
from sim_bridge.kinematics import moved
from sim_bridge.protocol import StateReply
from sim_bridge.spec import Camera, HouseDoor, ObjectState, Pose

SLIM_M = 0.1
"""Half the width of a camera that only must not touch door frames and leaves."""
OFF_WALL_M = 0.35
"""Distance of it from walls: it looks over what stands there."""
BEYOND_M = 0.35
"""So far behind a doorway it counts as entered."""
NEAR_SIGN = 5
"""Actions it spends at most to have the plate of a room before it."""
FARTHEST = 24
"""Actions of the longest way to a doorway."""


class Explorer:
    """One exploration of a house.

    Args:
        sight: the house.
        start: a level camera; its heading is a multiple of the camera's turn.
        wanted: rooms that the question names.
        thorough: rooms to look round in whole before any doorway is tried.
        sought: things on the floor that the question names; until it has seen them all, it looks round every room in whole.
        doors: how many the way has that the question is about; farther from the start it goes last.
        numbers: decides which way it turns, and between equals.
    """

    def __init__(
        self,
        sight: Sight,
        start: Pose,
        camera: Camera,
        *,
        wanted: Collection[str],
        thorough: Collection[str],
        sought: Collection[Point] = (),
        doors: int = MAX_ROOMS,
        numbers: random.Random,
    ) -> None:
        self.sight, self.camera, self.numbers = sight, camera, numbers
        self.wanted, self.thorough, self.sought, self.doors = wanted, thorough, set(sought), doors
        self.poses = [start]
        self.seen: set[HouseDoor] = set()
        self.read: set[str] = set()
        self.entered: set[str] = set()
        self.deep: dict[str, int] = {}
        """Room that it was in → doors that it went through to get there."""
        self._turn: dict[str, str] = {}
        self._turns: dict[str, int] = {}
        self._stepped: set[str] = set()
        self._asides: dict[str, int] = {}
        self._round = math.ceil((360.0 - camera.hfov_deg) / camera.turn_step_deg)
        self._way: list[str] = []
        self._look()

    def act(self) -> str | None:
        """Do the next action and return it; None: everything that it can find has been looked at."""
        if not self._way:
            self._way = self._next()
        if not self._way:
            return None
        action = self._way.pop(0)
        self.poses.append(moved(self.camera, self.poses[-1], action))
        self._look()
        return action

    def _look(self) -> None:
        pose = self.poses[-1]
        eye, yaw = eye_of(pose)
        here = self.sight.plan.room_at(eye)
        if here and here not in self.entered:
            came = self.sight.plan.room_at(eye_of(self.poses[-2])[0]) if self.entered else None
            self.deep[here] = self.deep.get(came or "", -1) + 1
            self.entered.add(here)
        self.sought -= {at for at in self.sought if whole(self.sight, eye, at) and self._before(eye, yaw, at)}
        self.read |= {n for n in self.sight.plan.names if n not in self.read and self.sight.reads(pose, n)}
        self.seen |= {d for d in self.sight.plan.doors if d not in self.seen and self._in_view(d, eye, yaw)}

    def _in_view(self, door: HouseDoor, eye: Point, yaw: float) -> bool:
        x, y = door.centre_m
        for k in (0.0, -0.35, 0.35):
            at = (x + k * door.width_m, y) if door.along == "x" else (x, y + k * door.width_m)
            if math.dist(eye, at) < SEEN_M and self._before(eye, yaw, at) and self.sight.free(eye, at):
                return True
        return False

    def _before(self, eye: Point, yaw: float, at: Point) -> bool:
        """Whether a point lies in the picture's breadth."""
        return off_deg(eye, yaw, at) < self.sight.half_deg - EDGE_DEG

    def _next(self) -> list[str]:
        here = self.sight.plan.room_at(eye_of(self.poses[-1])[0]) or ""
        known = self._known(here)
        if not known and (here not in self.read or self.sought or here in self.thorough or len(self.entered) == 1):
            return [self._turned(here)]
        if here not in self.read and here not in self._stepped:
            self._stepped.add(here)
            if way := self._walk([sign_goal(self.sight, here)], NEAR_SIGN):
                return list(way)
        if here in self.thorough and (way := self._aside(here)):
            return list(way)
        beyond = [(d, there) for d in self.seen for there in d.rooms]
        untried = [(d, there) for d, there in beyond if there not in self.entered and self._other(d, there) in self.entered]
        mine = [u for u in untried if here in u[0].rooms]
        if not mine and not known:
            return [self._turned(here)]
        # Nothing new from here: to a doorway seen elsewhere, or back to a room that was left before it was looked round.
        back = [(d, there) for d, there in beyond if there in self.entered and not self._known(there)]
        ways = []
        for door, there in sorted(mine or [*untried, *back], key=lambda u: (u[0].centre_m, u[1])):
            if way := self._through(door, there):
                deep = self.deep.get(self._other(door, there), 0) >= self.doors
                ways.append((deep, there not in self.wanted or there not in self.read, len(way), self.numbers.random(), way))
        if ways:
            return list(min(ways)[4])
        return list(self._aside(here)) if known else [self._turned(here)]

    def _aside(self, room: str) -> tuple[str, ...]:
        """The shortest way to a look at a wall that is still hidden; twice in a room at most."""
        points = outline_points(self.sight.plan, room)
        seen = seen_of_walls(self.sight, points, (p for p in self.poses if self.sight.plan.room_at(eye_of(p)[0]) == room))
        if self._asides.get(room, 0) >= 2 or longest_gap(seen) <= MAX_UNSEEN:
            return ()
        self._asides[room] = self._asides.get(room, 0) + 1

        def hidden(p: Point) -> list[tuple[float, float]]:
            if self.sight.plan.room_at(p) != room:
                return []
            shown = wall_in_sight(self.sight, p, points) & ~seen
            return [(bearing_to(p, (float(x), float(y))), self.sight.half_deg - EDGE_DEG) for x, y in points[shown]]

        return self._walk([hidden], NEAR_SIGN)

    def _known(self, room: str) -> bool:
        """Whether a room was looked round, or all its walls have been seen."""
        return self._turns.get(room, 0) >= self._round or walls_known(self.sight, room, self.poses)

    def _turned(self, here: str) -> str:
        self._turns[here] = self._turns.get(here, 0) + 1
        return self._turn.setdefault(here, self.numbers.choice(("turn_left", "turn_right")))

    @staticmethod
    def _other(door: HouseDoor, room: str) -> str:
        return door.rooms[0] if door.rooms[1] == room else door.rooms[1]

    def _through(self, door: HouseDoor, there: str) -> tuple[str, ...]:
        """The shortest way through a doorway, facing on."""
        side = self.sight.plan.side_of(door, there)
        onward = (0.0 if side > 0 else 180.0) if door.along == "x" else (270.0 if side > 0 else 90.0)

        def beyond(p: Point) -> list[tuple[float, float]]:
            deep = (p[1] - door.centre_m[1] if door.along == "x" else p[0] - door.centre_m[0]) * side
            return [(onward, 1.0)] if deep >= BEYOND_M and self.sight.plan.room_at(p) == there else []

        return self._walk([beyond], FARTHEST)

    def _walk(self, goals: Sequence[Goal], limit: int) -> tuple[str, ...]:
        eye, yaw = eye_of(self.poses[-1])
        return Walk(self.sight.plan, eye, round(yaw), self.camera, SLIM_M, OFF_WALL_M).find(goals, limit) or ()


EXPLORERS = 5
"""Explorers that are sent into every house while tasks are made; another number of them, with other random numbers, measures afterwards."""
REACH = 0.8
"""Share of explorers that reach the evidence within the budget at least."""


def observations(task: Task, judge: Callable[[Playing], Answer], seed: int) -> int | None:
    """Observations, the first view included, after which what an explorer has seen tells the answer (`judge` derives it from the cameras).

    None: not within the task's budget, or nothing was left to look at.

    Args:
        task: an own task in a house.
        seed: decides the explorer's random numbers.
    """
    if task.scene.house is None or task.question.ask is None:
        raise ValueError(f"{task.task_id}: expected a task in a house that says what it asks")
    sight, ask = sight_of(task.scene), task.question.ask
    explorer = Explorer(
        sight,
        task.start,
        task.scene.camera,
        wanted={*ask.rooms, *(set(task.question.options) & set(sight.plan.names))},
        thorough=ask.rooms if ask.what == "connected" else (),
        sought=[(o.pose.position_m[0], o.pose.position_m[1]) for o in task.scene.objects if o.handle in ask.things],
        doors={"passage": 2, "regions": 3, "turns": 3}.get(ask.what, MAX_ROOMS),
        numbers=random.Random(f"{task.task_id}/{seed}"),
    )
    there = StateReply(
        id=0,
        objects=tuple(ObjectState(o.handle, o.category, o.pose, o.pose.position_m, o.pose.position_m, 0) for o in task.scene.objects),
        relations=(),
    )
    while True:
        steps = tuple(Step("", True, "", {}, False, pose, None, 1, there) for pose in explorer.poses)
        if judge(Playing(task, steps)) in task.gold.accepted:
            return len(steps)
        if len(steps) >= task.budget or explorer.act() is None:
            return None


def admits(judge: Callable[[Playing], Answer]) -> Callable[[Task], str]:
    """Whether explorers reach the evidence of a drafted task, as `Generator.admits`."""

    def admitted(task: Task) -> str:
        missed = 0
        for seed in range(EXPLORERS):
            missed += observations(task, judge, seed) is None
            if missed > (1 - REACH) * EXPLORERS + 1e-9:
                return "a blind explorer does not reach the evidence within the budget"
        return ""

    return admitted
