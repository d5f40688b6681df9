"""Temporal Understanding. What changed unseen, and what somebody walked past."""

from __future__ import annotations

from data.subcategories.kind import ONE, SEE, Line, Reading, Subcategory

CATEGORY = "Temporal Understanding"

SUBCATEGORIES = (
    Subcategory(
        category=CATEGORY,
        name="Unobserved Change",
        definition="Tell what changed in boxes between two visits, the change itself being unseen.",
        abilities=SEE,
        knowledge="objects",
        faculties=("memory", "comparison"),
        form="choice",
        chance=ONE,
        known_sound=True,
        checklist=(
            Line("correctness", "Does exactly that change happen which the answer says?", "changes"),
            Line("nontriviality", "Is the change unseen until one looks into the box again?"),
        ),
        needs=("phases", "open_containers"),
        runner="unobserved_changes",
    ),
    Subcategory(
        category=CATEGORY,
        name="Agent Observation",
        definition="Count the hidden objects that a walking robot passed closely.",
        abilities=SEE,
        knowledge="agents",
        faculties=("memory", "counting"),
        form="count",
        chance=ONE,
        checklist=(
            Line("correctness", "Does the robot pass as many as the answer says, clearly nearer or clearly farther?", "counts"),
            Line("answerability", "Can the robot be followed through its whole walk?"),
        ),
        needs=("robot_walk",),
        reading=Reading(letters=True),
        runner="multiagent",
    ),
)
