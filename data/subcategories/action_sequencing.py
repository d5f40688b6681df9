"""Action Sequencing. Which thing goes under, which on top."""

from __future__ import annotations

from data.subcategories.kind import ACT, Line, Subcategory

CATEGORY = "Action Sequencing"

SUBCATEGORIES = (
    Subcategory(
        category=CATEGORY,
        name="Action Order Inference",
        definition=(
            "Of two candidates for each role, find the base that can carry an object and the thing that can lie on top, and say "
            "where they stand."
        ),
        abilities=ACT,
        knowledge="agents",
        faculties=("physical reasoning", "planning", "comparison"),
        form="pair",
        chance="product over the two blanks of 1 / options",
        checklist=(
            Line("correctness", "Does each thing fit where the answer puts it, and not where another option does?", "sizes"),
            Line("answerability", "Can what fits be found out by looking and trying?", "states"),
        ),
        needs=("pick_up", "put"),
        runner="action",
        run_name="{scene}_{room}_run_{index}",
        tried="order",
    ),
)
