"""The lead's page of a verification as Streamlit runs it: figures, people, reasons, second looks; and who may open it."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from annotation.reviewing.rows import Vote
from annotation.verifying import items, pausing, queue
from app import identity, services
from app.pages import said
from app.services import Settings
from study import access
from study.access import EVERY_STUDY
from study.errors import NotAllowed
from study.studies import create_study
from tests.annotation.verifying.conftest import Verifying

HOSTILE = "It <b>floats</b> *here* $x$"


def draw(grant: object, part: str) -> None:
    """The script of the page, as the menu calls it."""
    import streamlit as st

    from app.pages import verification

    st.query_params["part"] = part
    verification.page(grant)  # type: ignore[arg-type]


@pytest.fixture
def kit(v: Verifying, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """A verification of a study: one task kept, one contested, one rejected."""
    one, two = (create_study(v.store, name, state="live").study_id for name in ("One", "Two"))
    v.begin(3, study_id=one)
    said_against = {"ann": ("", "correctness", "nontriviality"), "ben": ("", "answerability", "nontriviality"), "cat": ("", "", "")}
    for who, failed in said_against.items():
        for axis in failed:
            if axis == "correctness":
                review = v.look(v.claim(who))
                against = {"correctness": Vote("fail", reasons=("floats",), comment=HOSTILE)}
                queue.judge(v.store, review.review_id, who, {"answerability": Vote("pass"), "nontriviality": Vote("pass")} | against)
            else:
                v.verify(who, *([axis] if axis else []))
    services.install(SimpleNamespace(store=v.store, settings=Settings(), home=v.store.home))  # type: ignore[arg-type]
    kit = SimpleNamespace(v=v, people={})
    for name, role, study in (
        ("lead", "researcher", one), ("other", "researcher", two), ("all", "owner", EVERY_STUDY), ("writer", "annotator", one)
    ):  # fmt: skip
        token = access.create_invite(v.store, role, study, label=name)
        kit.people[name] = SimpleNamespace(**dict(zip(("cookie", "grant"), access.enter(v.store, token), strict=True)))
    kit.who = "lead"
    monkeypatch.setattr(identity, "page_cookie", lambda: kit.people[kit.who].cookie)
    monkeypatch.setattr(said, "BREATH_S", 0.0)  # a program presses faster than people
    yield kit
    services.install(None)


def opened(kit: SimpleNamespace, part: str, who: str = "lead") -> AppTest:
    kit.who = who
    test = AppTest.from_function(draw, kwargs={"grant": kit.people[who].grant, "part": part}, default_timeout=30).run()
    assert not test.exception, test.exception
    return test


def shown(test: AppTest) -> str:
    return " ".join(element.proto.body for element in test.get("html"))


def test_progress_counts_tasks_and_verdicts(kit: SimpleNamespace) -> None:
    test = opened(kit, "Progress")
    assert {metric.label: metric.value for metric in test.metric} == {
        "Tasks": "3", "Retained": "2", "Rejected": "1", "In verification": "0", "Open now": "0",
    }  # fmt: skip
    assert "9 of 9 verdicts are in" in shown(test) and "Without hidden controls" in test.info[0].value


def test_the_papers_table_and_agreement_stand_with_and_without_who_is_paused(kit: SimpleNamespace) -> None:
    words = shown(opened(kit, "Table 4"))
    assert "66.7 <small>(77.8)</small>" in words and '<td class="n">94.7</td>' in words
    pausing.pause(kit.v.store, kit.v.id, "cat", "asleep", actor="lead")
    test = opened(kit, "Table 4")
    test.toggle(key="verification_without").set_value(True).run()
    assert not test.exception and "No task is decided yet" in test.info[0].value, "cat had judged all of them"
    words = shown(opened(kit, "Agreement"))
    assert '<td class="n">78 %</td>' in words and "Gwet’s AC1" in words


def test_somebody_is_paused_with_a_reason_and_goes_on(kit: SimpleNamespace) -> None:
    test = opened(kit, "People")
    assert "annotator" not in shown(test) and "<td>ann</td>" in shown(test)
    test.button[0].click().run()
    assert "Choose who is paused." in test.error[0].value
    test.selectbox[0].select("ben")
    test.text_input[0].input("judges at random")
    test.button[0].click().run()
    assert "ben is paused" in test.success[0].value and "<td>paused</td>" in shown(test)
    assert pausing.is_paused(kit.v.store, kit.v.id, "ben")
    assert "ben is paused" in test.run().success[0].value, "it stands until the next deed"
    test.button(key="resume-ben").click().run()
    assert not test.exception and not pausing.is_paused(kit.v.store, kit.v.id, "ben")
    assert [box.value for box in test.run().success] == ["ben goes on."]


def test_what_was_said_against_a_task_is_shown_as_written_and_it_can_be_verified_again(kit: SimpleNamespace) -> None:
    test = opened(kit, "Tasks")
    words = shown(test)
    assert "small-3" in words and "small-2" not in words and "What kind of thing it is tells the answer." in words
    assert "Non-triviality 1 of 3 <strong>fails</strong>" in words
    test.segmented_control(key="verified_list").set_value("contested").run()
    words = shown(test)
    assert "small-2" in words and "small-3" not in words and "It &lt;b&gt;floats&lt;/b&gt; *here* $x$" in words
    test.text_input[0].input("The picture is odd.")
    next(button for button in test.button if button.label == "Verify again").click().run()
    assert "is verified again." in test.success[0].value and kit.v.state(1) == "in_verification"
    test.segmented_control(key="verified_list").set_value("reasons").run()
    assert not test.exception and "No reasons are disputed" in test.info[0].value
    test.segmented_control(key="verified_list").set_value("again").run()
    assert "Asked for again: The picture is odd." in shown(test) and "round 2" in shown(test)


def test_only_who_leads_the_study_sees_its_verification(kit: SimpleNamespace) -> None:
    assert "small-" not in shown(opened(kit, "Tasks", "other")) and "Three people" in opened(kit, "Tasks", "other").markdown[0].value
    assert "small-3" in shown(opened(kit, "Tasks", "all"))
    items.start(kit.v.store, "A set of its own", [kit.v.task(40).content_hash], evidence=False, actor="lead")
    assert not opened(kit, "Progress").selectbox and opened(kit, "Progress", "all").selectbox, "sets without a study are for all studies"
    kit.who = "writer"
    test = AppTest.from_function(draw, kwargs={"grant": kit.people["writer"].grant, "part": "Tasks"}, default_timeout=30).run()
    assert test.exception and NotAllowed.__name__ in str(test.exception[0].proto)
