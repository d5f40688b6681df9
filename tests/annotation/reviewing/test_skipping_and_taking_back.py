"""A reviewer who cannot judge a thing gives it back with a reason; a verdict can be taken back while it has had no effect."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.qa import projects
from annotation.qa.errors import NothingToReview, NotYours
from annotation.qa.projects import Project
from annotation.qa.work import agreement, listing, pool
from annotation.reviewing.errors import BadVote, TooLate
from data.store import Store
from study.errors import BadTransition
from tests.annotation.qa.conftest import build_item
from tests.homes import fresh_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return fresh_store(tmp_path)


@pytest.fixture
def project(store: Store) -> Project:
    return projects.create_project(store, "Test", reviewers_per_item=2, trial_batch=0)


@pytest.fixture
def submitted(store: Store, project: Project) -> Callable[[int], str]:
    def make(seed: int) -> str:
        stored = pool.create_item(store, project.project_id, build_item("distance", seed), "ann")
        return pool.submit(store, stored.item.item_id, "ann", stored.version).item.item_id

    return make


def judged(store: Store, project: Project, who: str, verdict: str = "clean") -> str:
    review, _ = pool.next_review(store, project.project_id, who)
    gold = pool.get(store, review.item_id).item.gold
    pool.answer_review(store, review.review_id, who, str(gold))
    more = {"reasons": ["wrong"], "comment": "no"} if verdict == "flag" else {}
    pool.decide(store, review.review_id, who, verdict, **more)  # type: ignore[arg-type]
    return review.review_id


def test_a_skipped_item_goes_to_another_and_never_back(store: Store, project: Project, submitted: Callable[[int], str]) -> None:
    item = submitted(1)
    review, _ = pool.next_review(store, project.project_id, "rob")
    with pytest.raises(BadVote, match="why you cannot judge"):
        pool.skip(store, review.review_id, "rob", "  ")
    with pytest.raises(NotYours):
        pool.skip(store, review.review_id, "sue", "too dark")
    pool.skip(store, review.review_id, "rob", "The pictures are too dark for me.")
    with pytest.raises(BadTransition):
        pool.skip(store, review.review_id, "rob", "twice")
    with pytest.raises(NothingToReview):
        pool.next_review(store, project.project_id, "rob")
    assert pool.starved(store, project.project_id, ["rob", "sue"]) == [item]
    assert pool.starved(store, project.project_id, ["rob", "sue", "tom"]) == []
    (line,) = listing.find(store, project.project_id, listing.Wanted()).lines
    assert (line.skips, line.clean, line.flags) == (1, 0, 0)
    assert [r.skipped for r in pool.reviews(store, item)] == ["The pictures are too dark for me."]
    judged(store, project, "sue")
    judged(store, project, "tom")
    assert pool.get(store, item).state == "accepted" and agreement.audit(store, project.project_id) == []
    # a new round of it goes to others, too
    pool.move(store, item, "reopen", "lead", "look again")
    stored = pool.get(store, item)
    pool.submit(store, item, "ann", stored.version, why="as it was")
    with pytest.raises(NothingToReview):
        pool.next_review(store, project.project_id, "rob")


def test_a_verdict_is_taken_back_until_it_has_had_its_effect(store: Store, project: Project, submitted: Callable[[int], str]) -> None:
    item = submitted(1)
    first = judged(store, project, "rob")
    with pytest.raises(NotYours):
        pool.take_back(store, first, "sue")
    pool.take_back(store, first, "rob")
    again, _ = pool.next_review(store, project.project_id, "rob")
    assert (again.review_id, again.state, again.answer is not None, again.decided_at) == (first, "answered", True, None)
    pool.take_back(store, first, "rob")  # sent again, because its reply got lost
    assert agreement.audit(store, project.project_id) == []
    pool.decide(store, first, "rob", "flag", reasons=["wrong"], comment="I slipped")
    with pytest.raises(TooLate, match="sent back"):
        pool.take_back(store, first, "rob")
    assert agreement.audit(store, project.project_id) == []
    told = store.query("SELECT kind, data FROM events WHERE subject = ? AND kind LIKE 'qa_review_%' ORDER BY seq", [item])
    votes = [json.loads(row["data"])["votes"]["verdict"]["vote"] for row in told if row["kind"] == "qa_review_decided"]
    assert votes == ["clean", "flag"], "both stand in the history"
    assert [row["kind"] for row in told].count("qa_review_taken_back") == 1


def test_what_the_last_reviewer_decided_is_decided(store: Store, project: Project, submitted: Callable[[int], str]) -> None:
    submitted(1)
    first, last = judged(store, project, "rob"), judged(store, project, "sue")
    for review, who in ((first, "rob"), (last, "sue")):
        with pytest.raises(TooLate, match="accepted"):
            pool.take_back(store, review, who)
