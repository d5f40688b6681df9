"""What every generator shares: a pair of twins as a small layout, rules that hold for all, and the step from layout to task documents.

Layouts live in a local frame: the camera stands over (0, 0) and looks along +y, x to the right, metres. The framework turns the layout
into one of four headings and puts a room around it, the same for both twins.

Twins (`science.md` 26) have opposite golds and a near-identical first view. The tool for it is `slide`: a thing moved along its line of
sight and scaled with its distance keeps its outline in the picture; at floor level its foot hardly moves either.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from data.task import Answer, AnswerForm, Gold, Provenance, Question, Task
from data.taxonomy import find
from sim_bridge.actions import CAMERA_ACTIONS, MOVE_STEP_M, TURN_STEP_DEG
from sim_bridge.kinematics import apply_camera_action, looking
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene, Vec3

VERSION = "1"
ROOM_LOCAL = (-2.4, -1.2, 2.4, 3.8)
"""Room around every layout, local frame."""
CLEAR_LOCAL = (-1.5, -0.5, 1.5, 2.9)
"""What furniture leaves free, local frame."""
ROOM_KINDS = ("living_room", "bedroom", "office", "dining_room")
BUDGET = 30
MAX_ATTEMPTS = 40
"""Drafts tried per pair before giving up."""


class Rejected(Exception):
    """A draft that breaks a rule; the message names the rule."""


@dataclass(frozen=True)
class Thing:
    """One object of a layout."""

    key: str
    """Name within the pair; never leaves the generator."""
    category: str
    xy: tuple[float, float]
    size_m: Vec3
    """True extents at scale 1, own axes."""
    scale: float = 1.0
    z_m: float | None = None
    """Height of its lower face above the floor; None: it stands on it."""
    yaw_deg: float = 0.0
    words: str = ""
    """How the question names it; empty: neutral."""
    essential: bool = True
    color: str | None = None
    vessel: bool = False

    @property
    def reach_m(self) -> float:
        """Half its depth towards the camera (yaw 0)."""
        return self.size_m[1] * self.scale / 2


def slide(thing: Thing, factor: float) -> Thing:
    """Move a thing along its line of sight to `factor` times its distance, and scale it so that it looks as large as before."""
    return replace(thing, xy=(thing.xy[0] * factor, thing.xy[1] * factor), scale=thing.scale * factor)


@dataclass(frozen=True)
class Half:
    """One of two twins."""

    things: tuple[Thing, ...]
    gold: Answer
    looks: str
    """``congruent`` where the first look suggests the gold, ``incongruent`` where it suggests the other answer."""
    hidden: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Phase name → keys absent in it."""


@dataclass(frozen=True)
class Pair:
    """Two twins and everything they share."""

    question: str
    form: AnswerForm
    options: tuple[str, ...]
    halves: tuple[Half, Half]
    camera_z_m: float
    path: tuple[str, ...]
    """Ground-truth trajectory in canonical camera actions."""
    margin: str
    """Distance of the gold from its threshold, in words."""
    note: str = ""
    phases: tuple[str, ...] = ()
    phase_path: int = 0
    """Actions of `path` that belong to the first phase."""
    tags: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Generator:
    """One declared kind of own task."""

    slug: str
    """Part of the task id: ``size`` gives ``own-size-003a``."""
    category: str
    subcategory: str
    draft: Callable[[random.Random, int], Pair]
    """(random numbers, number of the pair) → a pair; raises `Rejected`."""
    rule: str
    """How the gold follows from the layout."""
    cycle: int = 2
    """Pairs after which polarities, kinds and ranks have all come equally often."""


@dataclass(frozen=True)
class Generated:
    """What came out, and what did not, by reason."""

    tasks: list[Task]
    rejected: Counter[str]


def generate(generator: Generator, *, seed: int, pairs: int) -> Generated:
    """Make `pairs` pairs of twins; the same seed gives the same tasks.

    Fewer come out where a pair finds no valid draft within `MAX_ATTEMPTS`; every rejected draft is counted under its reason.
    """
    tasks: list[Task] = []
    rejected: Counter[str] = Counter()
    for number in range(1, pairs + 1):
        for attempt in range(MAX_ATTEMPTS):
            numbers = random.Random(f"{generator.slug}/{seed}/{number}/{attempt}")
            try:
                pair = generator.draft(numbers, number)
                check(pair)
            except Rejected as reason:
                rejected[str(reason)] += 1
                continue
            tasks += build(generator, pair, seed=seed, number=number, numbers=numbers)
            break
    return Generated(tasks, rejected)


def thing_inside(thing: Thing, size_m: Vec3, wall_m: float = 0.015) -> Thing:
    """The thing on the floor of a box with walls of `wall_m`."""
    return replace(thing, z_m=wall_m, size_m=size_m)


def check(pair: Pair) -> None:
    """Rules common to all generators.

    Raises:
        Rejected: naming the rule.
    """
    a, b = pair.halves
    if a.gold == b.gold:
        raise Rejected("twins need opposite golds")
    if len(pair.path) > BUDGET - 1:
        raise Rejected("the ground-truth trajectory is longer than the budget")
    for half in pair.halves:
        for i, one in enumerate(half.things):
            x, y = one.xy
            if not (CLEAR_LOCAL[0] < x < CLEAR_LOCAL[2] and 0.4 < y < CLEAR_LOCAL[3]):
                raise Rejected("a thing stands outside the free floor")
            for other in half.things[i + 1 :]:
                if _collide(one, other):
                    raise Rejected("two things overlap")


def _collide(a: Thing, b: Thing) -> bool:
    """Whether two upright boxes overlap by more than 1 mm; a thing inside a vessel does not count."""
    if a.vessel or b.vessel or a.z_m is not None or b.z_m is not None:
        return False
    return all(abs(a.xy[i] - b.xy[i]) + 0.001 < (_extent(a)[i] + _extent(b)[i]) / 2 for i in (0, 1))


def _extent(thing: Thing) -> tuple[float, float]:
    """Horizontal extents of the turned box along the local axes."""
    c, s = abs(math.cos(math.radians(thing.yaw_deg))), abs(math.sin(math.radians(thing.yaw_deg)))
    x, y = thing.size_m[0] * thing.scale, thing.size_m[1] * thing.scale
    return (c * x + s * y, s * x + c * y)


def from_above(centre: tuple[float, float], camera_z_m: float, height_m: float) -> tuple[str, ...]:
    """Actions to a camera `height_m` above the floor over `centre` (to the nearest step), looking straight down."""
    up = max(0, round((height_m - camera_z_m) / MOVE_STEP_M))
    right, forward = round(centre[0] / MOVE_STEP_M), round(centre[1] / MOVE_STEP_M)
    sideways = ("move_right",) * right if right >= 0 else ("move_left",) * -right
    return ("move_up",) * up + sideways + ("move_forward",) * forward + ("turn_down",) * round(90 / TURN_STEP_DEG)


def path_poses(start: Pose, path: tuple[str, ...]) -> list[Pose]:
    """Camera poses along a trajectory, the start included."""
    poses = [start]
    for action in path:
        poses.append(apply_camera_action(poses[-1], action))
    return poses


def build(generator: Generator, pair: Pair, *, seed: int, number: int, numbers: random.Random) -> list[Task]:
    """The two task documents of a pair."""
    turn = 90.0 * numbers.randrange(4)
    origin = (round(numbers.uniform(-1, 1), 3), round(numbers.uniform(-1, 1), 3))
    room = _room(turn, origin, numbers)
    keys = sorted({t.key for h in pair.halves for t in h.things}, key=lambda k: _digest(pair.question, generator.slug, seed, number, k))
    handles = {key: f"object_{i}" for i, key in enumerate(keys, start=1)}
    first = _digest("first", generator.slug, seed, number)[0] % 2
    base = f"own-{generator.slug}-{number:03d}" if seed == BUNDLED_SEED else f"own-{generator.slug}-s{seed}-{number:03d}"
    ids = (f"{base}a", f"{base}b") if first == 0 else (f"{base}b", f"{base}a")
    return sorted(
        (_task(generator, pair, i, ids, handles, room, (turn, origin), seed) for i in (0, 1)), key=lambda t: t.task_id
    )  # fmt: skip


BUNDLED_SEED = 1
"""Seed of the bundled tasks; their ids go without it."""


def _task(
    generator: Generator, pair: Pair, which: int, ids: tuple[str, str], handles: dict[str, str], room: Room,
    place: tuple[float, tuple[float, float]], seed: int,
) -> Task:  # fmt: skip
    half = pair.halves[which]
    turn, origin = place
    scene = Scene(
        camera=Camera(),
        room=room,
        objects=tuple(sorted((_object(t, handles[t.key], turn, origin) for t in half.things), key=lambda o: int(o.handle.split("_")[1]))),
        phases=tuple(
            Phase(name=n, hidden=tuple(sorted(handles[k] for k in half.hidden.get(n, ()))), budget_share=round(1 / len(pair.phases), 4))
            for n in pair.phases
        ),
    )
    tags = {"looks": half.looks, "margin": pair.margin, **pair.tags}
    if pair.phases:
        tags["gt_phase_1_actions"] = str(pair.phase_path)
    if vessels := sorted(handles[t.key] for t in half.things if t.vessel):
        tags["vessels"] = " ".join(vessels)
    find(generator.category, generator.subcategory)
    return Task(
        task_id=ids[which],
        category=generator.category,
        subcategory=generator.subcategory,
        question=Question(text=pair.question, form=pair.form, options=pair.options, note=pair.note),
        gold=Gold(accepted=(half.gold,), chance=1 / len(pair.options), derivation=f"{generator.rule}; margin {pair.margin}"),
        scene=scene,
        start=looking(*origin, pair.camera_z_m, yaw_deg=turn),
        names={handles[t.key]: t.words for t in half.things if t.words},
        actions=CAMERA_ACTIONS,
        essential=tuple(sorted(handles[t.key] for t in half.things if t.essential and _ever_present(t.key, half, pair.phases))),
        required_features=("phases", "open_containers") if pair.phases else (),
        budget=BUDGET,
        gt_trajectory=pair.path,
        twin=ids[1 - which],
        tags=tags,
        provenance=Provenance(dataset="vantage", licence="CC0-1.0", generator=f"{generator.slug} {VERSION}", seed=seed),
    )


def _ever_present(key: str, half: Half, phases: tuple[str, ...]) -> bool:
    return not phases or any(key not in half.hidden.get(name, ()) for name in phases)


def _object(thing: Thing, handle: str, turn_deg: float, origin: tuple[float, float]) -> Object:
    x, y = _world(thing.xy, turn_deg, origin)
    yaw = math.radians(thing.yaw_deg + turn_deg)
    sx, sy, sz = (round(v * thing.scale, 5) for v in thing.size_m)
    params: dict[str, Any] = {"color": thing.color} if thing.color else {}
    return Object(
        handle=handle,
        category=thing.category,
        pose=Pose((x, y, round(thing.z_m or 0.0, 5)), (0.0, 0.0, round(math.sin(yaw / 2), 9), round(math.cos(yaw / 2), 9))),
        origin="base",
        size_m=(sx, sy, sz),
        on_floor=thing.z_m is None,
        params=params,
    )


def _world(xy: tuple[float, float], turn_deg: float, origin: tuple[float, float]) -> tuple[float, float]:
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    return (round(origin[0] + c * xy[0] - s * xy[1], 5), round(origin[1] + s * xy[0] + c * xy[1], 5))


def _room(turn_deg: float, origin: tuple[float, float], numbers: random.Random) -> Room:
    def box(local: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        corners = [_world((x, y), turn_deg, origin) for x in local[::2] for y in local[1::2]]
        xs, ys = [c[0] for c in corners], [c[1] for c in corners]
        return (min(xs), min(ys), max(xs), max(ys))

    return Room(bounds_m=box(ROOM_LOCAL), kind=numbers.choice(ROOM_KINDS), seed=numbers.randrange(1 << 30), keep_clear_m=box(CLEAR_LOCAL))


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).digest()
