"""A platform’s list on the page of payments: differences are told by people’s numbers, and what was paid goes into the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from app import identity, services
from app.pages import said
from study import access, outcomes, participants, payments
from study.paying import Pay
from study.returning import Return, Returns
from study.studies import Recruitment, create_study
from study.words import person
from tests.homes import fresh_store
from tests.present import present

LIST = """Submission id,Participant id,Status,Completion code
s-ann,ann,APPROVED,CDONE1
s-bob,bob,AWAITING REVIEW,GUESSED
s-cat,cat,APPROVED,CDONE1
"""


def draw(grant: object, study: object, name: str, data: bytes) -> None:
    """The script of that part of the page."""
    from app import services
    from app.pages import researcher_reconciling

    researcher_reconciling.compared(services.current(), grant, study, name, data)  # type: ignore[arg-type]


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    store = fresh_store(tmp_path)
    services.install(SimpleNamespace(store=store, home=store.home))  # type: ignore[arg-type]
    study = create_study(
        store, "S", state="live", recruitment=Recruitment(external_study="abc"), returns=Returns(done=Return(code="CDONE1")),
        pay=Pay(currency="GBP", per_session=Decimal("6.00"), minimum_per_hour=Decimal(9)),
    )  # fmt: skip
    people = []
    for name in ("ann", "bob"):
        _, came = access.enter_recruited(store, {"PROLIFIC_PID": name, "STUDY_ID": "abc", "SESSION_ID": f"s-{name}"})
        for event in ("welcome", "consent", "practise", "finish"):
            participants.advance(store, present(came.participant_id), event)
        outcomes.conclude(store, present(came.participant_id))
        people.append(came.participant_id)
    cookie, grant = access.enter(store, access.create_invite(store, "researcher", study.study_id))
    monkeypatch.setattr(identity, "page_cookie", lambda: cookie)

    def open_page(text: str) -> AppTest:
        how = {"grant": grant, "study": study, "name": "list.csv", "data": text.encode()}
        return AppTest.from_function(draw, kwargs=how, default_timeout=60).run()

    yield SimpleNamespace(store=store, people=people, open=open_page)
    services.install(None)
    store.close()


def test_each_difference_is_explained_and_what_was_paid_is_written_once(kit: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    test = kit.open(LIST)
    assert not test.exception and test.warning[0].value.startswith("2 differences")
    told = " ".join(block.proto.body for block in test.get("html"))
    bob = person(participants.get_participant(kit.store, kit.people[1]).number)
    assert f"<td>{bob}</td><td>{bob} finished here and brought the code GUESSED" in told
    assert not [name for name in ("ann", "bob", "cat") if f">{name}<" in told]
    for written, breath in (("1 payment was written", 60.0), ("1 payment was written", 60.0), ("0 payments were written", 0.0)):
        monkeypatch.setattr(said, "BREATH_S", breath)  # the second press is of a double click, the third is not
        test.button[0].click().run()
        assert written in test.success[-1].value
    paid = [[entry.kind for entry in payments.entries(kit.store, one)] for one in kit.people]
    assert ["paid" in kinds for kinds in paid] == [True, False]


def test_a_list_that_cannot_be_read_says_why(kit: SimpleNamespace) -> None:
    for text, says in (("", "it is empty"), ("a,b\n1,2\n", "has no column with the platform's id of the person")):
        test = kit.open(text)
        assert not test.exception and says in test.error[0].value.replace("\\", "")
