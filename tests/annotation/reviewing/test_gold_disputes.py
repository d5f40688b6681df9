"""Disputed gold answers: who may raise one, who judges it, what it takes to overturn a gold, and both scorings afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotation import coding as texts
from annotation import disputes as queue
from annotation.reviewing import votes
from annotation.reviewing.audit import audit
from annotation.reviewing.errors import BadVote, NothingToReview
from annotation.reviewing.kinds.gold_disputes import CANNOT_TELL, KIND
from annotation.reviewing.rows import Vote
from data.frames import FrameStore
from data.store import Store
from data.task import Gold
from study import access, coding
from study.contents import had_a_part_in
from study.dispute_rule import DisputeRule
from study.disputes import WAYS, BadDispute
from study.errors import BadTransition
from study.export import export
from study.participants import add_participant, place
from study.protocol import Protocol
from study.studies import create_study
from tests.present import present
from tests.study.conftest import *  # noqa: F403 - the engine and its tasks

SOUND, DEFECT = Vote("sound"), Vote("defect", reasons=("picture",), comment="The cup is drawn behind the wall.")


@pytest.fixture
def asked(store: Store, engine: Any, make_task: Any) -> Callable[..., Any]:
    """Makes a study of one task with a recorded or derived gold, and a function by which one more person answers right or wrong."""

    def study_of(derivation: str = "recorded", paradigm: str = "active", answer_form: Any = "options", **fields: Any) -> Any:
        task = make_task()
        task = task.model_copy(update={"gold": Gold(accepted=task.gold.accepted, chance=task.gold.chance, derivation=derivation)})
        store.put_task(task)
        protocol = Protocol(paradigm=paradigm, answer_form=answer_form, confidence_required=False)
        study = create_study(store, "S", state="live", tasks=(task.content_hash,), trials=1, protocol=protocol, **fields)
        wrong = next(option for option in task.question.options if option != task.gold.accepted[0])

        def answer(right: bool, mode: str = "live") -> str:
            person = add_participant(store, study.study_id, mode=mode)
            store.db.execute("UPDATE participants SET state = 'practised' WHERE participant_id = ?", [person])
            episode = place(store, engine, person).episode_id
            engine.answer(episode, engine.open(episode).epoch, task.gold.accepted[0] if right else wrong)
            return episode  # type: ignore[return-value]

        return study, task, wrong, answer

    return study_of


def test_only_who_could_look_for_themselves_may_dispute() -> None:
    assert set(WAYS) == {"active", "gt_passive"}


def judged(store: Store, study: Any, answer: str, finding: Vote, who: str = "ann") -> str:
    review = queue.next_dispute(store, study.study_id, who)
    queue.judge(store, review.review_id, who, Vote(answer, confidence=90), finding)
    return queue.listed(store, study.study_id)[0].state


def test_answers_dispute_a_gold_by_the_rule_that_was_declared(store: Store, asked: Callable[..., Any]) -> None:
    study, _, _, answer = asked(disputes=DisputeRule(least=2, share=0.6))
    answer(False), answer(True)
    assert queue.take_in(store, study.study_id, actor="") == []
    answer(False)
    assert [found.why for found in queue.take_in(store, study.study_id, actor="")] == [
        "2 of 3 people give the same answer, which is not the gold."
    ]
    assert queue.take_in(store, study.study_id, actor="") == []  # once


@pytest.mark.parametrize(("says", "disputed"), [("gold", False), ("wrong", True), (coding.UNCLEAR, False)])
def test_words_dispute_a_gold_by_what_they_were_found_to_mean(
    store: Store, engine: Any, asked: Callable[..., Any], says: str, disputed: bool
) -> None:
    study, task, wrong, _ = asked(answer_form="free_text", disputes=DisputeRule(least=2))
    for _ in range(2):
        person = add_participant(store, study.study_id)
        store.db.execute("UPDATE participants SET state = 'practised' WHERE participant_id = ?", [person])
        episode = place(store, engine, person).episode_id
        engine.answer(episode, engine.open(episode).epoch, "Well, it is over there")
    for who in ("ann", "ben"):
        code = {"gold": task.gold.accepted[0], "wrong": wrong}.get(says, says)
        texts.give_code(store, texts.next_text(store, study.study_id, who).review_id, who, code)
    assert bool(queue.take_in(store, study.study_id, actor="")) is disputed


@pytest.mark.parametrize(("paradigm", "mode"), [("single_view", "live"), ("active", "bot")])
def test_given_views_and_simulated_people_dispute_nothing(store: Store, asked: Callable[..., Any], paradigm: str, mode: str) -> None:
    study, task, _, answer = asked(paradigm=paradigm)
    for _ in range(3):
        answer(False, mode)
    assert queue.take_in(store, study.study_id, actor="") == []
    with pytest.raises(BadDispute, match="meant to err"):
        queue.raise_one(store, study.study_id, task.content_hash, "It looks wrong.", actor="lead")


@pytest.mark.parametrize(
    ("derivation", "finding", "said", "state"),
    [
        ("recorded", SOUND, "gold", "upheld"),
        ("recorded", SOUND, "wrong", "overturned"),
        ("recorded", SOUND, CANNOT_TELL, "upheld"),
        ("larger by 3 cm", SOUND, "wrong", "upheld"),  # physics: only a defect that is shown
        ("larger by 3 cm", DEFECT, "wrong", "overturned"),
        ("larger by 3 cm", DEFECT, "gold", "upheld"),
    ],
)
def test_a_gold_of_physics_falls_for_a_shown_defect_alone(
    store: Store, asked: Callable[..., Any], derivation: str, finding: Any, said: Any, state: str
) -> None:
    study, task, wrong, answer = asked(derivation)
    answer(False)
    queue.raise_one(store, study.study_id, task.content_hash, "Somebody reported it.", actor="lead")
    meant = {"gold": task.gold.accepted[0], "wrong": wrong}.get(said, said)
    assert judged(store, study, meant, finding) == state
    assert audit(store, KIND, study.study_id) == {}


def test_who_judges_sees_neither_gold_nor_answers_nor_who_gave_them(store: Store, asked: Callable[..., Any]) -> None:
    study, task, _, answer = asked()
    episode = answer(False)
    queue.raise_one(store, study.study_id, task.content_hash, "Somebody reported it.", actor="lead")
    review = queue.next_dispute(store, study.study_id, "ann")
    told = votes.release(store, KIND, review.review_id, "ann", "judge")
    assert set(told) == {"task", "question", "note", "form", "options"} and told["options"] == sorted(task.question.options)
    assert episode not in json.dumps(told) and "reported" not in json.dumps(told)
    with pytest.raises(BadVote, match="Say what shows the defect"):
        queue.judge(store, review.review_id, "ann", Vote(CANNOT_TELL), Vote("defect", reasons=("picture",)))
    with pytest.raises(NothingToReview):
        queue.next_dispute(store, study.study_id, "ben")


def test_a_settled_gold_is_a_new_version_and_both_scorings_are_exported(store: Store, asked: Callable[..., Any], tmp_path: Path) -> None:
    import pandas as pd

    study, task, wrong, answer = asked()
    episode, other = answer(False), answer(True)
    dispute = queue.raise_one(store, study.study_id, task.content_hash, "Somebody reported it.", actor="lead")
    with pytest.raises(BadTransition):
        queue.settle(store, dispute.subject, [wrong], why="Too early.", actor="lead")
    assert judged(store, study, wrong, SOUND) == "overturned"
    with pytest.raises(BadDispute, match="gold that the task has"):
        queue.settle(store, dispute.subject, list(task.gold.accepted), why="The row has a slip.", actor="lead")
    with pytest.raises(BadDispute, match="Choose one of"):
        queue.settle(store, dispute.subject, ["on Mars"], why="The row has a slip.", actor="lead")
    new = queue.settle(store, dispute.subject, [wrong], why="The row has a slip.", actor="lead")
    assert (new.supersedes, new.gold.accepted, store.get_task(task.content_hash).gold) == (task.content_hash, (wrong,), task.gold)
    export(store, FrameStore(store.home.frames), tmp_path / "out")
    rows = pd.read_parquet(next((tmp_path / "out").rglob("answers.parquet"))).set_index("episode_id")
    both = {name: (bool(rows.loc[name].correct_strict), bool(rows.loc[name].correct_settled)) for name in (episode, other)}
    assert both == {episode: (False, True), other: (True, False)}
    assert set(rows.settled_task_hash) == {new.content_hash}


def test_who_settles_a_gold_meets_neither_version_as_a_participant(store: Store, asked: Callable[..., Any]) -> None:
    study, task, wrong, answer = asked()
    answer(False)
    dispute = queue.raise_one(store, study.study_id, task.content_hash, "Somebody reported it.", actor="lead")
    assert judged(store, study, wrong, SOUND) == "overturned"
    cookie, lead = access.enter(store, access.create_invite(store, "researcher", study.study_id))
    new = queue.settle(store, dispute.subject, [wrong], why="The row has a slip.", actor=present(lead.staff_id))
    _, person = access.enter(store, access.create_invite(store, "participant", study.study_id), cookie)
    assert set(had_a_part_in(store, present(person.participant_id))) == {task.content_hash, new.content_hash}
