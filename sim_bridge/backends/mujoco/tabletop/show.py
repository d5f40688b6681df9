"""From an episode's plan to what happens in it: things are laid out, the script is written and played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np

from sim_bridge.backends.mujoco.tabletop import setting
from sim_bridge.backends.mujoco.tabletop.director import Director, Script
from sim_bridge.backends.mujoco.tabletop.episode import Player, Track
from sim_bridge.backends.mujoco.tabletop.fixtures import GRAINS, WOODS, Chest, Grains
from sim_bridge.backends.mujoco.tabletop.motion import OutOfReach, orientation
from sim_bridge.backends.mujoco.tabletop.setting import SETUPS, TABLE_Z_M, Built, Item, Scenery
from sim_bridge.backends.mujoco.tabletop.things import INTO, KINDS, TAKEN, name_of

ATTEMPTS = 24
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
    "left": (np.array([0.41, 0.33, 0.95]), orientation(60)),
    "right": (np.array([0.41, -0.33, 0.95]), orientation(60)),
    "arm": (np.array([0.30, 0.0, 1.04]), orientation(75)),
}
PITCH = {"dual": 62.0, "single": 78.0}


@dataclass
class Staged:
    """One episode as it happened, ready to be filmed."""

    built: Built
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
        return f"On the table: {', '.join(n.name for n in self.built.named)}."


DISTURBED_M = 0.008
"""A thing that nobody takes may move this far (a bowl does, when something falls into it)."""


TOUCH_M = 0.002
"""How deep a hand may seem to be in a thing beside it."""


class Disturbed(ValueError):
    """A hand or what it carries ran into a thing that nobody takes."""


class Crowded(ValueError):
    """The things did not fit on the table."""


def stage(arm: str, skill: str, scene: int, seed: tuple[int, ...], fps: float) -> Staged:
    """Lay out, write and play one episode; tries other layouts where an arm would not reach."""
    trouble: Exception | None = None
    for attempt in range(ATTEMPTS):
        rng = np.random.default_rng([*seed, attempt])
        try:
            return _attempt(arm, skill, scene, rng, fps)
        except (OutOfReach, Crowded, Disturbed) as problem:
            trouble = problem
    raise OutOfReach(f"episode {arm}/{skill} with seed {seed}: no layout of {ATTEMPTS} works; the last: {trouble}")


@dataclass
class Table:
    """What one attempt puts on the table, and what a skill makes of it."""

    items: tuple[Item, ...]
    act: Callable[[Director], None]
    task: str
    short: str
    taken: frozenset[str]
    """Names of what may move."""
    chest: Chest | None = None
    grains: Grains | None = None


def _attempt(arm: str, skill: str, scene: int, rng: np.random.Generator, fps: float) -> Staged:
    setup, scenery = SETUPS[arm], SCENES[arm][scene]
    table = SKILLS[skill](setup, rng)
    built = setting.build(setup, scenery, table.items, table.chest, table.grains)
    player = Player(built)
    player.settle()
    homes = {m.name: HOMES[m.name] for m in setup.mounts}
    director = Director(built, player.pose_of, homes, PITCH[arm])
    table.act(director)
    frames = int(np.ceil(director.script.end_s * fps)) + 2
    track = player.play(director.script.ways, fps, frames)
    _check(track, [n.name for n in built.named], table.taken)
    _check_hands(built, track, table.taken)
    return Staged(built, director.script, track, table.task, table.short, f"{scenery.room}_{scene + 1}")


def _hand(setup: setting.Setup, y: float) -> str:
    return "arm" if setup.arm == "single" else "left" if y > 0 else "right"


def _place(setup: setting.Setup, rng: np.random.Generator) -> Table:
    """One thing into a bowl or onto a plate."""
    into_noun = str(rng.choice(INTO))
    nouns = [str(n) for n in rng.permutation(TAKEN)[:5]]
    items = _layout(setup, rng, [Want(into_noun, middle=True), *(Want(n) for n in nouns)])
    into, target = items[0], items[1]
    hand = _hand(setup, target.position_m[1])
    preposition = "in" if into_noun == "bowl" else "on"
    words = f"put the {target.name} {preposition} the {into.name}"

    def act(director: Director) -> None:
        director.pick(hand, target.name)
        director.place(hand, target.name, into.position_m[0], into.position_m[1], 0.012, words)
        director.home(hand)

    return Table(items, act, _sentence(words), f"put {target.noun} {into_noun}", frozenset([target.name]))


def _pick(setup: setting.Setup, rng: np.random.Generator) -> Table:
    """One thing lifted and shown; two hands lift one each."""
    nouns = [str(n) for n in rng.permutation(TAKEN)[:5]]
    dual = setup.arm == "dual"
    wants = [Want(nouns[0], side=1 if dual else 0), Want(nouns[1], side=-1 if dual else 0), *(Want(n) for n in nouns[2:])]
    items = _layout(setup, rng, [*wants, Want(str(rng.choice(INTO)))])
    first, second = items[0], items[1]
    delay = float(rng.uniform(1.2, 2.2))

    def act(director: Director) -> None:
        if not dual:
            director.pick("arm", first.name)
            director.hold("arm", 1.6)
            director.place("arm", first.name, *first.position_m[:2], 0.0, f"put the {first.name} back on the table")
            director.home("arm")
            return
        director.pick("left", first.name)
        director.hold("left", 2.0)
        director.script.ways["right"].wait_until(delay)
        director.pick("right", second.name)
        director.hold("right", 2.0)

    if dual:
        words = f"pick up the {first.name} with the left arm and the {second.name} with the right arm"
        return Table(items, act, _sentence(words), f"pick {first.noun} {second.noun}", frozenset([first.name, second.name]))
    return Table(items, act, _sentence(f"pick up the {first.name}"), f"pick {first.noun}", frozenset([first.name]))


def _pour(setup: setting.Setup, rng: np.random.Generator) -> Table:
    """Grains from a mug into a bowl."""
    grains = GRAINS[int(rng.integers(len(GRAINS)))]
    side = int(rng.choice([-1, 1]))
    nouns = [str(n) for n in rng.permutation([n for n in TAKEN if n != "mug"])[:3]]
    # Handle away from the hand: the mug's own x points where the hand comes to.
    mug = Want("mug", side=side, yaw=0.0 if setup.arm == "single" else -side * 20.0, near=True)
    items = _layout(setup, rng, [mug, Want("bowl", middle=True, near=True), *(Want(n, far=True) for n in nouns)])
    hand = _hand(setup, items[0].position_m[1])
    words = f"pour the {grains.noun} from the {items[0].name} into the {items[1].name}"

    def act(director: Director) -> None:
        director.pour(hand, items[0].name, items[1].name, grains.noun)

    return Table(items, act, _sentence(words), f"pour {grains.noun} bowl", frozenset([items[0].name]), grains=grains)


def _open(setup: setting.Setup, rng: np.random.Generator) -> Table:
    """A drawer pulled open; something lies in it."""
    side = int(rng.choice([-1, 1])) if setup.arm == "dual" else 0
    yaw = float(rng.uniform(-8, 8)) - side * 12.0
    x = 0.66 if setup.arm == "dual" else 0.62
    y = side * 0.16 if side else float(rng.uniform(-0.08, 0.08))
    chest = Chest(x, y, TABLE_Z_M, yaw, str(rng.choice(list(WOODS))))
    small = str(rng.choice(("toy car", "sponge", "lemon", "banana")))
    nouns = [str(n) for n in rng.permutation([n for n in TAKEN if n != small])[:3]]
    within = chest.inside
    items = _layout(
        setup,
        rng,
        [Want(str(rng.choice(INTO)), away=True), *(Want(n, away=True) for n in nouns)],
        [(x, y, 0.17), (*chest.at(-0.20, 0, 0)[:2], 0.13)],
    )
    inner = _item(small, rng, (float(within[0]), float(within[1]), float(within[2])), yaw + 90.0)
    hand = _hand(setup, y)
    words = f"open the drawer of the {chest.name}"

    def act(director: Director) -> None:
        director.open(hand, chest)
        director.home(hand)

    return Table((*items, inner), act, _sentence(words), "open drawer", frozenset(["drawer", inner.name]), chest=chest)


SKILLS: dict[str, Callable[[setting.Setup, np.random.Generator], Table]] = {"place": _place, "pick": _pick, "pour": _pour, "open": _open}


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _check(track: Track, names: list[str], taken: frozenset[str]) -> None:
    """Nothing but what is taken may move from its place."""
    for k, name in enumerate(names):
        if name not in taken:
            moved = float(np.linalg.norm(track.things[:, k, :3] - track.things[0, k, :3], axis=1).max())
            if moved > DISTURBED_M:
                raise Disturbed(f"{name} is pushed {moved * 1000:.0f} mm")


def _check_hands(built: Built, track: Track, taken: frozenset[str]) -> None:
    """Palms and fingers pass through nothing but what they take."""
    model = built.model
    data = mujoco.MjData(model)
    hands = [model.geom(f"{m.name}.{part}").id for m in built.setup.mounts for part in ("palm", "pad1", "pad2")]
    others = [
        (n.name, model.body(n.body).id, float(np.linalg.norm(n.size_m)) / 2, _colliders(model, model.body(n.body).id))
        for n in built.named
        if n.name not in taken
    ]
    table = model.geom("table").id
    for frame in range(track.frames):
        data.qpos[:] = track.qpos[frame]
        mujoco.mj_kinematics(model, data)
        for hand in hands:
            if mujoco.mj_geomDistance(model, data, hand, table, 0.005, None) < -TOUCH_M:
                raise Disturbed(f"a hand is in the table in frame {frame}")
            for name, body, radius, geoms in others:
                if np.linalg.norm(data.geom_xpos[hand] - data.xpos[body]) > radius + 0.11:
                    continue
                if any(mujoco.mj_geomDistance(model, data, hand, g, 0.005, None) < -TOUCH_M for g in geoms):
                    raise Disturbed(f"a hand is in the {name} in frame {frame}")


def _colliders(model: mujoco.MjModel, body: int) -> list[int]:
    return [g for g in range(model.ngeom) if model.geom_bodyid[g] == body and model.geom_contype[g]]


@dataclass(frozen=True)
class Want:
    """One thing to be laid out."""

    noun: str
    middle: bool = False
    """Where both hands reach."""
    side: int = 0
    """+1 on the left half, −1 on the right half, 0 anywhere."""
    near: bool = False
    """In the middle band away from the far edge, where a hand comes in from the side."""
    far: bool = False
    """In the far part or at the sides, out of the way of a hand near the table."""
    away: bool = False
    """Beside the middle."""
    yaw: float | None = None


def _item(noun: str, rng: np.random.Generator, position: tuple[float, float, float], yaw: float) -> Item:
    kind = KINDS[noun]
    colour = str(rng.choice(kind.colours)) if kind.colours else ""
    return Item(name_of(noun, colour), noun, kind.category, colour, position, yaw, kind.size_m)


def _layout(
    setup: setting.Setup, rng: np.random.Generator, wants: list[Want], reserved: list[tuple[float, float, float]] | None = None
) -> tuple[Item, ...]:
    """Places for things apart from each other and from reserved circles (x, y, radius)."""
    items: list[Item] = []
    taken = list(reserved or [])
    for want in wants:
        kind = KINDS[want.noun]
        size = np.array(kind.size_m or setting.catalogue().lookup(kind.category).real_size_m)
        radius = float(np.hypot(size[0], size[1])) / 2 if not kind.round_ and kind.across != "any" else float(max(size[:2])) / 2
        for _ in range(200):
            x, y = _spot(setup, rng, want)
            if all(np.hypot(x - a, y - b) > radius + r + SPACING_M for a, b, r in taken):
                break
        else:
            raise Crowded(f"no room for the {want.noun}")
        taken.append((x, y, radius))
        yaw = float(rng.uniform(-180, 180)) if want.yaw is None else want.yaw
        items.append(_item(want.noun, rng, (x, y, TABLE_Z_M + 0.002), yaw))
    return tuple(items)


def _spot(setup: setting.Setup, rng: np.random.Generator, want: Want) -> tuple[float, float]:
    x0, y0, x1, y1 = setup.area
    x, y = float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))
    if want.middle and setup.arm == "dual":
        y *= 0.25
    if want.side:
        y = want.side * float(rng.uniform(0.10, y1 - 0.04))
    if want.near:
        x = x0 + float(rng.uniform(0.02, 0.14) if setup.arm == "dual" else rng.uniform(0.08, 0.20))
    if want.far:
        x = float(rng.uniform(x1 - 0.08, x1 + 0.06))
    if want.away:
        y = float(rng.choice([-1, 1])) * float(rng.uniform(0.18, y1 + 0.06))
    return x, y
