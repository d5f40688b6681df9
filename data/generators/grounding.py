"""Own tasks of Perceptual Grounding: what one view makes of a thing.

*Partial Occlusion*: a thing of which a box leaves one side free; the side looks the same in the twin, where something else stands there.
*View Hallucination*: pairs of categories, each from the azimuth at which their pictures are most alike, in one colour and one outline.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from data.generators.drawing import Item, named, wordings
from data.generators.framework import BUDGET, Generator, Half, Pair, Rejected, build
from data.generators.lab import Lab, Playing, difference
from data.generators.layout import HERE, Thing, footprint
from data.generators.measuring import present
from data.generators.stages import AHEAD, AMONG, OTHERS, STAGES, Stage, lived_in, stage
from data.generators.things import SIZES_M
from data.task import Answer, Ask, Evidence, Task
from sim_bridge import rotations
from sim_bridge.actions import MOVE_STEP_M
from sim_bridge.spec import Camera, ObjectState, Pose, Quat, Room, Scene, Vec3

CATEGORY = "Perceptual Grounding"
CAMERA = Camera(hfov_deg=60.0)
"""About the released runner's field of view: small things are large enough to be named."""

# --- pairs that look alike --------------------------------------------------------------------------------------------

EYE_M = 0.06
"""Height of the camera: nobody sees into a mug or onto a lid from there."""


def about_z(degrees: float) -> Quat:
    """Quaternion (x, y, z, w) of a turn about the vertical, degrees, counterclockwise from above."""
    return rotations.about_z(math.radians(degrees))


def turned(attitude: Quat, degrees: float) -> Quat:
    """An attitude, then turned about the vertical, degrees, counterclockwise from above."""
    return rotations.turned_about_z(attitude, math.radians(degrees))


CUT_AWAY: Quat = (-math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
"""A half fruit on its edge, the cut face away from the camera."""


@dataclass(frozen=True)
class Side:
    """One of two that look alike: how large it is, how it stands, and how far away."""

    category: str
    size_m: Vec3
    """Extents along its own axes, fitted so that both outlines in the picture have the same box."""
    attitude: Quat
    """Attitude in which it looks most like the other one."""
    y_m: float
    rgb: tuple[float, float, float] | None = None
    """Colour of its own, where one colour on both surfaces would look different."""

    @property
    def words(self) -> str:
        return WORDS.get(self.category, self.category.replace("_", " "))

    @property
    def extent_m(self) -> Vec3:
        """Extents of the box around it as it stands: right, away, up."""
        rows = rotations.unit_matrix(self.attitude)
        right, away, up = (sum(abs(r) * s for r, s in zip(row, self.size_m, strict=True)) for row in rows)
        return right, away, up

    def thing(self, middle: tuple[float, float], grown: float = 1.0, color: str | None = None) -> Thing:
        """It, with the middle of its box over a point; what lies on its side is placed by what is its foot when it stands."""
        across, away, _ = rotations.unit_matrix(self.attitude)
        leans = self.size_m[2] * grown / 2
        xy = (middle[0] - across[2] * leans, middle[1] - away[2] * leans)
        params = {"color": list(self.rgb)} if self.rgb else {}
        return Thing("thing", self.category, xy, self.size_m, grown, color=color, params=params, attitude_xyzw=self.attitude)

    def facing_right(self) -> Side:
        """The same with what faced the camera to the right."""
        return replace(self, attitude=turned(self.attitude, 90.0))


@dataclass(frozen=True)
class Look:
    """Two categories in the attitudes in which they look most alike, and a colour for both (None: theirs are alike)."""

    one: Side
    other: Side
    color: str | None = None
    from_the_side: bool = False
    """Whether the way ends beside it, since it shows its length; otherwise it ends behind it."""

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.one, self.other


WORDS = {"toilet_paper": "roll of toilet paper", "half_coconut_fruit": "half coconut", "packing_box": "cardboard box"}
BLUE_MUG = Look(
    Side("can", (0.0847, 0.0847, 0.1155), about_z(270), 0.500), Side("mug", (0.1299, 0.0843, 0.1150), about_z(90), 0.517), "blue"
)
JUG = Look(Side("vase", (0.1080, 0.1080, 0.1950), about_z(0), 0.580), Side("jug", (0.1380, 0.1092, 0.2034), about_z(90), 0.595), "beige")
EGGPLANT = Look(
    Side("bowling_ball", (0.1128, 0.1128, 0.1128), about_z(0), 0.500, (1.00, 0.29, 0.32)),
    Side("eggplant", (0.2643, 0.1129, 0.1129), about_z(90), 0.565, (0.48, 0.49, 0.64)),
)
SQUASH = Look(
    Side("potato", (0.1150, 0.0783, 0.0783), about_z(270), 0.500, (0.86, 0.78, 0.64)),
    Side("butternut_squash", (0.1647, 0.0778, 0.0780), about_z(90), 0.544, (0.66, 0.60, 0.49)),
)
ORANGE = Look(Side("orange", (0.0897, 0.0897, 0.0867), about_z(0), 0.500), Side("half_orange", (0.0893, 0.0871, 0.0482), CUT_AWAY, 0.478))
SAFE = Look(
    Side("microwave", (0.2405, 0.2035, 0.1400), about_z(180), 0.720), Side("safe", (0.2404, 0.1883, 0.1401), about_z(180), 0.713), "grey"
)
ROLL = Look(
    Side("toilet_paper", (0.1086, 0.1080, 0.1000), about_z(0), 0.500), Side("mug", (0.1383, 0.1104, 0.0996), about_z(90), 0.509), "white"
)
COCONUT = Look(
    Side("coconut", (0.1160, 0.1160, 0.1200), about_z(0), 0.500), Side("half_coconut_fruit", (0.1159, 0.1217, 0.0624), CUT_AWAY, 0.472)
)
MANGO = Look(
    Side("nectarine", (0.0782, 0.0757, 0.0725), about_z(0), 0.500),
    Side("mango", (0.1167, 0.0775, 0.0727), about_z(90), 0.509),
    from_the_side=True,
)
ORANGE_MANGO = replace(MANGO, one=Side("orange", (0.0782, 0.0757, 0.0725), about_z(0), 0.500))
"""Beside an occluder a mango shows less red."""
KIWI = Look(Side("kiwi", (0.0575, 0.0575, 0.0759), about_z(0), 0.500), Side("half_kiwi", (0.0573, 0.0757, 0.0349), CUT_AWAY, 0.486))
GRAPEFRUIT = Look(
    Side("grapefruit", (0.1060, 0.1060, 0.0987), about_z(0), 0.500), Side("half_grapefruit", (0.1056, 0.0996, 0.0550), CUT_AWAY, 0.474)
)
PLUM = Look(
    Side("plum", (0.0700, 0.0678, 0.0822), about_z(0), 0.500, (0.45, 0.18, 0.60)),
    Side("eggplant", (0.1771, 0.0697, 0.0821), about_z(90), 0.541, (0.81, 0.28, 0.73)),
)
PAPER_CAN = Look(
    Side("can", (0.0963, 0.0963, 0.1313), about_z(0), 0.500), Side("toilet_paper", (0.0941, 0.1152, 0.1312), about_z(0), 0.509), "white"
)
DARK_AVOCADO = Look(
    Side("bowling_ball", (0.1000, 0.1000, 0.1000), about_z(0), 0.500, (0.95, 0.97, 0.14)),
    Side("avocado", (0.1486, 0.1000, 0.1000), about_z(90), 0.524, (0.47, 0.51, 0.57)),
    from_the_side=True,
)
ORANGE_GRAPEFRUIT = Look(
    Side("orange", (0.0936, 0.0936, 0.0904), about_z(0), 0.500),
    Side("half_grapefruit", (0.0932, 0.0909, 0.0502), CUT_AWAY, 0.478, (0.941, 0.482, 0.059)),
)
GRAPEFRUIT_ORANGE = Look(
    Side("grapefruit", (0.1060, 0.1060, 0.0987), about_z(0), 0.500),
    Side("half_orange", (0.1056, 0.0992, 0.0579), CUT_AWAY, 0.476, (0.955, 0.615, 0.278)),
)
RED_APPLE = Look(
    Side("nectarine", (0.0816, 0.0790, 0.0756), about_z(0), 0.500, (0.75, 0.15, 0.12)),
    Side("half_apple", (0.0813, 0.0760, 0.0434), CUT_AWAY, 0.482, (0.686, 0.08, 0.024)),
)
PEACH = Look(
    Side("nectarine", (0.0816, 0.0790, 0.0756), about_z(0), 0.500, (0.85, 0.45, 0.25)),
    Side("half_peach", (0.0813, 0.0760, 0.0575), CUT_AWAY, 0.489, (0.778, 0.24, 0.046)),
)
LOOKS = (
    BLUE_MUG,
    ORANGE,
    JUG,
    EGGPLANT,
    SAFE,
    SQUASH,
    COCONUT,
    ROLL,
    MANGO,
    KIWI,
    GRAPEFRUIT,
    PAPER_CAN,
    DARK_AVOCADO,
    ORANGE_GRAPEFRUIT,
    GRAPEFRUIT_ORANGE,
    RED_APPLE,
    PEACH,
)
"""Each pair in the attitudes in which, of all turns about the vertical, their pictures differ least; colour and outline are equal."""


def either(options: Sequence[str]) -> str:
    """``a mug or an orange``."""
    return " or ".join(map(named, options))


def _words(ask: Ask, names: Mapping[str, str], options: tuple[str, ...]) -> dict[str, str]:
    either_one = either(options)
    return {"either": either_one, "Either": either_one[:1].upper() + either_one[1:], "box": names.get(ask.against, "")}


IDENTITY = wordings(
    _words,
    "What is this: {either}?",
    "Which of the two is the thing before you in the first view: {either}?",
    "Something stands close before you at the start. Is it {either}?",
)
BEHIND = wordings(
    _words,
    "What is behind the {box}: {either}?",
    "A thing looks out from behind the {box}. Is it {either}?",
    "The {box} hides most of a thing. Which thing is it: {either}?",
)


# --- where a layout lies ----------------------------------------------------------------------------------------------

ASIDE = "aside"
LAYOUTS = (*STAGES, ASIDE)
GROWN = (0.96, 1.24)
"""A layout is scaled about the place of the start camera by a factor in this range; its picture stays as it is."""
NEAR_M = 0.10
"""Furniture begins so far before the start camera and lies along the view, its top as far below the camera as the floor would be."""
BESIDE_DEG = 15.0
"""What stands on furniture besides is at least so far off what is asked about, as the start camera sees it."""
LONGEST = BUDGET * 2 // 3 - 1
"""Actions of a proof at most. Where that is too few, the last looks from a little above are left out."""
FREE_WAY_M = 0.40
"""What stands besides keeps this distance from the way of the proof."""


@dataclass(frozen=True)
class Lying:
    """How a drafted layout lies: turned about the start camera, on what, with what besides."""

    turn_deg: float
    """Counter-clockwise: 15° are one turn to the left."""
    height_m: float
    more: tuple[Thing, ...]

    @property
    def first(self) -> tuple[str, ...]:
        """The turn that brings it straight ahead."""
        return ("turn_left",) if self.turn_deg > 0 else ("turn_right",) if self.turn_deg < 0 else ()

    def put(self, *things: Thing) -> tuple[Thing, ...]:
        """Things drafted straight ahead on the floor, where they really stand, with the rest."""
        a = math.radians(self.turn_deg)
        return (*(self._put(t, math.cos(a), math.sin(a)) for t in things), *self.more)

    def _put(self, t: Thing, c: float, s: float) -> Thing:
        attitude = turned(t.attitude_xyzw, self.turn_deg) if t.attitude_xyzw else None
        z = round(self.height_m + _foot_m(t), 5) if self.height_m else t.z_m
        x, y = t.xy
        return replace(
            t,
            xy=(c * x - s * y, s * x + c * y),
            z_m=z,
            attitude_xyzw=attitude,
            yaw_deg=t.yaw_deg if attitude else t.yaw_deg + self.turn_deg,
        )


def _foot_m(t: Thing) -> float:
    """How far the middle of its lower face is above what it stands on: not at all, unless it lies on its side."""
    if t.attitude_xyzw is None:
        return t.z_m or 0.0
    up = rotations.unit_matrix(t.attitude_xyzw)[2]
    return sum(abs(u) * s for u, s in zip(up, t.extent_m, strict=True)) / 2 - up[2] * t.extent_m[2] / 2


def lying(numbers: random.Random, item: Item, taken: Sequence[str], side: str) -> Lying:
    """How the layout of this item lies; `side` is where the proof goes round.

    Raises:
        Rejected: there is no room for what stands besides.
    """
    on = stage(numbers, item.layout, AHEAD, near_m=NEAR_M)
    if on.top is not None:
        return Lying(0.0, on.height_m, (*on.furniture, *on.lifted(_on_top(numbers, taken, on, side))))
    turn = numbers.choice((-15.0, 15.0)) if item.layout == ASIDE else 0.0
    return Lying(turn, 0.0, _others(numbers, taken) if item.layout == AMONG else ())


def _on_top(numbers: random.Random, taken: Sequence[str], on: Stage, side: str) -> tuple[Thing, ...]:
    """Up to three things of other kinds on the furniture, on the side where the proof does not go; none where there is no room."""
    words, found = {word for kind in taken for word in kind.split("_")}, list[Thing]()
    for kind in numbers.sample([k for k in OTHERS if not words & set(k.split("_"))], 3):
        for _ in range(40):
            xy = (numbers.uniform(0.1, 0.6) * (-1 if side == "right" else 1), numbers.uniform(0.6, 1.9))
            one = Thing(f"beside_{len(found)}", kind, xy, SIZES_M[kind], essential=False, yaw_deg=numbers.choice((0.0, 90.0, 180.0, 270.0)))
            wide = max(footprint(one)) / 2
            off = math.degrees(math.atan2(abs(xy[0]) - wide, xy[1]))
            if on.holds([one]) and off > BESIDE_DEG and all(math.dist(xy, t.xy) > wide + max(footprint(t)) / 2 + 0.03 for t in found):
                found.append(one)
                break
    return tuple(found)


def _others(numbers: random.Random, taken: Sequence[str]) -> tuple[Thing, ...]:
    """Things of other kinds, farther away than everything that is asked about and off the way round it."""
    words = {word for kind in taken for word in kind.split("_")}
    found: list[Thing] = []
    for kind in numbers.sample([k for k in OTHERS if not words & set(k.split("_"))], numbers.randrange(4, 7)):
        for _ in range(60):
            xy = (numbers.uniform(-1.3, 1.3), numbers.uniform(1.15, 2.6))
            one = Thing(f"beside_{len(found)}", kind, xy, SIZES_M[kind], essential=False, yaw_deg=numbers.choice((0.0, 90.0, 180.0, 270.0)))
            wide = max(footprint(one)) / 2
            clear = xy[1] > 1.45 + FREE_WAY_M + wide or abs(xy[0]) > 0.75 + FREE_WAY_M + wide
            if clear and all(math.dist(xy, t.xy) > wide + max(footprint(t)) / 2 + 0.05 for t in found):
                found.append(one)
                break
        else:
            raise Rejected("no room for what stands besides")
    return tuple(found)


OTHER = {"right": "left", "left": "right"}


def round_to(y_m: float, size_m: float, side: str = "right", beside: bool = False) -> tuple[str, ...]:
    """Round a thing straight ahead at this distance, by its right or left: behind it (`beside`: beside it), then a little above it."""
    off, there = (2 if size_m < 0.2 else 3), round(y_m / MOVE_STEP_M)
    ahead, turns = (there, 6) if beside else (there + off, 9)
    return (*(f"move_{side}",) * off, *("move_forward",) * ahead, *(f"turn_{OTHER[side]}",) * turns, "move_up", "turn_down")


BARE = Room(bounds_m=(-2.4, -1.2, 2.4, 3.8), kind="bedroom", seed=5, furnished=False)


def unlikeness(lab: Lab, look: Look, turn_deg: float) -> float:
    """How much the two pictures differ when the other one is turned: mean difference per pixel of the thing, 0..255 (in an empty room).

    Both what one outline covers and the other does not (silhouette) and what differs within both (shading) count.
    """
    frames, covered = [], 1
    for side in (look.one, replace(look.other, attitude=turned(look.other.attitude, turn_deg))):
        made = HERE.object(side.thing((0.0, side.y_m), color=look.color), "object_1")
        start = HERE.camera(0.0, 0.0, EYE_M)
        with lab.open(Scene(camera=Camera(320, 240, 60.0), room=BARE, objects=(made,), settle_steps=0), start) as trial:
            frames.append(trial.first.observation.frames[-1])
            covered = max(covered, trial.first.observation.visible.get("object_1", 0))
    return difference(*frames) * 320 * 240 / covered


# --- View Hallucination -----------------------------------------------------------------------------------------------


def hallucination(numbers: random.Random, item: Item) -> Pair:
    """One thing from the side from which it looks like another one; in the twin it is the other one."""
    look = item.dealt("pair", LOOKS)
    grown, how = numbers.uniform(*GROWN), lying(numbers, item, [side.category for side in look.sides], "right")
    path = (*how.first, *round_to(look.one.y_m * grown, max(look.one.size_m) * grown, beside=look.from_the_side))[:LONGEST]
    options = [side.words for side in look.sides]
    if item.turn("places", 2):
        options.reverse()

    def half(side: Side) -> Half:
        seen = (Evidence(kind="seen", step=0, handle="thing"), Evidence(kind="seen", step=len(path), handle="thing", low=400))
        return Half(how.put(side.thing((0.0, side.y_m * grown), grown, look.color)), side.words, evidence=seen)

    return Pair(
        ask=Ask(what="identity", things=("thing",)),
        form="choice",
        options=tuple(options),
        halves=(half(look.one), half(look.other)),
        camera_z_m=round(EYE_M * grown + how.height_m, 4),
        **lived_in(numbers, item.layout),
        path=path,
        margin="another category",
        camera=CAMERA,
        tags={"pair": f"{look.one.category} {look.other.category}"},
    )


ROUND_DEG = 75.0
"""The last view is at least this far round the thing from the first, seen from above."""


def judge_hallucination(playing: Playing) -> Answer:
    """What the one thing is, if it is seen from another side in the end."""
    there = present(playing)
    asked = [there[h] for h in playing.ask.things] or list(there.values())
    if len(asked) != 1:
        return "not one thing"
    if _round_deg(asked[0], playing.first.camera, playing.last.camera) < ROUND_DEG:
        return "not seen from another side"
    return _called(asked[0])


def _called(o: ObjectState) -> str:
    return WORDS.get(o.category, o.category.replace("_", " "))


def _round_deg(o: ObjectState, a: Pose, b: Pose) -> float:
    """Angle between two cameras seen from a thing, from above."""
    (ax, ay), (bx, by) = ((c.position_m[0] - o.pose.position_m[0], c.position_m[1] - o.pose.position_m[1]) for c in (a, b))
    return math.degrees(math.acos(max(-1.0, min(1.0, (ax * bx + ay * by) / (math.hypot(ax, ay) * math.hypot(bx, by))))))


# --- Partial Occlusion ------------------------------------------------------------------------------------------------

HIDDEN = (
    BLUE_MUG,
    GRAPEFRUIT,
    JUG,
    PLUM,
    COCONUT,
    SQUASH,
    ROLL,
    ORANGE,
    ORANGE_MANGO,
    KIWI,
    DARK_AVOCADO,
    ORANGE_GRAPEFRUIT,
    GRAPEFRUIT_ORANGE,
    RED_APPLE,
    PEACH,
)
"""Pairs of which the side that stays free looks the same."""
OCCLUDERS = ("cookie_tin", "gift_box", "jewelry_box", "packing_box", "wooden_box")
"""Plausible at the size of what they hide, 8 to 25 cm."""
OCCLUDER = 1.1
"""The occluder is larger than what it hides by this factor, on every axis."""
ASIDE_DEG = 15.0
"""The line from the occluder to the target is off the line of sight by this angle."""
FREE = (0.08, 0.50)
"""Bounds of the share of the target's pixels that the occluder leaves free."""
WANTED = (0.26, 0.33)
"""Share of the narrower twin's width that looks out beside the occluder, drawn from this range."""
BOX_Y_M = 0.56


def occlusion(numbers: random.Random, item: Item, lab: Lab | None) -> Pair:
    """A box hides all but the right edge of a thing; in the twin the confusable's edge looks out in the same place."""
    look, kind = item.dealt("pair", HIDDEN), item.dealt("box", OCCLUDERS)
    grown, how = numbers.uniform(*GROWN), lying(numbers, item, [*(side.category for side in look.sides), "box", "tin"], "left")
    sides = look.one.facing_right(), look.other.facing_right()
    x, y, z = (OCCLUDER * max(side.extent_m[i] for side in sides) for i in range(3))
    box = Thing("box", kind, (-x / 4, BOX_Y_M), (x, y, z), words=WORDS.get(kind, kind.replace("_", " ")), essential=False)
    things = _behind(box, sides, look.color, numbers.uniform(*WANTED))
    box, *things = (replace(t, xy=(t.xy[0] * grown, t.xy[1] * grown), scale=t.scale * grown) for t in (box, *things))
    options = [side.words for side in look.sides]
    if item.turn("places", 2):
        options.reverse()
    # What the box hides is on the left, with the side that tells the two apart.
    path = (*how.first, *round_to(things[0].xy[1], z * grown, "left"))[:LONGEST]

    def half(side: Side, thing: Thing) -> Half:
        seen = (Evidence(kind="seen", step=0, handle="thing"), Evidence(kind="seen", step=len(path), handle="thing", low=400))
        return Half(how.put(box, thing), side.words, evidence=seen)

    made = Pair(
        ask=Ask(what="behind", things=("thing",), against="box"),
        form="choice",
        options=tuple(options),
        halves=(half(sides[0], things[0]), half(sides[1], things[1])),
        camera_z_m=round(EYE_M * grown + how.height_m, 4),
        **lived_in(numbers, item.layout),
        path=path,
        margin="another category",
        camera=CAMERA,
        tags={"pair": f"{look.one.category} {look.other.category}"},
    )
    if lab is None:
        return made
    shares = [_free(lab, task) for task in build(OCCLUSION, made, seed=0, number=0, numbers=random.Random(0))]
    if not all(FREE[0] <= share <= FREE[1] for share in shares):
        raise Rejected("too much or too little of the target is seen")
    told = " and ".join(f"{share:.0%}" for share in shares)
    return replace(made, margin=f"the occluder leaves {told} of the pixels of the two targets free")


def _behind(box: Thing, sides: tuple[Side, Side], color: str | None, wanted: float) -> list[Thing]:
    """The wider one with its middle off the line by the angle, as far back as lets `wanted` of the narrower one's width be seen.

    The narrower one's right edge stands in the same place.

    Raises:
        Rejected: no distance does.
    """
    (x, y), (width, depth, _) = box.xy, box.extent_m
    edge_slope = (x + width / 2) / (y - depth / 2)
    narrow, wide = sorted(side.extent_m[0] for side in sides)
    least = depth / 2 + max(side.extent_m[1] for side in sides) / 2 + 0.02
    off = math.radians(ASIDE_DEG)
    line = math.atan2(x, y) + off
    for step in range(100):
        behind = least + 0.005 * step
        edge, back = x + behind * math.sin(line) + wide / 2, y + behind * math.cos(line)
        if edge - back * edge_slope >= wanted * narrow:
            break
    else:
        raise Rejected("no distance behind the occluder shows enough of the target")
    if step == 0 and edge - back * edge_slope > 1.2 * wanted * narrow:
        raise Rejected("the target is seen too well close behind the occluder")
    return [side.thing((edge - side.extent_m[0] / 2, back), color=color) for side in sides]


def _free(lab: Lab, task: Task) -> float:
    """Share of the target's pixels in the start view that the occluder leaves free."""
    target = task.essential[0]
    alone = msgspec.structs.replace(task.scene, objects=tuple(o for o in task.scene.objects if o.handle == target))
    seen = []
    for scene in (task.scene, alone):
        with lab.open(scene, task.start) as trial:
            seen.append(trial.first.observation.visible.get(target, 0))
    return seen[0] / max(seen[1], 1)


def judge_occlusion(playing: Playing) -> Answer:
    """What stands behind the named box, aside of the line of sight through its middle, and is smaller than it on every axis."""
    there = present(playing)
    box = there.pop(playing.ask.against)
    asked = [there[h] for h in playing.ask.things] or list(there.values())
    if len(asked) != 1:
        return "not one thing behind another"
    (target,) = asked
    eye = playing.first.camera.position_m
    sight, behind = (_heading(eye, box.pose.position_m), _heading(box.pose.position_m, target.pose.position_m))
    aside = abs(_turn(sight, behind))
    start, end, hider = (_heading(target.pose.position_m, p) for p in (eye, playing.last.camera.position_m, box.pose.position_m))
    if _turn(start, end) * _turn(start, hider) < 0 or abs(_turn(start, end)) < ROUND_DEG:
        return "its hidden side is not seen"
    if not ASIDE_DEG - 5 <= aside <= ASIDE_DEG + 15:
        return "not behind it"
    if any(b < OCCLUDER * t - 0.005 for b, t in zip(_extent(box), _extent(target), strict=True)):
        return "the occluder is too small"
    return _called(target)


def _turn(a: float, b: float) -> float:
    """From one heading to another, −180° to 180°."""
    return (b - a + 180) % 360 - 180


def _heading(a: Vec3, b: Vec3) -> float:
    return math.degrees(math.atan2(b[1] - a[1], b[0] - a[0]))


def _extent(o: ObjectState) -> Vec3:
    x, y, z = (b - a for a, b in zip(o.aabb_min_m, o.aabb_max_m, strict=True))
    return x, y, z


OCCLUSION = Generator(
    "hidden", CATEGORY, "Partial Occlusion", occlusion, "the category of the object behind the occluder", {"behind": BEHIND}, 1,
    judge_occlusion, needs_lab=True, layouts=LAYOUTS, version="7",
    tells=f"Another category. At the start {FREE[0]:.0%} to {FREE[1]:.0%} of the thing's pixels are free, and those look the same in both "
    "twins; in the end it is seen from its hidden side in 400 pixels or more (20 × 20), where people name whole scenes and many of "
    "the objects in them from 32 × 32 pixels of the whole picture (Torralba 2009, Visual Neuroscience 26, 123–131).",
    beyond="Completion behind several occluders; things that only memory or context would tell.",
)  # fmt: skip
HALLUCINATION = Generator(
    "looks", CATEGORY, "View Hallucination", hallucination, "the category of the only object", {"identity": IDENTITY}, 1,
    judge_hallucination, layouts=LAYOUTS, version="6",
    tells="Another category, of one outline and one colour from the first side; from another side by 75° or more the thing is seen in 400 "
    "pixels or more.",
    beyond="Illusions of drawn or forced perspective; things that no view tells apart.",
)  # fmt: skip
GENERATORS = (OCCLUSION, HALLUCINATION)
