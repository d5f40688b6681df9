"""Multi-view QA: all pictures of a question at once, and no action (design 0008). Options keep the letters that the benchmark gave them."""

from __future__ import annotations

from data.task import Question, Task
from study.ordering import Order, as_written
from study.paradigms.paradigm import Paradigm


def _unfit(task: Task) -> str:
    return "" if task.shown else "is a task in a scene, not a question about pictures"


def _letters(question: Question, seed: int, person: int | None) -> Order:
    return as_written(question)


PARADIGM = Paradigm(
    name="multiview_qa",
    meaning="all pictures of a question at once; then there are no rows in steps, and beliefs and answers have seq 0",
    unfit=_unfit,
    opens="pictures",
    component="question",
    order=_letters,
    timed=True,
    grouping="subcategory",
    drawn_blocks=True,
    once_everywhere=True,
    settings=("time_limit_s", "external_references"),
    source=("item_hash", "variant"),
)
