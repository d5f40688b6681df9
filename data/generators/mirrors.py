"""Mirrors in layouts: where images lie, what the camera sees in the glass, and what stands around.

Local frame as everywhere: the camera over (0, 0) looks along +y at a mirror about two metres away, turned by up to 30°. A mirror image lies
on the line of sight to the thing's reflection behind the mirror's plane; sliding an image along that line (and scaling the thing about the
camera) leaves the picture in the mirror as it is.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence

from data.generators.framework import Rejected
from data.generators.lab import Playing
from data.generators.layout import Place, Thing, footprint, room_about
from data.generators.stages import OTHERS
from data.generators.surfaces import Top
from data.generators.things import SIZES_M, thing
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import ObjectState, Room

XY = tuple[float, float]

DISTANCE_M = 2.0
"""Camera to mirror."""
AWAY_M = 1.0
"""Least distance of a thing from the mirror's plane."""
THICK_M = 0.04
CLEAR = (-2.2, -3.2, 2.2, 2.4)
"""Where things may stand, and what furniture of the room leaves free."""
EXTENT_M = (0.04, 0.40)
"""Least and greatest largest extent of a thing: a radius of 0.02 to 0.20 m."""
KINDS = (
    "basketball", "bucket", "gift_box", "globe", "goblet", "hourglass", "jug", "kettle", "lantern", "mug", "pineapple", "plant_pot",
    "pumpkin", "snow_globe", "soccer_ball", "teapot", "trophy", "vase", "volleyball",
)  # fmt: skip
"""None so flat that it would vanish behind a low edge, none so pale and thin that little of it would be seen in the mirror."""
PLAUSIBLE = 1.5
"""Nothing stands there larger than so many times its natural size."""
NEAREST_M = 0.45
"""Nothing stands nearer before the eye."""
BESIDE_M = 0.06
"""What stands besides keeps this distance from every line of sight that matters."""


def plausible(kinds: Sequence[str], extent_m: float) -> tuple[str, ...]:
    """Those of the kinds of which one with that largest extent may stand there."""
    return tuple(k for k in kinds if extent_m <= PLAUSIBLE * max(SIZES_M[k]))


def extent_of(numbers: random.Random, kind: str, least_m: float, most_m: float) -> float:
    """A largest extent between these, and plausible for the kind."""
    return numbers.uniform(least_m, min(most_m, PLAUSIBLE * max(SIZES_M[kind])))


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
        """The mirror as a thing of the scene; its height in metres."""
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
    """Whether somebody of this radius, metres, stands within the part of the room that is clear."""
    return CLEAR[0] + radius < p[0] < CLEAR[2] - radius and CLEAR[1] + radius < p[1] < CLEAR[3] - radius


def standing(key: str, kind: str, xy: XY, extent_m: float, words: str, yaw_deg: float = 0.0) -> Thing:
    """A thing of the table with the given largest extent.

    Raises:
        Rejected: it is too small or too large.
    """
    if not EXTENT_M[0] <= extent_m <= EXTENT_M[1]:
        raise Rejected("a thing would be too small or too large")
    return Thing(key, kind, xy, SIZES_M[kind], scale=extent_m / max(SIZES_M[kind]), yaw_deg=yaw_deg, words=words)


def from_segment(p: XY, a: XY, b: XY) -> float:
    """Distance of a point from the segment a–b."""
    (x, y), length2 = (b[0] - a[0], b[1] - a[1]), math.dist(a, b) ** 2
    t = max(0.0, min(1.0, ((p[0] - a[0]) * x + (p[1] - a[1]) * y) / length2))
    return math.dist(p, (a[0] + t * x, a[1] + t * y))


def round_about(numbers: random.Random, place: Place, clear: tuple[float, float, float, float] = CLEAR) -> Room:
    """A lived-in room whose walls and furniture are near enough to be seen in the mirror."""
    return room_about(numbers, place, clear, margins_m=(0.7, 1.1), wide_m=(1.3, 1.9))


def a_place(numbers: random.Random) -> Place:
    """Any of four headings, and anywhere."""
    return Place(90.0 * numbers.randrange(4), (round(numbers.uniform(-1, 1), 3), round(numbers.uniform(-1, 1), 3)))


def on_top(
    numbers: random.Random, top: Top, lines: Sequence[tuple[XY, XY]], there: Sequence[Thing], taken: Collection[str], least: int = 2
) -> tuple[Thing, ...]:
    """Other things on a top, of other kinds; none comes near a line of sight (`lines`) or to what is there.

    Raises:
        Rejected: there is no room for any.
    """
    words = {kind.rpartition("_")[2] for kind in taken}
    found: list[Thing] = []
    for kind in numbers.sample([k for k in OTHERS if k.rpartition("_")[2] not in words], numbers.randrange(least, 4)):
        for _ in range(60):
            xy = top.point((numbers.uniform(-0.5, 0.5) * top.width_m, numbers.uniform(-0.5, 0.5) * top.depth_m))
            one = thing(
                f"beside_{len(found)}", kind, xy, words="", essential=False, z_m=top.z_m, yaw_deg=numbers.choice((0.0, 90.0, 180.0))
            )
            wide = math.hypot(*one.extent_m[:2]) / 2
            if (
                top.over_m(one) < -0.02
                and xy[1] > NEAREST_M
                and all(from_segment(xy, *line) > wide + BESIDE_M for line in lines)
                and all(_apart(one, t) for t in (*there, *found))
            ):
                found.append(one)
                break
    if not found:
        raise Rejected("no room for what stands besides")
    return tuple(found)


def _apart(one: Thing, other: Thing) -> bool:
    """2 cm at least between their footprints, by upright boxes."""
    return any(abs(one.xy[i] - other.xy[i]) > (footprint(one)[i] + footprint(other)[i]) / 2 + 0.02 for i in (0, 1))


def mirror_and_things(playing: Playing) -> tuple[ObjectState, list[ObjectState]]:
    """The mirror of a task that is played, and the things it asks about."""
    state = playing.first.state
    objects = state.objects if state else ()
    mirror, ask = next(o for o in objects if o.category == "mirror"), playing.ask
    return mirror, [o for o in objects if (o.handle in ask.things if ask.things else o.category == ask.category)]


def mirrored(playing: Playing, mirror: ObjectState, thing: ObjectState) -> bool:
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
