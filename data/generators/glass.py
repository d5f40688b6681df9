"""Own tasks of Material Transparency: a small thing inside a glass vessel, or collinear behind it.

Seen from the camera the thing behind is the image of the one inside, scaled about the camera: its foot, its outline and its place in the
picture are the same. Often the vessel stands where one sees it from the front alone; who picks it up sees what comes with it.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field, replace
from typing import Any

from data.generators.drawing import Item, wordings
from data.generators.framework import Generator, Half, Pair, Rejected
from data.generators.grounding import CAMERA, CATEGORY
from data.generators.lab import Playing
from data.generators.layout import Thing
from data.generators.measuring import gap_m, present
from data.generators.surfaces import FURNITURE, stand
from data.task import Answer, Ask, Evidence
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.spec import Vec3

INSIDE = wordings(
    lambda ask, names, options: {"thing": names[ask.things[0]], "vessel": names[ask.against]},
    "Is the {thing} inside the {vessel}?",
    "Does the {vessel} contain the {thing}?",
    "Is the {thing} in the {vessel}?",
)


@dataclass(frozen=True)
class Glass:
    """A glass vessel at scale 1 (a test compares with the catalogue)."""

    category: str
    words: str
    size_m: Vec3
    floor_m: float
    """Height of its inner floor."""
    scale: float
    """A large one of its kind, so that what lies in it is seen well."""
    yaw_deg: float = 0.0
    params: dict[str, Any] = field(default_factory=dict)


GLASSES = (
    Glass("erlenmeyer_flask", "flask", (0.0880, 0.0880, 0.1320), 0.0030, 1.45),
    Glass("vase", "glass vase", (0.1440, 0.1440, 0.2600), 0.0080, 0.95, params={"glass": True}),
    Glass("beaker", "beaker", (0.0900, 0.0800, 0.1020), 0.0030, 1.40, 180.0),
    Glass("tumbler", "glass", (0.0840, 0.0840, 0.0900), 0.0080, 1.15),
    Glass("carafe", "carafe", (0.1281, 0.1281, 0.2450), 0.0050, 1.00),
    Glass("hinged_jar", "jar", (0.1120, 0.1182, 0.1650), 0.0050, 1.05),
    Glass("pitcher", "glass pitcher", (0.1988, 0.1320, 0.2170), 0.0060, 0.95, 180.0, {"glass": True}),
    Glass("round_bottom_flask", "round flask", (0.0899, 0.0899, 0.1440), 0.0092, 1.45),
    Glass("tank", "glass tank", (0.4080, 0.2580, 0.2840), 0.0060, 0.55),
    Glass("measuring_cup", "measuring cup", (0.1556, 0.1040, 0.1030), 0.0040, 1.15, 180.0),
)
SMALL_M: dict[str, Vec3] = {
    "cherry": (0.0238, 0.0220, 0.0554),
    "grape": (0.0180, 0.0180, 0.0291),
    "strawberry": (0.0360, 0.0360, 0.0483),
    "walnut": (0.0422, 0.0342, 0.0420),
    "cherry_tomato": (0.0283, 0.0283, 0.0340),
    "acorn": (0.0216, 0.0216, 0.0362),
}
"""Extents at scale 1 (a test compares with the catalogue)."""
SMALL = 0.5
"""The small thing's longest edge is at most this share of the vessel's shortest."""
LEAST_SMALL = 0.34
"""It is no smaller, so that it is seen well."""
BEHIND_M = 0.01
"""Gap between the vessel's back and what stands behind it."""
GLASS_Y_M = 0.5
LIFTED = ("pick_up({vessel})", "move_forward")
"""What is in the vessel comes with it; what was behind it stays."""
MOVED_M = 0.05
"""What comes along is lifted with the vessel by more than this; what stays moves by less."""
BETWEEN, SHELF, FURNISHED = "between boxes", "in a shelf", "on furniture"
STANDS = (BETWEEN, SHELF, "in the open", FURNISHED)
"""Where the vessel stands: boxes on three sides and a board above leave the front free alone; a shelf leaves little more; in the open, on
the floor or on a piece of furniture, one may also go round it."""
SUPPORTS = ("counter", "lab_table", "sideboard", "wooden_table")
EDGE_Y_M = 0.34
"""Distance of the front edge of the furniture from the start camera."""
SIDE_M: Vec3 = (0.24, 0.50, 0.36)
"""A box beside the vessel; another one closes the back."""
APART_M = 0.27
"""From the vessel's middle to the boxes beside it: the widest vessel is 0.22 m wide."""
SHELF_SCALE = 1.2
"""Of the open shelf: deep enough for the vessel and what stands behind it."""


def _around(numbers: random.Random, where: str) -> tuple[Thing, ...]:
    """What keeps one from looking at the vessel from the sides, from behind and from above."""
    if where != BETWEEN:
        return ()
    wide, deep, high = SIDE_M
    middle = 0.38 + deep / 2
    at = (-APART_M - wide / 2, APART_M + wide / 2)
    kinds = [numbers.choice(("packing_box", "cedar_chest")) for _ in range(3)]
    sides = tuple(Thing(f"side_{i}", kinds[i], (x, middle), SIDE_M, essential=False) for i, x in enumerate(at))
    back = Thing("back", kinds[2], (0.0, 0.38 + deep + 0.11), (1.02, 0.20, high), essential=False)
    top = Thing("top", "packing_box", (0.0, middle + 0.1), (1.04, deep + 0.2, 0.05), z_m=high, essential=False)
    return (*sides, back, top)


def transparency(numbers: random.Random, item: Item) -> Pair:
    """A small thing on the floor of a glass vessel; in the twin the same image of it stands behind."""
    glass = item.dealt("vessel", GLASSES)
    y, aside = GLASS_Y_M + numbers.uniform(0.0, 0.04), numbers.uniform(-0.03, 0.03)
    vessel = Thing(
        "vessel", glass.category, (aside, y), glass.size_m, glass.scale, yaw_deg=glass.yaw_deg, words=glass.words, vessel=True,
        params=glass.params,
    )  # fmt: skip
    fits = [k for k, size in SMALL_M.items() if LEAST_SMALL <= max(size) * 1.25 / min(vessel.extent_m) <= SMALL]
    if not fits:
        raise Rejected("nothing is small enough for the vessel")
    kind = numbers.choice(fits)
    floor = glass.floor_m * glass.scale + 0.0005
    inside = Thing("thing", kind, (aside, y), SMALL_M[kind], z_m=floor, words=kind.replace("_", " "))
    # The image of the one inside, scaled about the camera by `factor`, that clears the vessel's back by the gap and stands on the floor.
    back = vessel.extent_m[1] / 2 + BEHIND_M
    factor = (y + back) / (y - inside.reach_m)
    behind = replace(inside, xy=(aside * factor, y * factor), scale=factor, z_m=0.0)
    camera_z = floor * factor / (factor - 1)
    around, height = _around(numbers, item.layout), 0.0
    if item.layout in (SHELF, FURNISHED):
        below, scale = ("open_shelf", SHELF_SCALE) if item.layout == SHELF else (numbers.choice(SUPPORTS), 1.0)
        x = numbers.uniform(-0.2, 0.2)
        support = stand("support", below, (x, EDGE_Y_M + scale * FURNITURE[below].size_m[1] / 2), scale=scale)
        top = numbers.choice(support.tops[1:-1]) if item.layout == SHELF else support.tops[-1]
        if max(top.over_m(vessel), top.over_m(behind)) > 0:
            raise Rejected("what is behind the vessel would stand over the edge")
        around, height = (support.thing,), top.z_m

    def half(within: bool) -> Half:
        thing = inside if within else behind
        relations = tuple(
            Evidence(kind="relation" if within else "no_relation", name="inside", step=n, handle="thing", other="vessel") for n in (0, -1)
        )
        seen = (Evidence(kind="done", step=1), *(Evidence(kind="seen", step=n, handle="thing") for n in (0, 1, -1)))
        looks = "congruent" if within else "incongruent"
        lifted = (vessel, thing) if not height else tuple(replace(t, z_m=round(height + (t.z_m or 0.0), 5)) for t in (vessel, thing))
        return Half((*lifted, *around), "yes" if within else "no", looks, evidence=(*relations, *seen))

    return Pair(
        ask=Ask(what="inside", things=("thing",), against="vessel"),
        form="yes_no",
        options=("yes", "no"),
        halves=(half(True), half(False)),
        camera_z_m=round(height + camera_z, 4),
        path=LIFTED,
        actions=(*CAMERA_ACTIONS, "pick_up", "put_back"),
        margin=f"inside with its whole volume, or {BEHIND_M * 100:.0f} cm behind the vessel",
        features=("transparent",),
        camera=CAMERA,
        tags={"vessel": glass.category, "factor": f"{factor:.3f}"},
    )


def judge_transparency(playing: Playing) -> Answer:
    """Whether the thing comes along when the vessel is picked up, and the simulator says that it is inside; outside only with a gap."""
    there = present(playing)
    thing, vessel = there[playing.ask.things[0]], there[playing.ask.against]
    longest = max(b - a for a, b in zip(thing.aabb_min_m, thing.aabb_max_m, strict=True))
    shortest = min(b - a for a, b in zip(vessel.aabb_min_m, vessel.aabb_max_m, strict=True))
    if longest > SMALL * shortest + 0.001:
        return "it is too large"
    lifted, came = (math.dist(playing.object(o.handle).pose.position_m, o.pose.position_m) for o in (vessel, thing))
    if "pick_up" in playing.task.actions and lifted < MOVED_M:
        return "the vessel is not picked up"
    held = any((r.kind, r.subject, r.object) == ("inside", thing.handle, vessel.handle) for r in playing.states()[-1].relations)
    if held and (came > MOVED_M) == (lifted > MOVED_M):  # version 3 offered no hand
        return "yes"
    if held or came > MOVED_M:
        return "it came along and is not inside"
    return "no" if BEHIND_M - 0.002 <= gap_m(thing, vessel) <= BEHIND_M + 0.002 else "neither inside nor 1 cm behind"


TRANSPARENCY = Generator(
    "glass", CATEGORY, "Material Transparency", transparency, "what comes along when the vessel is picked up",
    {"inside": INSIDE}, cycle=1, judge=judge_transparency, layouts=STANDS, version="6",
    tells="What is inside comes along when the vessel is picked up, what is 1 cm behind stays: nothing has to be measured by eye. At first "
    "both give one picture, but for the second wall of glass that lies before what is behind. In the open one may go round it.",
    beyond="Refraction: the glass is clear and bends no light. Water in the vessel, and more than one thing.",
)  # fmt: skip
GENERATORS = (TRANSPARENCY,)
