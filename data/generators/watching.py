"""Own tasks of Agent Observation: what a walking robot passes closely.

A robot goes along a way between two rows of places, one waypoint per action of the observer, who stands at a person's height and has the
whole way in view from the start. At some places a screen hides what lies behind it. Twins show the same room to the last pixel at first;
the robot then takes another way through it. Rugs of a told size lie beside the way as a scale. What is near lies within 0.7 m of the
robot's way, all else 1.38 m off it or more, where the question asks for less than 1 m.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence

from data.generators.counting import covered
from data.generators.drawing import Item, wordings
from data.generators.framework import Generator, Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import HERE, Thing
from data.generators.things import BLOCK, SIZES_M, several
from data.task import Answer, Ask, Evidence
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.spec import Room, Vec3

CATEGORY = "Temporal Understanding"
EYE_M = 1.5
"""A standing person's height of eye, seated or short: the way lies in view as a whole."""
PITCH_DEG = -15.0
NEAR_M = 1.0
"""What the question calls passing."""
NEARER_M, FARTHER_M = 0.70, 1.38
"""Nothing lies between these distances from the robot's way. Seen in depth, 1.38 m look like 1.04 m to whom a quarter of it is lost."""
JUDGED_M = (0.90, 1.15)
"""Between these the judge decides nothing; tasks of version 5 had things up to 0.8 m and from 1.25 m on."""
STEP_M = 0.7
"""From one waypoint to the next: the robot's way with every action."""
MIN_WAYPOINTS = 10
MIDDLE_M = 4.8
"""Distance of the middle of the way from the observer."""
COLUMNS_M = (-2.25, -0.75, 0.75, 2.25)
END_M = 3.0
"""Where the way begins and ends, along it from its middle."""
IN_VIEW = 0.74
"""What stands no farther to the side than this share of its distance ahead is in the start view, up to the robot's head."""
LANE_M = 0.6
"""The robot goes that far to the one side or the other of the middle line."""
PLACES_M = (1.22, 1.28)
"""Things lie between these distances from the middle line, on either side."""
BENDS_DEG: dict[str, tuple[float, float]] = {
    "straight": (0.0, 0.0),
    "slanted": (8.0, 8.0),
    "bent away": (8.0, -8.0),
    "bent towards": (-7.0, 7.0),
}
"""Layout → headings of the left and the right half of the middle line, counter-clockwise."""
SCREENS = (BLOCK, "cedar_chest", "cooler")
SCREEN_M: Vec3 = (0.62, 0.20, 0.44)
"""Extents of what hides a thing."""
BEHIND_M = 0.36
"""From the back of a screen to the middle of the thing behind it: far enough to be seen over it from `_tour`'s end, and hidden at first."""
SCREENED = 3
"""Places with a screen, all in the near row: in the far one a screen would stand in the robot's way."""
RUG = "rug"
RUGS = (1, 2)
"""Columns with a rug: at the outer ones the robot sets out and stops."""
RUG_M: Vec3 = (1.0, 1.0, 0.012)
PASSED: dict[str, Vec3] = {
    "bowl": SIZES_M["bowl"],
    "bucket": SIZES_M["bucket"],
    "mug": SIZES_M["mug"],
    "plant_pot": SIZES_M["plant_pot"],
    "soccer_ball": SIZES_M["soccer_ball"],
    "teapot": SIZES_M["teapot"],
    "toilet_paper": (0.109, 0.108, 0.100),
    "trophy": (0.236, 0.150, 0.240),
    "vase": (0.144, 0.144, 0.260),
}
"""What lies about, at its true size (a test compares with the catalogue)."""
ASKED = ("soccer_ball", "teapot", "plant_pot", "trophy")
"""Large enough to be named from where the observer stands; a bowl is too flat."""
COUNTS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
"""Golds of the twins of two items in a row: each of the four comes once."""
TALLEST_HIDDEN_M = 0.235
ROOM_KINDS = ("childs_room", "dining_room", "lab", "library", "living_room", "meeting_room", "office", "workshop")
ROOM_LOCAL = (-3.9, -1.2, 3.9, 7.2)
CLEAR_LOCAL = (-3.4, -0.6, 3.4, 6.6)
ROBOT_PIXELS = 500
"""The robot is seen at least that large at every step of its walk."""
CLEAR_PIXELS = 150
"""What is asked for is seen at least that large (of 640 × 480)."""
RISE, NEARER, TILT = 4, 7, 2
"""Actions of the proof: up, ahead and tilted down, beside waiting for the robot."""

Spot = tuple[int, int]
"""(column, row); row 0 is the near one."""
Point = tuple[float, float]


def passing(numbers: random.Random, item: Item) -> Pair:
    """Eight places in two rows; in each twin the robot takes another way between them."""
    for _ in range(50):
        try:
            return _passing(numbers, item)
        except Rejected:
            continue
    raise Rejected("no way that keeps its distances")


def _passing(numbers: random.Random, item: Item) -> Pair:
    layout, side, kind = item.layout, numbers.choice((-1, 1)), item.dealt("kind", ASKED)
    counts = COUNTS[item.turn("counts", len(COUNTS), 2)][item.turn("half", 2)]
    spots = list(itertools.product(range(len(COLUMNS_M)), (0, 1)))
    targets, lanes = _choice(numbers, counts)
    screened = set(numbers.sample([s for s in spots if s[1] == 0], SCREENED))
    others = [k for k in sorted(PASSED) if k != kind]
    if any(s in screened for s in targets) and PASSED[kind][2] > TALLEST_HIDDEN_M + 0.01:
        raise Rejected("too tall to be hidden")
    low = [k for k in others if PASSED[k][2] <= TALLEST_HIDDEN_M]
    holds = {s: kind if s in targets else numbers.choice(low if s in screened else others) for s in spots}
    at = {s: along(layout, COLUMNS_M[s[0]] + numbers.uniform(-0.04, 0.04), (2 * s[1] - 1) * numbers.uniform(*PLACES_M)) for s in spots}
    ways = [corners(layout, lane, side) for lane in lanes]
    walk = {len(waypoints(way)) - 1 for way in ways}
    if len(walk) != 1:
        raise Rejected("one twin's way is longer than the other's")
    if any(abs(x) > IN_VIEW * y for way in ways for x, y in way):
        raise Rejected("the way leads out of the start view")
    (steps,) = walk
    things: list[Thing] = []
    for s in spots:
        # Handles and spouts are seen from the side.
        yaw = round(numbers.choice((0.0, 180.0)) + numbers.uniform(-20, 20), 1)
        things.append(Thing(f"thing_{s[0]}{s[1]}", holds[s], at[s], PASSED[holds[s]], yaw_deg=yaw))
        if s in screened:
            things.append(_screen(s, at[s], numbers.choice(SCREENS)))
            if not covered(things[-2], things[-1], 0.98, EYE_M):
                raise Rejected("a screen is too small to hide what is behind it")
    for i, column in enumerate(RUGS):
        xy = along(layout, COLUMNS_M[column], 0.0)
        things.append(Thing(f"rug_{i}", RUG, xy, RUG_M, yaw_deg=heading_deg(layout, COLUMNS_M[column]), essential=False))

    def half(which: int) -> Half:
        way = ways[which]
        for s in spots:
            off = off_ways_m(at[s], way)
            if NEARER_M < off < FARTHER_M:
                raise Rejected("a thing lies too near the threshold")
            if (off <= NEARER_M) != (lanes[which][s[0]] == s[1]):
                raise Rejected("the way passes another place than it should")
        # The front of the robot looks along local −y when it is not turned: towards the observer.
        path = {"path": [list(p) for p in with_corners(way)[1:]], "step_m": STEP_M}
        robot = Thing("robot", "robot", way[0], words="robot", params=path)
        return Half(
            (*things, robot), str(counts[which]), evidence=_shown(steps, holds, screened, kind), tags={"lanes": _digits(lanes[which])}
        )

    return Pair(
        ask=Ask(what="passed", category=kind, against="robot"),
        form="count",
        options=("0", "1", "2", "3"),
        halves=(half(0), half(1)),
        camera_z_m=EYE_M,
        start=HERE.camera(0.0, 0.0, EYE_M, pitch_deg=PITCH_DEG),
        path=_tour(steps),
        margin=f"every thing is nearer than {NEARER_M} m or farther than {FARTHER_M} m from the robot's way",
        note=(
            f"The robot walks while you act: {STEP_M} m with each of your first {steps} actions, whatever they are, also while you look "
            "for a better view. Its whole way lies in your first view, and in the end it stands still. Something that is asked about may "
            f"stand behind something else; none is nearly 1 m off, but nearer than {NEARER_M} m or farther than {FARTHER_M} m. "
            f"Distances are along the floor, from the middle of the robot to the middle of the {kind.replace('_', ' ')}. "
            "Each of the two rugs is 1 m long and 1 m wide."
        ),
        tags={"asked": kind, "waypoints": str(steps), "kept": str(len(targets))},
        actions=(*CAMERA_ACTIONS, "wait"),
        place=HERE,
        room=Room(
            bounds_m=ROOM_LOCAL,
            kind=numbers.choice(ROOM_KINDS),
            seed=numbers.randrange(1 << 30),
            keep_clear_m=CLEAR_LOCAL,
            arrangement="lived_in",
        ),
        first_view=0.0,
        free_layout=True,
    )


def _choice(numbers: random.Random, counts: tuple[int, int]) -> tuple[set[Spot], tuple[tuple[int, ...], tuple[int, ...]]]:
    """Places of the kind asked for, and the row that the robot passes in each column, for two twins with these counts."""
    columns = range(len(COLUMNS_M))
    for _ in range(200):
        targets = set(numbers.sample(list(itertools.product(columns, (0, 1))), numbers.choice((3, 4))))
        lanes: dict[int, list[tuple[int, ...]]] = {0: [], 1: []}
        for way in itertools.product((0, 1), repeat=len(COLUMNS_M)):
            passed = sum((c, lane) in targets for c, lane in enumerate(way))
            for which in (0, 1):
                if passed == counts[which] and len(set(way)) > 1:
                    lanes[which].append(way)
        # As many crossings in both, so that the walks are equally long, and the same beginning, so that they start alike.
        both = [(a, b) for a in lanes[0] for b in lanes[1] if _crossings(a) == _crossings(b)]
        if both:
            return targets, numbers.choice(both)
    raise Rejected("no ways with these counts")


def _crossings(lanes: Sequence[int]) -> int:
    return sum(a != b for a, b in itertools.pairwise(lanes))


def _digits(values: Sequence[int]) -> str:
    return "".join(map(str, values))


def heading_deg(layout: str, s: float) -> float:
    """Direction of the middle line, counter-clockwise from +x."""
    return BENDS_DEG[layout][s > 0]


def along(layout: str, s: float, t: float) -> Point:
    """The point `s` metres along the middle line from its middle, `t` to its left (away from the observer)."""
    a = math.radians(heading_deg(layout, s))
    return round(s * math.cos(a) - t * math.sin(a), 4), round(MIDDLE_M + s * math.sin(a) + t * math.cos(a), 4)


def _screen(spot: Spot, at: Point, category: str) -> Thing:
    """Before a thing, on the observer's line of sight."""
    y = at[1] - BEHIND_M - SCREEN_M[1] / 2
    return Thing(f"screen_{spot[0]}{spot[1]}", category, (at[0] * y / at[1], y), SCREEN_M, essential=False)


def corners(layout: str, lanes: Sequence[int], side: int) -> list[Point]:
    """The robot's way as straight pieces, a whole number of steps long.

    Args:
        lanes: the row it passes in each column, from left to right.
        side: 1: it sets out on the observer's left; −1: on the right.
    """
    inner = [along(layout, s, LANE_M if lane else -LANE_M) for s, lane in zip(COLUMNS_M, lanes, strict=True)]
    way = [along(layout, -side * END_M, 0.0), *inner[::side], along(layout, side * END_M, 0.0)]
    length = sum(math.dist(a, b) for a, b in itertools.pairwise(way))
    steps = math.ceil(length / STEP_M)
    if steps < MIN_WAYPOINTS:
        raise Rejected("the robot's way has too few waypoints")
    (x0, y0), (x1, y1) = way[-2:]
    more = 1 + (STEP_M * steps - length) / math.dist(way[-2], way[-1])
    return [*way[:-1], (x0 + (x1 - x0) * more, y0 + (y1 - y0) * more)]


def point_after(way: Sequence[Point], gone_m: float) -> Point:
    """The point of a way after so many metres."""
    for (x0, y0), (x1, y1) in itertools.pairwise(way):
        piece = math.dist((x0, y0), (x1, y1))
        if gone_m <= piece or (x1, y1) == way[-1]:
            return round(x0 + (x1 - x0) * gone_m / piece, 4), round(y0 + (y1 - y0) * gone_m / piece, 4)
        gone_m -= piece
    raise ValueError("a way needs two points")


def waypoints(way: Sequence[Point]) -> list[Point]:
    """Where the robot is after 0, 1, 2 … actions."""
    length = sum(math.dist(a, b) for a, b in itertools.pairwise(way))
    return [point_after(way, STEP_M * n) for n in range(math.floor(length / STEP_M + 0.1) + 1)]


def with_corners(way: Sequence[Point]) -> list[Point]:
    """Waypoints and corners in the order in which they are passed."""
    marks = [0.0, *itertools.accumulate(math.dist(a, b) for a, b in itertools.pairwise(way))]
    stops = [STEP_M * n for n in range(1, len(waypoints(way)))]
    # A little short of the last one, so that rounding leaves no rest for one more step.
    stops[-1] -= 0.001
    return [point_after(way, m) for m in sorted({*(m for m in marks if m < stops[-1]), *stops})]


def off_way_m(point: Point, a: Point, b: Point) -> float:
    """Distance of a point from a straight piece of a way."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    share = ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / max(dx * dx + dy * dy, 1e-12)
    share = min(1.0, max(0.0, share))
    return math.dist(point, (a[0] + share * dx, a[1] + share * dy))


def off_ways_m(point: Point, way: Sequence[Point]) -> float:
    """Distance of a point from a way."""
    return min(off_way_m(point, a, b) for a, b in itertools.pairwise(way))


def _tour(walk: int) -> tuple[str, ...]:
    """Rise and wait while the robot walks, all of its way in view; then go nearer and look behind the screens."""
    return ("move_up",) * RISE + ("wait",) * (walk - RISE) + ("move_forward",) * NEARER + ("turn_down",) * TILT


def _shown(walk: int, holds: Mapping[Spot, str], screened: set[Spot], kind: str) -> tuple[Evidence, ...]:
    """The robot at every step of its walk; what is behind a screen, not at first but at the end; the rest at the end."""
    return (
        *(Evidence(kind="seen", step=n, handle="robot", low=ROBOT_PIXELS) for n in range(walk + 1)),
        *(Evidence(kind="unseen", step=0, handle=f"thing_{c}{r}") for c, r in sorted(screened)),
        *(
            Evidence(kind="seen", step=-1, handle=f"thing_{c}{r}", low=CLEAR_PIXELS if held == kind else None)
            for (c, r), held in holds.items()
        ),
        Evidence(kind="flag", step=-1, handle="robot", name="arrived"),
    )


PASSES = wordings(
    lambda ask, names, options: {"things": several(ask.category), "robot": names[ask.against], "near": f"{NEAR_M:g} m"},
    "How many {things} did the {robot} pass at a distance of less than {near} on its walk?",
    "On its walk, to how many {things} did the {robot} come closer than {near}?",
    "How many {things} were less than {near} from the {robot} at some moment of its walk?",
)


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
        near = off_ways_m(o.pose.position_m[:2], way)
        # The way between two states is taken for straight, which cuts corners.
        if JUDGED_M[0] < near < JUDGED_M[1]:
            return "a thing lies too near the threshold"
        count += near < NEAR_M and o.category == playing.ask.category
    return str(count)


# Unordered views show no walk.
PASSING = Generator(
    "passing", CATEGORY, "Agent Observation", passing, "distance of every thing from the robot's way", {"passed": PASSES},
    judge=judge_passing, walk=False, layouts=tuple(BENDS_DEG), version="7",
    tells="Every thing is nearer to the robot's way than 0.7 m or farther than 1.38 m, almost twice as far; asked is less than 1 m. People "
    "judge how far away something is in proportion up to 20 m, but shorten what runs in depth against what runs across (J. M. Loomis, "
    "Psychology & Neuroscience 7, 2014, 245-251): whoever loses a quarter of 1.38 m still sees more than a metre, and two square rugs of a "
    "told size show what a metre is in both directions.",
    beyond="Why the robot goes where it goes, and what it sees. It never stops, turns back or hides behind something.",
)  # fmt: skip
GENERATORS = (PASSING,)
