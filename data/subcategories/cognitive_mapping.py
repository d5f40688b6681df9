"""Cognitive Mapping. Rooms, ways and borders of a whole building."""

from __future__ import annotations

from data.subcategories.kind import ONE, SEE, YES, Reading, Subcategory

CATEGORY = "Cognitive Mapping"

SUBCATEGORIES = (
    Subcategory(
        category=CATEGORY,
        name="Connectivity",
        definition="Tell whether two rooms are joined directly.",
        abilities=SEE,
        knowledge="layout",
        faculties=("navigation", "memory"),
        form="yes_no",
        chance=YES,
        needs=("native_scene",),
        reading=Reading(exact=True),
        runner="cognitivemap",
    ),
    Subcategory(
        category=CATEGORY,
        name="Traversable Passage",
        definition="Name a room that the shortest way between two rooms leads through.",
        abilities=SEE,
        knowledge="layout",
        faculties=("navigation", "memory"),
        form="choice",
        chance=ONE,
        needs=("native_scene",),
        reading=Reading(exact=True),
        runner="cognitivemap",
    ),
    Subcategory(
        category=CATEGORY,
        name="Regional Boundary",
        definition="Tell which room an object belongs to or is closer to, or whether two objects share a room.",
        abilities=SEE,
        knowledge="layout",
        faculties=("navigation", "memory", "comparison"),
        form="choice",
        chance=ONE,
        needs=("native_scene",),
        reading=Reading(exact=True),
        runner="cognitivemap",
    ),
    Subcategory(
        category=CATEGORY,
        name="Long-Term Navigation",
        definition="Fill the gaps in a route through many rooms: the next room, or the next turn.",
        abilities=SEE,
        knowledge="layout",
        faculties=("navigation", "memory", "planning"),
        form="blanks",
        chance="product over the blanks of 1 / options",
        needs=("native_scene",),
        reading=Reading(exact=True),
        runner="cognitivemap",
        note="Fill the blanks in order.",
    ),
)
