"""Own tasks of Illumination Variability: how many things of a kind stand in a dark room of which one lamp shows one part and, later,
another lamp another part.

The room is the same in both parts; in each, one of two floor lamps is lit, and what it does not shine on is black. Some things stand in
the light of the first lamp, some in that of the second, some in both, which are the same things twice: what is seen in the two lights is
put together and not added up. Twins differ by one thing in the light of the second lamp alone, so that all that can be seen in the first
part is the same in both, picture by picture.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np

from data.generators.counting import CATEGORY, COUNT, EYE_M, OPTIONS, PITCH_DEG, SHUT, SIZES_M, behind, covered
from data.generators.drawing import Item
from data.generators.framework import ENOUGH_PIXELS, Generator, Half, Pair, Rejected
from data.generators.lab import Playing, Step
from data.generators.layout import Thing, footprint, path_poses
from data.generators.things import BLOCK
from data.task import Answer, Ask, Evidence
from sim_bridge.kinematics import looking, rotation_matrix
from sim_bridge.rotations import yaw_of
from sim_bridge.spec import Camera, ObjectState, Pose, Vec3

LAMP = "floor_lamp"
LAMP_M: Vec3 = (0.44, 0.44, 1.64)
ASIDE_M = 0.14
"""A lamp's cone of light stands that far beside its pole (a test compares with the simulator's)."""
LIGHT_M = 1.33
"""Height at which it begins."""
LIT_M = 0.85
"""What stands no farther from the middle of a lamp's round of light is lit up to its top: the round's radius is 1.0 m at the floor and
0.9 m at a height of 15 cm (a test measures it)."""
DARK_M = 1.12
"""What stands at least this far from it is in the dark."""
LAYOUTS: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "side by side": ((-0.70, 1.80), (0.70, 1.80)),
    "one behind the other": ((-0.50, 1.18), (0.32, 2.32)),
    "across": ((-0.62, 1.40), (0.58, 2.22)),
}
"""Where the two lamps' rounds have their middles; mirrored, and in either order, by the item's random numbers."""
KINDS = (
    "apple", "bowl", "can", "lemon", "mug", "orange", "potato", "tennis_ball", "toilet_paper", "toy_car",
)  # fmt: skip
"""Light enough for lamplight."""
ROUND = {"apple", "lemon", "orange", "potato", "tennis_ball"}
"""Never together: in warm light they look alike from afar."""
PHASES = ("phase_1", "phase_2")
LOOK = ("move_up",) * 1 + ("move_forward",) * 5 + ("turn_down",) * 2
"""From the start to a view over what stands in the middle of the room and behind it; the start view shows the rest."""
LOOKING = path_poses(looking(0.0, 0.0, EYE_M, pitch_deg=PITCH_DEG), LOOK)[-1]
"""The camera there, in the layout's frame."""
SHADE_FREE_M = 0.5
"""A lamp whose pole is this far from there has its shade above the view."""
SECOND = len(LOOK) + 1
"""Step at which the second part begins."""
ROUND_M, SLOPE = 1.0, math.tan(math.radians(38.0))
"""Radius of a lamp's round of light at the floor, and by how much it is narrower for every metre of height."""
EDGE_M = 0.04
"""No box stands nearer to the edge of a round: light is computed per corner of a surface, and an edge on a box would have teeth."""
FAR_M = 1.70
"""What stands this far or farther from the start is looked at from the end of `LOOK` if that shows it."""
APART_M = 0.24
"""Middles of things are at least this far apart."""
LAMP_FREE_M = 0.34
"""And from the two lamps' poles."""
FREE = ((-1.30, 1.30), (0.92, 2.70))
"""Bounds of x and y of what is counted."""
NOTE = (
    "There are two parts. The room is dark, and in each part another lamp is lit; the things stay where they are. "
    "Part 2 begins where part 1 began, and you cannot go back to part 1. What you count stands on the floor in the part of the room that "
    f"you face when you start, in view or hidden there. {SHUT}"
)


def lit(numbers: random.Random, item: Item) -> Pair:
    """Things in the rounds of two lamps, one lit after the other; a box in each round hides one."""
    kind = item.dealt("kind", KINDS)
    other = numbers.choice([k for k in KINDS if k != kind and not {k, kind} <= ROUND])
    mirror = numbers.choice((-1, 1))
    rounds = [(mirror * x + numbers.uniform(-0.04, 0.04), y + numbers.uniform(-0.04, 0.04)) for x, y in LAYOUTS[item.layout]]
    numbers.shuffle(rounds)
    lamps = [_lamp(f"lamp_{i}", middle, numbers.choice((0.0, 90.0, 180.0, 270.0)), i == 0) for i, middle in enumerate(rounds)]
    if any(math.dist(lamp.xy, LOOKING.position_m[:2]) < SHADE_FREE_M for lamp in lamps):
        raise Rejected("a lamp's shade stands in the way")
    boxes, spots = _boxes(numbers, rounds, (kind, other))
    taken: list[tuple[float, float]] = [*(t.xy for t in (*lamps, *boxes)), *spots]
    only_first = [spots[0], *_places(numbers, rounds, (True, False), 3, taken, boxes)]
    both = _places(numbers, rounds, (True, True), 2, taken, boxes)
    only_second = [spots[1], *_places(numbers, rounds, (False, True), 4, taken, boxes)]
    rank = 2 * item.turn("rank", 2)
    more = numbers.randrange(2)  # of the kind, beyond what the options rule out
    second_few = rank + more
    shared = numbers.randrange(1, 3)
    shown = shared + numbers.randrange(1, 3)
    few = shown + second_few
    places = [*numbers.sample(only_first, 4), *both, *only_second]
    yaws = [numbers.choice((0.0, 90.0, 180.0, 270.0)) for _ in places]
    first = set(range(shown - shared)) | {4 + i for i in range(shared)}
    order = [6 + i for i in numbers.sample(range(5), 5)]

    def half(in_second: int) -> Half:
        wanted = first | set(order[:in_second])
        things = [
            Thing(f"thing_{i}", kind if i in wanted else other, xy, SIZES_M[kind if i in wanted else other], yaw_deg=yaws[i])
            for i, xy in enumerate(places)
        ]
        evidence = [Evidence(kind="flag", step=s, handle=lamp.key, name="lit", low=float(on)) for s, lamp, on in _lights(lamps)]
        for i, thing in enumerate(things):
            late = SECOND if i >= 6 else 0
            evidence.append(Evidence(kind="seen", step=late + (len(LOOK) if _away(thing.xy, spots) else 0), handle=thing.key))
            if thing.xy in spots:
                evidence.append(Evidence(kind="unseen", step=late, handle=thing.key, high=0))
        return Half((*lamps, *boxes, *things), str(shown + in_second), evidence=tuple(evidence))

    return Pair(
        ask=Ask(what="count", category=kind),
        form="choice",
        options=tuple(str(few - rank + i) for i in range(OPTIONS)),
        halves=(half(second_few), half(second_few + 1)),
        camera_z_m=EYE_M,
        pitch_deg=PITCH_DEG,
        path=LOOK + LOOK,
        phase_path=len(LOOK),
        phases=PHASES,
        lit={PHASES[1]: {"lamp_0": False, "lamp_1": True}},
        margin=f"one more in the second lamp's light alone, {DARK_M} m or more from the middle of the first one's round of 1 m",
        note=NOTE,
        features=("phases", "phase_light"),
        lighting="night",
        first_view=0.0,
        tags={"seen_first": str(shown), "in_both": str(shared)},
    )


def _away(xy: tuple[float, float], hidden: Sequence[tuple[float, float]]) -> bool:
    """Whether a place is looked at from the end of `LOOK` and not from the start."""
    return xy in hidden or (xy[1] >= FAR_M and _in_view(LOOKING, xy))


def _in_view(camera: Pose, xy: tuple[float, float]) -> bool:
    """Whether a small thing on the floor lies well within a picture, at the usual field of view."""
    away = (np.array([*xy, 0.04]) - camera.position_m) @ np.array(rotation_matrix(camera.quaternion_xyzw))
    across = math.tan(math.radians(Camera().hfov_deg) / 2)
    return bool(abs(away[0]) < 0.92 * across * -away[2] and abs(away[1]) < 0.92 * across * 0.75 * -away[2])


def _lights(lamps: Sequence[Thing]) -> list[tuple[int, Thing, bool]]:
    """(step, lamp, whether it is lit then)."""
    return [(s, lamp, i == part) for part, s in enumerate((0, SECOND)) for i, lamp in enumerate(lamps)]


def _lamp(key: str, middle: tuple[float, float], yaw_deg: float, on: bool) -> Thing:
    """A lamp whose round of light has its middle there."""
    yaw = math.radians(yaw_deg)
    xy = (middle[0] - ASIDE_M * math.sin(yaw), middle[1] + ASIDE_M * math.cos(yaw))
    return Thing(key, LAMP, xy, LAMP_M, yaw_deg=yaw_deg, params={"lit": on}, essential=False)


def _boxes(
    numbers: random.Random, rounds: Sequence[tuple[float, float]], kinds: Sequence[str]
) -> tuple[list[Thing], list[tuple[float, float]]]:
    """A box in each round alone and the spot behind it, lit by that lamp and hidden from the start."""
    boxes: list[Thing] = []
    spots: list[tuple[float, float]] = []
    for i, (x, y) in enumerate(rounds):
        other = rounds[1 - i]
        for _ in range(400):
            at = (x + numbers.uniform(-0.6, 0.6), y + numbers.uniform(-0.6, 0.4))
            box = Thing(f"box_{i}", BLOCK, at, (numbers.uniform(0.36, 0.42), 0.20, numbers.uniform(0.28, 0.34)), essential=False)
            spot = behind(box, numbers.uniform(0.14, 0.18), numbers.uniform(-0.03, 0.03))
            if _between((x, y, LIGHT_M), spot, box, 0.05) or not _in_view(LOOKING, spot) or _between(LOOKING.position_m, spot, box):
                continue
            if not (_inside(at) and _inside(spot) and math.dist(spot, (x, y)) <= LIT_M and math.dist(spot, other) >= DARK_M):
                continue
            if not (_lit_whole(box, (x, y)) and _dark_whole(box, other)):
                continue
            if math.dist(at, (x, y)) < 0.35 or any(math.dist(at, b.xy) < 0.7 for b in boxes):
                continue
            if all(covered(Thing("", k, spot, SIZES_M[k], yaw_deg=a), box, 0.96) for k in kinds for a in (0.0, 90.0)):
                boxes.append(box)
                spots.append(spot)
                break
        else:
            raise Rejected("no place for a box that hides something in one light")
    return boxes, spots


def _corners(box: Thing) -> list[tuple[float, float]]:
    (w, d), (x, y) = footprint(box), box.xy
    return [(x + i * w / 2, y + k * d / 2) for i in (-1, 1) for k in (-1, 1)]


def _lit_whole(box: Thing, middle: tuple[float, float]) -> bool:
    """Whether all of a box, up to its top, stands in a lamp's light."""
    return max(math.dist(c, middle) for c in _corners(box)) <= ROUND_M - SLOPE * box.extent_m[2] - EDGE_M


def _dark_whole(box: Thing, middle: tuple[float, float]) -> bool:
    """Whether all of a box, down to the floor, stands outside of a lamp's light."""
    (w, d), (x, y) = footprint(box), box.xy
    away = (max(0.0, abs(middle[0] - x) - w / 2), max(0.0, abs(middle[1] - y) - d / 2))
    return math.hypot(*away) >= ROUND_M + EDGE_M


def _places(
    numbers: random.Random, rounds: Sequence[tuple[float, float]], lights: tuple[bool, bool], count: int,
    taken: list[tuple[float, float]], boxes: Sequence[Thing],
) -> list[tuple[float, float]]:  # fmt: skip
    """Places in the light of exactly those lamps, apart from what is there and behind none of the boxes; they are `taken` afterwards."""
    found: list[tuple[float, float]] = []
    for _ in range(600):
        if len(found) == count:
            return found
        spot = (numbers.uniform(*FREE[0]), numbers.uniform(*FREE[1]))
        away = [math.dist(spot, middle) for middle in rounds]
        if not all(d <= LIT_M if on else d >= DARK_M for d, on in zip(away, lights, strict=True)):
            continue
        if any(math.dist(spot, other) < (APART_M if i >= 2 else LAMP_FREE_M) for i, other in enumerate(taken)):
            continue
        if any(
            _near(spot, box) or any(_between((*m, LIGHT_M), spot, box) for m, on in zip(rounds, lights, strict=True) if on) for box in boxes
        ):
            continue
        found.append(spot)
        taken.append(spot)
    raise Rejected("no place in the light of the right lamps")


def _inside(spot: tuple[float, float]) -> bool:
    return all(low < v < high for v, (low, high) in zip(spot, FREE, strict=True))


def _between(eye: Vec3, spot: tuple[float, float], box: Thing, more_m: float = 0.0) -> bool:
    """Whether a box stands between a point and the top of a small thing on the floor; the box is wider by `more_m` on every side."""
    (w, d), h = footprint(box), box.extent_m[2]
    start, way = np.array(eye), np.array([*spot, 0.07]) - eye
    low = np.array([box.xy[0] - w / 2 - more_m, box.xy[1] - d / 2 - more_m, 0.0])
    high = np.array([box.xy[0] + w / 2 + more_m, box.xy[1] + d / 2 + more_m, h])
    with np.errstate(divide="ignore"):
        ends = np.sort([(low - start) / way, (high - start) / way], axis=0)
    return bool(max(0.0, ends[0].max()) < min(1.0, ends[1].min()))


def _near(spot: tuple[float, float], box: Thing) -> bool:
    """Beside a box, or where it may hide something from the start."""
    w, d = footprint(box)
    y = spot[1] - box.xy[1]
    if abs(y) < d / 2 + 0.15:
        return abs(spot[0] - box.xy[0]) < w / 2 + 0.15
    return 0 < y < 0.75 and abs(spot[0] - box.xy[0] * spot[1] / box.xy[1]) < w / 2 + 0.15


# --- judge ------------------------------------------------------------------------------------------------------------


def judge_lit(playing: Playing) -> Answer:
    """How many things of the kind asked for there are, if each is seen in the light of a lamp that is lit then: at the first or at the
    last step of a part. Another lamp must be lit in each part."""
    begins = [i for i, s in enumerate(playing.steps) if i == 0 or s.action.startswith("phase:")]
    ends = [*(i - 1 for i in begins[1:]), len(playing.steps) - 1]
    shining = [_shining(playing.steps[i]) for i in begins]
    if len(shining) != 2 or not all(shining) or {h for h, _ in shining[0]} & {h for h, _ in shining[1]}:
        return "the light does not change"
    state = playing.last.state
    found = [o for o in (state.objects if state else ()) if o.present and o.category == playing.ask.category]
    for o in found:
        seen = [
            any(playing.steps[i].visible.get(o.handle, 0) >= ENOUGH_PIXELS for i in (begin, end))
            and any(math.dist(o.pose.position_m[:2], middle) <= LIT_M + 0.01 for _, middle in lamps)
            for begin, end, lamps in zip(begins, ends, shining, strict=True)
        ]
        if not any(seen):
            return "not each of them is seen in the light"
    return str(len(found))


def _shining(step: Step) -> list[tuple[str, tuple[float, float]]]:
    """(handle, middle of the round of light) of the lamps that are lit."""
    state = step.state
    return [(o.handle, round_of(o)) for o in (state.objects if state else ()) if o.flags.get("lit")]


def round_of(lamp: ObjectState) -> tuple[float, float]:
    """Middle of a lamp's round of light, from above; world frame, metres."""
    (x, y, _), yaw = lamp.pose.position_m, yaw_of(lamp.pose.quaternion_xyzw)
    return x + ASIDE_M * math.sin(yaw), y - ASIDE_M * math.cos(yaw)


# Unordered views of one part show one light alone.
LIGHTING = Generator(
    "lighting", CATEGORY, "Illumination Variability", lit, "the number of things of the category asked for, seen in the light of two lamps",
    {"count": COUNT}, judge=judge_lit, walk=False, layouts=tuple(LAYOUTS), version="6",
    tells="What decides stands well inside the second lamp's round of light and well outside the first one's, where the picture is black, "
    "to the last pixel: no screen and no eye tells the twins apart in the first light.",
    beyond="How people see in faint light: a thing is lit or it is black. Shadows on things and coloured light are not varied.",
)  # fmt: skip
GENERATORS = (LIGHTING,)
