"""Physical Dynamics. What stays and what falls: slopes and stacks."""

from __future__ import annotations

from data.subcategories.kind import ACT, YES, Line, Reading, Subcategory

CATEGORY = "Physical Dynamics"

SUBCATEGORIES = (
    Subcategory(
        category=CATEGORY,
        name="Inclined Plane",
        definition="Predict whether an object rests on a slope or slides, from the slope's angle, the surfaces and a trial.",
        abilities=ACT,
        knowledge="objects",
        faculties=("physical reasoning",),
        form="yes_no",
        chance=YES,
        checklist=(
            Line("correctness", "Does the trial do what the answer says?", "states"),
            Line("answerability", "Can what decides (angle, surface) be seen or tried?"),
        ),
        needs=("place_on_slope", "native_models"),
        reading=Reading(
            yes_words=("stable", "not slide", "not slid", "stay", "stays", "will not slide", "won't slide"),
            no_words=("unstable", "not stable", "slide", "slides", "slid", "fall", "falls", "fallen", "not stay"),
        ),
        runner="slope",
        run_name="run_{index:03d}",
    ),
    Subcategory(
        category=CATEGORY,
        name="Stacking & Stability",
        definition="Find an order in which three objects can be stacked and stay up.",
        abilities=ACT,
        knowledge="objects",
        faculties=("physical reasoning", "planning"),
        form="sequence",
        chance="stable orders / all orders of the objects",
        checklist=(
            Line("correctness", "Does the stack of the answer stay up without things running into each other?", "places"),
            Line("answerability", "Does every other order fall, or is it accepted too?", "one_answer"),
        ),
        needs=("pick_up", "put", "put_on_floor", "native_models"),
        runner="stacking",
        stacked=True,
        note="Order from bottom to top.",
    ),
)
