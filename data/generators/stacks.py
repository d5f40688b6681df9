"""Own tasks of Stacking & Stability: three open vessels that differ in size, and the one order in which each stands on the one below.

A vessel stands on a smaller one, whose opening it covers, and falls into a larger one. So of the six orders exactly one stands, from the
smallest at the bottom to the largest on top, and which that is follows from sizes that are seen. From the start all three look equally
large: each lies as far away as it is large (as `layout.slide` does it). The three are of one kind and differ in colour, so that no name
tells a size; the twin exchanges the sizes of two of them.

Every order is tried by hand in both twins, and what stands is looked at by the audit: no drawn solid in another.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from data.generators.drawing import Item, wordings
from data.generators.framework import CROSSING, Generator, Half, Pair, Rejected, build
from data.generators.lab import Lab, Playing, Trial
from data.generators.layout import Thing
from data.generators.things import thing as other_thing
from data.task import Answer, Ask, Evidence, Task
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.protocol import StateReply
from sim_bridge.spec import Camera, ObjectState, Vec3


@dataclass(frozen=True)
class Vessel:
    """An open vessel with upright walls; shares of half its extent along x, measured on the drawn mesh (a test compares)."""

    size_m: Vec3
    opening: float
    """Inner edge of the rim."""
    base: float
    """Outer edge of what it stands on."""
    words: str


VESSELS: dict[str, Vessel] = {
    "recycling_bin": Vessel((0.444, 0.344, 0.344), 0.91, 0.75, "bin"),
    "tank": Vessel((0.408, 0.258, 0.284), 0.95, 1.0, "glass tank"),
    "tumbler": Vessel((0.084, 0.084, 0.090), 0.95, 0.94, "tumbler"),
    "water_glass": Vessel((0.072, 0.072, 0.105), 0.93, 0.82, "water glass"),
}
COLOURS = ("red", "blue", "green", "yellow", "purple", "orange")
HALF_M = 0.082
"""Half the width of the largest."""
STEP = 1.38
"""How much wider the next larger one is, at least."""
LEAST_ROOM = 1.08
"""A vessel's opening is wider than the next smaller vessel by this factor, and its base wider than that one's opening."""
EYE_M = 0.025
"""At this height no opening is seen, and what stands nearer stands hardly lower in the picture."""
ALIKE = 0.068
"""Half width over distance, the same for all from the start."""
APART = 0.40
"""Between neighbours, as x over distance."""
ABOVE_M, OVERLAP, UPRIGHT = 0.02, 0.1, 0.9
"""Stacked: its bottom is this far above the other's, their outlines from above share this much (intersection over union), and its own
vertical keeps this cosine."""
FIRM = (0.024, 0.15, 0.97)
"""The same three with a margin: an order counts as stable only above all of them."""
FALLEN = (0.015, 0.05, 0.88)
"""An order counts as unstable only below one of them, or where one lies inside another."""
ON_TOP_M = 0.012
"""What stands on another has its bottom no more than this below the other's top."""
REST_M = 0.002
"""What moves less than this in half a second is at rest."""
LAYOUTS = ("row", "staggered", "among")
"""Where they stand: evenly apart and equally large to the eye; unevenly; so, with two more things on the floor."""
BYSTANDERS = ("bowl", "mug", "pillar_candle", "tennis_ball", "vase")
APPROACH = ("move_up", "move_up", "turn_down", "turn_down")


def step_of(vessel: Vessel) -> float:
    """How much wider each size is than the next smaller one, so that it covers and takes in every smaller one with room."""
    return round(max(STEP, LEAST_ROOM / vessel.opening, LEAST_ROOM * vessel.opening / vessel.base), 3)


def stack(numbers: random.Random, item: Item, lab: Lab | None) -> Pair:
    """Three vessels in three sizes; in the twin two of them have exchanged sizes."""
    kind = item.dealt("kind", sorted(VESSELS))
    vessel, colours = VESSELS[kind], numbers.sample(COLOURS, 3)
    step = step_of(vessel)
    asked = [f"{colour} {vessel.words}" for colour in colours]
    # Over three items every order of the list is the answer equally often: three pairs of orders that differ in two neighbouring sizes.
    low = item.turn("exchanged", 2, 3)
    fixed = item.turn("fixed", 3)
    rest = [i for i in range(3) if i != fixed]
    levels = []
    for one, two in (rest, rest[::-1]):
        level = [0, 0, 0]
        level[fixed], level[one], level[two] = (2, 0, 1) if low == 0 else (0, 1, 2)
        levels.append(level)
    if numbers.random() < 0.5:
        levels.reverse()
    even = item.layout == "row"
    columns = numbers.sample([(k - 1) * APART + (0.0 if even else numbers.uniform(-0.04, 0.04)) for k in range(3)], 3)
    looks = [ALIKE if even else ALIKE * numbers.uniform(0.94, 1.08) for _ in range(3)]
    more = tuple(_bystanders(numbers)) if item.layout == "among" else ()

    def half(level: Sequence[int]) -> Half:
        things = []
        for i, colour in enumerate(colours):
            wide = HALF_M * step ** (level[i] - 2)
            far = wide / looks[i]
            things.append(
                Thing(
                    f"vessel_{i}", kind, (round(columns[i] * far, 4), round(far, 4)), vessel.size_m, round(2 * wide / vessel.size_m[0], 5),
                    words=asked[i], dynamic=True, color=colour, params={"bears_at_rim": True},
                )
            )  # fmt: skip
        order = sorted(range(3), key=lambda i: level[i])
        pile = [f"vessel_{i}" for i in order]
        path = [*APPROACH]
        for lower, upper in itertools.pairwise(pile):
            path += [f"pick_up({{{upper}}})", f"put({{{upper}}}, on, {{{lower}}})"]
        seen = tuple(Evidence(kind="seen", step=len(APPROACH), handle=k, low=200) for k in pile)
        done = tuple(Evidence(kind="done", step=s) for s in range(len(APPROACH) + 1, len(path) + 1))
        at_last = tuple(Evidence(kind="seen", step=-1, handle=k, low=100) for k in pile)
        gold: Answer = [asked[i] for i in order]
        sizes = " ".join(f"{2 * HALF_M * step ** (n - 2):.3f}" for n in level)
        return Half((*things, *more), gold, path=(*path, "wait", "wait"), evidence=(*seen, *done, *at_last), tags={"widths_m": sizes})

    pair = Pair(
        ask=Ask(what="stack", things=("vessel_0", "vessel_1", "vessel_2")),
        form="sequence",
        options=tuple(asked),
        halves=(half(levels[0]), half(levels[1])),
        camera_z_m=EYE_M,
        path=(),
        margin=f"each is {step:.2f} times as wide as the next smaller one; 1 of 6 orders stands, still so after another second",
        note="Each vessel stands upright, in the middle of the one below. What lies inside another is not stacked on it.",
        actions=(*CAMERA_ACTIONS, "pick_up", "put", "put_on_floor", "put_back", "wait"),
        chance=1 / 6,
        tags={"stable_orders": "1", "things": "3"},
    )
    if lab is not None:
        for task in build(STACK, pair, seed=item.seed, number=item.number, numbers=random.Random(0)):
            for problem in tried(lab, task):
                raise Rejected(problem.partition(":")[0])
    return pair


def _bystanders(numbers: random.Random) -> Iterator[Thing]:
    """Two things beside and behind the vessels, where no order of them needs the place."""
    for n, (side, kind) in enumerate(zip((-1, 1), numbers.sample(BYSTANDERS, 2), strict=True)):
        at = (side * numbers.uniform(0.85, 1.05), numbers.uniform(1.45, 1.75))
        yield replace(other_thing(f"bystander_{n}", kind, at, words=""), essential=False)


# --- every order, tried by hand ------------------------------------------------------------------------------------------------


def how_it_stands(lower: ObjectState, upper: ObjectState) -> str:
    """``firm``, ``fallen``, ``nested`` (upright and above, but in the other) or ``unclear``."""
    rise = upper.aabb_min_m[2] - lower.aabb_min_m[2]
    shared = _overlap(lower, upper)
    upright = float(rotation_matrix(upper.pose.quaternion_xyzw)[2][2])
    found = (rise, shared, upright)
    if all(v >= f for v, f in zip(found, FIRM, strict=True)):
        return "firm"
    if rise < FIRM[0] and shared >= OVERLAP and upright >= UPRIGHT:
        return "nested"
    return "fallen" if any(v < f for v, f in zip(found, FALLEN, strict=True)) else "unclear"


def _overlap(a: ObjectState, b: ObjectState) -> float:
    """Intersection over union of two boxes from above."""
    sides = [min(a.aabb_max_m[i], b.aabb_max_m[i]) - max(a.aabb_min_m[i], b.aabb_min_m[i]) for i in (0, 1)]
    both = max(sides[0], 0.0) * max(sides[1], 0.0)
    areas = [math.prod(o.aabb_max_m[i] - o.aabb_min_m[i] for i in (0, 1)) for o in (a, b)]
    return both / (sum(areas) - both)


def _inside(state: StateReply, one: str, other: str) -> bool:
    return any((r.kind, r.subject, r.object) == ("inside", one, other) for r in state.relations)


def _standing(state: StateReply, stack: Sequence[str]) -> bool:
    """Whether each stands on the one before.

    Raises:
        Rejected: that is not clear.
    """
    there = {o.handle: o for o in state.objects}
    for lower, upper in itertools.pairwise(stack):
        how = how_it_stands(there[lower], there[upper])
        if how in ("nested", "fallen") or _inside(state, upper, lower):
            return False
        if how == "unclear" or there[upper].aabb_min_m[2] < there[lower].aabb_max_m[2] - ON_TOP_M:
            raise Rejected("an order neither stands nor falls clearly")
    return True


def orders(trial: Trial, things: Sequence[str]) -> dict[tuple[str, ...], str]:
    """Every order, bottom to top, tried with the deeds a person has from where they are all in reach; those that stand → what of the
    audit speaks against them (empty: nothing).

    Raises:
        Rejected: an order neither stands nor falls clearly.
    """
    start = trial.snapshot()
    found: dict[tuple[str, ...], str] = {}
    for bottom, middle in itertools.permutations(things, 2):
        trial.restore(start)
        if not _put(trial, [bottom, middle]):
            continue
        two = trial.snapshot()
        for top in (t for t in things if t not in (bottom, middle)):
            trial.restore(two)
            order = (bottom, middle, top)
            if _put(trial, list(order)) and _still(trial, order):
                crossed = [o.category for o in trial.audited().objects if o.handle in things and o.flags.get("interpenetrating", False)]
                found[order] = ", ".join(crossed)
    return found


def _put(trial: Trial, stack: Sequence[str]) -> bool:
    """Put the last on the one before; whether everything stands."""
    if not trial.act(f"pick_up({stack[-1]})", pictures=False).ok:
        raise Rejected("a thing cannot be picked up")
    reply = trial.act(f"put({stack[-1]}, on, {stack[-2]})", pictures=False)
    if not reply.ok and "not in view" in reply.reason:
        raise Rejected("a thing is hidden by what is in the hand")
    if not reply.ok:  # no place on it, as whoever tries is told
        return False
    return _standing(trial.state(), stack)


def _still(trial: Trial, stack: Sequence[str]) -> bool:
    """Whether it still stands after 60 steps of 1/60 s, and rests.

    Raises:
        Rejected: it does not, so it was never stable.
    """
    trial.act("wait", pictures=False)
    before = trial.objects()
    trial.act("wait", pictures=False)
    after = trial.state()
    if not _standing(after, stack):
        raise Rejected("an order falls late")
    if any(math.dist(before[o.handle].pose.position_m, o.pose.position_m) > REST_M for o in after.objects if o.handle in stack):
        raise Rejected("an order does not come to rest")
    return True


def tried(lab: Lab, task: Task) -> list[str]:
    """What is wrong with the accepted orders of a task of this version: every order is tried in its scene."""
    ask = task.question.ask
    if ask is None or ask.what != "stack" or task.provenance.generator.partition(" ")[2] in ("", "1", "2", "3"):
        return []
    scene = msgspec.structs.replace(task.scene, camera=Camera(width=240, height=180))
    with lab.open(scene, task.start) as trial:
        for action in APPROACH:
            trial.act(action, pictures=False)
        try:
            found = orders(trial, ask.things)
        except Rejected as unclear:
            return [str(unclear)]
    said = {tuple(order) for order in task.gold.accepted if isinstance(order, list)}
    standing = {tuple(task.names[h] for h in order): crossed for order, crossed in found.items()}
    wrong = [f"{CROSSING}: {crossed} in the order {' > '.join(order)}" for order, crossed in standing.items() if crossed]
    if said - standing.keys():
        wrong.append(f"gold.accepted: {' > '.join(min(said - standing.keys()))} does not stand when it is tried")
    if standing.keys() - said:
        wrong.append(f"gold.accepted: {' > '.join(min(standing.keys() - said))} stands when it is tried and is not accepted")
    return wrong


def judge_stack(playing: Playing) -> Answer:
    """The order in which things stand at the end, where they stand firmly and none lies in another."""
    names, things, state = playing.task.names, playing.ask.things, playing.states()[-1]
    there = sorted((o for o in state.objects if o.handle in things), key=lambda o: o.aabb_min_m[2])
    for lower, upper in itertools.pairwise(there):
        if how_it_stands(lower, upper) != "firm" or _inside(state, upper.handle, lower.handle):
            return "fallen"
    return [names[o.handle] for o in there]


def _words(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> Mapping[str, str]:
    *first, last = (f"the {names[t]}" for t in ask.things)
    return {"things": f"{', '.join(first)} and {last}"}


STACK = Generator(
    "stack",
    "Physical Dynamics",
    "Stacking & Stability",
    stack,
    "every order tried by hand; it stands where each bottom is 2 cm above the one below and at its rim, the outlines from above overlap "
    "by 0.1 or more, each keeps upright to a cosine of 0.9, none lies in another, and no drawn solid reaches into another",
    {
        "stack": wordings(
            _words,
            "In which order, from bottom to top, do {things} make a stack that stands?",
            "You are to stack {things}. In which order, from bottom to top, does the stack stand?",
            "How must {things} be stacked, from bottom to top, so that the stack stands?",
        )
    },
    cycle=3,
    judge=judge_stack,
    tried=tried,
    needs_lab=True,
    layouts=LAYOUTS,
    version="6",
    tells="Each vessel is 1.38 times as wide as the next smaller one. People tell widths of about 3 % apart side by side (Weber "
    "fraction of length 0.02 to 0.03: Ono 1967, Perception & Psychophysics 2, 201–207), far less than the step.",
    beyond="Balance of unlike things, overhang, round and pointed tops, soft things: what decides is which vessel covers which.",
)
GENERATORS = (STACK,)
