"""Furniture that things of a task stand on: tables, shelves, counters, a bed, as ordinary objects of the scene.

A layout asks for a support where it wants one and puts things on it; both come as `Thing`s, so that twins, masks, evidence and judges need
to know nothing new. The catalogue's models of these kinds are the same with and without the pack of object models, and a test
compares every figure here with the drawn mesh.

Example:
    >>> table = stand("table", "wooden_table", (0.3, 1.6), yaw_deg=90.0)
    >>> top = table.tops[-1]                                # the lowest first; a table has one
    >>> mug = top.put("mug", "mug", (-0.3, 0.1))            # metres from the middle of the top, along its width and depth
    >>> vase = top.put("vase", "vase", (0.3, -0.1))
    >>> things = (table.thing, mug, vase)                   # into `Half.things`; the support is not essential

Take the furniture that nobody asks about out of the room's own by `Room.without` (`layout.room_about` does).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from data.generators.layout import Thing, footprint
from data.generators.things import SIZES_M
from sim_bridge.spec import Vec3

OPEN_M = 9.0
"""Free height of a top with nothing above it."""
EDGE_M = 0.02
"""Nothing stands nearer to the edge of a top."""


@dataclass(frozen=True)
class Board:
    """A top of a kind of furniture, in its own frame: origin in the middle of its floor rectangle, x along its width, y to its back."""

    z_m: float
    """Height above the floor."""
    rect_m: tuple[float, float, float, float]
    """(x_min, y_min, x_max, y_max) of the flat part."""
    free_m: float = OPEN_M
    """Free height above it."""


@dataclass(frozen=True)
class Furniture:
    """A kind of support."""

    size_m: Vec3
    """The catalogue's extents at scale 1."""
    boards: tuple[Board, ...]
    """Its tops, the lowest first."""


FURNITURE: dict[str, Furniture] = {
    "wooden_table": Furniture((1.4, 0.85, 0.74), (Board(0.74, (-0.7, -0.425, 0.7, 0.425)),)),
    "low_table": Furniture((1.1, 0.6, 0.42), (Board(0.42, (-0.55, -0.3, 0.55, 0.3)),)),
    "side_table": Furniture((0.5, 0.5, 0.5), (Board(0.5, (-0.25, -0.25, 0.25, 0.25)),)),
    "console_table": Furniture((1.1, 0.36, 0.8), (Board(0.8, (-0.55, -0.18, 0.55, 0.18)),)),
    "lab_table": Furniture((1.8, 0.7, 0.9), (Board(0.9, (-0.9, -0.35, 0.9, 0.35)),)),
    "counter": Furniture((1.83, 0.65, 0.978), (Board(0.978, (-0.915, -0.295, 0.915, 0.325)),)),
    "sideboard": Furniture((1.43, 0.5, 0.848), (Board(0.848, (-0.715, -0.22, 0.715, 0.25)),)),
    "open_shelf": Furniture(
        (0.9, 0.36, 1.2),
        (
            Board(0.122, (-0.428, -0.175, 0.428, 0.175), 0.338),
            Board(0.482, (-0.428, -0.175, 0.428, 0.175), 0.338),
            Board(0.842, (-0.428, -0.175, 0.428, 0.175), 0.336),
            Board(1.2, (-0.428, -0.175, 0.428, 0.175)),
        ),
    ),
    "plain_bed": Furniture((1.0, 2.04, 0.86), (Board(0.46, (-0.49, -1.01, 0.49, 0.97)),)),
}
"""Category → its extents and tops. Of these kinds the model is ours; a test compares with the triangles."""
TABLES = ("wooden_table", "low_table", "side_table", "console_table", "lab_table")
HIGH = ("counter", "sideboard")
"""Supports with closed fronts."""


@dataclass(frozen=True)
class Top:
    """A top of a support that stands somewhere in a layout."""

    support: Thing
    board: Board

    @property
    def z_m(self) -> float:
        """Height above the floor, metres."""
        return self.board.z_m * self.support.scale

    @property
    def free_m(self) -> float:
        """Free height above it, metres; `OPEN_M` and more where nothing is above."""
        return self.board.free_m * self.support.scale

    @property
    def width_m(self) -> float:
        return (self.board.rect_m[2] - self.board.rect_m[0]) * self.support.scale

    @property
    def depth_m(self) -> float:
        return (self.board.rect_m[3] - self.board.rect_m[1]) * self.support.scale

    def point(self, at: tuple[float, float]) -> tuple[float, float]:
        """The layout's (x, y) of a place on the top, given from its middle along its width and depth, metres."""
        a, b, c, d = self.board.rect_m
        s, turn = self.support.scale, math.radians(self.support.yaw_deg)
        x, y = at[0] + s * (a + c) / 2, at[1] + s * (b + d) / 2
        cos, sin = math.cos(turn), math.sin(turn)
        return self.support.xy[0] + cos * x - sin * y, self.support.xy[1] + sin * x + cos * y

    def over_m(self, thing: Thing) -> float:
        """How far a thing reaches over the edge, metres; below 0 it stands on the top, that far from the edge."""
        x0, y0 = self.point((0.0, 0.0))
        turn = math.radians(self.support.yaw_deg)
        dx, dy = thing.xy[0] - x0, thing.xy[1] - y0
        along, back = math.cos(turn) * dx + math.sin(turn) * dy, -math.sin(turn) * dx + math.cos(turn) * dy
        wide, deep, _ = thing.extent_m
        turn = math.radians(thing.yaw_deg - self.support.yaw_deg)
        half_x = (abs(math.cos(turn)) * wide + abs(math.sin(turn)) * deep) / 2
        half_y = (abs(math.sin(turn)) * wide + abs(math.cos(turn)) * deep) / 2
        return max(abs(along) + half_x - self.width_m / 2, abs(back) + half_y - self.depth_m / 2)

    def put(self, key: str, category: str, at: tuple[float, float], **more: Any) -> Thing:
        """A thing that stands on the top at a place (`point`); its yaw is the layout's own, as of all things.

        Args:
            more: further fields of `Thing`; ``size_m`` and ``words`` as `things.thing` fills them in.

        Raises:
            ValueError: it would stand over the edge, or reaches up to what is above; the message says by how much.
        """
        size = more.pop("size_m", None) or SIZES_M[category]
        words = more.pop("words", category.replace("_", " "))
        made = Thing(key, category, self.point(at), size, z_m=self.z_m, words=words, **more)
        over, high = self.over_m(made) + EDGE_M, made.extent_m[2]
        if over > 1e-9:
            raise ValueError(f"{key}: at {at!r} a {category} stands {over:.3f} m over the edge of the {self.support.category}")
        if high >= self.free_m:
            raise ValueError(f"{key}: a {category} of {high:.3f} m does not fit under {self.free_m:.3f} m in the {self.support.category}")
        return made


@dataclass(frozen=True)
class Support:
    """A support in a layout: the thing, and the tops that others stand on."""

    thing: Thing
    tops: tuple[Top, ...]


def stand(key: str, category: str, xy: tuple[float, float], *, yaw_deg: float = 0.0, scale: float = 1.0, **more: Any) -> Support:
    """A piece of furniture of `FURNITURE` that stands on the floor of a layout, its front towards −y (to the camera) before the turn.

    Args:
        xy: the middle of its floor rectangle, the layout's frame, metres.
        more: further fields of `Thing`; not essential and without words unless they say otherwise.

    Raises:
        KeyError: no such kind.
    """
    kind = FURNITURE[category]
    thing = Thing(key, category, xy, kind.size_m, scale=scale, yaw_deg=yaw_deg, **{"essential": False, **more})
    return Support(thing, tuple(Top(thing, board) for board in kind.boards))


def fits(top: Top, things: tuple[Thing, ...], apart_m: float = 0.02) -> bool:
    """Whether things on one top stand apart, by their upright boxes."""
    for i, a in enumerate(things):
        for b in things[i + 1 :]:
            if all(abs(a.xy[k] - b.xy[k]) < (footprint(a)[k] + footprint(b)[k]) / 2 + apart_m for k in (0, 1)):
                return False
    return all(abs((t.z_m or 0.0) - top.z_m) < 1e-9 for t in things)
