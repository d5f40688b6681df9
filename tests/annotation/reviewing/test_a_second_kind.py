"""Three slots, two blind stages and a majority per axis are a declaration alone: the engine knows nothing of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation.reviewing import claims, things, votes
from annotation.reviewing.agreement import by_axis
from annotation.reviewing.audit import audit
from annotation.reviewing.errors import BadVote, NothingToReview, NotYours, UnknownReview
from annotation.reviewing.rows import Vote
from data.store import Store
from study.errors import BadTransition
from tests.annotation.reviewing.conftest import Bench
from tests.present import present

PEOPLE = ("ann", "ben", "cem")


def test_three_reviews_decide_and_nobody_gets_a_fourth(bench: Bench, store: Store) -> None:
    bench.propose()
    for k, who in enumerate(PEOPLE):
        assert bench.stands() == "in_verification"
        review = bench.claim(who)
        assert (review.slot, review.round, review.state) == (k + 1, 1, "assigned")
    with pytest.raises(NothingToReview):
        bench.claim("dan")
    for who in PEOPLE:
        bench.judge(bench.look(bench.claim(who)))
    assert bench.stands() == "kept"
    assert audit(store, bench.kind, "study") == {}


def test_what_a_stage_shows_is_released_when_the_stage_before_it_is_stored(bench: Bench, store: Store) -> None:
    bench.propose()
    review = bench.claim("ann")

    def shown(stage: str, who: str = "ann") -> Any:
        return votes.release(store, bench.kind, review.review_id, who, stage)

    assert shown("look") == {"view": "two doors"}
    with pytest.raises(NotYours, match="Answer first"):
        shown("judge")
    with pytest.raises(BadTransition):
        bench.judge(review)
    bench.look(review)
    assert shown("judge") == {"trajectory": "the path goes left", "answer": "left"}
    with pytest.raises(NotYours, match="somebody else"):
        shown("judge", "ben")
    with pytest.raises(BadTransition):
        bench.look(review)


@pytest.mark.parametrize(
    ("fails", "state", "why"),
    [
        ([{}, {}, {}], "kept", ""),
        ([{"correctness": "fail"}, {}, {}], "kept", ""),
        ([{"correctness": "fail"}, {"correctness": "fail"}, {}], "dropped", "correctness"),
        ([{"correctness": "fail"}, {"answerability": "fail"}, {}], "kept", ""),
        ([{"guess": "left", "determinable": "yes"}, {"guess": "left", "determinable": "yes"}, {}], "dropped", "non_triviality"),
        ([{"guess": "right", "determinable": "yes"}, {"guess": "right", "determinable": "yes"}, {}], "kept", ""),
        ([{"guess": "left"}, {"guess": "left"}, {"guess": "left"}], "kept", ""),
    ],
    ids=[
        "all pass", "one against", "two against on one axis", "two against on different axes", "two see it at once",
        "two believe so and are wrong", "guessed right by chance",
    ],
)  # fmt: skip
def test_the_majority_decides_each_axis_and_all_axes_are_needed(
    bench: Bench, store: Store, fails: list[dict[str, Any]], state: str, why: str
) -> None:
    bench.propose()
    for who, against in zip(PEOPLE, fails, strict=True):
        bench.verify(who, **against)
    assert bench.stands() == state
    last = json.loads(bench.told()[-1]["data"])
    assert last.get("why", "") == why
    assert [axis for axis, passed in last["axes"].items() if not passed] == ([why] if why else [])


def test_a_thing_kept_against_most_reviewers_is_marked(bench: Bench) -> None:
    bench.propose()
    for who, against in zip(PEOPLE, ({"correctness": "fail"}, {"answerability": "fail"}, {}), strict=True):
        bench.verify(who, **against)
    bench.propose("scene_2")
    for who in PEOPLE:
        bench.verify(who)
    kept = [json.loads(row["data"]) for row in bench.told() if '"keep"' in row["data"]]
    assert [(told["scene"], told["contested"]) for told in kept] == [("scene_1", True), ("scene_2", False)]


def test_votes_and_their_reasons_are_rows(bench: Bench, store: Store) -> None:
    bench.propose()
    review = bench.verify("ann", correctness="fail")
    assert (review.state, review.stages) == ("judged", 2) and review.decided_at
    rows = store.query("SELECT stage, axis, vote, confidence, reasons FROM review_votes ORDER BY rowid")
    assert [tuple(row.values()) for row in rows] == [
        ("look", "guess", "right", 60, "[]"),
        ("look", "determinable", "no", None, "[]"),
        ("judge", "correctness", "fail", None, '["floats"]'),
        ("judge", "answerability", "pass", None, "[]"),
    ]


@pytest.mark.parametrize(
    ("stage", "cast", "words"),
    [
        ("look", {"guess": Vote("left")}, "asks for guess, determinable; got guess"),
        ("look", {"guess": Vote("up"), "determinable": Vote("no")}, "A guess is one of left, right, got 'up'"),
        ("look", {"guess": Vote("left", 101), "determinable": Vote("no")}, "whole number from 0 to 100, got 101"),
        ("look", {"guess": Vote("left"), "determinable": Vote("no", 50)}, "takes no confidence, got 50"),
        ("judge", {"correctness": Vote("fail"), "answerability": Vote("pass")}, "one or more reasons of floats, state; got none"),
        ("judge", {"correctness": Vote("fail", reasons=("ugly",)), "answerability": Vote("pass")}, "got ugly"),
        ("judge", {"correctness": Vote("pass", reasons=("floats",)), "answerability": Vote("pass")}, "“Pass” has no reasons"),
    ],
)
def test_a_vote_of_the_wrong_form_stores_nothing(bench: Bench, store: Store, stage: str, cast: dict[str, Any], words: str) -> None:
    bench.propose()
    review = bench.claim("ann")
    if stage == "judge":
        bench.look(review)
    before = store.query("SELECT * FROM review_votes"), votes.get(store, bench.kind, review.review_id)
    with pytest.raises(BadVote, match=words):
        votes.give(store, bench.kind, review.review_id, "ann", stage, cast)
    assert (store.query("SELECT * FROM review_votes"), votes.get(store, bench.kind, review.review_id)) == before


def test_a_second_look_goes_to_people_who_have_not_seen_the_answer(bench: Bench, store: Store) -> None:
    bench.propose()
    for who in PEOPLE:
        bench.verify(who, correctness="fail")
    assert bench.stands() == "dropped"
    things.move(store, bench.kind, "scene_1", "second_look", "lea", why="the box does not float")
    assert things.get(store, bench.kind, "scene_1").round == 2
    for who in PEOPLE:
        with pytest.raises(NothingToReview):
            bench.claim(who)
    assert claims.starved(store, bench.kind, "study", [*PEOPLE, "dan", "eve"]) == ["scene_1"]
    assert claims.starved(store, bench.kind, "study", [*PEOPLE, "dan", "eve", "fay"]) == []
    for who in ("dan", "eve", "fay"):
        bench.verify(who)
    assert bench.stands() == "kept"
    assert [len(votes.completed(store, bench.kind, "scene_1", round_)) for round_ in (1, 2)] == [3, 3]
    assert [present(votes.outcome(store, bench.kind, "scene_1", round_)).event for round_ in (1, 2)] == ["drop", "keep"]
    assert audit(store, bench.kind, "study") == {}


def test_an_edit_reopens_where_the_table_says_so(bench: Bench, store: Store) -> None:
    bench.propose()
    with pytest.raises(BadTransition):
        things.move(store, bench.kind, "scene_1", "edit", "generator", version=2)
    for who in PEOPLE:
        bench.verify(who)
    thing = things.move(store, bench.kind, "scene_1", "edit", "generator", why="a new start", version=2)
    assert (thing.state, thing.version, thing.round) == ("proposed", 2, 1)
    again = things.move(store, bench.kind, "scene_1", "submit", "generator")
    assert (again.round, again.live) == (2, 0)
    assert bench.claim("dan").version == 2


def test_a_review_that_nobody_finishes_is_given_back(bench: Bench, store: Store) -> None:
    bench.propose()
    late, slow = bench.claim("ann"), bench.look(bench.claim("ben"))
    with store.atomic() as db:
        db.execute("UPDATE reviews SET moved_at = '2020-01-01T00:00:00.000Z'")
    assert bench.claim("cem").slot == 1
    assert [votes.get(store, bench.kind, review.review_id).state for review in (late, slow)] == ["void", "void"]
    # ann saw the first view alone and begins anew; ben has been shown the answer
    assert bench.claim("ann").review_id != late.review_id
    with pytest.raises(NothingToReview):
        bench.claim("ben")
    with pytest.raises(BadTransition, match="void"):
        bench.judge(slow)
    assert audit(store, bench.kind, "study") == {}


def test_who_took_part_in_a_thing_does_not_review_it(bench: Bench, store: Store) -> None:
    bench.propose()
    with store.atomic() as db:
        # the declared query alone decides; a table with the same columns stands for it
        db.execute("CREATE TEMP TABLE slots (task_hash TEXT, participant_id TEXT)")
        db.execute("INSERT INTO temp.slots VALUES ('scene_1', 'ann')")
    with pytest.raises(NothingToReview):
        bench.claim("ann")
    assert claims.waiting_for(store, bench.kind, "study", "ann") == 0
    assert claims.waiting_for(store, bench.kind, "study", "ben") == 1


def test_agreement_is_counted_by_axis(bench: Bench, store: Store) -> None:
    bench.propose()
    for who, against in zip(PEOPLE, ({"correctness": "fail"}, {}, {}), strict=True):
        bench.verify(who, **against)
    found = {row.axis: row for row in by_axis(store, bench.kind, "study")}
    assert list(found) == ["guess", "determinable", "correctness", "answerability"]
    assert found["correctness"].equal_pairs == pytest.approx(1 / 3) and found["correctness"].alpha == pytest.approx(0)
    assert found["answerability"].equal_pairs == 1 and found["answerability"].alpha is None


def test_two_kinds_do_not_see_each_others_things(bench: Bench, store: Store) -> None:
    bench.propose()
    with store.atomic() as db:
        db.execute("INSERT INTO reviewed SELECT 'other', subject, scope, state, version, round, live, queued, updated_at FROM reviewed")
    assert claims.waiting_for(store, bench.kind, "study", "ann") == 1
    bench.claim("ann")
    assert store.query("SELECT kind, live FROM reviewed ORDER BY kind") == [{"kind": "other", "live": 0}, {"kind": "scene", "live": 1}]
    with pytest.raises(UnknownReview, match="no scene 'nothing'"):
        things.get(store, bench.kind, "nothing")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("UPDATE reviewed SET state = 'dropped'", "its events lead to 'kept'"),
        ("UPDATE reviewed SET live = 2", "3 reviews of its round count, its row says 2"),
        ("UPDATE reviews SET state = 'looked' WHERE reviewer = 'ann'", "is open although the scene is kept"),
        ("DELETE FROM review_votes WHERE axis = 'guess' OR axis = 'determinable'", "says 2 stages, 1 are stored"),
        ("UPDATE review_votes SET at = '2999'", "decided before they answered"),
        ("UPDATE reviews SET reviewer = 'ben', round = 0 WHERE reviewer = 'ann'", "ben had seen the answer before"),
    ],
)
def test_the_audit_finds_what_is_out_of_order(bench: Bench, store: Store, damage: str, words: str) -> None:
    bench.propose()
    for who in PEOPLE:
        bench.verify(who)
    assert audit(store, bench.kind, "study") == {}
    with store.atomic() as db:
        db.execute(damage)
    assert words in " ".join(audit(store, bench.kind, "study")["scene_1"])
