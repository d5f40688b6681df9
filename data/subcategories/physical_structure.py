"""Physical Structure. What fits, what holds, what lies under: the shape and room of things, told by trying or from several sides."""

from __future__ import annotations

from data.subcategories.kind import ACT, ONE, SEE, Line, Reading, Subcategory

CATEGORY = "Physical Structure"

SUBCATEGORIES = (
    Subcategory(
        category=CATEGORY,
        name="Rigid Containment",
        definition=(
            "Decide which container each object fits best when container sizes and object sizes must be compared from several sides "
            "or by trying."
        ),
        abilities=ACT,
        knowledge="objects",
        faculties=("physical reasoning", "comparison", "planning"),
        form="choice",
        chance="choice: 1 / containers; assignment: (1 / containers) to the power of the items",
        checklist=(
            Line("correctness", "Does the thing fit where the answer says, without running into it?", "sizes"),
            Line("answerability", "Can it be told by looking and trying which one it fits?"),
        ),
        needs=("pick_up", "put", "open_containers"),
        runner="storage",
        row_forms={"sequence": "assignment"},
        tried="containment",
    ),
    Subcategory(
        category=CATEGORY,
        name="Liquid Volume",
        definition=(
            "Decide which of two vessels holds more, when their outer shape misleads and pouring from one into the other settles it."
        ),
        abilities=ACT,
        knowledge="objects",
        faculties=("physical reasoning", "comparison"),
        form="choice",
        chance=ONE,
        checklist=(
            Line("correctness", "Do the volumes differ, in the asked direction?", "states"),
            Line("answerability", "Can pouring tell it?"),
        ),
        needs=("fill", "pour", "liquid", "native_models"),
        reading=Reading(sides=("left", "right")),
        runner="pour",
        run_name="run_{index:03d}",
    ),
    Subcategory(
        category=CATEGORY,
        name="Deformable",
        definition="Name the object under a cloth from the shape that the cloth takes around it.",
        abilities=SEE,
        knowledge="objects",
        faculties=("seeing", "viewpoint change", "physical reasoning"),
        form="choice",
        chance=ONE,
        known_sound=True,
        last_view_tells=True,
        checklist=(
            Line("correctness", "Does the cloth lie on the thing as cloth lies?", "relations"),
            Line("answerability", "Does the shape under the cloth leave one option only?"),
        ),
        needs=("cloth",),
        reading=Reading(letters=True),
        runner="deformable",
    ),
)
