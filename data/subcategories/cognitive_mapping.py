"""Cognitive Mapping. Rooms, ways and borders of a whole building."""

from __future__ import annotations

from data.subcategories.kind import ONE, SEE, YES, Line, Reading, Subcategory

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
        known_sound=True,
        checklist=(
            Line("correctness", "Is there a doorway exactly where the answer says so?", "rooms"),
            Line("answerability", "Can the rooms be told apart from what is in them?"),
        ),
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
        known_sound=True,
        checklist=(
            Line("correctness", "Is the shortest way the only shortest one?", "rooms"),
            Line("answerability", "Can the rooms be told apart from what is in them?"),
        ),
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
        checklist=(
            Line("correctness", "Does the thing stand clearly in one room?", "rooms"),
            Line("answerability", "Is it clear where one room ends and the next begins?"),
        ),
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
        checklist=(
            Line("correctness", "Does the route lead where it says, by doorways that are open?", "rooms"),
            Line("answerability", "Is each gap filled by one option only?"),
        ),
        needs=("native_scene",),
        reading=Reading(exact=True),
        runner="cognitivemap",
        note="Fill the blanks in order.",
    ),
)
