"""The checklist of a task: what its verifier has to make sure of on each axis, filled where the evidence tells."""

from __future__ import annotations

from annotation.verifying.evidence import Check, Evidence
from data.task import Task


def filled(task: Task, evidence: Evidence | None) -> tuple[Check, ...]:
    """The lines for a task.

    Args:
        task: the task.
        evidence: what a simulator made of its trajectory; None, or one without moments: nothing is filled.
    """
    return (
        Check("correctness", "Is everything that the question names there?", None),
        Check("correctness", "Does everything stand where such a thing can stand?", None),
        Check("correctness", "Is every step of the trajectory possible?", None),
        Check("correctness", "Do the pictures agree with the state?", None),
        Check("correctness", "Does the proposed answer agree with the state?", None),
        Check("answerability", "Can what decides be reached with the allowed actions, within the budget?", None),
        Check("answerability", "Is there one right answer only?", None),
        Check("nontriviality", "Does one have to look further than the first view?", None),
    )
