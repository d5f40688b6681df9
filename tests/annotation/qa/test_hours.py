"""Hours by person and stage: what lies between two saved steps counts, breaks do not."""

from __future__ import annotations

from collections.abc import Callable

from annotation.qa import projects
from annotation.qa.items import Item
from annotation.qa.moments.records import BREAK_S
from annotation.qa.work import pool
from annotation.qa.work.hours import hours
from data.store import Store, dumps


def test_hours_are_those_between_steps_without_breaks(store: Store, sound: Callable[..., Item]) -> None:
    project = projects.create_project(store, "Test", reviewers_per_item=1, trial_batch=0)
    stored = pool.create_item(store, project.project_id, sound("distance", 1), "set-up")  # a program, which has no hours
    item = stored.item.item_id

    def tell(minute: float, kind: str, actor: str, **data: object) -> None:
        at = f"2026-01-02T{int(minute // 60):02d}:{int(minute % 60):02d}:{round(minute % 1 * 60):02d}.000Z"
        with store.atomic():
            store.event(kind, {"item": item, **data}, at=at, actor=actor, subject=item)

    assert BREAK_S == 600
    tell(0, "qa_item", "ann", event="create")
    tell(5, "qa_item", "ann", event="edit")
    tell(65, "qa_item", "ann", event="edit")  # a break of an hour
    tell(68.5, "qa_item", "ann", event="submit")
    tell(70, "qa_review_assigned", "rob", review="rv_1")
    tell(72, "qa_review_answered", "rob", review="rv_1")
    tell(75, "qa_review_decided", "rob", review="rv_1")
    tell(76, "qa_item", "rob", event="flag")
    tell(77, "qa_review_assigned", "sue", review="rv_2")
    tell(79, "qa_review_skipped", "sue", review="rv_2")
    tell(80, "qa_item", "set-up", event="edit")
    for seconds in (30.0, 60.0, 4000.0):
        with store.atomic():
            told = {"moment": "mo_1", "project": project.project_id, "seconds": seconds}
            store.event("moment_decided", told, actor="ann", subject=f"mo_{seconds}")
    with store.atomic():
        store.insert("events", {"at": "2026-01-02T00:00:00.000Z", "kind": "moment_decided", "actor": "ann", "subject": "mo_x",
                                "data": dumps({"project": "another", "seconds": 9.0})})  # fmt: skip
    found = {(one.person, one.stage): (one.things, one.hours) for one in hours(store, project.project_id)}
    assert found == {
        ("ann", "writing"): (1, round(8.5 / 60, 4)),
        ("ann", "choosing"): (2, 0.025),
        ("rob", "reviewing"): (1, round(5 / 60, 4)),
        ("sue", "reviewing"): (1, round(2 / 60, 4)),
    }
