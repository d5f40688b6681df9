"""Perceptual Grounding. What a thing is, when the first side misleads: hidden parts, odd sides, see-through vessels."""

from __future__ import annotations

from data.subcategories.kind import ACT, ONE, SEE, YES, Line, Reading, Subcategory

CATEGORY = "Perceptual Grounding"

SUBCATEGORIES = (
    Subcategory(
        category=CATEGORY,
        name="Partial Occlusion",
        definition="Name an object of which another one hides the telling part.",
        abilities=SEE,
        knowledge="objects",
        faculties=("seeing", "viewpoint change"),
        form="choice",
        chance=ONE,
        known_sound=True,
        last_view_tells=True,
        checklist=(
            Line("answerability", "Is the telling part seen on the way?", "shown_later"),
            Line("nontriviality", "Is the telling part hidden in the first view?", "hidden_first"),
        ),
        reading=Reading(letters=True),
        runner="occlusion",
    ),
    Subcategory(
        category=CATEGORY,
        name="View Hallucination",
        definition="Name an object that from the first side looks like something else.",
        abilities=SEE,
        knowledge="objects",
        faculties=("seeing", "viewpoint change"),
        form="choice",
        chance=ONE,
        known_sound=True,
        last_view_tells=True,
        checklist=(
            Line("answerability", "Would everybody call the thing by its name from another side?", "shown_later"),
            Line("nontriviality", "Does the first side look like something else?"),
        ),
        reading=Reading(letters=True),
        runner="angle_confusion",
    ),
    Subcategory(
        category=CATEGORY,
        name="Material Transparency",
        definition="Tell whether a small object is inside a see-through vessel or merely behind it.",
        abilities=ACT,
        knowledge="objects",
        faculties=("seeing", "viewpoint change"),
        form="yes_no",
        chance=YES,
        checklist=(
            Line("correctness", "Is the small thing clearly inside, or clearly outside?", "relations"),
            Line("answerability", "Does some view tell inside from behind?", "shown_later"),
        ),
        needs=("transparent",),
        reading=Reading(yes_words=("inside", "in"), no_words=("not inside", "outside", "out", "not in")),
        runner="transparent",
    ),
)
