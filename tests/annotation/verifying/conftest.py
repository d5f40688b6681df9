"""A verification of small tasks, and the people who judge them; no simulator."""

from __future__ import annotations

import pytest

from annotation.reviewing import things
from annotation.reviewing.kinds.tasks import KIND
from annotation.reviewing.rows import Review, Vote
from annotation.verifying import items, queue
from annotation.verifying.verifications import Protocol, Verification
from data.generators.practice import practice
from data.store import Store, now
from data.task import Task

PASS = Vote("pass")
AXES = ("correctness", "answerability", "nontriviality")
WHY = {"correctness": "not_instantiated", "answerability": "several_answers", "nontriviality": "category_prior"}


def verdict(*failed: str) -> dict[str, Vote]:
    """A verdict that fails these axes and passes the others."""
    return {axis: Vote("fail", reasons=(WHY[axis],)) if axis in failed else PASS for axis in AXES}


class Verifying:
    """A verification at work."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.verification: Verification

    def people(self, *names: str) -> None:
        for name in names:
            self.store.insert("staff", {"staff_id": name, "name": name, "created_at": now()})

    def task(self, number: int, **changes: object) -> Task:
        task = practice().model_copy(update={"task_id": f"small-{number}", **changes})
        self.store.put_task(task)
        return task

    def begin(self, tasks: int = 1, evidence: bool = False, study_id: str | None = None, **protocol: object) -> Verification:
        settings = Protocol.model_validate({"control_share": 0.0, "training": 0, **protocol})
        hashes = [self.task(number).content_hash for number in range(1, tasks + 1)]
        self.verification = items.start(
            self.store, "V", hashes, study_id=study_id, protocol=settings, evidence=evidence, actor="lead"
        )  # fmt: skip
        return self.verification

    @property
    def id(self) -> str:
        return self.verification.verification_id

    def claim(self, who: str) -> Review:
        return queue.next_item(self.store, self.id, who)

    def look(self, review: Review, told: str = "no", answer: str = "vase") -> Review:
        return queue.look(self.store, review.review_id, review.reviewer, told, answer, 60)

    def judge(self, review: Review, *failed: str) -> Review:
        return queue.judge(self.store, review.review_id, review.reviewer, verdict(*failed))

    def verify(self, who: str, *failed: str, told: str = "no", answer: str = "vase") -> Review:
        """One whole review."""
        return self.judge(self.look(self.claim(who), told, answer), *failed)

    def subject(self, n: int = 0, part: str = "task") -> str:
        return items.items_of(self.store, self.id, part)[n].subject

    def state(self, n: int = 0) -> str:
        return things.get(self.store, KIND, self.subject(n)).state


@pytest.fixture
def v(store: Store) -> Verifying:
    found = Verifying(store)
    found.people("ann", "ben", "cat", "dan", "eve", "fay")
    return found
