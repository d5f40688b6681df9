"""Spatial Relations. Lines, triangles and touch, from a start view that does not show them."""

from __future__ import annotations

from data.subcategories.kind import ONE, SEE, YES, Line, Reading, Subcategory

CATEGORY = "Spatial Relations"

SUBCATEGORIES = (
    Subcategory(
        category=CATEGORY,
        name="Linear Alignment",
        definition="Tell whether three objects stand in a straight line, from a start view at floor level.",
        abilities=SEE,
        knowledge="layout",
        faculties=("viewpoint change",),
        form="yes_no",
        chance=YES,
        known_sound=True,
        checklist=(
            Line("correctness", "Do they stand clearly in a line, or clearly not?", "distances"),
            Line("nontriviality", "Does the view from the floor leave it open?"),
        ),
        reading=Reading(
            yes_words=("collinear", "in a line", "in line", "on a line", "aligned"),
            no_words=("not collinear", "not in a line", "not in line", "not aligned", "not on a line"),
        ),
        runner="line",
    ),
    Subcategory(
        category=CATEGORY,
        name="Geometric Configuration",
        definition="Tell which kind of triangle three objects form, from a start view at floor level.",
        abilities=SEE,
        knowledge="layout",
        faculties=("viewpoint change", "comparison"),
        form="choice",
        chance=ONE,
        known_sound=True,
        checklist=(
            Line("correctness", "Is the triangle clearly of the kind that the answer says?", "distances"),
            Line("nontriviality", "Does the view from the floor leave it open?"),
        ),
        reading=Reading(same_words={"random": "random triangle", "scalene": "random triangle", "scalene triangle": "random triangle"}),
        runner="triangle",
    ),
    Subcategory(
        category=CATEGORY,
        name="Physical Contact",
        definition="Tell whether two objects touch, when from most sides one hides the gap.",
        abilities=SEE,
        knowledge="layout",
        faculties=("seeing", "viewpoint change"),
        form="yes_no",
        chance=YES,
        known_sound=True,
        checklist=(
            Line("correctness", "Do they clearly touch, or clearly not?", "relations"),
            Line("answerability", "Does some view show the gap, or the contact?", "shown_later"),
        ),
        reading=Reading(
            yes_words=("touching", "contact", "in contact"),
            no_words=("not touching", "no contact", "not in contact", "separate", "separated"),
        ),
        runner="touching",
    ),
)
