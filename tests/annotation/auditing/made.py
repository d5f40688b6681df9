"""Made-up tasks for the audit's statistics: what they ask and answer is chosen, the scene is the practice task's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.auditing.check import Audited, Finding, Row
from annotation.auditing.registry import checks
from data.generators.practice import practice
from data.task import Answer, AnswerForm, Task


def made(number: int, text: str, options: Sequence[str], gold: Answer, form: AnswerForm = "choice", **more: Any) -> Task:
    """A task of a kind of its own."""
    base = practice()
    question = base.question.model_copy(update={"text": text, "options": tuple(options), "form": form, "languages": {}, "ask": None})
    found = base.gold.model_copy(update={"accepted": (gold,), "chance": 1 / max(len(options), 1)})
    return base.model_copy(update={"task_id": f"made-{number:03d}", "question": question, "gold": found, "twin": None, **more})


def audited(tasks: Sequence[Task]) -> Audited:
    return Audited([Row(task.task_id, "", task) for task in tasks])


def found(check_id: str, tasks: Sequence[Task]) -> list[Finding]:
    """What one check finds in the tasks."""
    return list(checks()[check_id].look(audited(tasks)))
