"""The pool: blind reviews by people with fresh eyes, flags that send back, versions, conflicts, quotas, trial batches."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from annotation.qa import projects
from annotation.qa.errors import Conflict, NothingToReview, NotReady, NotYours, QaError, QuotaFull, Training, UnknownItem
from annotation.qa.items import LETTERS, Item
from annotation.qa.projects import Project
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work import agreement, pool
from annotation.qa.work.blind import blind
from annotation.qa.work.pool import ITEM, REVIEW
from annotation.reviewing import claims
from annotation.reviewing.agreement import percent_agreement
from annotation.reviewing.errors import BadVote
from data.store import Store
from study.errors import BadTransition
from study.measures.agreement import krippendorff
from tests.present import present


@pytest.fixture
def project(store: Store) -> Project:
    return projects.create_project(store, "Test", reviewers_per_item=2, trial_batch=0)


@pytest.fixture
def submitted(store: Store, project: Project, sound: Callable[..., Item]) -> Callable[..., pool.Stored]:
    def make(subtask: str = "distance", seed: int = 0, author: str = "ann") -> pool.Stored:
        stored = pool.create_item(store, project.project_id, sound(subtask, seed), author)
        return pool.submit(store, stored.item.item_id, author, stored.version)

    return make


def review(store: Store, project: Project, reviewer: str, verdict: str = "clean", **options: Any) -> pool.Stored:
    given, _ = pool.next_review(store, project.project_id, reviewer)
    gold = pool.get(store, given.item_id).item.gold
    pool.answer_review(store, given.review_id, reviewer, present(gold))
    if verdict == "flag":
        options = {"reasons": ["ambiguous"], "comment": "two could be"} | options
    return pool.decide(store, given.review_id, reviewer, verdict, **options)


@pytest.mark.parametrize("machine", [ITEM, REVIEW])
def test_every_state_that_is_led_to_exists(machine: Any) -> None:
    assert {state for events in machine.values() for state in events.values()} <= set(machine)


def test_an_item_is_accepted_by_k_clean_reviews(store: Store, project: Project, submitted: Callable[..., pool.Stored]) -> None:
    stored = submitted()
    assert stored.state == "in_review"
    assert review(store, project, "rob").state == "in_review"
    assert review(store, project, "sue").state == "accepted"
    assert agreement.audit(store, project.project_id) == []


def test_any_flag_sends_it_back_and_ends_the_other_reviews(store: Store, project: Project, submitted: Callable[..., pool.Stored]) -> None:
    stored = submitted()
    open_one, _ = pool.next_review(store, project.project_id, "rob")
    flagged = review(store, project, "sue", "flag")
    assert flagged.state == "flagged"
    with pytest.raises(BadTransition, match="void"):
        pool.answer_review(store, open_one.review_id, "rob", "A")
    reasons = [r.reasons for r in pool.feedback(store, stored.item.item_id)]
    assert reasons == [("ambiguous",)]


def test_a_revised_item_goes_to_people_who_have_not_seen_its_answer(
    store: Store, project: Project, submitted: Callable[..., pool.Stored]
) -> None:
    stored = submitted()
    item_id = stored.item.item_id
    review(store, project, "rob")
    review(store, project, "sue", "flag")
    with pytest.raises(QaError, match="nothing was changed since"):
        pool.submit(store, item_id, "ann", 1)
    saved = pool.save(store, item_id, stored.item.change(question=stored.item.question + " Look closely."), 1, "ann", why="clearer")
    again = pool.submit(store, item_id, "ann", saved.rev)
    assert (again.state, again.round, again.version) == ("in_review", 2, 2)
    for known in ("rob", "sue", "ann"):
        with pytest.raises(NothingToReview):
            pool.next_review(store, project.project_id, known)
    assert pool.starved(store, project.project_id, ["rob", "sue", "tim"]) == [item_id]
    assert pool.starved(store, project.project_id, ["rob", "sue", "tim", "una"]) == []
    review(store, project, "tim")
    assert review(store, project, "una").state == "accepted"
    assert agreement.audit(store, project.project_id) == []
    kinds = [json.loads(r["data"])["event"] for r in store.query("SELECT data FROM events WHERE kind = 'qa_item' ORDER BY seq")]
    assert kinds == ["create", "submit", "flag", "edit", "submit", "accept"]


def test_who_edits_an_item_does_not_review_it(store: Store, project: Project, sound: Callable[..., Item]) -> None:
    stored = pool.create_item(store, project.project_id, sound("step"), "ann")
    saved = pool.save(store, stored.item.item_id, stored.item.change(slots={"task": "open the box"}), 1, "rob")
    fixed = stored.item.change(slots={"task": "open the box"})
    fixed = fixed.change(question=SUBTASKS["step"].question(fixed))
    saved = pool.save(store, stored.item.item_id, fixed, saved.rev, "ann")
    pool.submit(store, stored.item.item_id, "ann", saved.rev)
    with pytest.raises(NothingToReview):
        pool.next_review(store, project.project_id, "rob")


def test_a_reviewer_answers_before_anything_is_revealed(store: Store, project: Project, submitted: Callable[..., pool.Stored]) -> None:
    stored = submitted("consistency")
    given, shown = pool.next_review(store, project.project_id, "rob")
    assert not {"gold", "hard", "provenance", "cubes", "unique_confirmed", "slots", "source"} & set(shown)
    with pytest.raises(NotYours, match="Answer the question first"):
        pool.reveal(store, given.review_id, "rob")
    with pytest.raises(BadTransition):
        pool.decide(store, given.review_id, "rob", "clean")
    whole = pool.answer_review(store, given.review_id, "rob", present(stored.item.gold), 80)
    assert whole == stored.item == pool.reveal(store, given.review_id, "rob")
    with pytest.raises(NotYours):
        pool.reveal(store, given.review_id, "sue")
    with pytest.raises(BadTransition):
        pool.answer_review(store, given.review_id, "rob", "A")


@pytest.mark.parametrize("subtask", SUBTASKS)
def test_items_that_differ_only_in_their_gold_look_the_same_before_the_answer(sound: Callable[..., Item], subtask: str) -> None:
    item = sound(subtask)
    other = next(letter for letter in LETTERS if letter != item.gold)
    changes = {"gold": other, "hard": (item.gold,), "provenance": {}, "cubes": (), "unique_confirmed": False}  # type: ignore[var-annotated]
    twin = item.change(**changes, marks=tuple(m.model_copy(update={"id": f"x{k}"}) for k, m in enumerate(reversed(item.marks))))
    assert json.dumps(blind(item), sort_keys=True) == json.dumps(blind(twin), sort_keys=True)


def test_viewpoint_shows_no_view_that_is_an_option(sound: Callable[..., Item]) -> None:
    item = sound("viewpoint")
    shown = blind(item)
    assert [view["view"] for view in shown["views"]] == ["head"]
    assert all(set(image) == {"image", "width", "height"} for image in shown["option_images"].values())


def test_verdicts_need_reasons_and_words(store: Store, project: Project, submitted: Callable[..., pool.Stored]) -> None:
    stored = submitted()
    given, _ = pool.next_review(store, project.project_id, "rob")
    wrong = next(letter for letter in LETTERS if letter != stored.item.gold)
    pool.answer_review(store, given.review_id, "rob", wrong)
    for reasons, comment, words in [
        ([], "bad", "gives one or more reasons"),
        (["ugly"], "bad", "got ugly"),
        (["wrong"], " ", "what is wrong"),
    ]:
        with pytest.raises(BadVote, match=words):
            pool.decide(store, given.review_id, "rob", "flag", reasons=reasons, comment=comment)
    with pytest.raises(BadVote, match="answered differently"):
        pool.decide(store, given.review_id, "rob", "clean")
    assert pool.decide(store, given.review_id, "rob", "clean", comment="I misread it.").state == "in_review"


def test_asking_again_gives_the_same_review_and_an_unfinished_one_is_given_back(
    store: Store, project: Project, submitted: Callable[..., pool.Stored], monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted()
    one, _ = pool.next_review(store, project.project_id, "rob")
    assert pool.next_review(store, project.project_id, "rob")[0].review_id == one.review_id
    later = "2999-01-01T00:00:00.000Z"
    monkeypatch.setattr(claims, "now", lambda: later)
    two, _ = pool.next_review(store, project.project_id, "rob")
    assert two.review_id != one.review_id
    assert [r.state for r in pool.reviews(store, two.item_id)] == ["void", "assigned"]


def test_no_more_than_k_reviews_are_open_at_once(store: Store, project: Project, submitted: Callable[..., pool.Stored]) -> None:
    submitted()
    for reviewer in ("rob", "sue"):
        pool.next_review(store, project.project_id, reviewer)
    with pytest.raises(NothingToReview):
        pool.next_review(store, project.project_id, "tim")
    assert pool.waiting_for(store, project.project_id, "tim") == 0


# versions


def test_two_people_who_edit_at_once_lose_nothing(store: Store, project: Project, submitted: Callable[..., pool.Stored]) -> None:
    stored = submitted()
    item_id = stored.item.item_id
    review(store, project, "rob", "flag")
    one, two = stored.item.change(question=stored.item.question + " One."), stored.item.change(question=stored.item.question + " Two.")
    pool.save(store, item_id, one, 1, "ann")
    with pytest.raises(Conflict) as caught:
        pool.save(store, item_id, two, 1, "lea")
    assert caught.value.version == 2
    assert json.loads(caught.value.document)["question"].endswith("One.")
    assert pool.get(store, item_id).item == one
    pool.save(store, item_id, two, 2, "lea")
    assert [v.editor for v in pool.history(store, item_id)] == ["ann", "ann", "lea"]
    assert pool.at_version(store, item_id, 2) == one


def test_marks_are_saved_as_versions_and_diffs_name_them(store: Store, project: Project, sound: Callable[..., Item]) -> None:
    item = sound("distance")
    item_id = pool.create_item(store, project.project_id, item, "ann").item.item_id
    moved = item.marks[0].model_copy(update={"points": ((1.0, 2.0), (30.0, 40.0))})
    saved = pool.save_marks(store, item_id, [moved, *item.marks[1:-1]], 1, "ann")
    assert saved.rev == 2
    changes = {c.field: c for c in pool.diff(pool.at_version(store, item_id, 1), pool.at_version(store, item_id, 2))}
    assert set(changes) == {f"marks.{moved.id}", f"marks.{item.marks[-1].id}", "unique_confirmed"}, "other marks are confirmed anew"
    assert changes[f"marks.{item.marks[-1].id}"].after is None
    assert pool.save_marks(store, item_id, [moved, *item.marks[1:-1]], 2, "ann").rev == 2
    with pytest.raises(Exception, match="only grow"), store.atomic() as db:
        db.execute("UPDATE qa_versions SET why = 'x'")


def test_what_is_in_review_or_accepted_is_not_edited(store: Store, project: Project, submitted: Callable[..., pool.Stored]) -> None:
    stored = submitted()
    with pytest.raises(BadTransition, match="in_review"):
        pool.save(store, stored.item.item_id, stored.item.change(question="x"), 1, "ann")
    with pytest.raises(QaError, match="Give a reason"):
        pool.move(store, stored.item.item_id, "recall", "ann", " ")
    assert pool.move(store, stored.item.item_id, "recall", "ann", "a slip").state == "flagged"
    assert pool.move(store, stored.item.item_id, "discard", "ann", "no good").state == "discarded"
    assert pool.move(store, stored.item.item_id, "restore", "lea", "it is good").state == "flagged"
    with pytest.raises(UnknownItem):
        pool.get(store, "qa_nothing")


def test_an_item_that_breaks_rules_is_not_sent_in(store: Store, project: Project, sound: Callable[..., Item]) -> None:
    stored = pool.create_item(store, project.project_id, sound("affordance").change(gold=None, hard=()), "ann")
    with pytest.raises(NotReady) as caught:
        pool.submit(store, stored.item.item_id, "ann", 1)
    assert {"gold"} <= {p.field for p in caught.value.problems}
    assert pool.get(store, stored.item.item_id).state == "draft"


def test_comments_are_kept(store: Store, project: Project, submitted: Callable[..., pool.Stored]) -> None:
    stored = submitted()
    pool.comment(store, stored.item.item_id, "rob", "Which cup?")
    assert [c.text for c in pool.comments(store, stored.item.item_id)] == ["Which cup?"]
    with pytest.raises(QaError, match="1 to 4000 characters, got 0"):
        pool.comment(store, stored.item.item_id, "rob", "  ")


def test_a_comment_is_pinned_to_a_mark_or_to_a_place(store: Store, project: Project, sound: Callable[..., Item]) -> None:
    stored = pool.create_item(store, project.project_id, sound("affordance"), "ann")
    item, (mark, *_) = stored.item, stored.item.marks
    view = item.view(mark.view)
    pool.comment(store, item.item_id, "rob", "All of it")
    pool.comment(store, item.item_id, "rob", "This one", pool.Pin(mark.view, 3.5, 4, mark.id))
    pool.comment(store, item.item_id, "rob", "Here", pool.Pin(mark.view, present(view).width, 0))
    pool.comment(store, item.item_id, "rob", "Gone before it came", pool.Pin(mark.view, 1, 1, "m_nowhere"))
    whole, on_mark, on_place, late = pool.comments(store, item.item_id)
    assert (whole.view, on_mark.mark, on_mark.x, on_mark.y) == (None, mark.id, 3.5, 4)
    assert (on_place.mark, on_place.x, late.mark, late.view) == (None, present(view).width, None, mark.view)
    assert list(pool.pin_numbers([whole, on_mark, on_place, late]).values()) == [1, 2, 3]
    assert pool.place_in_words(item, whole) == ""
    assert pool.place_in_words(item, on_mark).startswith(f"{mark.colour} ") and pool.place_in_words(item, on_place).startswith("a place, ")
    bare = item.change(marks=tuple(one for one in item.marks if one.id != mark.id))
    assert pool.place_in_words(bare, on_mark).startswith("its mark is deleted, ")
    for pin in (pool.Pin("no-view", 1, 1), pool.Pin(mark.view, present(view).width + 1, 1), pool.Pin(mark.view, float("nan"), 1)):
        with pytest.raises(QaError, match="lies in no picture"):
            pool.comment(store, item.item_id, "rob", "Where?", pin)
    assert len(pool.comments(store, item.item_id)) == 4


def test_comments_are_heard_after_the_answer_and_not_those_of_reviewers_beside_one(
    store: Store, project: Project, submitted: Callable[..., pool.Stored]
) -> None:
    item_id = submitted().item.item_id
    reviews = {who: pool.next_review(store, project.project_id, who)[0].review_id for who in ("rob", "eve")}
    for who in ("ann", "lea", "rob", "eve"):
        pool.comment(store, item_id, who, f"from {who}")
    with pytest.raises(NotYours):
        pool.heard(store, reviews["rob"], "rob")
    pool.answer_review(store, reviews["rob"], "rob", "A")
    assert [said.author for said in pool.heard(store, reviews["rob"], "rob")] == ["ann", "lea", "rob"]
    with pytest.raises(NotYours):
        pool.heard(store, reviews["rob"], "eve")


# quotas and training


def test_quotas_are_kept_per_subtask_and_source_and_for_none(store: Store, sound: Callable[..., Item]) -> None:
    project = projects.create_project(
        store,
        "Q",
        trial_batch=0,
        quotas=[{"subtask": "matching", "target": 4}, {"subtask": "step", "target": 1, "source": "agibot"}],
    )
    nones = [i for i in (sound("matching", s) for s in range(60)) if projects.cell_of(i) == "none"]
    rights = [i for i in (sound("matching", s) for s in range(60)) if projects.cell_of(i) == ""]
    assert [(p.cell, p.target) for p in projects.places(store, project) if p.subtask == "matching"] == [("", 3), ("none", 1)]
    pool.create_item(store, project.project_id, nones[0], "ann")
    with pytest.raises(QuotaFull, match="whose right option is None: 0 accepted and 1 under way of 1"):
        pool.create_item(store, project.project_id, nones[1], "ann")
    for item in rights[:3]:
        pool.create_item(store, project.project_id, item, "ann")
    with pytest.raises(QuotaFull):
        pool.create_item(store, project.project_id, rights[3], "ann")
    pool.create_item(store, project.project_id, sound("step", 1), "ann")
    with pytest.raises(QuotaFull, match="from agibot"):
        pool.create_item(store, project.project_id, sound("step", 2), "ann")
    pool.create_item(store, project.project_id, sound("step", 2, "single"), "ann")
    assert projects.due(store, project) == []


def test_a_draft_that_turns_into_none_finds_no_place_when_sent_in(store: Store, sound: Callable[..., Item]) -> None:
    project = projects.create_project(store, "Q", trial_batch=0, quotas=[{"subtask": "matching", "target": 2}], none_share=0.5)
    nones = [i for i in (sound("matching", s) for s in range(60)) if projects.cell_of(i) == "none"]
    right = next(i for i in (sound("matching", s) for s in range(60)) if projects.cell_of(i) == "")
    pool.create_item(store, project.project_id, nones[0], "ann")
    draft = pool.create_item(store, project.project_id, right, "ann")
    saved = pool.save(store, draft.item.item_id, nones[1].change(item_id=draft.item.item_id), 1, "ann")
    with pytest.raises(QuotaFull):
        pool.submit(store, draft.item.item_id, "ann", saved.rev)


def test_a_new_author_passes_a_trial_batch_with_feedback_first(store: Store, sound: Callable[..., Item]) -> None:
    project = projects.create_project(store, "T", trial_batch=2, quotas=[{"subtask": "step", "target": 1}])
    stored = [pool.create_item(store, project.project_id, sound("step", seed), "ann") for seed in range(2)]
    assert all(s.trial for s in stored)
    with pytest.raises(Training, match="0 of 2 items are accepted"):
        pool.create_item(store, project.project_id, sound("step", 3), "ann")
    for entry in stored:
        pool.submit(store, entry.item.item_id, "ann", 1)
    given, _ = pool.next_review(store, project.project_id, "rob")
    pool.answer_review(store, given.review_id, "rob", present(pool.get(store, given.item_id).item.gold))
    with pytest.raises(BadVote, match="words of feedback"):
        pool.decide(store, given.review_id, "rob", "clean")
    assert pool.decide(store, given.review_id, "rob", "clean", comment="Good marks.").state == "accepted"
    assert [r.comment for r in pool.feedback(store, given.item_id)] == ["Good marks."]
    review(store, project, "sue", comment="Fine.")
    assert projects.training(store, project, "ann").passed
    assert not pool.create_item(store, project.project_id, sound("step", 4), "ann").trial
    assert pool.counts(store, project.project_id) == {"step": {"draft": 1}}
    trained = projects.change_project(store, project.project_id, actor="lea", why="did it before", trained=["ben"])
    assert projects.training(store, trained, "ben").passed


# figures


def test_alpha_agrees_with_the_published_example() -> None:
    # Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), part C: four observers, twelve units, nominal: 0.743
    observers = (
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    )
    units = [[v for v in unit if v != "."] for unit in zip(*(row.split() for row in observers), strict=True)]
    assert krippendorff(units) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff([["a", "a"], ["a", "a"]]) is None
    assert percent_agreement([["a", "a"], ["a", "b"], ["c"]]) == 0.5


def test_rates_count_answers_against_the_gold(store: Store, project: Project, submitted: Callable[..., pool.Stored]) -> None:
    stored = submitted()
    review(store, project, "rob")
    given, _ = pool.next_review(store, project.project_id, "sue")
    wrong = next(letter for letter in LETTERS if letter != stored.item.gold)
    pool.answer_review(store, given.review_id, "sue", wrong)
    pool.decide(store, given.review_id, "sue", "flag", reasons=["wrong", "ambiguous"], comment="see C")
    found = agreement.rates(store, project.project_id)
    assert found["all"]["answer_match"] == 0.5
    assert found["subtasks"]["distance"]["answer_agreement"] == 0.0
    assert found["flags"] == {"ambiguous": 1, "wrong": 1}
    assert found["reviewers"]["sue"]["flag_rate"] == 1.0


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("UPDATE qa_items SET state = 'flagged'", "its events lead to 'accepted'"),
        ("UPDATE qa_items SET version = 3", "its versions are"),
        ("UPDATE reviews SET state = 'void' WHERE reviewer = 'sue'", "accepted with 1 clean reviews, 2 are needed"),
        ("UPDATE reviews SET reviewer = 'ann' WHERE reviewer = 'sue'", "ann reviewed what they wrote"),
        ("UPDATE review_votes SET at = '2999' WHERE axis = 'answer'", "decided before they answered"),
    ],
)
def test_the_audit_finds_what_is_out_of_order(
    store: Store, project: Project, submitted: Callable[..., pool.Stored], damage: str, words: str
) -> None:
    submitted()
    for reviewer in ("rob", "sue"):
        review(store, project, reviewer)
    assert agreement.audit(store, project.project_id) == []
    with store.atomic() as db:
        db.execute(damage)
    assert words in " ".join(agreement.audit(store, project.project_id))
