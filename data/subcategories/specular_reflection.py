"""Specular Reflection. What a mirror shows, and where it really is."""

from __future__ import annotations

from data.subcategories.kind import ONE, SEE, YES, Line, Reading, Subcategory

CATEGORY = "Specular Reflection"

SUBCATEGORIES = (
    Subcategory(
        category=CATEGORY,
        name="Reflection Authoring",
        definition="Tell whether an object is seen directly or in a mirror.",
        abilities=SEE,
        knowledge="layout",
        faculties=("reflection", "viewpoint change"),
        form="yes_no",
        chance=YES,
        checklist=(
            Line("correctness", "Is the thing drawn where mirror and room would show it?", "drawn"),
            Line("answerability", "Can the mirror be told from a doorway or a second thing?"),
        ),
        needs=("mirror",),
        reading=Reading(exact=True),
        runner="mirror",
        note="This is about the first view.",
        asks_of_the_image=True,
    ),
    Subcategory(
        category=CATEGORY,
        name="Spatial Relations",
        definition="Of two objects seen in a mirror, tell which is really nearer to where one stands.",
        abilities=SEE,
        knowledge="layout",
        faculties=("reflection", "comparison"),
        form="choice",
        chance=ONE,
        checklist=(
            Line("correctness", "Is the difference of the distances real, and in the asked direction?", "distances"),
            Line("nontriviality", "Does the mirror leave it open in the first view?"),
        ),
        needs=("mirror",),
        reading=Reading(exact=True),
        runner="mirror",
        note="The observation position is where you start.",
    ),
    Subcategory(
        category=CATEGORY,
        name="Correspondence",
        definition="Of three like objects, find the one whose reflection the mirror shows.",
        abilities=SEE,
        knowledge="layout",
        faculties=("reflection", "viewpoint change"),
        form="choice",
        chance=ONE,
        checklist=(
            Line("correctness", "Is the mirrored thing the one that the answer says?", "drawn"),
            Line("answerability", "Do the three differ in something that the mirror shows?"),
        ),
        needs=("mirror",),
        reading=Reading(exact=True),
        runner="mirror",
        note="Left, middle and right are meant as seen from the start.",
    ),
)
