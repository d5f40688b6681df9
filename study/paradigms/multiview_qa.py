"""Multi-view QA: all pictures of a question at once, and no action (design 0008). Options keep the letters that the benchmark gave them."""

from __future__ import annotations

from data.task import Question, Task
from study.ordering import Order, as_written
from study.paradigms.paradigm import Column, Paradigm


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
    columns=(
        Column(
            name="item_hash",
            of="source",
            kind=str,
            meaning="multiview_qa: SHA-256 of the item's own document (its version), whose id is task_id; otherwise empty.",
            after="task_hash",
        ),
        Column(
            name="variant",
            of="source",
            kind=str,
            meaning="multiview_qa: the derived set (single, flip, reject); empty for the full set and for tasks in scenes.",
            after="subcategory",
        ),
        Column(
            name="external_references",
            of="protocol",
            kind=bool | None,
            meaning="multiview_qa: whether looking things up was allowed; empty for tasks in scenes.",
            after="time_limit_s",
        ),
    ),
)
