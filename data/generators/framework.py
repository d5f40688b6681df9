"""What every generator shares: an item as a small layout, rules that hold for all, proof in the simulator, and the task documents.

An item has one side, or two twins with opposite golds and a near-identical first view (measurement 26). A generator declares two
functions: `draft` makes a layout and the gold that follows from it; `judge` derives the gold again from what the simulator says along
the ground-truth trajectory. An item comes out only if both agree, every piece of evidence is found, and no view on the way clips.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import msgspec
import numpy as np

from data.generators.drawing import Item, Wording
from data.generators.lab import Lab, Playing, difference, pixels, play
from data.generators.layout import HERE, Place, Thing, collide, path_poses, room_about
from data.generators.novelty import Known
from data.generators.things import SIZES_M
from data.playable import assess
from data.subcategories import find
from data.task import Answer, AnswerForm, Ask, Evidence, Gold, Provenance, Question, Task, View
from sim_bridge.actions import CAMERA_ACTIONS, MIN_CAMERA_Z_M, MOVE_STEP_M, TURN_STEP_DEG, inverse_of
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.errors import SceneError
from sim_bridge.spec import Camera, Frame, House, Phase, Pose, Room, Scene, Vec3

VERSION = "3"
"""Of generators that state none."""
ROOM_LOCAL = (-2.4, -1.2, 2.4, 3.8)
"""Room around a layout, local frame."""
CLEAR_LOCAL = (-1.5, -0.5, 1.5, 2.9)
"""What furniture leaves free, local frame."""
ROOM_KINDS = ("living_room", "bedroom", "office", "dining_room")
BUDGET = 30
UNPACKED = Catalogue(None)
"""What can be shown without the asset pack."""
MAX_ATTEMPTS = 40
"""Drafts tried per item before giving up."""
FIRST_VIEW_DIFFERENCE = 1.0
"""Twins' first views differ by no more than this (mean absolute difference per channel, 0..255), unless the item states another bound."""
WALK_VIEWS = 30
"""Frozen views per item, the start view first (measurement 4)."""
BUNDLED_SEED = 1
"""Seed of the bundled tasks; their ids go without it."""


class Rejected(Exception):
    """A draft that breaks a rule; the message names the rule, without numbers, so that reasons can be counted."""


@dataclass(frozen=True)
class Half:
    """One side of an item."""

    things: tuple[Thing, ...]
    gold: Answer
    looks: str = "neutral"
    """``congruent`` where the first look suggests the gold, ``incongruent`` where it suggests another answer, else ``neutral``."""
    hidden: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Phase name → keys absent in it."""
    moved: dict[str, tuple[Thing, ...]] = field(default_factory=dict)
    """Phase name → things (by key) that stand elsewhere in it."""
    accepted: tuple[Answer, ...] = ()
    """Further right answers (all stable orders)."""
    path: tuple[str, ...] | None = None
    """Ground-truth trajectory of this side, objects by key: ``pick_up({ball})``; None: the item's."""
    evidence: tuple[Evidence, ...] = ()
    """What the trajectory must show, objects by key; replayed and checked."""
    tags: dict[str, str] = field(default_factory=dict)
    house: House | None = None
    """The house of this side; None: the item's."""


@dataclass(frozen=True)
class Pair:
    """Everything the sides of an item share; one side or two."""

    ask: Ask
    """What is asked, objects by key; the generator words it."""
    form: AnswerForm
    options: tuple[str, ...]
    halves: tuple[Half, ...]
    camera_z_m: float
    path: tuple[str, ...]
    """Ground-truth trajectory, canonical actions with objects by key in braces."""
    margin: str
    """Distance of the gold from its threshold, in words."""
    note: str = ""
    phases: tuple[str, ...] = ()
    phase_path: int = 0
    """Actions of `path` that belong to the first phase."""
    tags: dict[str, str] = field(default_factory=dict)
    actions: tuple[str, ...] = CAMERA_ACTIONS
    features: tuple[str, ...] = ()
    """Simulator features without which the task makes no sense (beyond its actions)."""
    chance: float | None = None
    """Default 1 / options."""
    question_more: dict[str, Any] = field(default_factory=dict)
    """Further fields of `Question`: blanks, blank_names, targets."""
    start: Pose | None = None
    """Start camera in the world; None: over the local origin at `camera_z_m`, level, along +y."""
    pitch_deg: float = 0.0
    """Pitch of the default start camera."""
    place: Place | None = None
    """Where the layout lies; None: a random heading and offset."""
    room: Room | None = None
    """The room; None: a lived-in one around the layout (along the walls for generators that declare no layouts)."""
    house: House | None = None
    more_views: dict[str, tuple[tuple[str, Pose], ...]] = field(default_factory=dict)
    """Further frozen views by name of their set: (label, camera in the world)."""
    lighting: str = "day"
    camera: Camera = field(default_factory=Camera)
    clipping: Literal["flag", "forbid"] = "flag"
    """Whether a move into a wall is done and flagged, or fails (`Task.clipping`)."""
    lit: dict[str, dict[str, bool]] = field(default_factory=dict)
    """Phase name → lamps (by key) that are lit in it, or not, otherwise than their params say."""
    settle_steps: int = 30
    first_view: float | str = FIRST_VIEW_DIFFERENCE
    """Bound of the twins' difference, or the argument why one view does not suffice (items without a twin need one)."""
    free_layout: bool = False
    """Skip the rules of the standard room's free floor (houses, walls, shelves); the simulator's state is judged all the same."""


@dataclass(frozen=True)
class Generator:
    """One declared kind of own task."""

    slug: str
    """Part of the task id: ``size`` gives ``own-size-003a``."""
    category: str
    subcategory: str
    draft: Callable[..., Pair]
    """(random numbers, `Item`) → what comes of it; with `needs_lab` also the lab, to measure. Raises `Rejected`. A generator that declares
    no `layouts` gets the number of the item instead of the `Item`."""
    rule: str
    """How the gold follows from the layout."""
    asks: Mapping[str, Wording | tuple[Wording, ...]]
    """What it asks (`Ask.what`) → the sentence that asks it, or equivalent ones (`wordings`), of which the seed draws."""
    cycle: int = 2
    """Items after which golds and their places have all come equally often; layouts and wordings change after as many, so that none of
    them goes with an answer. 1 where the twins of every item have all golds and places between them."""
    judge: Callable[[Playing], Answer] | None = None
    """The gold from the simulator's states along the trajectory, without knowledge of the layout. None only where `draft` measures."""
    tried: Callable[[Lab, Task], list[str]] | None = None
    """What is wrong with a task that its proof does not show, found by doing other things in its scene (other orders of a stack)."""
    needs_lab: bool = False
    walk: bool = True
    """Freeze random-walk views (not where phases make one set meaningless)."""
    layouts: tuple[str, ...] = ()
    """Names of its recipes: where things stand, on what, among what. The seed draws, the draft carries out, the tag ``layout`` tells."""
    version: str = VERSION
    """Raised with every change of what it makes; part of a task's provenance."""
    tells: str = ""
    """How far the sides of its golds are apart and why people can tell them apart, with the source. For the documentation."""
    beyond: str = ""
    """What its tasks do not measure. For the documentation."""
    admits: Callable[[Task], str] | None = None
    """What is wrong with a document before it is proven, beyond what `check` finds; empty: nothing. None: whatever is drafted is good."""

    def wordings(self, what: str) -> tuple[Wording, ...]:
        """The equivalent sentences that ask this, the plainest first."""
        ways = self.asks[what]
        return ways if isinstance(ways, tuple) else (ways,)

    def item(self, seed: int, number: int) -> Item:
        """What is drafted under a number."""
        item = Item(self.slug, seed, number)
        return replace(item, layout=self.layouts[item.turn("layout", len(self.layouts), self.cycle)]) if self.layouts else item

    def drafted(self, numbers: random.Random, item: Item, lab: Lab | None = None) -> Pair:
        """One draft of an item; raises `Rejected`."""
        more = (lab,) if self.needs_lab else ()
        return self.draft(numbers, item if self.layouts else item.number, *more)


CANNOT_READ = (ValueError, LookupError, StopIteration, ZeroDivisionError)
"""What a judge or a wording raises when it meets a scene that its generator would never make."""


def derived(generator: Generator, playing: Playing) -> Answer | None:
    """What the judge of a generator reads from a played trajectory: an answer, or which of its conditions does not hold. None: it has no
    judge, or cannot read a scene that somebody built otherwise."""
    if generator.judge is None:
        return None
    try:
        return generator.judge(playing)
    except CANNOT_READ:
        return None


@dataclass(frozen=True)
class Generated:
    """What came out, and what did not, by reason."""

    tasks: list[Task]
    rejected: Counter[str]


def generate(
    generator: Generator, *, seed: int, pairs: int, lab: Lab | None = None, first: int = 1, known: Known | None = None
) -> Generated:
    """Make `pairs` items; the same seed gives the same tasks.

    Fewer come out where an item finds no valid draft within `MAX_ATTEMPTS`; every rejected draft is counted under its reason.

    Args:
        lab: the simulator that proves the items; None makes unproven drafts (only for tests of layouts).
        first: number of the first item.
        known: tasks that none may repeat; what is made is added. None: anything goes.
    """
    tasks: list[Task] = []
    rejected: Counter[str] = Counter()
    for number in range(first, first + pairs):
        for attempt in range(MAX_ATTEMPTS):
            name = f"{generator.slug}/{seed}/{number}/{attempt}"
            try:
                if known is not None and generator.needs_lab and lab is not None:  # what is known already need not be measured
                    _new(known, _drafted(generator, random.Random(name), None, seed=seed, number=number))
                numbers = random.Random(name)
                made = _drafted(generator, numbers, lab, seed=seed, number=number)
                _new(known, made)
                if any(assess(task, UNPACKED).missing for task in made):
                    raise Rejected("a thing cannot be recognised where the asset pack is missing")
                if generator.admits and (wrong := next(filter(None, map(generator.admits, made)), "")):
                    raise Rejected(wrong)
                if lab is not None:
                    made = prove(generator, made, lab, numbers)
            except Rejected as reason:
                rejected[str(reason)] += 1
                continue
            except SceneError as error:
                rejected[f"the simulator refuses the scene: {str(error).split(':')[0]}"] += 1
                continue
            tasks += made
            if known is not None:
                for task in made:
                    known.add(task)
            break
    return Generated(tasks, rejected)


def _drafted(generator: Generator, numbers: random.Random, lab: Lab | None, *, seed: int, number: int) -> list[Task]:
    pair = generator.drafted(numbers, generator.item(seed, number), lab)
    check(pair)
    return build(generator, pair, seed=seed, number=number, numbers=numbers)


def _new(known: Known | None, made: list[Task]) -> None:
    if known is not None and any(known.has(task) for task in made):
        raise Rejected("a task that is there already asks the same of the same things in the same places")


def check(pair: Pair) -> None:
    """Rules common to all generators, on the layout alone.

    Raises:
        Rejected: naming the rule.
    """
    if len(pair.halves) == 2 and pair.halves[0].gold == pair.halves[1].gold:
        raise Rejected("twins need opposite golds")
    if len(pair.halves) == 1 and not isinstance(pair.first_view, str):
        raise Rejected("an item without a twin needs an argument why its first view does not suffice")
    for half in pair.halves:
        path = half.path if half.path is not None else pair.path
        if len(path) + len(pair.phases[1:]) > BUDGET - 1:
            raise Rejected("the ground-truth trajectory is longer than the budget")
        if pair.free_layout:
            continue
        for i, one in enumerate(half.things):
            x, y = one.xy
            if not (CLEAR_LOCAL[0] < x < CLEAR_LOCAL[2] and 0.4 < y < CLEAR_LOCAL[3]):
                raise Rejected("a thing stands outside the free floor")
            for other in half.things[i + 1 :]:
                if collide(one, other):
                    raise Rejected("two things overlap")


# --- documents --------------------------------------------------------------------------------------------------------


def build(generator: Generator, pair: Pair, *, seed: int, number: int, numbers: random.Random) -> list[Task]:
    """The task documents of an item, not yet proven."""
    names = {t.key: t.words for h in pair.halves for t in h.things if t.words}
    item, ways = generator.item(seed, number), generator.wordings(pair.ask.what)
    way = item.turn(f"wording of {pair.ask.what}", len(ways), generator.cycle)
    text = ways[way](pair.ask, names, pair.options)
    place = pair.place or Place(90.0 * numbers.randrange(4), (round(numbers.uniform(-1, 1), 3), round(numbers.uniform(-1, 1), 3)))
    room = pair.room or (room_about(numbers, place, CLEAR_LOCAL) if generator.layouts else _along_walls(numbers, place))
    if room.arrangement != Room().arrangement:
        room = msgspec.structs.replace(room, without=tuple(sorted({*room.without, *_kinds(pair)})))
    keys = sorted({t.key for h in pair.halves for t in h.things}, key=lambda k: _digest(text, generator.slug, seed, number, k))
    handles = {key: f"object_{i}" for i, key in enumerate(keys, start=1)}
    first = _digest("first", generator.slug, seed, number)[0] % 2
    base = f"own-{generator.slug}-{number:03d}" if seed == BUNDLED_SEED else f"own-{generator.slug}-s{seed}-{number:03d}"
    if len(pair.halves) == 1:
        ids: tuple[str, ...] = (base,)
    else:
        ids = (f"{base}a", f"{base}b") if first == 0 else (f"{base}b", f"{base}a")
    question = Question(
        text=text, form=pair.form, options=pair.options, note=pair.note, ask=_asked(pair.ask, handles), **pair.question_more
    )
    drawn = {"layout": item.layout, "wording": str(way + 1)} if item.layout else {}
    made = [_task(generator, pair, i, question, ids, handles, room, place, seed, drawn) for i in range(len(pair.halves))]
    return sorted(made, key=lambda t: t.task_id)


def _along_walls(numbers: random.Random, place: Place) -> Room:
    """The room of generators that declare no layouts."""
    return Room(
        bounds_m=place.box(ROOM_LOCAL),
        kind=numbers.choice(ROOM_KINDS),
        seed=numbers.randrange(1 << 30),
        keep_clear_m=place.box(CLEAR_LOCAL),
    )


def _kinds(pair: Pair) -> set[str]:
    """What a lived-in room must not show: kinds of things on both sides, so that it tells neither from the other, and kinds that are
    offered as answers."""
    things = {t.category for h in pair.halves for t in (*h.things, *(m for moved in h.moved.values() for m in moved))}
    return things | {kind for kind in SIZES_M if kind.replace("_", " ") in pair.options}


def _task(
    generator: Generator, pair: Pair, which: int, question: Question, ids: tuple[str, ...], handles: dict[str, str], room: Room,
    place: Place, seed: int, drawn: dict[str, str],
) -> Task:  # fmt: skip
    half = pair.halves[which]
    scene = Scene(
        camera=pair.camera,
        room=room,
        objects=tuple(sorted((place.object(t, handles[t.key]) for t in half.things), key=lambda o: int(o.handle.split("_")[1]))),
        phases=tuple(
            Phase(
                name=n,
                hidden=tuple(sorted(handles[k] for k in half.hidden.get(n, ()))),
                moved={handles[t.key]: place.pose(t) for t in half.moved.get(n, ())},
                lit={handles[k]: on for k, on in pair.lit.get(n, {}).items()},
                budget_share=round(1 / len(pair.phases), 4),
            )
            for n in pair.phases
        ),
        lighting=pair.lighting,
        settle_steps=pair.settle_steps,
        house=half.house or pair.house,
    )
    path = half.path if half.path is not None else pair.path
    find(generator.category, generator.subcategory)
    physical = tuple(a for a in pair.actions if a not in CAMERA_ACTIONS)
    # Asked only of scenes that change between visits; a scene of one phase shows what it shows.
    steps = ("camera_steps",) if (pair.camera.move_step_m, pair.camera.turn_step_deg) != (MOVE_STEP_M, TURN_STEP_DEG) else ()
    features = (*pair.features, *steps, *physical, *(("phases", "open_containers") if pair.phases and not pair.features else ()))
    return Task(
        task_id=ids[which],
        category=generator.category,
        subcategory=generator.subcategory,
        question=question,
        gold=Gold(
            accepted=(half.gold, *half.accepted),
            chance=pair.chance if pair.chance is not None else 1 / len(pair.options),
            derivation=f"{generator.rule}; margin {pair.margin}",
        ),
        scene=scene,
        start=pair.start or place.camera(0.0, 0.0, pair.camera_z_m, pitch_deg=pair.pitch_deg),
        names={handles[t.key]: t.words for t in half.things if t.words},
        actions=pair.actions,
        essential=tuple(sorted(handles[t.key] for t in half.things if t.essential and _ever_present(t.key, half, pair.phases))),
        required_features=tuple(dict.fromkeys(features)),
        budget=BUDGET,
        clipping=pair.clipping,
        gt_trajectory=tuple(action.format(**handles) for action in path),
        gt_phase_starts=(pair.phase_path,) if pair.phases else (),
        evidence=tuple(_with_handles(e, handles) for e in half.evidence),
        views={name: tuple(View(label=label, pose=pose) for label, pose in views) for name, views in pair.more_views.items()},
        vessels=tuple(sorted(handles[t.key] for t in half.things if t.vessel)),
        first_view=pair.first_view,
        twin=ids[1 - which] if len(ids) == 2 else None,
        tags={"looks": half.looks, "margin": pair.margin, **drawn, **pair.tags, **half.tags},
        provenance=Provenance(dataset="vantage", licence="CC0-1.0", generator=f"{generator.slug} {generator.version}", seed=seed),
    )


def _with_handles(e: Evidence, handles: dict[str, str]) -> Evidence:
    return e.model_copy(update={"handle": handles.get(e.handle, e.handle), "other": handles.get(e.other, e.other)})


def _asked(ask: Ask, handles: dict[str, str]) -> Ask:
    things = tuple(handles[key] for key in ask.things)
    return ask.model_copy(update={"things": things, "against": handles[ask.against] if ask.against else ""})


def _ever_present(key: str, half: Half, phases: tuple[str, ...]) -> bool:
    return not phases or any(key not in half.hidden.get(name, ()) for name in phases)


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).digest()


# --- proof ------------------------------------------------------------------------------------------------------------


def prove(generator: Generator, tasks: list[Task], lab: Lab, numbers: random.Random) -> list[Task]:
    """Play every side in the simulator, freeze the views, and return the finished documents.

    Raises:
        Rejected: naming the rule that fails.
    """
    begin_well(tasks, lab)
    playings = []
    for task in tasks:
        playings.append(play(lab, task, pictures=False, audit_end=True))
        for problem in problems(generator, playings[-1]) + crossing(playings[-1]):
            raise Rejected(problem.partition(":")[0] if problem.startswith(CROSSING) else problem)
    tasks = [t.model_copy(update={"settled": settled(p)}) for t, p in zip(tasks, playings, strict=True)]
    return freeze(tasks, lab, numbers) if generator.walk else tasks


ENOUGH_DETAIL = 0.38
"""A first view into a room has edges in at least this share of its cells; one of a wall close by has them in fewer."""


def detail(frame: Frame) -> float:
    """Share of a picture's cells (16 × 12) in which the brightness of patches of 4 × 4 pixels differs by more than 18 of 255."""
    grey = pixels(frame).mean(2)
    rows, columns = grey.shape[0] // 48, grey.shape[1] // 64
    patches = grey[: rows * 48, : columns * 64].reshape(12, rows, 4, 16, columns, 4).mean((2, 5))
    return float((np.ptp(patches, axis=(1, 3)) > 18).mean())


SETTLED_M = 0.01
"""A replayed scene settles where the proven one did, to this distance."""


def settled(playing: Playing) -> dict[str, Vec3]:
    """Where everything lies at the start: handle → box centre, metres, world frame, to the millimetre."""
    state = playing.first.state
    there = state.objects if state else ()
    return {o.handle: _millimetres(o.pose.position_m) for o in there if o.present}


def _millimetres(position_m: Vec3) -> Vec3:
    x, y, z = (round(v, 3) + 0.0 for v in position_m)  # + 0.0: no −0
    return x, y, z


def _moved(told: Mapping[str, Vec3], playing: Playing) -> list[str]:
    """Objects that lie elsewhere than the document says they settled."""
    now = settled(playing)
    moved = [h for h in told.keys() | now.keys() if h not in told or h not in now or math.dist(told[h], now[h]) > SETTLED_M]
    return [f"scene.objects: {', '.join(sorted(moved))} does not lie where it did when the task was proven"] if moved else []


def problems(generator: Generator, playing: Playing) -> list[str]:
    """What is wrong with a played task: evidence that is missing, a gold that the simulator does not confirm, a view that clips."""
    task = playing.task
    found = [f"evidence is missing: {e.kind} at step {e.step}" for e in task.evidence if not holds(e, playing)]
    if any(step.clipped for step in playing.steps):
        found.append("a view on the way is inside something")
    ask = task.question.ask
    if ask is None or ask.what not in generator.asks:
        found.append(f"question.ask: {generator.slug} judges {', '.join(generator.asks)}; got {ask.what if ask else None!r}")
    elif generator.judge is not None:
        derived = generator.judge(playing)
        if not any(json.dumps(derived, sort_keys=True) == json.dumps(a, sort_keys=True) for a in task.gold.accepted):
            found.append("the simulator does not confirm the gold")
    if task.settled is not None:
        found += _moved(task.settled, playing)
    if not task.evidence:
        best = {h: max((s.visible.get(h, 0) for s in playing.steps[1:]), default=0) for h in task.essential}
        found += ["an essential object is never seen well on the way" for n in best.values() if n < ENOUGH_PIXELS][:1]
    return found


CROSSING = "drawn solids lie more than 3 mm in another's material"


def crossing(playing: Playing) -> list[str]:
    """What is drawn in something else's material when the trajectory ends (played with `audit_end`): colliding and drawn shapes differ."""
    state = playing.last.state
    if state is None or not any("interpenetrating" in o.flags for o in state.objects):
        return []
    things = [f"{o.category} ({o.handle})" for o in state.objects if o.present and o.flags.get("interpenetrating")]
    return [f"{CROSSING}: {', '.join(things)} at the end of the ground-truth trajectory"] if things else []


ENOUGH_PIXELS = 60
"""Pixels (of 640 × 480) at which a small thing is recognised in a lossless frame; about 8 × 8."""


def holds(e: Evidence, playing: Playing) -> bool:
    """Whether one piece of evidence is there; of a step that was not taken there is none."""
    if not -len(playing.steps) <= e.step < len(playing.steps):
        return False
    step = playing.steps[e.step]
    if e.kind == "seen":
        return step.visible.get(e.handle, 0) >= (e.low if e.low is not None else ENOUGH_PIXELS)
    if e.kind == "unseen":
        return step.visible.get(e.handle, 0) <= (e.high or 0)
    if e.kind == "done":
        return step.ok
    if e.kind == "failed":
        return not step.ok and e.name in step.reason
    if step.state is None:
        raise ValueError(f"evidence {e.kind} at step {e.step}: no state is kept there; name a physical step or the last one of a phase")
    if e.kind in ("relation", "no_relation"):
        there = any((r.kind, r.subject, r.object) == (e.name, e.handle, e.other) for r in step.state.relations)
        return there == (e.kind == "relation")
    thing = playing.object(e.handle, step.state)
    if e.kind == "flag":
        return thing.flags.get(e.name, False) == bool(e.low if e.low is not None else 1)
    value = thing.levels.get(e.name)
    return value is not None and (e.low is None or value >= e.low) and (e.high is None or value <= e.high)


def begin_well(tasks: list[Task], lab: Lab) -> None:
    """Look at the first views alone, in a tenth of the time that playing takes.

    Raises:
        Rejected: one shows next to nothing, or the twins' differ too much.
    """
    firsts = [_first(lab, task) for task in tasks]
    if tasks[0].scene.house is not None and any(detail(frame) < ENOUGH_DETAIL for frame in firsts):
        raise Rejected("the first view shows next to nothing")
    if len(tasks) == 2 and (problem := _apart(tasks[0], firsts[0], firsts[1])):
        raise Rejected(problem)


def _first(lab: Lab, task: Task) -> Frame:
    with lab.open(task.scene, task.start) as trial:
        return trial.first.observation.frames[-1]


def first_views(task: Task, one: Playing, other: Frame) -> str:
    """What is wrong with the twins' first views; empty: nothing, or argued otherwise."""
    return _apart(task, one.first.frame, other)


def _apart(task: Task, one: Frame, other: Frame) -> str:
    if not isinstance(task.first_view, float):
        return ""
    found = difference(one, other)
    return "" if found <= task.first_view else "the first views of the twins differ too much"


def freeze(tasks: list[Task], lab: Lab, numbers: random.Random) -> list[Task]:
    """Add the frozen views: a random walk of camera actions from the start, the same for twins, that clips in neither."""
    trials = []
    poses = [tasks[0].start]
    counts: list[dict[str, int]] = [dict.fromkeys(task.essential, 0) for task in tasks]
    with lab.open(tasks[0].scene, tasks[0].start) as first, lab.open(tasks[-1].scene, tasks[-1].start) as second:
        trials = [first, second][: len(tasks)]
        for trial, count in zip(trials, counts, strict=True):
            _note(trial.first.observation.visible, count)
        for _ in range(WALK_VIEWS - 1):
            # Down from low above the floor stops at the floor, and no action leads back exactly.
            low = poses[-1].position_m[2] - tasks[0].scene.camera.move_step_m < MIN_CAMERA_Z_M
            for _ in range(12):
                action = numbers.choice([a for a in CAMERA_ACTIONS if a in tasks[0].actions and not (low and a == "move_down")])
                replies = [trial.act(action, pictures=False) for trial in trials]
                if not any(r.observation.clipped for r in replies) and replies[0].observation.camera != poses[-1]:
                    break
                for trial in trials:
                    trial.act(inverse_of(action), pictures=False)
                    if trial.last.observation.camera != poses[-1]:
                        raise Rejected("the random walk could not step back")
            else:
                raise Rejected("the random walk got stuck")
            poses.append(replies[0].observation.camera)
            for reply, count in zip(replies, counts, strict=True):
                _note(reply.observation.visible, count)
    views = tuple(View(label=f"view_{i:02d}", pose=pose) for i, pose in enumerate(poses, start=1))
    return [
        task.model_copy(
            update={
                "views": {**task.views, "random_walk": views},
                "tags": {**task.tags, "random_walk_seen": " ".join(f"{h}:{n}" for h, n in sorted(count.items()))},
            }
        )
        for task, count in zip(tasks, counts, strict=True)
    ]


def _note(visible: dict[str, int], count: dict[str, int]) -> None:
    """Count the views in which an essential object is recognisable."""
    for handle in count:
        count[handle] += visible.get(handle, 0) >= ENOUGH_PIXELS


__all__ = [
    "BUDGET",
    "BUNDLED_SEED",
    "CLEAR_LOCAL",
    "ENOUGH_PIXELS",
    "FIRST_VIEW_DIFFERENCE",
    "HERE",
    "MAX_ATTEMPTS",
    "ROOM_KINDS",
    "ROOM_LOCAL",
    "Generated",
    "Generator",
    "Half",
    "Item",
    "Pair",
    "Place",
    "Rejected",
    "Thing",
    "Wording",
    "begin_well",
    "build",
    "check",
    "crossing",
    "generate",
    "holds",
    "path_poses",
    "problems",
    "prove",
]  # fmt: skip
