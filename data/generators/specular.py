"""Own tasks of Specular Reflection: is it seen in the mirror, which of two reflected things is nearer, which of three is mirrored.

Local frame as everywhere: the camera at floor level over (0, 0) looks along +y at a standing mirror about two metres away, turned by up to
30°. Things stand at least a metre from the mirror. A mirror image lies on the line of sight to the thing's reflection behind the
mirror's plane; sliding an image along that line (and scaling the thing) leaves the picture in the mirror as it is.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

from data.generators.drawing import Item, named, wordings
from data.generators.framework import BUDGET, Generator, Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import Place, Thing
from data.generators.stages import OTHERS
from data.generators.things import BLOCK, SIZES_M, several, thing
from data.task import Answer, Ask, Evidence
from sim_bridge.actions import TURN_STEP_DEG
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import Camera, ObjectState, Room

XY = tuple[float, float]

EYE_M = 0.01
"""On the floor, what stands farther back does not stand higher in the picture."""
LIP_M = (0.5, 0.024)
"""Distance and height of a low bar that hides every foot and the mirror's lower edge: they would tell what stands before the mirror."""
HFOV_DEG = 75.0
NEARER_HFOV_DEG = 60.0
"""Narrower where things are far behind the viewer: they look small in the mirror."""
DISTANCE_M = 2.0
"""Camera to mirror."""
AWAY_M = 1.0
"""Least distance of a thing from the mirror's plane."""
MAX_YAW_DEG = 28.0
THICK_M = 0.04
EDGE_DEG = 4.0
"""An image keeps this angle from the mirror's edges, inside or outside."""
WHICH_WIDTH_M = 0.42
WHICH_EDGE_DEG = 2.5
"""The same for a thing before a narrow mirror."""
NEARER_M = 0.35
"""Least difference of two things' distances from the camera."""
ROOM = (-2.6, -3.6, 2.6, 2.9)
CLEAR = (-2.2, -3.2, 2.2, 2.4)
EXTENT_M = (0.04, 0.40)
"""Least and greatest largest extent of a thing: a radius of 0.02 to 0.20 m."""
KINDS = (
    "basketball", "bucket", "gift_box", "globe", "goblet", "hourglass", "jug", "kettle", "lantern", "mug", "pineapple", "plant_pot",
    "pumpkin", "snow_globe", "soccer_ball", "teapot", "trophy", "vase", "volleyball",
)  # fmt: skip
"""None so flat that it would vanish behind the bar, none so pale and thin that little of it would be seen in the mirror."""
AMONG = "among other things"


class Glass:
    """A mirror in the local frame: middle, yaw and width; its front looks towards the camera."""

    def __init__(self, middle: XY, yaw_deg: float, width_m: float) -> None:
        self.middle, self.yaw_deg, self.width_m = middle, yaw_deg, width_m
        a = math.radians(yaw_deg)
        self.normal = (math.sin(a), -math.cos(a))
        self.along = (math.cos(a), math.sin(a))

    def depth(self, p: XY) -> float:
        """Distance in front of the reflecting plane."""
        return (p[0] - self.middle[0]) * self.normal[0] + (p[1] - self.middle[1]) * self.normal[1]

    def image(self, p: XY) -> XY:
        """The point mirrored in the plane; its own inverse."""
        d = 2 * self.depth(p)
        return p[0] - d * self.normal[0], p[1] - d * self.normal[1]

    def distance(self, p: XY) -> float:
        """Distance of a point from the glass."""
        aside = (p[0] - self.middle[0]) * self.along[0] + (p[1] - self.middle[1]) * self.along[1]
        return math.hypot(self.depth(p), max(0.0, abs(aside) - self.width_m / 2))

    def edges_deg(self) -> tuple[float, float]:
        """Bearings of the mirror's left and right edges from the camera."""
        ends = [
            bearing_deg((self.middle[0] + s * self.along[0] * self.width_m / 2, self.middle[1] + s * self.along[1] * self.width_m / 2))
            for s in (-1, 1)
        ]
        return min(ends), max(ends)

    def shows(self, p: XY, margin_deg: float = 0.0) -> bool:
        """Whether the camera at the origin sees the image of `p` between the mirror's edges."""
        left, right = self.edges_deg()
        return self.depth(p) > 0 and left + margin_deg < bearing_deg(self.image(p)) < right - margin_deg

    def hit(self, p: XY) -> XY:
        """Where the line from the camera to the image of `p` meets the plane."""
        (x, y), eye_m, p_m = self.image(p), self.depth((0.0, 0.0)), self.depth(p)
        return x * eye_m / (eye_m + p_m), y * eye_m / (eye_m + p_m)

    def thing(self, height_m: float) -> Thing:
        return Thing(
            "mirror", "mirror", self.middle, (self.width_m, THICK_M, height_m), yaw_deg=self.yaw_deg, words="mirror", essential=False
        )


def bearing_deg(p: XY) -> float:
    """Angle to the right of the view axis, degrees."""
    return math.degrees(math.atan2(p[0], p[1]))


def on_ray(p: XY, distance: float) -> XY:
    """The point at `distance` in the direction of `p`."""
    r = math.hypot(*p)
    return p[0] * distance / r, p[1] * distance / r


def in_room(p: XY, radius: float = 0.3) -> bool:
    return CLEAR[0] + radius < p[0] < CLEAR[2] - radius and CLEAR[1] + radius < p[1] < CLEAR[3] - radius


def standing(key: str, kind: str, xy: XY, extent_m: float, words: str, yaw_deg: float = 0.0) -> Thing:
    """A thing of the table with the given largest extent.

    Raises:
        Rejected: it is too small or too large.
    """
    if not EXTENT_M[0] <= extent_m <= EXTENT_M[1]:
        raise Rejected("a thing would be too small or too large")
    return Thing(key, kind, xy, SIZES_M[kind], scale=extent_m / max(SIZES_M[kind]), yaw_deg=yaw_deg, words=words)


def _lip() -> Thing:
    return Thing("lip", BLOCK, (0.0, LIP_M[0]), (1.1, 0.10, LIP_M[1]), essential=False)


BESIDE_M = 0.12
"""What stands beside the mirror keeps this distance from every line of sight that matters."""


def _besides(numbers: random.Random, item: Item, glass: Glass, spots: Sequence[XY], kind: str) -> tuple[Thing, ...]:
    """Other things on both sides of the mirror, of other kinds; none comes near a line of sight to a spot, direct or by the mirror.

    Raises:
        Rejected: there is no room for them.
    """
    if item.layout != AMONG:
        return ()
    lines = [((0.0, 0.0), p) for p in spots]
    lines += [(end, glass.hit(p)) for p in spots if glass.depth(p) > 0 for end in ((0.0, 0.0), p)]
    found: list[Thing] = []
    for other in numbers.sample([k for k in OTHERS if k != kind and max(SIZES_M[k]) > 0.09], numbers.randrange(3, 6)):
        for _ in range(60):
            xy = (numbers.choice((-1, 1)) * numbers.uniform(0.55, 1.75), numbers.uniform(1.15, 2.2))
            one = thing(f"beside_{len(found)}", other, xy, words="", essential=False, yaw_deg=numbers.uniform(0, 360), scale=1.4)
            wide = math.hypot(*one.extent_m[:2]) / 2
            if (
                in_room(xy)
                and glass.distance(xy) > wide + 0.1
                and all(_from_segment(xy, *line) > wide + BESIDE_M for line in lines)
                and all(math.dist(xy, p) > wide + 0.35 for p in spots)
                and all(math.dist(xy, t.xy) > wide + math.hypot(*t.extent_m[:2]) / 2 for t in found)
            ):
                found.append(one)
                break
        else:
            raise Rejected("no room for what stands besides")
    return tuple(found)


def _from_segment(p: XY, a: XY, b: XY) -> float:
    """Distance of a point from the segment a–b."""
    (x, y), length2 = (b[0] - a[0], b[1] - a[1]), math.dist(a, b) ** 2
    t = max(0.0, min(1.0, ((p[0] - a[0]) * x + (p[1] - a[1]) * y) / length2))
    return math.dist(p, (a[0] + t * x, a[1] + t * y))


def _place(numbers: random.Random) -> Place:
    return Place(90.0 * numbers.randrange(4), (round(numbers.uniform(-1, 1), 3), round(numbers.uniform(-1, 1), 3)))


def _room(numbers: random.Random, place: Place) -> Room:
    kind = numbers.choice(("living_room", "bedroom", "dining_room", "office"))
    return Room(bounds_m=place.box(ROOM), kind=kind, seed=numbers.randrange(1 << 30), keep_clear_m=place.box(CLEAR))


def _turns(p: XY) -> tuple[str, ...]:
    """Turns that bring a point to the middle of the view."""
    n = round(bearing_deg(p) / TURN_STEP_DEG)
    return ("turn_right",) * n if n >= 0 else ("turn_left",) * -n


# --- through the mirror? ----------------------------------------------------------------------------------------------


SEEN = 0.5
"""Share of a thing's height that is seen over the bar."""
TRIES = 30
"""Mirrors and places tried per draft."""


UPRIGHT = tuple(k for k in KINDS if SIZES_M[k][2] >= 0.75 * max(SIZES_M[k]))
"""High enough to be known by their upper half."""
THROUGH_WIDTH_M = {"a wide mirror": 1.4, "a narrow mirror": 0.95, AMONG: 1.15}
"""Layout → width of the mirror."""


def through(numbers: random.Random, item: Item) -> Pair:
    """A thing outside the view whose image is in the mirror; in the twin it stands before the mirror, on the same line of sight."""
    kind = item.dealt("kind", UPRIGHT)
    for last in (*(False,) * (TRIES - 1), True):
        try:
            glass, real, before = _two_places(numbers, THROUGH_WIDTH_M[item.layout])
            break
        except Rejected:
            if last:
                raise
    factor = math.hypot(*before) / math.hypot(*glass.image(real))
    extent = numbers.uniform(0.33, 0.39)
    words = kind.replace("_", " ")
    height, lip = extent * factor * SIZES_M[kind][2] / max(SIZES_M[kind]), EYE_M + (LIP_M[1] - EYE_M) * math.hypot(*before) / LIP_M[0]
    if height - lip < SEEN * height:
        raise Rejected("too little of the thing would be seen over the bar")
    mirrored = standing("thing", kind, real, extent, words, yaw_deg=numbers.choice((0.0, 180.0)))
    direct = standing("thing", kind, before, extent * factor, words, yaw_deg=mirrored.yaw_deg)
    up = ("move_up",) * 3
    more = _besides(numbers, item, glass, (real, before), kind)
    return Pair(
        ask=Ask(what="seen_in_mirror", things=("thing",)),
        form="yes_no",
        options=("yes", "no"),
        halves=(
            Half(
                (glass.thing(1.5), _lip(), mirrored, *more),
                "yes",
                "incongruent",
                path=(*up, *_turns(real), "turn_down"),
                evidence=(Evidence(kind="unseen", step=0, handle="thing"), Evidence(kind="seen", handle="thing")),
            ),
            Half(
                (glass.thing(1.5), _lip(), direct, *more),
                "no",
                "congruent",
                path=(*up, *("turn_down",) * 3),
                evidence=(Evidence(kind="seen", step=0, handle="thing"), Evidence(kind="seen", handle="thing")),
            ),
        ),
        camera_z_m=EYE_M,
        path=(),
        margin=f"{EDGE_DEG:.0f}° from the mirror's edges",
        features=("mirror",),
        camera=Camera(hfov_deg=HFOV_DEG),
        place=(place := _place(numbers)),
        room=_room(numbers, place),
        free_layout=True,
    )


def _two_places(numbers: random.Random, width_m: float) -> tuple[Glass, XY, XY]:
    """A mirror, a place outside the view whose image is in it, and the place before it on the line of sight to that image."""
    yaw = numbers.choice((-1, 1)) * numbers.uniform(16.0, MAX_YAW_DEG)
    glass = Glass((numbers.uniform(-0.15, 0.15), DISTANCE_M), yaw, width_m)
    left, right = glass.edges_deg()
    toward = math.radians(numbers.uniform(left + EDGE_DEG, right - EDGE_DEG))
    far = numbers.uniform(3.3, 4.4)
    image = (far * math.sin(toward), far * math.cos(toward))
    real = glass.image(image)
    if not in_room(real) or glass.depth(real) < AWAY_M:
        raise Rejected("the thing's place lies outside the free floor")
    if abs(bearing_deg(real)) < HFOV_DEG / 2 + 10:
        raise Rejected("the thing would be seen directly as well")
    before = on_ray(image, numbers.uniform(0.72, 0.85))
    if glass.depth(before) < AWAY_M:
        raise Rejected("the twin would stand too close to the mirror")
    if glass.shows(before, -EDGE_DEG):
        raise Rejected("the twin would have a reflection of its own")
    return glass, real, before


def judge_through(playing: Playing) -> Answer:
    """Directly seen in the start view: no; otherwise yes, if the mirror's plane shows it."""
    mirror, (one,) = _mirror_and_things(playing)
    if playing.first.visible.get(one.handle, 0) > 0:
        return "no" if not _mirrored(playing, mirror, one) else "both"
    return "yes" if _mirrored(playing, mirror, one) else "neither"


# --- which is nearer? -------------------------------------------------------------------------------------------------


NEARER_MIRROR = {"a facing mirror": (0.0, 8.0, 1.5), "a turned mirror": (8.0, 13.0, 1.7), AMONG: (0.0, 10.0, 1.6)}
"""Layout → least and greatest turn of the mirror, degrees, and its width, metres."""


def nearer(numbers: random.Random, item: Item) -> Pair:
    """Two things behind the viewer, both in the mirror; sliding the image of one along its line of sight changes which is nearer."""
    least, most, width_m = NEARER_MIRROR[item.layout]
    glass = Glass((numbers.uniform(-0.1, 0.1), DISTANCE_M), numbers.choice((-1, 1)) * numbers.uniform(least, most), width_m)
    left, right = glass.edges_deg()
    bearings = [numbers.uniform(left + EDGE_DEG, -4.0), numbers.uniform(4.0, right - EDGE_DEG)]
    kinds = numbers.sample(KINDS, 2)
    still = numbers.randrange(2)
    image_m = numbers.uniform(5.0, 5.5)
    places, extents = [(0.0, 0.0), (0.0, 0.0)], [0.0, 0.0]
    at = math.radians(bearings[still])
    places[still] = glass.image((image_m * math.sin(at), image_m * math.cos(at)))
    extents[still] = numbers.uniform(0.26, 0.29)
    base = math.hypot(*places[still])
    slid = 1 - still
    at = math.radians(bearings[slid])
    found: dict[bool, tuple[XY, float]] = {}
    for step in range(42, 71):
        distance = step / 10
        spot = glass.image((distance * math.sin(at), distance * math.cos(at)))
        if not in_room(spot) or glass.depth(spot) < AWAY_M or abs(bearing_deg(spot)) < HFOV_DEG / 2 + 8:
            continue
        gap = math.hypot(*spot) - base
        if gap < -NEARER_M:
            found[True] = (spot, distance)  # the last one: nearest to the threshold that keeps the margin
        elif gap > NEARER_M and False not in found:
            found[False] = (spot, distance)
    if len(found) < 2 or not in_room(places[still]) or abs(bearing_deg(places[still])) < HFOV_DEG / 2 + 8:
        raise Rejected("no place for both twins")
    scale = numbers.uniform(0.26, 0.29) / image_m
    names = ("A", "B") if item.turn("names", 2) else ("B", "A")
    more = _besides(numbers, item, glass, (places[still], *(spot for spot, _ in found.values())), "")
    if any(t.category in kinds for t in more):
        raise Rejected("what stands besides is of a kind that is asked about")
    options = ("A", "B")
    words = [f"object {names[i]} ({kinds[i].replace('_', ' ')})" for i in (0, 1)]
    looks_nearer = still if extents[still] > scale * image_m else slid

    def half(slid_is_nearer: bool) -> Half:
        spot, distance = found[slid_is_nearer]
        things = [glass.thing(1.5)]
        for i in (0, 1):
            xy, extent = (places[i], extents[i]) if i == still else (spot, scale * distance)
            things.append(standing(f"thing_{i}", kinds[i], xy, extent, words[i]))
        gold = slid if slid_is_nearer else still
        turns, at = _past([spot if i == slid else places[still] for i in (0, 1)])
        return Half(
            (*things, *more),
            names[gold],
            "congruent" if gold == looks_nearer else "incongruent",
            path=(*RISE, *turns),
            evidence=(
                *(Evidence(kind="unseen", step=0, handle=f"thing_{i}") for i in (0, 1)),
                *(Evidence(kind="seen", step=len(RISE) + at[i], handle=f"thing_{i}") for i in (0, 1)),
            ),
        )

    return Pair(
        ask=Ask(what="nearer", things=("thing_0", "thing_1") if names[0] == "A" else ("thing_1", "thing_0")),
        form="choice",
        options=options,
        halves=(half(True), half(False)),
        camera_z_m=EYE_M,
        path=(),
        margin=f"at least {NEARER_M} m",
        features=("mirror",),
        camera=Camera(hfov_deg=NEARER_HFOV_DEG),
        place=(place := _place(numbers)),
        room=_room(numbers, place),
        free_layout=True,
    )


RISE = (*("move_up",) * 3, "turn_down")
"""Up three quarters of a metre, looking down a little."""


def _past(spots: Sequence[XY]) -> tuple[tuple[str, ...], list[int]]:
    """The turns, all one way, that bring one spot and then the other to the middle of the view, and after how many each is there.

    Raises:
        Rejected: they are so many that the proof would be too long.
    """
    whole = round(360 / TURN_STEP_DEG)
    right = [round(bearing_deg(p) / TURN_STEP_DEG) % whole for p in spots]
    left = [(whole - n) % whole for n in right]
    way, at = min((("turn_right", right), ("turn_left", left)), key=lambda one: max(one[1]))
    if len(RISE) + max(at) + 1 > BUDGET * 2 // 3:
        raise Rejected("turning round to both takes too many steps")
    return (way,) * max(at), at


def judge_nearer(playing: Playing) -> Answer:
    """The nearer one by distance from the start camera, where the mirror shows both and neither is seen directly."""
    mirror, things = _mirror_and_things(playing)
    if len(things) != 2 or any(playing.first.visible.get(t.handle, 0) for t in things):
        return "seen directly"
    if not all(_mirrored(playing, mirror, t) for t in things):
        return "not mirrored"
    eye = playing.task.start.position_m
    distances = [math.dist(eye[:2], t.pose.position_m[:2]) for t in sorted(things, key=lambda t: playing.ask.things.index(t.handle))]
    if abs(distances[0] - distances[1]) < NEARER_M * 0.9:
        return "too close"
    return playing.task.question.options[distances.index(min(distances))]


# --- which one is mirrored? -------------------------------------------------------------------------------------------


ROWS = {"side by side": 0.0, "in a slanting row": 0.22, AMONG: 0.0}
"""Layout → how far the outer of three things stand before and behind the middle one."""


def which(numbers: random.Random, item: Item) -> Pair:
    """Three equal things before a narrow mirror that shows one of them; in the twin the mirror is turned and shows another."""
    kind = item.dealt("kind", KINDS)
    order = ("left", "middle", "right")
    golds = item.dealt("gold", ((0, 1), (1, 2), (2, 0)))
    slant = numbers.choice((-1, 1)) * ROWS[item.layout]
    spots = [(-numbers.uniform(0.48, 0.6), 1.0), (numbers.uniform(-0.05, 0.05), 0.9), (numbers.uniform(0.48, 0.6), 1.0)]
    spots = [(x, y + (i - 1) * slant + numbers.uniform(-0.08, 0.08)) for i, (x, y) in enumerate(spots)]
    glasses: dict[int, Glass] = {}
    for middle in numbers.sample([x / 10 for x in range(-7, 8)], 15):
        fitting = {gold: _fitting((middle, DISTANCE_M + 0.1), spots, gold) for gold in golds}
        if all(fitting.values()):
            glasses = {gold: found[len(found) // 2] for gold, found in fitting.items()}
            break
    else:
        raise Rejected("no turn of the mirror shows exactly one thing")
    extent = numbers.uniform(0.20, 0.26)
    more = _besides(numbers, item, glasses[golds[0]], spots, kind)
    if any(glass.distance(t.xy) < 0.3 for t in more for glass in glasses.values()):
        raise Rejected("what stands besides is too close to the mirror")
    turned = item.turn("places", 3, each=3)

    def half(gold: int) -> Half:
        things = [glasses[gold].thing(1.3), *more]
        things += [standing(name, kind, spot, extent, "") for name, spot in zip(order, spots, strict=True)]
        return Half(
            tuple(things),
            order[gold],
            evidence=(*(Evidence(kind="seen", step=step, handle=name) for step in (0, 9, -1) for name in order),),
        )

    return Pair(
        ask=Ask(what="reflected", category=kind),
        form="choice",
        options=tuple(order[(i + turned) % 3] for i in range(3)),
        halves=(half(golds[0]), half(golds[1])),
        camera_z_m=0.35,
        # From above the start first, where the mirror shows the same thing still; then straight down on its turn and the three.
        path=(*("move_up",) * 6, *("turn_down",) * 3, *("move_forward",) * 6, *("turn_down",) * 3),
        margin=f"{WHICH_EDGE_DEG:.0f}° from the mirror's edges",
        note="Left, middle and right are meant as you see them at the start.",
        features=("mirror",),
        camera=Camera(hfov_deg=HFOV_DEG),
        first_view="argued: the three things are equal, so the reflection itself does not tell which it is; the turn of the mirror does",
        place=(place := _place(numbers)),
        room=_room(numbers, place),
        free_layout=True,
    )


def _fitting(middle: XY, spots: Sequence[XY], gold: int) -> list[Glass]:
    """Mirrors at `middle` that show the thing `gold` and no other, by their turn."""
    found = []
    for degrees in range(-30, 31):
        glass = Glass(middle, float(degrees), WHICH_WIDTH_M)
        shown = [glass.shows(p, WHICH_EDGE_DEG if i == gold else -WHICH_EDGE_DEG) for i, p in enumerate(spots)]
        if shown == [i == gold for i in range(3)] and min(glass.distance(p) for p in spots) >= AWAY_M:
            found.append(glass)
    return found


def judge_which(playing: Playing) -> Answer:
    """The one of three whose image the mirror shows to the start camera; named by its place in the start view."""
    mirror, things = _mirror_and_things(playing)
    shown = [t for t in things if _mirrored(playing, mirror, t)]
    if len(shown) != 1 or len(things) != 3:
        return f"{len(shown)} mirrored"
    right = rotation_matrix(playing.task.start.quaternion_xyzw)
    order = sorted(things, key=lambda t: sum(right[k][0] * t.pose.position_m[k] for k in range(3)))
    return ("left", "middle", "right")[order.index(shown[0])]


# --- common -----------------------------------------------------------------------------------------------------------


def _mirror_and_things(playing: Playing) -> tuple[ObjectState, list[ObjectState]]:
    state = playing.first.state
    objects = state.objects if state else ()
    mirror, ask = next(o for o in objects if o.category == "mirror"), playing.ask
    return mirror, [o for o in objects if (o.handle in ask.things if ask.things else o.category == ask.category)]


def _mirrored(playing: Playing, mirror: ObjectState, thing: ObjectState) -> bool:
    """Whether the line from the start camera to the thing's image crosses the mirror's glass; world frame, from recorded poses."""
    spec = next(o for o in playing.task.scene.objects if o.handle == mirror.handle)
    size: Sequence[float] = spec.size_m or (1.0, THICK_M, 1.0)
    rows = rotation_matrix(mirror.pose.quaternion_xyzw)
    axes = [[rows[i][k] for i in range(3)] for k in range(3)]
    eye, p, m = playing.task.start.position_m, thing.pose.position_m, mirror.pose.position_m

    def dot(a: Sequence[float], b: Sequence[float]) -> float:
        return sum(x * y for x, y in zip(a, b, strict=True))

    normal = axes[1]
    d_eye, d_thing = dot([a - b for a, b in zip(eye, m, strict=True)], normal), dot([a - b for a, b in zip(p, m, strict=True)], normal)
    if d_eye * d_thing <= 0:
        return False
    image = [a - 2 * d_thing * n for a, n in zip(p, normal, strict=True)]
    t = d_eye / (d_eye + d_thing)
    hit = [e + t * (i - e) - c for e, i, c in zip(eye, image, m, strict=True)]
    return abs(dot(hit, axes[0])) < size[0] / 2 and abs(dot(hit, axes[2])) < size[2] / 2


def _one(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> dict[str, str]:
    words = named(names[ask.things[0]])
    return {"it": words, "It": words[:1].upper() + words[1:]}


def _two(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> dict[str, str]:
    return {"first": names[ask.things[0]], "second": names[ask.things[1]]}


def _all_three(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> dict[str, str]:
    return {"them": several(ask.category)}


SEEN_IN_MIRROR = wordings(
    _one,
    "In the first view you can see {it}. Do you see it in the mirror?",
    "{It} is in your first view. Is it the mirror in which you see it?",
    "When you start, you see {it}. Do you see it by way of the mirror?",
)
WHICH_IS_NEARER = wordings(
    _two,
    "In the mirror you can see {first} and {second}. In the room itself, which of them is closer to where you stand at the start, A or B?",
    "The mirror shows you {first} and {second}. Which of the two is really nearer to the place where you start, A or B?",
    "You see two reflections: {first} and {second}. Which of these things stands closer in the room to where you are at the start, A or B?",
)
WHICH_IS_REFLECTED = wordings(
    _all_three,
    "Which of the three {them} do you see in the mirror: the left, the middle or the right one?",
    "The mirror shows you one of the three {them}. Is it the left, the middle or the right one?",
    "Of the three {them}, which one is it whose reflection you see: the left, the middle or the right one?",
)

_TOPIC = "Specular Reflection"
_DEGREE = "a degree of the picture is 8 pixels or more, and normal sight resolves 1/60° (ISO 8596)"
GENERATORS = (
    Generator(
        "mirror", _TOPIC, "Reflection Authoring", through, "seen in the mirror only, or directly only", {"seen_in_mirror": SEEN_IN_MIRROR},
        1, judge_through, layouts=tuple(THROUGH_WIDTH_M), version="4",
        tells=f"A mirrored thing's image is {EDGE_DEG:.0f}° from the mirror's edges, a thing before the mirror stands clear of it by "
        f"{AWAY_M:.0f} m: {_DEGREE}.",
        beyond="Curved, tinted or broken mirrors; reflections in water, windows or metal; images of images.",
    ),
    Generator(
        "nearer", _TOPIC, "Spatial Relations", nearer, "the lesser distance from the start camera", {"nearer": WHICH_IS_NEARER}, 1,
        judge_nearer, layouts=tuple(NEARER_MIRROR), version="4",
        tells=f"The distances differ by {NEARER_M} m or more, of 2.2 to 4 m: a twelfth at least. In real rooms people tell such "
        "distances, in virtual ones less surely (Naceri, Moscatelli & Chellali 2015, Frontiers in Human Neuroscience 9:511); from 0.76 m "
        "above the floor the feet of the two are 9 pixels or more apart in height.",
        beyond="How a distance is judged from the mirror alone: a participant may turn round.",
    ),
    Generator(
        "mirrored", _TOPIC, "Correspondence", which, "the only one of three that the mirror shows", {"reflected": WHICH_IS_REFLECTED}, 3,
        judge_which, layouts=tuple(ROWS), version="4",
        tells=f"The image is {WHICH_EDGE_DEG}° inside the mirror's edges, the images of the other two as much outside: {_DEGREE}.",
        beyond="Matching by looks: the three are equal, so that only the geometry of the mirror tells.",
    ),
)  # fmt: skip
