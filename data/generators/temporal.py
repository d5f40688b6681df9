"""Own tasks of Temporal Understanding: what changed in a box between two visits, and what a walking robot passed.

*Unobserved Change*: open boxes, a table, a chest, seen at floor level at first, so that what lies in, on or behind them shows only after
some steps; two visits with half of the observations each. Twins begin with the same picture at both visits.
*Agent Observation*: a robot goes along a corridor between two rows of furniture, one waypoint per action of the observer. Behind every
piece something lies; the robot goes close by half of the hiding places. Three things of the kind asked for lie there in every item, so
that seeing them all says nothing: twins exchange some that it passes with things of other kinds that it does not.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from data.generators.drawing import Item, wordings
from data.generators.framework import ROOM_KINDS, Generator, Half, Pair, Rejected
from data.generators.lab import Playing, Step
from data.generators.layout import Place, Thing
from data.generators.measuring import middle
from data.generators.things import BLOCK, OPEN_BOX, SIZES_M, several, thing
from data.task import Answer, Ask, Evidence
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.spec import Room, Vec3

CATEGORY = "Temporal Understanding"

# --- Unobserved Change ------------------------------------------------------------------------------------------------

EYE_M = 0.12
"""Below the rim: the start view shows the boxes and nothing of their contents, so that twins begin with the same picture."""
PHASES = ("phase_1", "phase_2")
FORMS = ("detect", "which", "identify", "identify", "detect", "which", "identify", "detect", "which", "identify")
"""Form of the question by the item's number."""
KINDS = ("replace", "remove", "add")
"""What happens to a box, over the items of a form in turn."""
HAPPENED = (*KINDS, "no change")
TWO_KINDS = (("replace", "no change"), ("remove", "add"), ("add", "no change"), ("replace", "remove"))
"""What happens in the two twins of an item that asks what happened: each as often as the others, "no change" with and without contents."""
COLOURS = ("brown", "red", "yellow")
CONTENTS: dict[str, Vec3] = {
    "alarm_clock": (0.096, 0.046, 0.131),
    "apple": (0.079, 0.079, 0.079),
    "bowl": SIZES_M["bowl"],
    "duck": (0.121, 0.070, 0.088),
    "goblet": SIZES_M["goblet"],
    "lemon": (0.058, 0.058, 0.091),
    "mug": SIZES_M["mug"],
    "pillar_candle": SIZES_M["pillar_candle"],
    "tennis_ball": SIZES_M["tennis_ball"],
    "toilet_paper": (0.109, 0.108, 0.100),
    "toy_car": (0.112, 0.058, 0.050),
}
"""What lies in the boxes, at its true size (a test compares with the catalogue)."""
SAME_COLOUR = {
    "brown": (),
    "red": ("alarm_clock", "apple", "mug", "toy_car"),
    "yellow": ("duck", "goblet", "lemon", "tennis_ball"),
}
"""What is hard to see in a box of its own colour."""
TINTS = {"brown": (0.56, 0.37, 0.22), "red": (0.85, 0.12, 0.10), "yellow": (1.0, 0.94, 0.15)}
"""Of the coloured boxes; light enough that one sees what lies in them."""
LAYOUTS = ("box", "table", "chest")
"""Where something may lie where one place is asked about: in an open box, on a table above the eye, behind a chest."""
WHERE = {"box": "in", "table": "on", "chest": "behind"}
"""Last word of a place's name → how what is there is said to lie."""
INTO_BOX = ("move_up",) * 3 + ("move_forward",) * 2 + ("turn_down",) * 4
ONTO_TABLE = ("move_up",) * 3 + ("turn_down",) * 2
ROUND_CHEST = {s: (f"move_{s}",) * 2 + ("move_forward",) * 3 + (f"turn_{o}",) * 4 for s, o in (("right", "left"), ("left", "right"))}
"""From the start to where one sees behind a chest, round its one side or the other."""
INTO_THREE = ("move_up",) * 4 + ("move_forward",) + ("turn_down",) * 4
TABLE_M: Vec3 = (0.5, 0.5, 0.5)
CHEST_M: Vec3 = (0.44, 0.24, 0.36)
HELD_M = 0.5
"""What lies no farther from a place's middle, and nearer to it than to the others, is what it holds."""
VISITS = "There are two parts: in part 2 you come back later. In between the room is not shown, and you cannot go back to part 1."


@dataclass(frozen=True)
class _Story:
    """What one side's boxes hold at the two visits; empty text: nothing."""

    gold: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    tags: dict[str, str]


def change(numbers: random.Random, item: Item) -> Pair:
    """One place or three boxes, looked into twice."""
    whole, rest = (item.number - 1) // len(FORMS), item.turn("form", len(FORMS))
    form = FORMS[rest]
    turn = whole * FORMS.count(form) + FORMS[:rest].count(form)
    stories: tuple[_Story, _Story]
    if form == "which":
        stories = _which(numbers, turn)
        options = tuple(f"{colour} box" for colour in COLOURS)
    else:
        kinds = (KINDS[turn % len(KINDS)], "no change") if form == "detect" else TWO_KINDS[turn % len(TWO_KINDS)]
        first, second = _two(CONTENTS, numbers)
        stories = _one_box(kinds[0], form, first, second), _one_box(kinds[1], form, first, second, empty=kinds[0] == "add")
        options = ("yes", "no") if form == "detect" else HAPPENED
    boxes, spots, look = _three(numbers) if form == "which" else _one(numbers, item.layout)
    return Pair(
        ask=Ask(what=ASKED_OF[form], things=tuple(b.key for b in boxes)),
        form="yes_no" if form == "detect" else "choice",
        options=options,
        halves=(_half(stories, 0, boxes, spots, len(look)), _half(stories, 1, boxes, spots, len(look))),
        camera_z_m=EYE_M,
        path=look + look,
        phase_path=len(look),
        margin="things of different kinds, or an empty box",
        note=VISITS,
        phases=PHASES,
        tags={"form": form, **({"layout": "three boxes"} if form == "which" else {})},
    )


ASKED_OF = {"detect": "changed", "which": "which_changed", "identify": "what_changed"}


CHANGED = wordings(
    lambda ask, names, options: {"there": _there(ask, names)},
    "Did what is {there} change between part 1 and part 2?",
    "Between part 1 and part 2, did what is {there} change?",
    "Is what is {there} in part 2 different from part 1?",
)
WHICH = wordings(
    lambda ask, names, options: dict(zip(("one", "two", "three"), (names[t] for t in ask.things), strict=True)),
    "In which box did something change between part 1 and part 2: the {one}, the {two} or the {three}?",
    "Between part 1 and part 2 something changed in one box. In which: the {one}, the {two} or the {three}?",
    "In part 2 one box does not hold what it held in part 1. Which: the {one}, the {two} or the {three}?",
)
HAPPENED_THERE = wordings(
    lambda ask, names, options: {"there": _there(ask, names)},
    "What happened {there} between part 1 and part 2?",
    "Between part 1 and part 2, what happened {there}?",
    "What has happened {there} by the beginning of part 2?",
)


def _there(ask: Ask, names: Mapping[str, str]) -> str:
    """Where the place is that is asked about, as "behind the chest"."""
    words = names[ask.things[0]]
    return f"{WHERE[words.split()[-1]]} the {words}"


def _two(kinds: Sequence[str] | dict[str, Vec3], numbers: random.Random) -> tuple[str, str]:
    first, second = numbers.sample(sorted(kinds), 2)
    return first, second


def _one_box(kind: str, form: str, first: str, second: str, empty: bool = False) -> _Story:
    before = {"replace": first, "remove": first, "add": "", "no change": "" if empty else first}[kind]
    after = {"replace": second, "remove": "", "add": first, "no change": before}[kind]
    gold = kind if form == "identify" else ("no" if kind == "no change" else "yes")
    return _Story(gold, (before,), (after,), {"change": kind})


def _which(numbers: random.Random, turn: int) -> tuple[_Story, _Story]:
    """Three boxes; in each twin another one changes, in the same manner."""
    kind, changed = KINDS[turn % 3], (turn % 3, (turn + 1) % 3)
    while True:
        *held, new = numbers.sample(sorted(CONTENTS), 4)
        bad = [c in SAME_COLOUR[colour] for c, colour in zip(held, COLOURS, strict=True)]
        if not any(bad) and not any(new in SAME_COLOUR[COLOURS[i]] for i in changed):
            break
    if kind == "add":
        held = [("" if i in changed else content) for i, content in enumerate(held)]

    def story(box: int) -> _Story:
        after = [({"replace": new, "remove": "", "add": new}[kind] if i == box else content) for i, content in enumerate(held)]
        return _Story(f"{COLOURS[box]} box", tuple(held), tuple(after), {"change": kind})

    return story(changed[0]), story(changed[1])


Places = tuple[tuple[Thing, ...], list[tuple[float, float, float]], tuple[str, ...]]
"""Places, where in them something lies (x, y, height), and the way from the start to where one sees it."""


def _three(numbers: random.Random) -> Places:
    """Three open boxes in a row."""
    places = numbers.sample((-0.5, 0.0, 0.5), 3)
    y = numbers.uniform(0.96, 1.04)
    boxes = tuple(
        Thing(
            f"box_{i}",
            OPEN_BOX,
            (x, y),
            (0.40, 0.36, 0.24),
            words=f"{colour} box",
            vessel=True,
            essential=False,
            params={"color": list(TINTS[colour])},
        )
        for i, (x, colour) in enumerate(zip(places, COLOURS, strict=True))
    )
    return boxes, [(b.xy[0] + numbers.uniform(-0.03, 0.03), y + numbers.uniform(-0.01, 0.03), WALL_OF_BOX_M) for b in boxes], INTO_THREE


def _one(numbers: random.Random, layout: str) -> Places:
    """One place by its layout."""
    x, side = numbers.uniform(-0.1, 0.1), numbers.choice(sorted(ROUND_CHEST))
    if layout == "box":
        y = numbers.uniform(0.82, 0.94)
        box = thing("box_0", OPEN_BOX, (x, y), words="box", size_m=(0.42, 0.34, 0.24), vessel=True)
        return (box,), [(x + numbers.uniform(-0.04, 0.04), y + numbers.uniform(-0.02, 0.03), WALL_OF_BOX_M)], INTO_BOX
    if layout == "table":
        y = numbers.uniform(0.9, 1.0)
        table = thing("box_0", "side_table", (x, y), words="table", size_m=TABLE_M)
        return (table,), [(x + numbers.uniform(-0.1, 0.1), y + numbers.uniform(0.06, 0.14), TABLE_M[2])], ONTO_TABLE
    y = numbers.uniform(0.64, 0.7)
    chest = thing("box_0", "cedar_chest", (x / 2, y), words="wooden chest", size_m=CHEST_M)
    return (chest,), [(x / 2, y + CHEST_M[1] / 2 + numbers.uniform(0.17, 0.22), 0.0)], ROUND_CHEST[side]


WALL_OF_BOX_M = 0.015


def _half(
    stories: tuple[_Story, _Story], which: int, boxes: tuple[Thing, ...], spots: Sequence[tuple[float, float, float]], looked: int
) -> Half:  # fmt: skip
    """One side. Both sides have the same things; what a side does not need is hidden at both visits."""
    own = stories[which]
    contents = sorted({(i, c) for s in stories for held in (s.before, s.after) for i, c in enumerate(held) if c})
    things = [Thing(f"{c}_{i}", c, spots[i][:2], CONTENTS[c], z_m=spots[i][2]) for i, c in contents]
    hidden = {
        name: tuple(f"{c}_{i}" for i, c in contents if held[i] != c) for name, held in zip(PHASES, (own.before, own.after), strict=True)
    }
    evidence = []
    for held, begins, ends in ((own.before, 0, looked), (own.after, looked + 1, -1)):
        evidence += [Evidence(kind="unseen", step=begins, handle=f"{c}_{i}") for i, c in enumerate(held) if c]
        evidence += [Evidence(kind="seen", step=ends, handle=f"{c}_{i}", low=CLEAR_PIXELS) for i, c in enumerate(held) if c]
        relation = {OPEN_BOX: "inside", "side_table": "on"}.get(boxes[0].category)
        evidence += [
            Evidence(kind="relation", name=relation, step=ends, handle=f"{c}_{i}", other=f"box_{i}")
            for i, c in enumerate(held)
            if c and relation
        ]
        evidence += [Evidence(kind="seen", step=ends, handle=b.key, low=BOX_PIXELS) for b in boxes]
    return Half((*boxes, *things), own.gold, hidden=hidden, evidence=tuple(evidence), tags=own.tags)


CLEAR_PIXELS = 150
"""What one looks for is seen at least that large (of 640 × 480); look-alikes are told apart at that size."""
BOX_PIXELS = 4000
"""A box that one looks into."""


def judge_change(playing: Playing) -> Answer:
    """What the places hold at the end of the second visit, against the end of the first, by category."""
    ends = [playing.steps[i - 1] for i, s in enumerate(playing.steps) if s.action.startswith("phase:")] + [playing.last]
    before, after = _held(playing, ends[0]), _held(playing, ends[-1])
    changed = [box for box in before if before[box] != after[box]]
    if playing.ask.what == "changed":
        return "yes" if changed else "no"
    if playing.ask.what == "which_changed":
        return playing.task.names[changed[0]] if len(changed) == 1 else "not exactly one box changed"
    (was,), (now,) = before.values(), after.values()
    return "no change" if was == now else "add" if not was else "remove" if not now else "replace"


def _held(playing: Playing, step: Step) -> dict[str, list[str]]:
    """Handle of a place that is asked about → the categories of what lies there."""
    objects = {o.handle: o for o in (step.state.objects if step.state else ()) if o.present}
    held: dict[str, list[str]] = {place: [] for place in playing.ask.things}
    for handle, o in objects.items():
        place = min(held, key=lambda p: math.dist(middle(o), middle(objects[p])))
        if handle not in held and math.dist(middle(o), middle(objects[place])) <= HELD_M:
            held[place].append(o.category)
    return {place: sorted(categories) for place, categories in held.items()}


# --- Agent Observation ------------------------------------------------------------------------------------------------

OBSERVER_M = 5.0
"""The observer's distance from where the robot sets out."""
OBSERVER_EYE_M = 1.1
OBSERVER_PITCH_DEG = -8.0
NEAR_M = 1.0
"""What the question calls passing."""
NEARER_M, FARTHER_M = 0.85, 1.25
"""Nothing lies between these distances from the robot's way."""
WAY_M = 0.5
"""From one waypoint to the next: the robot's way with every action."""
MIN_WAYPOINTS = 10
COLUMNS_M = (-1.5, 0.0, 1.5)
CORRIDOR_M = 4.4
"""Distance of the corridor's middle line from the observer's."""
LANE_M = 0.48
"""The robot goes that far to the one side or the other of the middle line."""
SPOT_M = 1.18
"""Things lie that far from the middle line on either side."""
SCREEN_M: Vec3 = (0.62, 0.20, 0.36)
SCREENS = (BLOCK, "cedar_chest", "cooler")
"""What hides things: as wide, deep and high as `SCREEN_M`."""
BEHIND_M = 0.25
"""From the back of a screen to the middle of the thing behind it."""
PASSED: dict[str, Vec3] = {
    "bowl": SIZES_M["bowl"],
    "plant_pot": SIZES_M["plant_pot"],
    "mug": SIZES_M["mug"],
    "soccer_ball": SIZES_M["soccer_ball"],
    "teapot": SIZES_M["teapot"],
    "toilet_paper": (0.109, 0.108, 0.100),
    "trophy": (0.236, 0.150, 0.240),
}
"""What lies about, at its true size (a test compares with the catalogue)."""
ASKED = ("bowl", "soccer_ball", "teapot", "plant_pot", "trophy")
COUNTS = ((0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2))
"""Golds of the two twins; over two items, and over six, each of the four comes equally often."""
WALK_ROOM_LOCAL = (-3.8, -1.2, 3.8, 7.0)
WALK_CLEAR_LOCAL = (-3.2, -0.6, 3.2, 6.3)
ROBOT_PIXELS = 500
"""The robot is seen at least that large at every step of its walk."""


def passing(numbers: random.Random, number: int) -> Pair:
    """Two rows of three hiding places on either side of a corridor; the robot goes along, now near the one row, now near the other."""
    lanes = _lanes(numbers)
    side = numbers.choice((-1, 1))
    way = corners(lanes, side)
    walk = len(waypoints(way)) - 1
    kind = ASKED[number % len(ASKED)]
    others = [k for k in sorted(PASSED) if k != kind]
    screens = tuple(numbers.choice(SCREENS) for _ in range(6))
    # A hiding place is (column, row); row 0 is in front of the corridor, 1 behind it.
    near = [(c, lane) for c, lane in enumerate(lanes)]
    far = [(c, 1 - lane) for c, lane in enumerate(lanes)]
    numbers.shuffle(near)
    numbers.shuffle(far)
    rest = numbers.sample(others, 3)
    # Handles and spouts are seen from the side.
    yaws = {spot: numbers.choice((0.0, 180.0)) + numbers.uniform(-20, 20) for spot in near + far}
    counts = COUNTS[(number - 1) % len(COUNTS)]

    def half(count: int) -> Half:
        targets = near[:count] + far[: 3 - count]
        spare = [spot for spot in near + far if spot not in targets]
        holds = {**dict.fromkeys(targets, kind), **dict(zip(spare, rest, strict=True))}
        things: list[Thing] = []
        for i, (column, row) in enumerate(itertools.product(range(3), (0, 1))):
            found = holds[(column, row)]
            at = spot_of(column, row)
            things += [
                Thing(f"hidden_{column}{row}", found, at, PASSED[found], yaw_deg=round(yaws[(column, row)], 1)),
                Thing(f"screen_{column}{row}", screens[i], _before(at), SCREEN_M, essential=False),
            ]
        x, y = way[0]
        # The front of the robot looks along local −y when it is not turned: towards the observer.
        robot = Thing("robot", "robot", (x, y), words="robot", params={"path": [list(p) for p in with_corners(way)[1:]], "step_m": WAY_M})
        return Half((*things, robot), str(count), evidence=_shown(walk), tags={"near": _say(near), "targets": _say(targets)})

    return Pair(
        ask=Ask(what="passed", category=kind, against="robot"),
        form="count",
        options=("0", "1", "2", "3"),
        halves=(half(counts[0]), half(counts[1])),
        camera_z_m=OBSERVER_EYE_M,
        start=PLACE.camera(0.0, 0.0, OBSERVER_EYE_M, yaw_deg=side * _bearing_deg(), pitch_deg=OBSERVER_PITCH_DEG),
        path=_tour(side),
        margin=f"every thing is nearer than {NEARER_M} m or farther than {FARTHER_M} m from the robot's way",
        note=(
            f"The robot walks while you act: {WAY_M} m with each of your first {walk} actions, whatever they are. Then it stands still. "
            f"Distances are along the floor, from the middle of the robot to the middle of the {kind.replace('_', ' ')}."
        ),
        tags={"asked": kind, "lanes": "".join(map(str, lanes)), "waypoints": str(walk)},
        actions=(*CAMERA_ACTIONS, "wait"),
        place=PLACE,
        room=Room(
            bounds_m=WALK_ROOM_LOCAL, kind=numbers.choice(ROOM_KINDS), seed=numbers.randrange(1 << 30), keep_clear_m=WALK_CLEAR_LOCAL
        ),
        free_layout=True,
    )  # fmt: skip


PLACE = Place()


def _say(spots: Sequence[tuple[int, int]]) -> str:
    return " ".join(f"{c}{r}" for c, r in sorted(spots))


def _lanes(numbers: random.Random) -> tuple[int, ...]:
    """The row that the robot passes in each column; not the same one all the way."""
    return numbers.choice([lanes for lanes in itertools.product((0, 1), repeat=3) if len(set(lanes)) > 1])


def _bearing_deg() -> float:
    """Direction from the observer to where the robot sets out, counter-clockwise from straight ahead (robot on the left)."""
    return math.degrees(math.acos(CORRIDOR_M / OBSERVER_M))


def spot_of(column: int, row: int) -> tuple[float, float]:
    """A hiding place."""
    return COLUMNS_M[column], CORRIDOR_M + (SPOT_M if row else -SPOT_M)


def _before(at: tuple[float, float]) -> tuple[float, float]:
    """Middle of the screen that hides a thing: before it, on the observer's line of sight."""
    y = at[1] - BEHIND_M - SCREEN_M[1] / 2
    return at[0] * y / at[1], y


def corners(lanes: Sequence[int], side: int) -> list[tuple[float, float]]:
    """The robot's way as straight pieces, a whole number of steps long.

    Args:
        lanes: the row it passes in each column, from left to right.
        side: 1: it sets out on the observer's left; −1: on the right.
    """
    end = math.sqrt(OBSERVER_M**2 - CORRIDOR_M**2)
    inner = [(x, CORRIDOR_M + (LANE_M if lane else -LANE_M)) for x, lane in zip(COLUMNS_M, lanes, strict=True)]
    way = [(-side * end, CORRIDOR_M), *inner[::side]]
    last = side * end, CORRIDOR_M
    length = sum(math.dist(a, b) for a, b in itertools.pairwise([*way, last]))
    steps = math.ceil(length / WAY_M)
    if steps < MIN_WAYPOINTS:
        raise Rejected("the robot's way has too few waypoints")
    return [*way, (last[0] + side * (WAY_M * steps - length), last[1])]


def along(way: Sequence[tuple[float, float]], gone_m: float) -> tuple[float, float]:
    """The point of a way after so many metres."""
    for (x0, y0), (x1, y1) in itertools.pairwise(way):
        piece = math.dist((x0, y0), (x1, y1))
        if gone_m <= piece or (x1, y1) == way[-1]:
            return round(x0 + (x1 - x0) * gone_m / piece, 4), round(y0 + (y1 - y0) * gone_m / piece, 4)
        gone_m -= piece
    raise ValueError("a way needs two points")


def waypoints(way: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Where the robot is after 0, 1, 2 … actions."""
    length = sum(math.dist(a, b) for a, b in itertools.pairwise(way))
    return [along(way, WAY_M * n) for n in range(math.floor(length / WAY_M + 0.1) + 1)]


def with_corners(way: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Waypoints and corners in the order in which they are passed."""
    marks = [0.0, *itertools.accumulate(math.dist(a, b) for a, b in itertools.pairwise(way))]
    stops = [WAY_M * n for n in range(1, len(waypoints(way)))]
    # A little short of the last one, so that rounding leaves no rest for one more step.
    stops[-1] -= 0.001
    return [along(way, m) for m in sorted({*(m for m in marks if m < stops[-1]), *stops})]


def _tour(side: int) -> tuple[str, ...]:
    """Turn to the corridor, rise, go on while the robot walks, and look behind the screens of the front row, then of the back row."""
    # The turns lead a little too far round: one step back to the middle.
    turn, back = ("turn_right", "move_left") if side > 0 else ("turn_left", "move_right")
    return (
        *(turn,) * 2, *("move_up",) * 2, "turn_down", *("move_up",) * 2, *("move_forward",) * 8, back, *("turn_down",) * 2,
        *("move_forward",) * 10,
    )  # fmt: skip


FRONT_ROW_STEP = 18
"""Step of `_tour` at which the front row is seen from above; the back row is at the end."""


def _shown(walk: int) -> tuple[Evidence, ...]:
    """The robot at every step of its walk, and every hidden thing, not at first but later."""
    spots = list(itertools.product(range(3), (0, 1)))
    return (
        *(Evidence(kind="seen", step=n, handle="robot", low=ROBOT_PIXELS) for n in range(walk + 1)),
        *(Evidence(kind="unseen", step=0, handle=f"hidden_{c}{r}") for c, r in spots),
        *(Evidence(kind="seen", step=FRONT_ROW_STEP if r == 0 else -1, handle=f"hidden_{c}{r}", low=CLEAR_PIXELS) for c, r in spots),
        Evidence(kind="flag", step=-1, handle="robot", name="arrived"),
    )


def _how_many_passed(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> str:
    return f"How many {several(ask.category)} did the {names[ask.against]} pass at a distance of less than {NEAR_M:g} m on its walk?"


def judge_passing(playing: Playing) -> Answer:
    """Things of the kind asked for whose middle comes within 1 m of the way that the robot really went."""
    handle = playing.ask.against
    places = [playing.object(handle, state).pose.position_m[:2] for state in playing.states()]
    way = [p for p, q in zip(places, [None, *places], strict=False) if p != q]
    if len(way) <= MIN_WAYPOINTS or playing.object(handle).flags.get("walking", True):
        return "the robot did not walk its whole way"
    count = 0
    for o in playing.states()[-1].objects:
        if o.handle not in playing.task.essential or o.handle == handle:
            continue
        near = min(off_way_m(o.pose.position_m[:2], a, b) for a, b in itertools.pairwise(way))
        if NEARER_M < near < FARTHER_M:
            return "a thing lies too near the threshold"
        count += near < NEAR_M and o.category == playing.ask.category
    return str(count)


def off_way_m(point: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    """Distance of a point from a straight piece of a way."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    share = ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / max(dx * dx + dy * dy, 1e-12)
    share = min(1.0, max(0.0, share))
    return math.dist(point, (a[0] + share * dx, a[1] + share * dy))


CHANGE = Generator(
    "change",
    CATEGORY,
    "Unobserved Change",
    change,
    "what the places hold at the two visits",
    {"changed": CHANGED, "which_changed": WHICH, "what_changed": HAPPENED_THERE},
    cycle=1,
    judge=judge_change,
    walk=False,
    layouts=LAYOUTS,
    version="4",
    tells="Things of different kinds, each 150 pixels or more where one looks, or nothing at all; 60 pixels are enough to know a small "
    "thing in a lossless picture (`ENOUGH_PIXELS`). Both visits are seen from the same start.",
    beyond="Changes of place or attitude; changes while somebody looks; more than two visits, or minutes between them.",
)
# Unordered views show no walk.
PASSING = Generator(
    "passing",
    CATEGORY,
    "Agent Observation",
    passing,
    "distance of every thing from the robot's way",
    {"passed": _how_many_passed},
    cycle=len(COUNTS),
    judge=judge_passing,
    walk=False,
)
GENERATORS = (CHANGE, PASSING)
