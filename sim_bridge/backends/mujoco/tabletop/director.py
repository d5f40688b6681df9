"""What the hands do: picks, places, pours and openings written as ways, with the sentences and events that describe them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from sim_bridge.backends.mujoco.shapes import Array
from sim_bridge.backends.mujoco.tabletop.arm import MAX_OPENING_M
from sim_bridge.backends.mujoco.tabletop.motion import Knot, Way, orientation
from sim_bridge.backends.mujoco.tabletop.setting import TABLE_Z_M, Item
from sim_bridge.backends.mujoco.tabletop.things import KINDS

LIFT_M = 0.13
CLEARANCE_M = 0.006


@dataclass
class Deed:
    """One step of an episode in words."""

    start_s: float
    end_s: float
    text: str
    skill: str


@dataclass
class Happening:
    """Something that happens at a moment."""

    time_s: float
    what: str
    thing: str
    hand: str


@dataclass
class Script:
    """Ways of all hands, and what they mean."""

    ways: dict[str, Way]
    deeds: list[Deed] = field(default_factory=list)
    events: list[Happening] = field(default_factory=list)

    @property
    def end_s(self) -> float:
        return max(w.end_s for w in self.ways.values())


class Director:
    """Writes a script for things that lie where `pose_of` says."""

    def __init__(
        self, items: tuple[Item, ...], pose_of: Callable[[int], tuple[Array, Array]], hands: dict[str, tuple[Array, Array]], pitch: float
    ) -> None:
        self._items = {item.name: item for item in items}
        self._poses = {item.name: pose_of(k) for k, item in enumerate(items)}
        self._sizes: dict[str, Array] = {}
        self._pitch = pitch
        self._home = dict(hands)
        self.script = Script({name: Way([Knot(0.0, p, r, 0.07)]) for name, (p, r) in hands.items()})

    def sizes(self, sizes: dict[str, Array]) -> None:
        """Full extents of each thing along its own axes."""
        self._sizes = sizes

    def _words(self, hand: str) -> str:
        return "" if hand == "arm" else f" with the {hand} arm"

    def grasp(self, name: str, hand: str) -> tuple[Array, Array, float]:
        """(place between the finger tips, orientation, width) to take a thing from above."""
        kind = KINDS[self._items[name].noun]
        position, rotation = self._poses[name]
        size = self._sizes[name]
        at = position + np.array([0, 0, (kind.height - 0.5) * size[2]])
        yaw = self._yaw(hand, at)
        if kind.across != "any":
            axis = rotation @ {"x": np.array([1.0, 0, 0]), "y": np.array([0, 1.0, 0])}[kind.across]
            # The fingers close along ±axis: the turn nearest to where the arm comes from.
            along = np.degrees(np.arctan2(axis[1], axis[0])) + 90.0
            turn = (along - yaw + 90.0) % 180.0 - 90.0
            pitch = 90.0 if abs(turn) > 12 else self._pitch
            return at, orientation(pitch, yaw + turn), kind.width_m
        return at, orientation(self._pitch, yaw), kind.width_m

    def _yaw(self, hand: str, at: Array) -> float:
        """Direction in which a hand leans at a place: away from its shoulder, half-way."""
        shoulder = {"left": 0.30, "right": -0.30, "arm": 0.0}[hand]
        return float(np.degrees(np.arctan2(at[1] - shoulder, at[0] - 0.05))) * 0.6

    def pick(self, hand: str, name: str, lift: float = LIFT_M) -> None:
        """Reach, close, lift."""
        way = self.script.ways[hand]
        start = way.end_s
        at, turn, width = self.grasp(name, hand)
        wide = min(width + 0.034, MAX_OPENING_M)
        back = turn[:, 2]
        way.go(1.5, at - 0.11 * back, turn, wide)
        way.go(0.9, at)
        grip = way.go(0.5, opening_m=width)
        way.go(1.0, at + np.array([0, 0, lift]))
        way.holds.append((grip.time_s, np.inf, name))
        self.script.events.append(Happening(grip.time_s, "grasp", name, hand))
        self.script.deeds.append(Deed(start, way.end_s, f"Pick up the {name}{self._words(hand)}.", "Pick"))

    def place(self, hand: str, name: str, x: float, y: float, floor: float, where: str, skill: str = "Place") -> None:
        """Carry over a point, lower until the thing stands `floor` above the table, open, go away."""
        way = self.script.ways[hand]
        start = way.end_s
        kind_at, turn = way.knots[-1].position, way.knots[-1].rotation
        bottom = self._poses[name][0][2] - self._sizes[name][2] / 2
        grip_at = next(k.position for k in way.knots if k.time_s == way.holds[-1][0])
        offset = grip_at - np.array([*self._poses[name][0][:2], bottom])
        target = np.array([x, y, TABLE_Z_M + floor + CLEARANCE_M]) + offset
        high = max(kind_at[2], target[2] + 0.08)
        way.go(1.5, np.array([target[0], target[1], high]))
        way.go(0.9, target)
        width = way.knots[-1].opening_m
        opened = way.go(0.45, opening_m=min(width + 0.034, MAX_OPENING_M))
        begin, _, held = way.holds.pop()
        until = opened.time_s - 0.38
        way.holds.append((begin, until, held))
        way.go(0.9, target - 0.12 * turn[:, 2] + np.array([0, 0, 0.02]))
        self.script.events.append(Happening(until, "release", name, hand))
        self.script.deeds.append(Deed(start, way.end_s, f"{where[0].upper()}{where[1:]}{self._words(hand)}.", skill))

    def home(self, hand: str, seconds: float = 1.2) -> None:
        """Back to where the hand began."""
        position, turn = self._home[hand]
        self.script.ways[hand].go(seconds, position, turn, 0.07)
