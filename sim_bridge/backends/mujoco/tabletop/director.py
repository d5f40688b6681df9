"""What the hands do: picks, places, pours and openings written as ways, with the sentences and events that describe them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from sim_bridge.backends.mujoco.meshes.shapes import Array
from sim_bridge.backends.mujoco.tabletop.arm import MAX_OPENING_M
from sim_bridge.backends.mujoco.tabletop.fixtures import HANDLE_WIDTH_M, TRAVEL_M, Chest
from sim_bridge.backends.mujoco.tabletop.motion import Knot, Way, orientation
from sim_bridge.backends.mujoco.tabletop.setting import TABLE_Z_M, Built
from sim_bridge.backends.mujoco.tabletop.things import KINDS

LIFT_M = 0.13
CLEARANCE_M = 0.006
SIDE_PITCH_DEG = 18.0
"""How a hand leans when it takes something from the side."""
POUR_DEG = 128.0


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
    """Writes a script for things that lie where the simulation says.

    Args:
        built: the set-up.
        pose_of: place and orientation of each of `Built.named`.
        homes: where each hand begins.
        pitch: how a hand leans when it takes something from above, degrees (90 is straight down).
    """

    def __init__(
        self, built: Built, pose_of: Callable[[int], tuple[Array, Array]], homes: dict[str, tuple[Array, Array]], pitch: float
    ) -> None:
        self._nouns = {n.name: n.noun for n in built.named}
        self._poses = {n.name: pose_of(k) for k, n in enumerate(built.named)}
        self._sizes = {n.name: n.size_m for n in built.named}
        self._pitch = pitch
        self._home = homes
        self.script = Script({name: Way([Knot(0.0, p, r, 0.07)]) for name, (p, r) in homes.items()})

    def _words(self, hand: str) -> str:
        return "" if hand == "arm" else f" with the {hand} arm"

    def grasp(self, name: str, hand: str) -> tuple[Array, Array, float]:
        """(place between the finger tips, orientation, width) to take a thing from above."""
        kind = KINDS[self._nouns[name]]
        rotation = self._poses[name][1]
        size = self._sizes[name]
        at = self._axis(name) + np.array([0, 0, (kind.height - 0.5) * size[2]])
        yaw = self._yaw(hand, at)
        if kind.across != "any":
            axis = rotation @ {"x": np.array([1.0, 0, 0]), "y": np.array([0, 1.0, 0])}[kind.across]
            # The fingers close along ±axis: the turn nearest to where the arm comes from.
            along = np.degrees(np.arctan2(axis[1], axis[0])) + 90.0
            turn = (along - yaw + 90.0) % 180.0 - 90.0
            pitch = 90.0 if abs(turn) > 12 else self._pitch
            return at, orientation(pitch, yaw + turn), kind.width_m
        return at, orientation(self._pitch, yaw), kind.width_m

    def _axis(self, name: str) -> Array:
        """The point of a thing's middle that fingers close about: a mug's round body, not the box that its handle widens."""
        position, rotation = self._poses[name]
        if self._nouns[name] != "mug":
            return position
        size = self._sizes[name]
        return np.asarray(position - rotation @ np.array([(size[0] - size[1]) / 2, 0.0, 0.0]))

    def _yaw(self, hand: str, at: Array) -> float:
        """Direction in which a hand leans at a place: away from its shoulder, half-way."""
        shoulder = {"left": 0.27, "right": -0.27, "arm": 0.0}[hand]
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

    def hold(self, hand: str, seconds: float) -> None:
        """Show what is held: a little nearer, a little higher."""
        way = self.script.ways[hand]
        way.go(seconds, way.knots[-1].position + np.array([-0.03, 0.0, 0.05]))

    def pour(self, hand: str, name: str, into: str, what: str) -> None:
        """Take a vessel from the side, tilt it over another, and put it back."""
        way = self.script.ways[hand]
        kind = KINDS[self._nouns[name]]
        start = way.end_s
        size = self._sizes[name]
        at = self._axis(name) + np.array([0, 0, (kind.height - 0.5) * size[2]])
        yaw = self._yaw(hand, at)
        turn = orientation(SIDE_PITCH_DEG, yaw)
        ahead = turn[:, 2]
        wide = min(kind.width_m + 0.030, MAX_OPENING_M)
        way.go(1.4, at - 0.12 * ahead + np.array([0, 0, 0.03]), turn, wide)
        way.go(0.8, at)
        grip = way.go(0.4, opening_m=kind.width_m)
        lifted = at + np.array([0, 0, 0.14])
        way.go(0.7, lifted)
        self.script.deeds.append(Deed(start, way.end_s, f"Pick up the {name}{self._words(hand)}.", "Pick"))
        self.script.events.append(Happening(grip.time_s, "grasp", name, hand))
        begin = way.end_s
        goal = self._poses[into][0].copy()
        right = np.array([np.sin(np.radians(yaw)), -np.cos(np.radians(yaw)), 0.0])
        side = 1.0 if (goal - at) @ right > 0 else -1.0
        # The lip turns about the fingers: at the end it is below them, at the start of the flow to the side.
        over = goal - side * 0.040 * right
        over[2] = TABLE_Z_M + self._sizes[into][2] + 0.085
        way.go(1.0, over)
        way.go(1.9, over + np.array([0, 0, 0.01]), orientation(SIDE_PITCH_DEG, yaw, side * POUR_DEG))
        tipped = way.end_s - 0.55
        way.go(0.6)
        way.go(0.9, over, turn)
        self.script.events.append(Happening(tipped, "pour", name, hand))
        self.script.deeds.append(Deed(begin, way.end_s, f"Pour the {what} into the {into}{self._words(hand)}.", "Pour"))
        begin = way.end_s
        way.go(1.0, at + np.array([0, 0, 0.05]))
        way.go(0.5, at + np.array([0, 0, 0.004]))
        opened = way.go(0.35, opening_m=wide)
        way.holds.append((grip.time_s, opened.time_s - 0.30, name))
        way.go(0.7, at - 0.13 * ahead + np.array([0, 0, 0.03]))
        self.script.events.append(Happening(opened.time_s - 0.30, "release", name, hand))
        self.script.deeds.append(Deed(begin, way.end_s, f"Put the {name} back on the table{self._words(hand)}.", "Place"))

    def open(self, hand: str, chest: Chest) -> None:
        """Take the drawer's handle and pull."""
        way = self.script.ways[hand]
        start = way.end_s
        turn = orientation(26.0 if hand != "arm" else 45.0, chest.yaw_deg)
        ahead = chest.turn @ np.array([1.0, 0.0, 0.0])
        at = chest.handle
        way.go(1.8, at - 0.12 * turn[:, 2], turn, 0.06)
        way.go(1.0, at)
        grip = way.go(0.5, opening_m=HANDLE_WIDTH_M)
        self.script.deeds.append(Deed(start, way.end_s, f"Take hold of the handle of the drawer{self._words(hand)}.", "Grasp"))
        begin = way.end_s
        pulled = way.go(2.2, at - (TRAVEL_M - 0.004) * ahead)
        opened = way.go(0.5, opening_m=0.06)
        way.holds.append((grip.time_s, opened.time_s - 0.4, "drawer"))
        way.go(0.8, pulled.position - 0.10 * turn[:, 2])
        self.script.events += [
            Happening(grip.time_s, "grasp", "drawer", hand),
            Happening(pulled.time_s, "open", "drawer", hand),
            Happening(opened.time_s - 0.4, "release", "drawer", hand),
        ]
        self.script.deeds.append(Deed(begin, way.end_s, f"Pull the drawer open{self._words(hand)}.", "Open"))

    def home(self, hand: str, seconds: float = 1.2) -> None:
        """Back to where the hand began."""
        position, turn = self._home[hand]
        self.script.ways[hand].go(seconds, position, turn, 0.07)
