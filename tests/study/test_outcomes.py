"""A code and a way back per outcome, only after everything is on disk; nobody reads another outcome's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from data.store import Store
from data.task import Task
from study import access, outcomes, participants
from study.episode import EpisodeEngine
from study.outcomes import NotKept
from study.returning import OUTCOMES, Return, Returns, address
from study.studies import Recruitment, create_study, publish, revise
from tests.present import present

LINK = "https://app.prolific.com/submissions/complete?cc={code}"
RETURNS = Returns(**{one.name: Return(code=f"CODE_{one.name}", link=LINK) for one in OUTCOMES})  # type: ignore[arg-type]
WAY = {
    "done": ("welcome", "consent", "practise", "finish"),
    "screened_out": ("welcome", "consent", "screen_out"),
    "full": ("welcome", "consent", "turn_away"),
    "no_consent": ("welcome", "decline"),
    "stopped": ("welcome", "consent", "stop"),
    "technical": ("welcome", "consent", "fail"),
}


@pytest.fixture
def study(store: Store, make_task: Callable[..., Task]) -> Any:
    task = make_task()
    store.put_task(task)
    return create_study(
        store,
        "S",
        state="live",
        tasks=(task.content_hash,),
        trials=1,
        returns=RETURNS,
        debriefing="It was about cups.",
        recruitment=Recruitment(external_study="abc"),
    )


def come(store: Store, study: Any, *events: str, **more: Any) -> str:
    person = participants.add_participant(store, study.study_id, **more)
    for event in events:
        participants.advance(store, person, event)
    return person


@pytest.mark.parametrize("name", WAY)
def test_each_outcome_has_its_own_code_and_no_other(store: Store, study: Any, name: str) -> None:
    ending = outcomes.conclude(store, come(store, study, *WAY[name]))
    assert (ending.outcome, ending.code) == (name, f"CODE_{name}")
    assert ending.link == f"https://app.prolific.com/submissions/complete?cc=CODE_{name}"
    assert bool(ending.debriefing) == (name in RETURNS.debriefed)
    assert store.query("SELECT outcome, code FROM outcomes") == [{"outcome": name, "code": f"CODE_{name}"}]


@pytest.mark.parametrize("events", [(), ("welcome",), ("welcome", "consent"), ("welcome", "consent", "practise")])
def test_who_is_on_their_way_gets_no_code(store: Store, study: Any, events: tuple[str, ...]) -> None:
    with pytest.raises(NotKept, match="no outcome yet"):
        outcomes.conclude(store, come(store, study, *events))
    assert store.query("SELECT * FROM outcomes") == []


def test_no_code_before_the_end_is_committed(store: Store, study: Any) -> None:
    person = come(store, study, "welcome", "consent", "practise")
    with store.atomic():
        participants.advance(store, person, "finish")
        # this thread sees the end, another connection does not: nothing is promised
        with pytest.raises(NotKept):
            outcomes.conclude(store, person)
    assert outcomes.conclude(store, person).code == "CODE_done"


def test_no_code_while_an_answer_is_missing(store: Store, study: Any, engine: EpisodeEngine) -> None:
    person = come(store, study, "welcome", "consent")
    view = engine.open(present(participants.place(store, engine, person).episode_id))
    engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    assert participants.place(store, engine, person).stage == "thanks"
    row = store.one("SELECT * FROM answers")
    with store.atomic() as db:
        db.execute("DELETE FROM answers")
    with pytest.raises(NotKept, match="everything is saved"):
        outcomes.conclude(store, person)
    store.insert("answers", present(row))
    assert outcomes.conclude(store, person).code == "CODE_done"


def test_the_code_is_told_only_when_its_own_row_is_committed(store: Store, study: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    person = come(store, study, *WAY["done"])
    monkeypatch.setattr(outcomes, "_give", lambda *_: None)
    with pytest.raises(NotKept):
        outcomes.conclude(store, person)


def test_asked_again_it_is_the_same_also_after_the_study_has_other_codes(store: Store, study: Any) -> None:
    person = come(store, study, *WAY["done"])
    first = outcomes.conclude(store, person)
    revise(store, study.study_id, returns=Returns(done=Return(code="OTHER1")))
    publish(store, study.study_id)
    assert outcomes.conclude(store, person) == first
    assert outcomes.conclude(store, come(store, study, *WAY["done"])).code == "OTHER1"
    assert len(store.query("SELECT * FROM outcomes")) == 2


def test_who_takes_their_data_back_keeps_the_code_they_had(store: Store, study: Any, engine: EpisodeEngine) -> None:
    person = come(store, study, *WAY["done"])
    outcomes.conclude(store, person)
    participants.withdraw(store, engine, person)
    assert outcomes.conclude(store, person).code == "CODE_done"
    early = come(store, study, "welcome", "consent")
    participants.withdraw(store, engine, early)
    assert outcomes.conclude(store, early).code == "CODE_stopped"


def test_who_changes_their_mind_reads_the_code_of_what_they_did_in_the_end(store: Store, study: Any) -> None:
    person = come(store, study, *WAY["no_consent"])
    assert outcomes.conclude(store, person).code == "CODE_no_consent"
    for event in ("welcome", "consent", "practise", "finish"):
        participants.advance(store, person, event)
    assert outcomes.conclude(store, person).code == "CODE_done"


@pytest.mark.parametrize("mode", ["preview", "bot"])
def test_who_tries_the_study_out_gets_no_code(store: Store, study: Any, mode: str) -> None:
    ending = outcomes.conclude(store, come(store, study, *WAY["done"], mode=mode))
    assert ending.tried and ending.code == ending.link == "" and store.query("SELECT * FROM outcomes") == []


def test_personal_codes_differ_and_stay(store: Store, study: Any) -> None:
    revise(store, study.study_id, returns=RETURNS.model_copy(update={"personal": True}))
    publish(store, study.study_id)
    people = [come(store, study, *WAY["done"]) for _ in range(3)]
    codes = [outcomes.conclude(store, person).code for person in people]
    assert len(set(codes)) == 3 and all(code.startswith("CODE_done-") and len(code) == 16 for code in codes)
    assert [outcomes.conclude(store, person).code for person in people] == codes


def test_the_platforms_id_is_filled_into_the_persons_own_address(store: Store, study: Any) -> None:
    way: dict[str, Any] = {"done": Return(code="ABC", link="https://lab.example/credit?c={code}&who={person}")}
    revise(store, study.study_id, returns=Returns(**way, hosts=("lab.example",)))
    publish(store, study.study_id)
    _, grant = access.enter_recruited(store, {"PROLIFIC_PID": "a b&c", "STUDY_ID": "abc"})
    for event in WAY["done"]:
        participants.advance(store, present(grant.participant_id), event)
    assert outcomes.conclude(store, present(grant.participant_id)).link == "https://lab.example/credit?c=ABC&who=a%20b%26c"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"done": {"code": "SAME"}, "stopped": {"code": "same"}}, "stands for “finished” and for “ended early”"),
        ({"done": {"code": "a b"}}, "3 to 60 letters"),
        ({"done": {"code": "ABC", "link": "http://app.prolific.com/x"}}, "begins with https://"),
        ({"done": {"code": "ABC", "link": "javascript:alert(1)"}}, "begins with https://"),
        ({"done": {"code": "ABC", "link": "https://me:pw@app.prolific.com/x"}}, "begins with https://"),
        ({"done": {"code": "ABC", "link": "https://elsewhere.example/"}}, "none of the hosts that the study allows"),
        ({"done": {"code": "ABC", "link": 'https://app.prolific.com/"><b>'}}, "no blanks, quotes"),
        ({"done": {"code": "ABC", "link": "https://app.prolific.com/{cdoe}"}}, "filled in, not"),
        ({"done": {"link": LINK}}, "there is no code"),
        ({"done": {"code": "ABC", "how": "redirect"}}, "no return link to go to"),
        ({"finished": {"code": "ABC"}}, "Extra inputs"),
    ],
)
def test_what_is_wrong_with_a_code_or_a_link_is_said_in_a_sentence(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        Returns.model_validate(fields)


def test_a_code_in_an_address_is_escaped() -> None:
    assert address(Return(code="A-1", link="https://app.prolific.com/?cc={code}&x=1"), "A-1", "") == "https://app.prolific.com/?cc=A-1&x=1"
