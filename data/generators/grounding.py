"""Own tasks of Perceptual Grounding: what one view makes of a thing.

*Material Transparency*: a small thing inside a glass vessel, or collinear behind it. Seen from the camera the thing behind is the image of
the one inside, scaled about the camera: its foot, its outline and its place in the picture are the same.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

from data.generators.framework import Generator, Half, Pair, Rejected
from data.generators.lab import Playing
from data.generators.layout import Thing
from data.generators.measuring import gap_m, named
from data.task import Answer, Evidence
from sim_bridge.spec import Camera, Vec3

CATEGORY = "Perceptual Grounding"
CAMERA = Camera(hfov_deg=60.0)
"""About the released runner's field of view: small things are large enough to be named."""

# --- Material Transparency --------------------------------------------------------------------------------------------


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
    Glass("measuring_cup", "measuring cup", (0.1556, 0.1040, 0.1030), 0.0040, 1.15, 90.0),
)
SMALL_M: dict[str, Vec3] = {
    "cherry": (0.0238, 0.0220, 0.0554),
    "grape": (0.0180, 0.0180, 0.0291),
    "strawberry": (0.0360, 0.0360, 0.0483),
    "walnut": (0.0422, 0.0342, 0.0420),
    "plum": (0.0560, 0.0542, 0.0657),
    "cherry_tomato": (0.0283, 0.0283, 0.0340),
    "acorn": (0.0216, 0.0216, 0.0362),
    "egg": (0.0450, 0.0450, 0.0572),
    "lime": (0.0500, 0.0500, 0.0660),
    "dice": (0.0190, 0.0190, 0.0190),
}
"""Extents at scale 1 (a test compares with the catalogue)."""
SMALL = 0.5
"""The small thing's longest edge is at most this share of the vessel's shortest."""
BEHIND_M = 0.01
"""Gap between the vessel's back and what stands behind it."""
GLASS_Y_M = 0.5
BESIDE = (*("move_right",) * 2, *("move_forward",) * 2, *("turn_left",) * 6)
"""To the vessel's side: a thing behind it stands free there."""
AROUND = (*BESIDE, *("move_up",) * 1, "turn_down", "turn_down")


def transparency(numbers: random.Random, number: int) -> Pair:
    """A small thing on the floor of a glass vessel; in the twin the same image of it stands behind."""
    glass = GLASSES[(number - 1) % len(GLASSES)]
    y, aside = GLASS_Y_M + numbers.uniform(0.0, 0.04), numbers.uniform(-0.03, 0.03)
    vessel = Thing(
        "vessel", glass.category, (aside, y), glass.size_m, glass.scale, yaw_deg=glass.yaw_deg, words=glass.words, vessel=True,
        params=glass.params,
    )  # fmt: skip
    fits = [k for k, size in SMALL_M.items() if 0.2 <= max(size) * 1.25 / min(vessel.extent_m) <= SMALL]
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
    side_steps = len(BESIDE)

    def half(within: bool) -> Half:
        thing = inside if within else behind
        relation = Evidence(kind="relation" if within else "no_relation", name="inside", handle="thing", other="vessel")
        seen = tuple(Evidence(kind="seen", step=n, handle="thing") for n in (0, side_steps, -1))
        return Half((vessel, thing), "yes" if within else "no", "congruent" if within else "incongruent", evidence=(relation, *seen))

    return Pair(
        question=f"Is the {inside.words} inside the {vessel.words}?",
        form="yes_no",
        options=("yes", "no"),
        halves=(half(True), half(False)),
        camera_z_m=round(camera_z, 4),
        path=AROUND,
        margin=f"inside with its whole volume, or {BEHIND_M * 100:.0f} cm behind the vessel",
        features=("transparent",),
        camera=CAMERA,
        tags={"vessel": glass.category, "factor": f"{factor:.3f}"},
    )


def judge_transparency(playing: Playing) -> Answer:
    """Whether the simulator says that the thing is inside; outside only with a gap."""
    objects = named(playing)
    vessel = next(o for w, o in objects.items() if playing.task.question.text.endswith(f"inside the {w}?"))
    thing = next(o for o in objects.values() if o.handle != vessel.handle)
    longest = max(b - a for a, b in zip(thing.aabb_min_m, thing.aabb_max_m, strict=True))
    shortest = min(b - a for a, b in zip(vessel.aabb_min_m, vessel.aabb_max_m, strict=True))
    if longest > SMALL * shortest + 0.001:
        return "it is too large"
    held = any((r.kind, r.subject, r.object) == ("inside", thing.handle, vessel.handle) for r in playing.states()[-1].relations)
    if held:
        return "yes"
    return "no" if BEHIND_M - 0.002 <= gap_m(thing, vessel) <= BEHIND_M + 0.002 else "neither inside nor 1 cm behind"


TRANSPARENCY = Generator(
    "glass", CATEGORY, "Material Transparency", transparency, "the simulator's relation inside",
    cycle=len(GLASSES), judge=judge_transparency,
)  # fmt: skip
GENERATORS = (TRANSPARENCY,)
