"""What an adjudicator sends comes from one page: another window's verdict is not lost, and what comes next is of that page's study."""

from __future__ import annotations

from typing import Any

from tests.annotation.reviewing.test_adjudicating import hire, rejected
from tests.app.routes.conftest import Person

ANSWER = {"answer": {"answer": "the lamp", "confidence": 80}, "finding": {"vote": "sound"}}


def test_another_verdict_on_a_judged_gold_is_refused_and_the_same_once_more_is_not(world: Any) -> None:
    place = {"review": world.place["adjudicated"], "study": world.place["study"]}

    def judge(**votes: Any) -> Any:
        return world.doors.ask(world.people["annotator"], "POST", "/api/adjudicate/judge", place | {"votes": ANSWER | votes})

    assert judge().status == 200
    stored = world.store.query("SELECT * FROM review_votes WHERE review_id = ?", [place["review"]])
    assert judge().status == 200, "a reply that got lost"
    for other in ({"answer": {"answer": "the bowl", "confidence": 80}}, {"answer": {"answer": "the lamp", "confidence": 20}}):
        told = judge(**other)
        assert told.status == 409 and "what you said there stands, and this was not stored" in told.body.decode()
    assert world.store.query("SELECT * FROM review_votes WHERE review_id = ?", [place["review"]]) == stored
    assert world.doors.ask(world.people["annotator"], "POST", "/api/adjudicate/undo", place).status == 200


def test_after_reasons_that_stand_in_no_study_comes_the_gold_of_the_pages_study(world: Any) -> None:
    rejected(world.store, "floats", "vanished")
    judge, study = Person(hire(world.store)[1]), world.place["study"]

    def send(path: str, **body: Any) -> Any:
        told = world.doors.ask(judge, "POST", f"/api/adjudicate/{path}", {"study": study} | body)
        assert told.status == 200, told.body
        return told.json()

    held = {"review": world.place["adjudicated"], "study": study, "why": "I know it"}
    first = send("next")["item"]
    assert first["noun"] == "disagreement", "somebody else has the disputed gold"
    assert world.doors.ask(world.people["annotator"], "POST", "/api/adjudicate/skip", held).status == 200
    then = send("judge", review=first["review"], votes={"holds": {"vote": "hold", "reasons": ["floats"]}})
    assert then["item"]["noun"] == "dispute"
