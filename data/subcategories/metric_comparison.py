"""Metric Comparison. Which is larger and which is nearer, when perspective says otherwise."""

from __future__ import annotations

from data.subcategories.kind import ACT, ONE, SEE, Line, Reading, Subcategory

CATEGORY = "Metric Comparison"

SUBCATEGORIES = (
    Subcategory(
        category=CATEGORY,
        name="Dimensional Size",
        definition="Of two objects of one kind and slightly different size, standing at different distances, tell which is larger.",
        abilities=ACT,
        knowledge="layout",
        faculties=("comparison", "viewpoint change", "memory"),
        form="choice",
        chance=ONE,
        checklist=(
            Line("correctness", "Is the difference of size real, and in the asked direction?", "sizes"),
            Line("answerability", "Is the difference large enough to be seen from some side?", "sizes"),
            Line("nontriviality", "Does the first view mislead, or leave it open?", "hidden_first"),
        ),
        runner="size",
    ),
    Subcategory(
        category=CATEGORY,
        name="Spatial Distance",
        definition="Tell which of two objects is closer to a third, when perspective shortens one of the gaps.",
        abilities=SEE,
        knowledge="layout",
        faculties=("comparison", "viewpoint change"),
        form="choice",
        chance=ONE,
        known_sound=True,
        checklist=(
            Line("correctness", "Is the difference of the distances real, and in the asked direction?", "distances"),
            Line("nontriviality", "Does perspective leave it open in the first view?"),
        ),
        reading=Reading(gold_word=("near", "far")),
        runner="distance",
    ),
)
