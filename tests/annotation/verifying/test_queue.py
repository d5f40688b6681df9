"""Who gets which task, what is released when, and what ends a review."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from annotation.reviewing import drafts, things
from annotation.reviewing.audit import audit
from annotation.reviewing.errors import BadVote, NothingToReview, NotYours, TooLate
from annotation.reviewing.kinds.tasks import CANNOT_TELL, CONTROL, CONTROL_KIND, EVERY_KIND, KIND, TRAINING
from annotation.verifying import guides, history, items, pausing, queue, showing
from annotation.verifying.errors import BadVerification, Closed, Edited, Ended, Expired, Paused
from annotation.verifying.evidence import FirstView, Rest
from annotation.verifying.verifications import Protocol
from data.store import Store, now, written
from study import contents
from study.participants import add_participant
from study.studies import create_study
from tests.annotation.verifying.conftest import Verifying, verdict


def late(store: Store, minutes: int) -> None:
    """Let time pass for what is open."""
    at = written(datetime.now(UTC) - timedelta(minutes=minutes))
    with store.atomic() as db:
        db.execute("UPDATE reviews SET moved_at = ?", [at])


def also_participant(v: Verifying, study_id: str, staff_id: str) -> str:
    """One browser that holds a member of staff and a participant of a study; returns the participant."""
    person = add_participant(v.store, study_id)
    with v.store.atomic():
        v.store.insert("sessions", {"session_id": "se", "cookie_hash": "c", "created_at": now(), "expires_at": now()})
        row = {"session_id": "se", "study_id": study_id, "created_at": now()}
        v.store.insert("grants", row | {"grant_id": "g1", "role": "participant", "participant_id": person})
        v.store.insert("grants", row | {"grant_id": "g2", "role": "reviewer", "staff_id": staff_id})
    return person


def test_three_people_judge_and_the_majority_of_each_axis_decides(v: Verifying) -> None:
    v.begin(2)
    for who in ("ann", "ben"):
        v.verify(who)
        v.verify(who, "answerability")
        assert (v.state(0), v.state(1)) == ("in_verification", "in_verification"), "nothing is decided before all votes are in"
    v.verify("cat", "correctness")
    v.verify("cat")
    assert (v.state(0), v.state(1)) == ("retained", "rejected")
    assert not audit(v.store, KIND, v.id)


def test_a_task_is_trivial_for_who_read_it_in_the_first_view_and_was_right(v: Verifying) -> None:
    v.begin(2)
    for who in ("ann", "ben", "cat"):
        v.verify(who, told="yes", answer="soccer ball")
        v.verify(who, told="yes", answer="vase")
    assert (v.state(0), v.state(1)) == ("rejected", "retained"), "right from the first view is trivial, wrong from it is not"


def test_the_rest_is_released_when_the_first_stage_is_stored(v: Verifying) -> None:
    v.begin(1)
    review = v.claim("ann")
    shown = queue.release(v.store, review, "ann")
    assert isinstance(shown, FirstView)
    assert sorted(shown.options) == ["soccer ball", "vase"]
    with pytest.raises(NotYours):
        queue.release(v.store, review, "ben")
    v.look(review, answer=CANNOT_TELL)
    rest = queue.release(v.store, review, "ann")
    assert isinstance(rest, Rest)
    assert (rest.answers, rest.budget, rest.evidence) == (("soccer ball",), 30, None)
    assert "not made yet" in rest.why_none and rest.fidelity == "", "its scene was made here"


def test_how_near_a_released_row_is_to_its_source_is_told_after_the_first_stage_alone(v: Verifying) -> None:
    rebuilt = v.task(1, scene=msgspec.structs.replace(v.task(1).scene, source_scene="Rs_int"), tags={"substituted": "club sandwich"})
    v.verification = items.start(
        v.store, "V", [rebuilt.content_hash], protocol=Protocol(control_share=0.0, training=0), evidence=False, actor="lead"
    )
    review = v.claim("ann")
    assert b"club sandwich" not in msgspec.json.encode(queue.release(v.store, review, "ann"))
    v.look(review, answer=CANNOT_TELL)
    rest = queue.release(v.store, review, "ann")
    assert isinstance(rest, Rest) and rest.fidelity.startswith("Built here after a released row: places exact, sizes ")
    assert rest.fidelity.endswith("the source shows club sandwich instead.")


def test_two_tasks_that_differ_in_gold_alone_show_the_same_first_view(v: Verifying) -> None:
    v.begin(1)
    other = v.task(1, gold=v.task(1).gold.model_copy(update={"accepted": ("vase",)}))
    items.add(v.store, v.id, [other.content_hash], evidence=False, actor="lead")
    first = v.claim("ann")
    second = msgspec.structs.replace(first, subject=v.subject(1))
    shown = [msgspec.json.encode(showing.first_view(v.store, review)) for review in (first, second)]
    assert shown[0] == shown[1]


def test_a_task_that_waits_for_its_evidence_is_given_to_nobody(v: Verifying) -> None:
    v.begin(1, evidence=True)
    with pytest.raises(NothingToReview):
        v.claim("ann")
    assert items.submit(v.store, v.id, actor="lead") == 0
    assert items.submit(v.store, v.id, anyway=True, actor="lead") == 1
    assert v.claim("ann").subject == v.subject()


def test_cannot_judge_gives_the_place_to_somebody_else(v: Verifying) -> None:
    v.begin(1)
    review = v.look(v.claim("ann"))
    with pytest.raises(BadVote):
        queue.cannot_judge(v.store, review.review_id, "ann", " ")
    queue.cannot_judge(v.store, review.review_id, "ann", "I know this room.")
    with pytest.raises(NothingToReview):
        v.claim("ann")
    with pytest.raises(Ended, match="cannot judge"):
        v.judge(review)
    for who in ("ben", "cat", "dan"):
        v.verify(who)
    assert v.state() == "retained"
    assert [past.skipped for past in history.history(v.store, v.id, "ann")] == ["I know this room."]


def test_a_late_vote_is_refused_in_a_sentence_and_its_draft_comes_back(v: Verifying) -> None:
    v.begin(1, slots=1, hold_minutes=30)
    review = v.look(v.claim("ann"))
    queue.save_draft(v.store, review.review_id, "ann", '{"note":"the lid"}')
    late(v.store, 31)
    other = v.claim("ben")
    with pytest.raises(Expired, match=r"30 minutes.*kept as a draft"):
        v.judge(review)
    assert queue.draft_of(v.store, review.review_id, "ann") == '{"note":"the lid"}'
    v.judge(v.look(other))
    assert v.state() == "retained"


def test_a_draft_is_found_in_the_next_review_of_the_same_task(v: Verifying) -> None:
    v.begin(1, hold_minutes=30)
    review = v.claim("ann")
    queue.save_draft(v.store, review.review_id, "ann", "{}")
    late(v.store, 31)
    again = v.claim("ann")
    assert again.review_id != review.review_id
    assert queue.draft_of(v.store, again.review_id, "ann") == "{}"
    with pytest.raises(NotYours):
        queue.draft_of(v.store, again.review_id, "ben")
    with pytest.raises(BadVote, match="at most"):
        queue.save_draft(v.store, again.review_id, "ann", "x" * (drafts.MAX_DRAFT + 1))


def test_a_verdict_can_be_taken_back_until_the_task_is_decided(v: Verifying) -> None:
    v.begin(1)
    done = v.verify("ann", "correctness")
    assert queue.undo(v.store, done.review_id, "ann").state == "looked"
    v.judge(v.claim("ann"))
    v.verify("ben")
    v.verify("cat", "correctness")
    assert v.state() == "retained"
    with pytest.raises(TooLate):
        queue.undo(v.store, done.review_id, "ann")


def test_a_pause_gives_open_places_back_and_refuses_what_comes_after(v: Verifying) -> None:
    v.begin(2)
    v.verify("ann")
    review = v.look(v.claim("ann"))
    queue.save_draft(v.store, review.review_id, "ann", "{}")
    assert pausing.pause(v.store, v.id, "ann", "too many errors on controls", actor="lead") == 1
    assert [(one.staff_id, one.why) for one in pausing.paused(v.store, v.id)] == [("ann", "too many errors on controls")]
    with pytest.raises(Paused, match="draft"):
        v.judge(review)
    with pytest.raises(Paused):
        v.claim("ann")
    for who in ("ben", "cat", "dan"):
        v.verify(who)
    assert v.state(1) == "in_verification" and v.state(0) == "retained"
    pausing.resume(v.store, v.id, "ann", actor="lead")
    with pytest.raises(NothingToReview):
        v.claim("ann")  # the second task has shown them its answer
    with pytest.raises(BadVerification, match="not paused"):
        pausing.resume(v.store, v.id, "ann", actor="lead")


def test_an_edited_task_goes_on_as_its_new_version_with_people_who_do_not_know_it(v: Verifying) -> None:
    v.begin(1)
    v.verify("ann")
    review = v.look(v.claim("ben"))
    task = v.store.get_task(items.items_of(v.store, v.id)[0].task_hash)
    v.task(1, supersedes=task.content_hash, budget=20)
    with pytest.raises(Edited, match="edited while you had it"):
        v.judge(review)
    with pytest.raises(NothingToReview):
        v.claim("ben")
    with pytest.raises(Edited):
        v.judge(review)
    old, new = items.items_of(v.store, v.id)
    assert (new.follows, things.get(v.store, KIND, old.subject).state) == (old.subject, "replaced")
    for who in ("cat", "dan", "eve"):
        v.verify(who)
    assert (v.state(1), things.get(v.store, KIND, new.subject).round) == ("retained", 2)
    with pytest.raises(NothingToReview):
        v.claim("ann")
    assert not audit(v.store, KIND, v.id)


def test_nobody_verifies_what_they_made_met_or_verified_elsewhere(v: Verifying) -> None:
    study = create_study(v.store, "S", state="live", tasks=(v.task(1).content_hash, v.task(2).content_hash), trials=1)
    v.begin(1, study_id=study.study_id)
    task_hash = v.task(1).content_hash
    with v.store.atomic() as db:
        db.execute("INSERT INTO task_people (task_hash, staff_id, part, at) VALUES (?, 'ann', 'recorded', '')", [task_hash])
    also_participant(v, study.study_id, "ben")
    for who in ("ann", "ben"):
        with pytest.raises(NothingToReview):
            v.claim(who)
    v.verify("cat")
    assert task_hash in {row["task_hash"] for row in v.store.query("SELECT task_hash FROM task_people WHERE staff_id = 'cat'")}
    first = v.id
    v.verification = items.start(v.store, "W", [task_hash], evidence=False, actor="lead")
    assert v.id != first
    with pytest.raises(NothingToReview):
        v.claim("cat")


def test_a_verifier_is_never_its_participant(v: Verifying) -> None:
    v.begin(1)
    study = create_study(v.store, "S", state="live", tasks=(v.task(1).content_hash,), trials=1)
    v.claim("ann")
    person = also_participant(v, study.study_id, "ann")
    assert contents.had_a_part_in(v.store, person) == [v.task(1).content_hash]


def test_a_participant_of_the_study_may_verify_what_they_have_not_met_where_it_says_so(v: Verifying) -> None:
    study = create_study(v.store, "S", state="live", tasks=(v.task(1).content_hash,), trials=1)
    v.begin(1, study_id=study.study_id, allow_own_study=True)
    person = also_participant(v, study.study_id, "ann")
    assert v.claim("ann").subject == v.subject()
    with v.store.atomic():
        met = {"slot_id": "sl_1", "study_id": study.study_id, "task_hash": v.task(1).content_hash, "paradigm": "active"}
        v.store.insert("slots", met | {"state": "completed", "participant_id": person, "created_at": now()})
        things.void_open(v.store, KIND, v.subject(), "test")
    with pytest.raises(NothingToReview):
        v.claim("ann")


def test_exercises_come_first_and_are_explained_and_controls_hide_among_tasks(v: Verifying) -> None:
    v.begin(22, training=1, control_share=0.2)
    for number in range(100, 106):
        part = "training" if number == 100 else "control"
        task = v.task(number)
        items.add_known(v.store, v.id, part, task.content_hash, {"correctness": "fail"}, "No vase is there.", actor="lead")
    items.submit(v.store, v.id, anyway=True, actor="lead")
    done = v.verify("ann")
    assert done.kind == TRAINING
    told = queue.feedback(v.store, done.review_id, "ann")
    assert told is not None and told.exercise and not told.agrees and told.explains == "No vase is there."
    with pytest.raises(TooLate, match="explained"):
        queue.undo(v.store, done.review_id, "ann")
    kinds = [v.verify("ann").kind for _ in range(25)]
    assert [kinds[i : i + 5].count(CONTROL) for i in range(0, 25, 5)] == [1] * 5
    assert [v.verify("ann").kind for _ in range(2)] == [KIND.name] * 2
    with pytest.raises(NothingToReview):  # a control alone would be known as one
        v.claim("ann")
    control = next(past for past in history.history(v.store, v.id, "ann") if v.store.one(
        "SELECT 1 FROM reviews WHERE review_id = ? AND kind = ?", [past.review_id, CONTROL]))  # fmt: skip
    assert control.outcome == "" and queue.feedback(v.store, control.review_id, "ann") is None
    for kind in EVERY_KIND:
        assert not audit(v.store, kind, v.id)
    assert things.get(v.store, CONTROL_KIND, v.subject(0, "control")).state == "in_verification"


@pytest.mark.parametrize("share", [0.05, 0.1, 0.15, 0.3, 0.5])
def test_controls_have_their_share(share: float) -> None:
    for seed in ("a", "b", "c"):
        n = sum(queue.control_stands_at(place, share, seed) for place in range(400))
        assert abs(n - 400 * share) <= 1
    assert not any(queue.control_stands_at(place, 0.0, "a") for place in range(50))


def test_a_round_is_told_once_all_votes_are_in(v: Verifying) -> None:
    v.begin(1)
    done = v.verify("ann", "correctness")
    v.verify("ben")
    assert queue.feedback(v.store, done.review_id, "ann") is None
    assert [past.outcome for past in history.history(v.store, v.id, "ann")] == [""]
    v.verify("cat")
    told = queue.feedback(v.store, done.review_id, "ann")
    assert told is not None and told.yours["correctness"] is False and told.right["correctness"] is True
    (past,) = history.history(v.store, v.id, "ann")
    assert (past.outcome, past.yours["correctness"], past.right["correctness"], past.held) == ("Retained", False, True, {})
    items.again(v.store, v.subject(), "look once more", actor="lead")
    (past,) = history.history(v.store, v.id, "ann")
    assert (past.outcome, past.yours, past.right) == ("", {}, {}), "a task that is verified again is open"


def test_a_second_look_is_a_new_round_for_people_who_have_not_seen_it(v: Verifying) -> None:
    v.begin(1)
    for who in ("ann", "ben", "cat"):
        v.verify(who, "correctness")
    with pytest.raises(BadVerification, match="why"):
        items.again(v.store, v.subject(), " ", actor="lead")
    items.again(v.store, v.subject(), "the frame was not drawn", actor="lead")
    with pytest.raises(NothingToReview):
        v.claim("ann")
    for who in ("dan", "eve", "fay"):
        v.verify(who)
    assert v.state() == "retained"
    assert len(v.store.query("SELECT DISTINCT review_id FROM review_votes")) == 6, "every vote stays"


def test_every_vote_says_by_which_guide_it_was_cast(v: Verifying) -> None:
    v.begin(1)
    v.verify("ann")
    used = {row["guide"] for row in v.store.query("SELECT guide FROM review_votes")}
    assert used == {guides.current().guide}
    assert guides.text_of(v.store, guides.current().guide) == guides.current().text


def test_a_closed_verification_takes_nothing_more(v: Verifying) -> None:
    v.begin(1)
    review = v.look(v.claim("ann"))
    items.close(v.store, v.id, actor="lead")
    for refused in (lambda: v.judge(review), lambda: v.claim("ben"), lambda: items.add(v.store, v.id, [], actor="lead")):
        with pytest.raises(Closed):
            refused()


def test_one_person_judges_a_task_once_however_many_verifications_have_it(v: Verifying) -> None:
    v.begin(1)
    first = v.claim("ann")
    other = items.start(v.store, "W", [v.task(1).content_hash], evidence=False, actor="lead")
    second = queue.next_item(v.store, other.verification_id, "ann")
    v.look(first)
    with pytest.raises(Ended, match="judged this task already"):
        v.look(second)


def test_the_database_refuses_a_second_vote_of_one_person_in_a_round(v: Verifying) -> None:
    v.begin(1)
    review = v.claim("ann")
    row = msgspec.structs.asdict(review) | {"review_id": "rv_x", "slot": 2}
    with pytest.raises(Exception, match=r"(?i)unique|constraint|already"), v.store.atomic() as db:
        names = ", ".join(row)
        db.execute(f"INSERT INTO reviews ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
    assert sqlite3.sqlite_version


def test_a_bad_verdict_stores_nothing(v: Verifying) -> None:
    v.begin(1)
    review = v.look(v.claim("ann"))
    bad = verdict() | {"correctness": verdict("answerability")["answerability"]}
    with pytest.raises(BadVote, match="reasons"):
        queue.judge(v.store, review.review_id, "ann", bad)
    assert queue.review_of(v.store, review.review_id, "ann").state == "looked"


def test_another_verdict_on_a_judged_task_is_refused_and_the_same_once_more_is_not(v: Verifying) -> None:
    """As from another window that still shows the task."""
    v.begin()
    review = v.verify("ann")
    queue.judged_so(v.store, review, verdict())
    with pytest.raises(Ended, match="that verdict stands, and this one was not stored"):
        queue.judged_so(v.store, review, verdict("correctness"))
    note = verdict() | {"correctness": msgspec.structs.replace(verdict()["correctness"], comment="a note")}
    with pytest.raises(Ended):
        queue.judged_so(v.store, review, note)
