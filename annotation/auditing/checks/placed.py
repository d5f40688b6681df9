"""Things that the row places where its question says they are not: into each other, or beside what they should lie on."""

from __future__ import annotations

import itertools
from typing import Any

from annotation.auditing.check import Check, Row
from annotation.auditing.checks.payload import data_of, meta, objects, plain, rules_by_kind, tells
from annotation.auditing.checks.records import COUNTING
from data.importers import fields

SHARED = 0.5
"""Share of the smaller of two boxes that lies in the other from which the things in them surely cross: boxes of round or thin things
overlap at their corners without it."""
STRETCHED = 5.0
"""Stretch along one side against another beyond which a thing may not be known by its name (ours)."""
BESIDE_M = 0.02
"""Gap, from above, between a thing and what it should lie on."""


@tells
def _overlap(row: Row) -> str | None:
    """Things that are counted and stand in each other, by the boxes that the row records."""
    targets = fields.listing(data_of(row)["render"]["resolved_objects"]["targets"], "targets")
    boxes = [(fields.vec3(t["bbox"][0], "bbox"), fields.vec3(t["bbox"][1], "bbox")) for t in targets]
    shared = {(i, j): _shared(boxes[i], boxes[j]) for i, j in itertools.combinations(range(len(boxes)), 2)}
    crossing = [pair for pair, share in shared.items() if share > SHARED]
    if not crossing:
        return None
    i, j = max(crossing, key=lambda pair: shared[pair])
    words = plain(targets[i]["category"])
    return (
        f"Of the {len(boxes)} × {words} that are counted, some stand in each other by their recorded boxes ({len(crossing)} of "
        f"{len(shared)} pairs): numbers {i + 1} and {j + 1} share {shared[i, j]:.0%} of the smaller box."
    )


def _shared(one: Any, other: Any) -> float:
    """Share of the smaller box's volume that lies in the other."""
    both, first, second = 1.0, 1.0, 1.0
    for low, high, other_low, other_high in zip(*one, *other, strict=True):
        both *= max(min(high, other_high) - max(low, other_low), 0.0)
        first *= high - low
        second *= other_high - other_low
    return float(both / min(first, second))


@tells
def _off_slope(row: Row) -> str | None:
    """A thing that the record sets down beside the slope."""
    (thing,) = objects(row).values()
    slope = meta(row)["slope"]
    gaps = [max(slope["aabb_min"][i] - thing["aabb_max_init"][i], thing["aabb_min_init"][i] - slope["aabb_max"][i], 0.0) for i in (0, 1)]
    if (gap := max(gaps)) < BESIDE_M:
        return None
    return f"The {plain(thing['category'])} begins {gap:.2f} m beside the slope: what it did there says nothing of the slope."


@tells
def _stretched(row: Row) -> str | None:
    """A container among the options that is stretched out of its shape."""
    for one in meta(row)["containers"]:
        scale = fields.vec3(one.get("scale", (1.0, 1.0, 1.0)), "scale")
        if max(scale) > STRETCHED * min(scale):
            times, size = (" × ".join(f"{v:.2f}" for v in three) for three in (scale, _extent(one["final_pose"])))
            return f"The {plain(one['cat'])} is stretched by {times}, to {size} m: it may not be known by its name."
    return None


def _extent(pose: Any) -> list[float]:
    """Sides of a recorded box, m."""
    return [high - low for low, high in zip(pose["aabb_min"], pose["aabb_max"], strict=True)]


CHECKS = (
    Check(
        id="container-stretched",
        severity="note",
        about="Rigid Containment: containers that are stretched along one side more than five times as much as along another (a petri dish "
        "of 23 cm in each direction), so that the options may name what is not recognised.",
        fix="Scale evenly, or name the container by what it looks like.",
        look=rules_by_kind({("Physical Structure", "Rigid Containment"): _stretched}),
        source="App. H.1: plausible",
    ),
    Check(
        id="counted-overlap",
        severity="warning",
        about="Things that are counted and stand in each other: by the recorded boxes, more than half of the smaller one lies in another. "
        "Who looks sees one thing, or parts of several.",
        fix="Place them again so that each can be seen as one, or leave the row out.",
        look=rules_by_kind({("Enumerative Perception", name): _overlap for name in COUNTING}),
        source="App. H.1: intersects",
    ),
    Check(
        id="beside-the-slope",
        severity="error",
        about="Slopes whose thing begins 2 cm or more beside them, from above: it was never placed on the slope.",
        fix="Place the thing on the slope and record again, or leave the row out.",
        look=rules_by_kind({("Physical Dynamics", "Inclined Plane"): _off_slope}),
    ),
)
