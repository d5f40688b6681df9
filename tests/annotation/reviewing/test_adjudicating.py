"""Who adjudicates what: nobody who took part or can have seen the answer; what they are shown; and what can be taken back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from annotation import adjudicating
from annotation import disputes as queue
from annotation.reviewing import things, votes
from annotation.reviewing.audit import audit
from annotation.reviewing.errors import BadVote, NothingToReview, NotYours, TooLate
from annotation.reviewing.kinds import reason_disputes, tasks
from annotation.reviewing.kinds.gold_disputes import KIND
from annotation.reviewing.rows import Vote
from annotation.verifying import history, items
from annotation.verifying import queue as verifying
from data.store import Store, now
from study import access, disputes
from study.access import EVERY_STUDY
from study.contents import had_a_part_in
from study.trajectories import took_part
from tests.annotation.reviewing.test_gold_disputes import DEFECT, SOUND, asked  # noqa: F401 - a study with a doubted gold
from tests.annotation.verifying.conftest import Verifying
from tests.study.conftest import *  # noqa: F403 - the engine and its tasks


def hire(store: Store, role: str = "annotator", study_id: str = EVERY_STUDY, beside: str | None = None) -> tuple[str, str]:
    """A member of staff, and the cookie of their browser."""
    cookie, grant = access.enter(store, access.create_invite(store, role, study_id), beside)
    return grant.staff_id or "", cookie


@pytest.fixture
def doubted(store: Store, asked: Callable[..., Any]) -> Any:  # noqa: F811
    """A study with a disputed recorded gold, its task, the other option and the episode whose answer doubts it."""
    study, task, wrong, answer = asked()
    episode = answer(False)
    dispute = queue.raise_one(store, study.study_id, task.content_hash, "Somebody reported it.", actor="lead")
    return study, task, wrong, episode, dispute


def claim(store: Store, study: Any, who: str) -> Any:
    return adjudicating.next_one(store, who, [study.study_id], [])


def test_who_took_no_part_is_given_it_and_is_never_its_participant(store: Store, doubted: Any) -> None:
    study, task, _, episode, _ = doubted
    who, cookie = hire(store)
    review = claim(store, study, who)
    shown = adjudicating.shown(store, review)
    told = msgspec.json.encode([shown.about, shown.first, shown.views, shown.rest]).decode()
    assert (
        shown.rest is None and shown.first.question == task.question.text and sorted(shown.first.options) == sorted(task.question.options)
    )
    assert len(shown.views) == 1, "the first view that everybody has"
    assert not [word for word in (episode, "reported", "recorded", '"accepted"') if word in told]
    _, grant = access.enter(store, access.create_invite(store, "participant", study.study_id), cookie)
    assert had_a_part_in(store, grant.participant_id or "") == [task.content_hash]
    assert claim(store, study, who).review_id == review.review_id
    with pytest.raises(NotYours):
        adjudicating.judge(store, review.review_id, "another", {"answer": Vote("x"), "finding": SOUND})


@pytest.mark.parametrize("part", ["wrote", "verified", "given", "recorded"])
def test_who_made_or_verified_it_is_not_offered_it(store: Store, doubted: Any, part: str) -> None:
    study, task, *_ = doubted
    who, _ = hire(store)
    took_part(store, task.content_hash, who, part)
    with pytest.raises(NothingToReview, match="neither met, wrote, verified nor coded"):
        claim(store, study, who)


@pytest.mark.parametrize("role", ["researcher", "owner"])
@pytest.mark.parametrize("every", [True, False])
def test_who_sees_the_answers_on_a_researchers_pages_is_not_offered_it(store: Store, doubted: Any, role: str, every: bool) -> None:
    study, *_ = doubted
    who, cookie = hire(store)
    hire(store, role, EVERY_STUDY if every else study.study_id, cookie)
    with pytest.raises(NothingToReview):
        claim(store, study, who)


def test_who_takes_part_in_the_study_or_coded_a_trajectory_of_it_is_not_offered_it(store: Store, doubted: Any) -> None:
    study, _, _, episode, _ = doubted
    who, cookie = hire(store)
    access.enter(store, access.create_invite(store, "participant", study.study_id), cookie)
    coder, _ = hire(store)
    store.insert("view_labels", {"episode_id": episode, "coder": coder, "seq": 0, "label": "redundant", "belief": "", "at": now()})
    for one in (who, coder):
        with pytest.raises(NothingToReview):
            claim(store, study, one)
    assert claim(store, study, hire(store)[0])


def test_what_was_found_can_be_taken_back_until_something_is_built_upon_it(store: Store, doubted: Any) -> None:
    study, _, wrong, _, dispute = doubted
    who, _ = hire(store)
    review = claim(store, study, who)
    adjudicating.judge(store, review.review_id, who, {"answer": Vote(wrong, 80), "finding": SOUND})
    assert things.get(store, KIND, dispute.subject).state == "overturned"
    last = adjudicating.last_judged(store, who)
    assert last is not None and last.review_id == review.review_id
    adjudicating.undo(store, review.review_id, who)
    thing = things.get(store, KIND, dispute.subject)
    assert (thing.state, thing.round, thing.live) == ("in_adjudication", 1, 1) and votes.votes_of(store, review.review_id) == {}
    with pytest.raises(NothingToReview):
        claim(store, study, hire(store)[0])
    assert claim(store, study, who).review_id == review.review_id
    adjudicating.judge(store, review.review_id, who, {"answer": Vote(wrong, 80), "finding": DEFECT})
    found = queue.found(store, dispute.subject)
    assert found is not None and (found.answer, found.confidence, found.comment) == (wrong, 80, DEFECT.comment)
    assert audit(store, KIND, study.study_id) == {}
    queue.settle(store, dispute.subject, [wrong], why="It is drawn wrongly.", actor="lead")
    assert adjudicating.last_judged(store, who) is None
    with pytest.raises(TooLate, match="settled"):
        adjudicating.undo(store, review.review_id, who)


def test_what_settling_changes_is_counted_before_anything_is_written(store: Store, asked: Callable[..., Any]) -> None:  # noqa: F811
    study, task, wrong, answer = asked()
    answer(False), answer(False), answer(True), answer(False, "bot")
    dispute = queue.raise_one(store, study.study_id, task.content_hash, "Somebody reported it.", actor="lead")
    before = store.query("SELECT * FROM scores ORDER BY episode_id")
    (change,) = disputes.what_changes(store, dispute.subject, [wrong])
    assert (change.answers, change.right_before, change.right_after, change.become_right, change.become_wrong) == (3, 1, 2, 2, 1)
    assert disputes.elsewhere(store, dispute) == 1
    assert store.query("SELECT * FROM scores ORDER BY episode_id") == before and disputes.both_scorings(store, dispute.subject) == []
    who, _ = hire(store)
    adjudicating.judge(store, claim(store, study, who).review_id, who, {"answer": Vote(wrong, 80), "finding": SOUND})
    queue.settle(store, dispute.subject, [wrong], why="A slip.", actor=who)
    assert disputes.both_scorings(store, dispute.subject) == [change]
    assert len(store.query("SELECT * FROM scores")) == 8


def test_tasks_that_can_be_disputed_by_hand_are_those_with_another_answer(store: Store, asked: Callable[..., Any]) -> None:  # noqa: F811
    study, task, _, answer = asked()
    answer(True)
    assert disputes.can_be_raised(store, study.study_id) == []
    answer(False)
    assert [(one.task_hash, one.otherwise, one.of) for one in disputes.can_be_raised(store, study.study_id)] == [(task.content_hash, 1, 2)]
    queue.raise_one(store, study.study_id, task.content_hash, "It looks wrong.", actor="lead")
    assert disputes.can_be_raised(store, study.study_id) == []


# disputed reasons

SAYS = {axis: Vote("pass") for axis in ("correctness", "answerability", "nontriviality")}


def rejected(store: Store, *reasons: str) -> Verifying:
    """A task that people reject on correctness, each for one reason; one passes it where two are given."""
    v = Verifying(store)
    v.people("ann", "ben", "cat", "dan")
    v.begin(1)
    for who, reason in zip(("ann", "ben", "cat"), [*reasons, ""], strict=False):
        said = SAYS | ({"correctness": Vote("fail", reasons=(reason,))} if reason else {})
        review = v.look(v.claim(who))
        verifying.judge(store, review.review_id, who, said)
    assert v.state() == "rejected"
    return v


def test_reasons_of_which_none_is_the_same_are_looked_at_by_somebody_else(store: Store) -> None:
    v = rejected(store, "floats", "vanished")
    (told,) = adjudicating.disagreements(store, v.id)
    assert (told.given, told.holds) == (("Something floats.", "Something vanishes."), "")
    with pytest.raises(NothingToReview, match="neither verified"):
        adjudicating.next_one(store, "ann", [], [v.id])
    review = adjudicating.next_one(store, "dan", [], [v.id])
    shown = adjudicating.shown(store, review)
    assert list(shown.axes[0].reasons) == ["floats", "vanished"] and shown.rest is not None
    assert not [who for who in ("ann", "ben", "cat") if who in json.dumps(msgspec.to_builtins(shown.rest))]
    with pytest.raises(BadVote, match="in question are floats, vanished"):
        adjudicating.judge(store, review.review_id, "dan", {"holds": Vote("hold", reasons=("intersects",))})
    with pytest.raises(BadVote, match="what you see instead"):
        adjudicating.judge(store, review.review_id, "dan", {"holds": Vote("none")})
    adjudicating.judge(store, review.review_id, "dan", {"holds": Vote("hold", reasons=("floats",))})
    assert things.get(store, reason_disputes.KIND, review.subject).state == "resolved"
    assert v.state() == "rejected", "it is no vote on the task"
    assert adjudicating.disagreements(store, v.id)[0].holds == "Something floats."
    (past,) = history.history(store, v.id, "ben")
    assert past.held == {"correctness": "Something floats."} and past.right["correctness"] is False
    assert [one.reviewer for one in votes.reviews(store, tasks.KIND, v.subject())] == ["ann", "ben", "cat"]
    assert adjudicating.take_in(store, v.id, actor="") == 0
    items.again(store, v.subject(), "Look again.", actor="lead")
    with pytest.raises(NothingToReview):
        v.claim("dan")


def test_a_shared_reason_is_no_dispute(store: Store) -> None:
    v = rejected(store, "floats", "floats")
    assert adjudicating.take_in(store, v.id, actor="") == 0
