"""The registry of the subtasks of robot questions: one line each, in the published order.

A name here is the slug, and the module of `annotation.qa.subtasks` that declares everything about the subtask. Nothing else names one:
`annotation.qa.items.Subtask` and `annotation.qa.subtasks.SUBTASKS` follow from this tuple.
"""

from __future__ import annotations

REGISTERED = (
    "matching",
    "distance",
    "viewpoint",
    "consistency",
    "planning",
    "step",
    "trajectory",
    "affordance",
)
