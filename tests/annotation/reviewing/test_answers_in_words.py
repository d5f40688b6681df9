"""Answers in words: two people code what the normaliser cannot read, a third decides, and nobody learns whose it is or what is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation import coding as queue
from annotation.reviewing import votes
from annotation.reviewing.audit import audit
from annotation.reviewing.errors import BadVote, NothingToReview
from annotation.reviewing.kinds.answers_in_words import KIND
from data.frames import FrameStore
from data.store import Store
from study import coding
from study.erasure import erase
from study.export import export
from study.participants import add_participant, place
from study.protocol import Protocol
from study.studies import create_study
from tests.study.conftest import *  # noqa: F403 - the engine and its tasks


@pytest.fixture
def said(store: Store, engine: Any, make_task: Any) -> Any:
    """A study answered in words, and a function by which one more person answers."""
    task = make_task()
    store.put_task(task)
    protocol = Protocol(answer_form="free_text", confidence_required=False)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), trials=1, protocol=protocol)

    def answer(text: str, mode: str = "live") -> tuple[str, str]:
        person = add_participant(store, study.study_id, mode=mode)
        store.db.execute("UPDATE participants SET state = 'practised' WHERE participant_id = ?", [person])
        episode = place(store, engine, person).episode_id
        engine.answer(episode, engine.open(episode).epoch, text)
        return person, episode  # type: ignore[return-value]

    return study, task, answer


def codes(store: Store) -> dict[str, str | None]:
    return {row["episode_id"]: row["code"] for row in store.query("SELECT episode_id, code FROM answer_codes")}


def test_what_reads_as_it_stands_needs_nobody(store: Store, said: Any) -> None:
    study, task, answer = said
    for text in (task.question.options[0], task.question.options[0].upper()):
        answer(text)
    answer("the thing by the lamp, I think", mode="bot")
    assert queue.progress(store, study.study_id).texts == 0
    with pytest.raises(NothingToReview):
        queue.next_text(store, study.study_id, "ann")


def test_two_who_agree_code_a_text_for_everybody_who_wrote_it(store: Store, said: Any) -> None:
    study, task, answer = said
    right = task.gold.accepted[0]
    (_, one), (_, two) = answer("Well, it is over there"), answer("well,  it is over THERE")
    for who in ("ann", "ben"):
        review = queue.next_text(store, study.study_id, who)
        assert votes.release(store, KIND, review.review_id, who, "code")["codes"] == []
        queue.give_code(store, review.review_id, who, right)
    assert codes(store) == {one: right, two: right}
    with pytest.raises(NothingToReview):
        queue.next_text(store, study.study_id, "cem")
    told = queue.progress(store, study.study_id)
    assert (told.answers, told.exact, told.texts, told.coded) == (2, 0, 1, 1)
    assert audit(store, KIND, study.study_id) == {}


def test_where_two_differ_a_third_sees_both_codes_and_decides(store: Store, said: Any) -> None:
    study, task, answer = said
    _, episode = answer("Well, it is over there")
    first, second = task.question.options[:2]
    for who, code in (("ann", first), ("ben", second)):
        queue.give_code(store, queue.next_text(store, study.study_id, who).review_id, who, code)
    assert codes(store) == {episode: None}
    third = queue.next_text(store, study.study_id, "cem")
    assert votes.release(store, KIND, third.review_id, "cem", "code")["codes"] == sorted([first, second])
    queue.give_code(store, third.review_id, "cem", coding.UNCLEAR)
    assert codes(store) == {episode: coding.UNCLEAR}
    with pytest.raises(NothingToReview):
        queue.next_text(store, study.study_id, "dan")


def test_who_codes_sees_question_and_text_alone(store: Store, said: Any) -> None:
    study, task, answer = said
    person, episode = answer("Well, it is over there")
    review = queue.next_text(store, study.study_id, "ann")
    told = votes.release(store, KIND, review.review_id, "ann", "code")
    assert set(told) == {"question", "note", "form", "options", "text", "codes"}
    assert told["options"] == sorted(task.question.options)
    for secret in (person, episode, "free_text", "active", "human", task.task_id, task.content_hash):
        assert secret not in json.dumps([told, review.subject])


def test_what_is_no_answer_to_the_question_is_no_code(store: Store, said: Any) -> None:
    study, _, answer = said
    answer("Well, it is over there")
    review = queue.next_text(store, study.study_id, "ann")
    with pytest.raises(BadVote, match="cannot be read"):
        queue.give_code(store, review.review_id, "ann", "on Mars")


def test_both_scorings_are_exported_and_erased_with_the_person(store: Store, said: Any, tmp_path: Path) -> None:
    import pandas as pd

    study, task, answer = said
    person, episode = answer("Well, it is over there")
    answer(task.question.options[0])
    for who in ("ann", "ben"):
        queue.give_code(store, queue.next_text(store, study.study_id, who).review_id, who, task.gold.accepted[0])
    export(store, FrameStore(store.home.frames), tmp_path / "out")
    rows = pd.read_parquet(next((tmp_path / "out").rglob("answers.parquet"))).set_index("episode_id")
    mine = rows.loc[episode]
    assert (bool(mine.correct_strict), bool(mine.correct_coded), int(mine.coders)) == (False, True, 2)
    erase(store, FrameStore(store.home.frames), person)
    left = ("coded_texts", "reviews", "review_votes", "reviewed")
    assert {table: store.query(f"SELECT count(*) AS n FROM {table}")[0]["n"] for table in left} == dict.fromkeys(left, 0)


def test_a_models_answer_passes_the_same_queue_and_nobody_can_tell_whose_it_is(store: Store, engine: Any, said: Any) -> None:
    study, task, answer = said
    _, person = answer("Well, it is over there")
    protocol = study.protocol
    twice = {}
    for text in ("well, it is over there", "I would say the one in the corner"):
        episode = engine.create(task.content_hash, agent_kind="model", agent_name="m", study_id=study.study_id, protocol=protocol)
        engine.answer(episode, engine.open(episode).epoch, text)
        twice[text] = episode
    shown = []
    for who in ("ann", "ben"):
        for _ in range(2):
            review = queue.next_text(store, study.study_id, who)
            shown.append(votes.release(store, KIND, review.review_id, who, "code"))
            queue.give_code(store, review.review_id, who, task.gold.accepted[0])
        with pytest.raises(NothingToReview):
            queue.next_text(store, study.study_id, who)
    assert queue.progress(store, study.study_id).texts == 2, "a person's and a model's same words are one text"
    assert codes(store) == dict.fromkeys((person, *twice.values()), task.gold.accepted[0])
    assert {tuple(told) for told in shown} == {tuple(shown[0])} and "model" not in json.dumps(shown)


def test_each_code_is_an_event_with_who_gave_it(store: Store, said: Any) -> None:
    study, task, answer = said
    answer("Well, it is over there")
    given = [("ann", task.question.options[0]), ("ben", task.question.options[1]), ("cem", coding.UNCLEAR)]
    for who, code in given:
        queue.give_code(store, queue.next_text(store, study.study_id, who).review_id, who, code)
    told = f"{KIND.review_told}_decided"
    rows = store.query("SELECT actor, data FROM events WHERE kind = ? AND study_id = ? ORDER BY seq", [told, study.study_id])
    assert [row["actor"] for row in rows] == [who for who, _ in given]
    assert [[code for _, code in given if code in row["data"]] for row in rows] == [[code] for _, code in given]
