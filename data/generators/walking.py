"""Ways through a house for a camera that moves and turns in steps: where someone can stand, and the shortest way to see something.

A goal says from where, and at which bearing, something is seen. Ways are searched over steps of the camera; moves happen at headings along
the walls only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from data.generators.sight import EDGE_DEG, EYE_M, SIGN_M, Sight, Sign, bearing_to
from sim_bridge.houses import Plan
from sim_bridge.houses.outline import Point
from sim_bridge.spec import Camera

BODY_M = 0.12
"""Half the width of a walker: distance from door leaves and door frames."""
OFF_WALL_M = 0.6
"""Distance from walls where the room is wide enough: furniture stands along them."""
Goal = Callable[[Point], Sequence[tuple[float, float]]]
"""Floor point → at which bearings something is seen from there, and how far from the heading each may lie, degrees."""
_MOVES = (("move_forward", 0.0), ("move_left", 90.0), ("move_backward", 180.0), ("move_right", 270.0))


class Walk:
    """Shortest action sequences from a start whose heading is a multiple of 90°; moves happen at such headings only.

    Args:
        camera: how far a move and a turn lead; a quarter turn is a whole number of turns.
        body_m: half the width of who walks, in doorways and beside open leaves.
        off_wall_m: distance from walls, where the room is wide enough.
    """

    def __init__(
        self, house: Plan, start: Point, yaw_deg: int, camera: Camera, body_m: float = BODY_M, off_wall_m: float = OFF_WALL_M
    ) -> None:
        self.plan, self.start, self.yaw, self.camera, self.body, self.off_wall = house, start, yaw_deg, camera, body_m, off_wall_m
        self.headings = round(360 / camera.turn_step_deg)
        self._free: dict[tuple[int, int], bool] = {}

    def point(self, cell: tuple[int, int]) -> Point:
        """Where a cell lies, metres: one cell is one step of the camera."""
        return (round(self.start[0] + cell[0] * self.camera.move_step_m, 6), round(self.start[1] + cell[1] * self.camera.move_step_m, 6))

    def free(self, cell: tuple[int, int]) -> bool:
        """Whether the body can stand on a cell, off the walls."""
        if cell not in self._free:
            self._free[cell] = walkable(self.plan, self.point(cell), self.body, self.off_wall)
        return self._free[cell]

    def find(self, goals: Sequence[Goal], limit: int) -> tuple[str, ...] | None:
        """The shortest sequence along which every goal is seen at some view after the start; None where it is longer than `limit`."""
        full = (1 << len(goals)) - 1
        views: dict[tuple[int, int], list[int]] = {}

        def mask(cell: tuple[int, int], h: int) -> int:
            if cell not in views:
                bits = [0] * self.headings
                for k, goal in enumerate(goals):
                    for bearing, most in goal(self.point(cell)):
                        for i in range(self.headings):
                            if abs((bearing - i * self.camera.turn_step_deg + 180) % 360 - 180) < most:
                                bits[i] |= 1 << k
                views[cell] = bits
            return views[cell][h]

        first = ((0, 0), round(self.yaw / self.camera.turn_step_deg) % self.headings, 0)
        came: dict[tuple[tuple[int, int], int, int], tuple[tuple[tuple[int, int], int, int], str]] = {}
        done, layer = {first}, [first]
        for _ in range(limit):
            following = []
            for state in layer:
                (i, j), h, seen = state
                steps = [((i, j), (h + 1) % self.headings, "turn_left"), ((i, j), (h - 1) % self.headings, "turn_right")]
                if h * 4 % self.headings == 0:
                    for action, turn in _MOVES:
                        a = math.radians(h * self.camera.turn_step_deg + turn)
                        cell = (i - round(math.sin(a)), j + round(math.cos(a)))
                        if self.free(cell):
                            steps.append((cell, h, action))
                for cell, heading, action in steps:
                    new = (cell, heading, seen | mask(cell, heading))
                    if new in done:
                        continue
                    done.add(new)
                    came[new] = (state, action)
                    if new[2] == full:
                        return self._back(new, came)
                    following.append(new)
            layer = following
        return None

    @staticmethod
    def _back(
        state: tuple[tuple[int, int], int, int], came: dict[tuple[tuple[int, int], int, int], tuple[tuple[tuple[int, int], int, int], str]]
    ) -> tuple[str, ...]:
        actions = []
        while state in came:
            state, action = came[state]
            actions.append(action)
        return tuple(actions[::-1])


def walkable(house: Plan, p: Point, body_m: float = BODY_M, off_wall_m: float = OFF_WALL_M) -> bool:
    """Whether someone can stand there: clear of walls, of what furniture stands along them, and of door leaves."""
    for d in house.doors:
        if leaf := house.leaf_segment(d):
            x0, x1 = sorted((leaf[0][0], leaf[1][0]))
            y0, y1 = sorted((leaf[0][1], leaf[1][1]))
            if math.hypot(max(x0 - p[0], p[0] - x1, 0.0), max(y0 - p[1], p[1] - y1, 0.0)) < body_m:
                return False
    for d in house.doors:
        across, through = (p[0] - d.centre_m[0], p[1] - d.centre_m[1]) if d.along == "x" else (p[1] - d.centre_m[1], p[0] - d.centre_m[0])
        if abs(across) <= d.width_m / 2 - body_m and abs(through) <= 0.85:
            return True
    name = house.room_at(p)
    if name is None:
        return False
    ring = house.inner(name)
    sides = (max(q[k] for q in ring) - min(q[k] for q in ring) for k in (0, 1))
    keep = min(off_wall_m, min(sides) / 2 - 0.2)
    for a, b in zip(ring, (*ring[1:], ring[0]), strict=True):
        x0, x1 = sorted((a[0], b[0]))
        y0, y1 = sorted((a[1], b[1]))
        if math.hypot(max(x0 - p[0], p[0] - x1, 0.0), max(y0 - p[1], p[1] - y1, 0.0)) < keep:
            return False
    return True


def sign_goal(sight: Sight, name: str) -> Goal:
    """The sign of a room is read, its name whole."""
    return lambda p: [
        (bearing_to(p, s.at), sight.in_picture_deg(p, s)) for s in sight.signs[name] if sight.readable(p, s) and _whole_sign(sight, p, s)
    ]


def _whole_sign(sight: Sight, eye: Point, sign: Sign) -> bool:
    """Whether no door frame, leaf or wall hides either end of a plate."""
    half = 0.4 * SIGN_M[0]
    ends = ((sign.at[0] - k * half * sign.normal[1], sign.at[1] + k * half * sign.normal[0]) for k in (-1, 1))
    return all(sight.free(eye, end) for end in ends)


def object_goal(sight: Sight, at: Point) -> Goal:
    """A thing on the floor is well in the picture of a level camera."""

    def goal(p: Point) -> Sequence[tuple[float, float]]:
        return [(bearing_to(p, at), sight.half_deg - EDGE_DEG)] if whole(sight, p, at) else ()

    return goal


def whole(sight: Sight, eye: Point, at: Point) -> bool:
    """Whether a thing on the floor is near enough to be known and far enough to be in the picture, nothing before either side of it."""
    gap = math.dist(eye, at)
    nearest = EYE_M / math.tan(math.radians(sight.up_deg))
    if not nearest + 0.05 <= gap <= THING_PX_M * sight.focal_px:
        return False
    side = (-(at[1] - eye[1]) / gap * HALF_THING_M, (at[0] - eye[0]) / gap * HALF_THING_M)
    return all(sight.free(eye, (at[0] + k * side[0], at[1] + k * side[1])) for k in (-1, 0, 1))


THING_PX_M = 5.1 / 417.0
"""A thing is known from no farther away, metres for each pixel of focal length: a ball has then 150 pixels, 14 across."""
HALF_THING_M = 0.18
"""Half the breadth of a thing, of which nothing may hide either side."""
THING_PIXELS = 150
"""Least pixels of a thing that counts as seen; a ball has as many from as far as counts."""
