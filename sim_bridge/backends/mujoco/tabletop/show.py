"""From an episode's plan to what happens in it: things are laid out, the script is written and played."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim_bridge.backends.mujoco.shapes import Array
from sim_bridge.backends.mujoco.tabletop import setting
from sim_bridge.backends.mujoco.tabletop.director import Director, Script
from sim_bridge.backends.mujoco.tabletop.episode import Player, Track
from sim_bridge.backends.mujoco.tabletop.motion import OutOfReach, orientation
from sim_bridge.backends.mujoco.tabletop.setting import SETUPS, TABLE_Z_M, Built, Item, Scenery
from sim_bridge.backends.mujoco.tabletop.things import INTO, KINDS, TAKEN, name_of

ATTEMPTS = 12
SPACING_M = 0.035
"""Between the outlines of two things at the start: room for a finger."""

SCENES = {
    "dual": (
        Scenery("living_room", 3, (0.80, 0.64, 0.46)),
        Scenery("dining_room", 5, (0.62, 0.44, 0.30)),
        Scenery("office", 2, (0.82, 0.80, 0.77)),
        Scenery("kitchen", 7, (0.74, 0.60, 0.44)),
    ),
    "single": (
        Scenery("kitchen", 3, (0.84, 0.80, 0.74)),
        Scenery("living_room", 6, (0.66, 0.48, 0.33)),
        Scenery("kitchen", 4, (0.76, 0.62, 0.46)),
        Scenery("office", 5, (0.80, 0.79, 0.78)),
    ),
}
HOMES = {
    "left": (np.array([0.45, 0.27, 0.94]), orientation(60)),
    "right": (np.array([0.45, -0.27, 0.94]), orientation(60)),
    "arm": (np.array([0.36, 0.0, 1.02]), orientation(75)),
}
PITCH = {"dual": 62.0, "single": 78.0}


@dataclass
class Staged:
    """One episode as it happened, ready to be filmed."""

    built: Built
    items: tuple[Item, ...]
    sizes: list[Array]
    script: Script
    track: Track
    task: str
    """The instruction, one sentence."""
    short: str
    """The task's name without colours: a folder's name."""
    scene: str

    @property
    def scene_text(self) -> str:
        """What stands on the table, one sentence."""
        return f"On the table: {', '.join(i.name for i in self.items)}."


class Crowded(ValueError):
    """The things did not fit on the table."""


def stage(arm: str, skill: str, scene: int, seed: tuple[int, ...], fps: float) -> Staged:
    """Lay out, write and play one episode; tries other layouts where an arm would not reach."""
    trouble: Exception | None = None
    for attempt in range(ATTEMPTS):
        rng = np.random.default_rng([*seed, attempt])
        try:
            return _attempt(arm, skill, scene, rng, fps)
        except (OutOfReach, Crowded) as problem:
            trouble = problem
    raise OutOfReach(f"episode {arm}/{skill} with seed {seed}: no layout of {ATTEMPTS} works; the last: {trouble}")


def _attempt(arm: str, skill: str, scene: int, rng: np.random.Generator, fps: float) -> Staged:
    setup, scenery = SETUPS[arm], SCENES[arm][scene]
    container = str(rng.choice(INTO))
    movable = [str(n) for n in rng.permutation(TAKEN)[:5]]
    items = _layout(setup, rng, [container, *movable])
    built = setting.build(setup, scenery, items)
    player = Player(built)
    player.settle()
    sizes = [p.size_m for p in built.things]
    hands = {m.name: HOMES[m.name] for m in setup.mounts}
    director = Director(items, player.pose_of, hands, PITCH[arm])
    director.sizes({i.name: s for i, s in zip(items, sizes, strict=True)})
    target, into = items[1], items[0]
    hand = "arm" if arm == "single" else "left" if target.position_m[1] > 0 else "right"
    director.pick(hand, target.name)
    cx, cy = player.pose_of(0)[0][:2]
    floor = 0.012 if into.noun == "bowl" else 0.010
    where = f"put the {target.name} {'in' if into.noun == 'bowl' else 'on'} the {into.name}"
    director.place(hand, target.name, cx, cy, floor, where)
    director.home(hand)
    frames = int(np.ceil(director.script.end_s * fps)) + 2
    track = player.play(director.script.ways, fps, frames)
    task = where[0].upper() + where[1:] + "."
    return Staged(built, items, sizes, director.script, track, task, f"put {target.noun} {into.noun}", f"{scenery.room}_{scene + 1}")


def _layout(setup: setting.Setup, rng: np.random.Generator, nouns: list[str]) -> tuple[Item, ...]:
    """Places for things, each noun with a colour, apart from each other."""
    x0, y0, x1, y1 = setup.area
    items: list[Item] = []
    taken: list[tuple[float, float, float]] = []
    for noun in nouns:
        kind = KINDS[noun]
        colour = str(rng.choice(kind.colours)) if kind.colours else ""
        size = np.array(kind.size_m or setting.catalogue().lookup(kind.category).real_size_m)
        radius = float(np.hypot(size[0], size[1])) / 2 if not kind.round_ and kind.across != "any" else float(max(size[:2])) / 2
        for _ in range(200):
            x, y = float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))
            if all(np.hypot(x - a, y - b) > radius + r + SPACING_M for a, b, r in taken):
                break
        else:
            raise Crowded(f"no room for the {noun}")
        taken.append((x, y, radius))
        items.append(
            Item(name_of(noun, colour), noun, kind.category, colour, (x, y, TABLE_Z_M + 0.002), float(rng.uniform(-180, 180)), kind.size_m)
        )
    return tuple(items)
