"""From consent to the first task, by somebody who has seen nothing: who may take part, the colour check, a worked example, and whether it
was understood; a break and a question between tasks. By keyboard where that is how one does it; axe finds nothing to mend."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from study import participants
from study.breaks import Breaks
from study.checks.pictures import PLATES
from study.checks.settings import Checks
from study.studies import create_study
from study.tutorial.settings import Example, Tutorial

AXE = runpy.run_path(str(Path(__file__).with_name("test_axe.py")))
FORMS = ("eligibility", "comprehension", "attention")


@pytest.fixture
def study(server: Any, kit: Any) -> Any:
    tasks = [kit.make_task("before-1"), kit.make_task("before-2", text="Which box is larger now?")]
    tasks.append(kit.make_task("before-practice", budget=6))
    for task in tasks:
        server.store.put_task(task)
    *counted, example = (task.content_hash for task in tasks)
    return create_study(
        server.store,
        "From the beginning",
        state="live",
        tasks=tuple(counted),
        trials=2,
        min_categories=1,
        protocol=kit.Protocol(confidence_required=False),
        forms=FORMS,
        contact="Ann, 030 1234",
        checks=Checks(colours="always"),
        breaks=Breaks(every_tasks=1),
        tutorial=Tutorial(examples=(Example(task=example),)),
    )


def _form(page: Any, title: str) -> None:
    page.get_by_role("heading", name=title).wait_for()
    page.wait_for_selector(".form[data-state=ready]")


def _send(page: Any) -> None:
    page.get_by_role("button", name="Continue").press("Enter")


def test_a_newcomer_comes_from_consent_to_the_first_task_and_past_a_break(
    trouble: None, server: Any, new_tab: Any, kit: Any, study: Any
) -> None:
    tab, axe = new_tab(), AXE["Checker"]()
    page = tab.page
    kit.enter(tab, server.link(study))

    _form(page, "Before you begin")
    assert page.get_by_text("You can ask: Ann, 030 1234").first.is_visible()
    page.get_by_role("button", name="Report a problem").click()
    page.get_by_role("textbox", name="What is wrong?").fill("It is small.")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Thank you. Saved").wait_for()
    page.get_by_role("button", name="Close").click()
    told = server.store.query("SELECT stage, text FROM reports")
    assert {"stage": "eligibility", "text": "It is small."} in told
    page.get_by_role("button", name="Stop…").click()
    assert page.locator("dialog[open] .contact").inner_text() == "Questions? You can ask: Ann, 030 1234"
    page.keyboard.press("Escape")
    _send(page)  # nothing is chosen beforehand
    page.get_by_text("Please answer this question.").nth(2).wait_for()
    assert (
        page.evaluate("() => document.activeElement.shadowRoot?.activeElement?.inputMode ?? document.activeElement.inputMode") == "numeric"
    )
    axe.look(tab, "a form with faults")
    page.keyboard.type("34")
    page.get_by_label("Well, with glasses or lenses").press("Space")
    page.get_by_label("No", exact=True).press("Space")
    noted = (
        "SELECT count(*) AS n FROM form_answers JOIN form_showings USING (showing_id) JOIN participants USING (participant_id) "
        "WHERE sent = 0 AND study_id = ?"
    )
    kit.wait_until(lambda: server.store.one(noted, [study.study_id])["n"] >= 3)
    page.reload()
    _form(page, "Before you begin")
    assert page.get_by_role("textbox").input_value() == "34", "what was noted is found again"
    assert page.get_by_label("No", exact=True).is_checked()
    _send(page)

    _form(page, "Colours")
    page.wait_for_function(f"() => [...{kit.IN_PAGE}.querySelectorAll('img')].every((image) => image.complete && image.naturalWidth)")
    axe.look(tab, "the colour check")
    for name, (digit, _, _) in PLATES.items():
        page.locator(f"[data-item={name}]").get_by_label(digit, exact=True).check()
    _send(page)

    page.get_by_role("heading", name="Instructions").wait_for()
    axe.look(tab, "the instructions")
    page.get_by_role("button", name="Go on").press("Enter")
    page.locator(".todo li").first.wait_for()
    tab.ready()
    axe.look(tab, "a worked example")
    things = page.locator(".todo li")
    assert things.count() == 6 and page.locator(".todo .done-thing").count() == 0
    example = server.episode()
    refused = page.evaluate(
        kit.js("ask"), ["/api/answer", {"episode": example["episode_id"], "epoch": example["epoch"], "answer": "the lamp"}]
    )
    assert refused[0] == 422 and json.loads(refused[1])["error"] == "still_to_do", "the server itself refuses"
    # all views are used, and the list is not done: the example is begun again
    for seq in range(1, 6):
        page.locator(".pad [data-action=turn_left]").click()
        tab.at(seq)
    page.locator(".forced").get_by_role("button", name="Begin this example again").click()
    kit.wait_until(lambda: server.episode()["episode_id"] != example["episode_id"])
    tab.ready()
    example = server.episode()
    assert things.count() == 6
    tab.press("w", "q", "ArrowLeft", "ArrowUp")
    tab.at(4)
    page.locator(".todo .done-thing").nth(3).wait_for()
    right = example_answer(server, example)
    page.locator(".option", has_text=right).first.click()
    page.locator(".confidence input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.locator(".todo .done-thing").nth(5).wait_for()
    page.get_by_role("button", name="Give final answer").press("Enter")
    page.get_by_role("button", name="Submit").press("Enter")
    page.get_by_text("That is right.").wait_for()
    page.get_by_role("button", name="Go on").press("Enter")

    _form(page, "Is everything clear?")
    for question in study.forms[1].items:
        page.locator(f"[data-item={question.name}]").get_by_label(question.options[-1], exact=True).check()
    _send(page)
    page.get_by_text("Some answers were not right.").wait_for()
    assert page.locator("fieldset .explained").count() >= 1
    again = page.locator(".asked-again")
    assert again.evaluate("(told) => told === told.getRootNode().activeElement && told.getBoundingClientRect().top < innerHeight / 2")
    missed = [question for question in study.forms[1].items if question.options[-1] not in question.passes]
    assert 0 < len(missed) < len(study.forms[1].items)
    assert page.locator("fieldset:has(input:checked)").count() == len(study.forms[1].items) - len(missed), "what was right still stands"
    for question in missed:
        page.locator(f"[data-item={question.name}]").get_by_label(question.passes[0], exact=True).check()
    _send(page)

    page.get_by_text("Task 1 of 2").first.wait_for()
    tab.ready()
    assert page.locator("progress.session").get_attribute("value") == "4"
    person = server.episode()["participant_id"]
    view = server.store.one("SELECT count(*) AS n FROM slots WHERE participant_id = ? AND practice = 1", [person])
    assert view == {"n": 2} and participants.get_participant(server.store, person).state == "practised"
    tab.press("1")
    page.get_by_role("button", name="Give final answer").press("Enter")
    page.get_by_role("button", name="Submit").press("Enter")
    page.get_by_role("button", name="Next task").press("Enter")
    page.get_by_role("heading", name="Time for a break").wait_for()
    tab.drawn()
    axe.look(tab, "a break")
    page.get_by_role("button", name="Stop…").click()
    page.get_by_role("dialog").get_by_text("Questions? You can ask: Ann, 030 1234").wait_for()
    page.get_by_role("button", name="Go on taking part").click()
    page.get_by_role("dialog").wait_for(state="detached")
    page.get_by_role("button", name="Go on").press("Enter")
    page.get_by_text("Task 2 of 2").first.wait_for()
    assert axe.faults == []


@pytest.mark.parametrize(("width", "height"), [(1366, 650), (390, 844)])
def test_what_is_missing_in_a_form_and_what_became_of_it_moves_nothing(
    trouble: None, server: Any, new_tab: Any, kit: Any, study: Any, width: int, height: int
) -> None:
    page = (tab := new_tab(width=width, height=height)).page
    kit.enter(tab, server.link(study))
    _form(page, "Before you begin")
    places = f"""() => [...{kit.IN_PAGE}.querySelectorAll('button, input, legend, h1')].filter((e) => e.offsetParent)
      .map((e) => Math.round(e.getBoundingClientRect().top + document.querySelector('[data-testid=stMain]').scrollTop))"""
    before = page.evaluate(places)
    assert len(before) > 10
    button, told = page.get_by_role("button", name="Continue"), page.get_by_text("Please answer this question.")
    button.press("Enter")
    told.nth(2).wait_for()
    assert page.evaluate(places) == before
    for field, said in zip(page.locator("fieldset.item").all(), told.all(), strict=True):
        mine, under = said.bounding_box(), field.locator("input").last.bounding_box()
        assert under["y"] + under["height"] <= mine["y"] + 1
    page.get_by_role("textbox").fill("34")
    told.nth(2).wait_for(state="detached")
    assert page.evaluate(places) == before
    page.get_by_label("Well, with glasses or lenses").press("Space")
    page.get_by_label("No", exact=True).press("Space")
    assert told.count() == 0 and page.locator("[aria-invalid=true]").count() == 0
    refused = {"error": "bad_request", "message": "This page was sent in another way, and nothing of it was kept. Load it again."}
    page.route("**/api/form/send", lambda route: route.fulfill(status=422, json=refused))
    button.press("Enter")
    page.get_by_text("This page was sent in another way").wait_for()
    assert page.evaluate(places) == before and button.is_enabled()


def test_one_can_stop_where_no_task_is(trouble: None, server: Any, new_tab: Any, kit: Any) -> None:
    task = kit.make_task("between")
    server.store.put_task(task)
    study = create_study(
        server.store, "Stops", state="live", tasks=(task.content_hash,), trials=1, min_categories=1, instructions="Look around."
    )
    page = (tab := new_tab()).page
    kit.enter(tab, server.link(study))
    page.get_by_role("heading", name="Instructions").wait_for()
    page.get_by_role("button", name="Stop…").click()
    page.get_by_role("button", name="Stop and leave my answers").click()
    page.get_by_role("heading", name="You have stopped").wait_for()
    states = server.store.query("SELECT state FROM participants WHERE study_id = ?", [study.study_id])
    assert [row["state"] for row in states] == ["stopped"]


def example_answer(server: Any, episode: dict[str, Any]) -> str:
    return str(server.store.get_task(episode["task_hash"]).gold.accepted[0])
