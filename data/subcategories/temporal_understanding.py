"""Temporal Understanding. What changed unseen, and what somebody walked past."""

from __future__ import annotations

from data.subcategories.kind import ONE, SEE, Reading, Subcategory

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
        needs=("robot_walk",),
        reading=Reading(letters=True),
        runner="multiagent",
    ),
)
