"""Every form of answer can be given by keyboard, and arrives as meant."""

from __future__ import annotations

import json
from typing import Any

import pytest

GIVEN: dict[str, Any] = {
    "form-yes-no": "yes",
    "form-count": "2",
    "form-number": "0.4",
    "form-sequence": ["plate", "bowl", "cup"],
    "form-blanks": ["turn left", "turn back"],
    "form-assignment": {"cup": "small box", "pan": "large box"},
    "form-pair": {"A": "left", "C": "right"},
    "form-text": "a box",
}


@pytest.fixture(scope="module")
def forms(server: Any, browser: Any, kit: Any) -> Any:
    """One participant with a task of each form; the tests go through them in whatever order they are assigned."""
    return server.study(*kit.FORMS, name="Forms")


def give(page: Any, task_id: str) -> None:
    """Give the right answer, by keyboard alone."""
    want = GIVEN[task_id]
    if task_id == "form-sequence":
        for item in want:
            page.locator(".tray .item", has_text=item).press("Enter")
        # A stack as it stands: the first one lies at the bottom, and up is up.
        assert [text.split("\n")[-1] for text in page.locator(".placed .item").all_inner_texts()] == [*reversed(want)]
        page.locator(".placed .item").nth(0).press("ArrowDown")
        assert page.locator(".placed .item").nth(1).inner_text().split("\n")[-1] == want[-1]
        page.locator(".placed .item").nth(1).press("ArrowUp")  # and back
        page.get_by_role("button", name=f"Move {want[0]} up").press("Enter")
        page.get_by_role("button", name=f"Move {want[0]} down").press("Enter")
        assert page.get_by_role("button", name=f"Move {want[-1]} up").is_disabled()
    elif isinstance(want, dict):
        for label, value in want.items():
            page.get_by_label(label, exact=True).select_option(value)
    elif isinstance(want, list):
        for number, value in enumerate(want):
            page.locator(".blank select").nth(number).select_option(value)
    elif task_id == "form-yes-no":
        page.locator(".option", has_text=want).locator("input").press("Space")
    elif task_id == "form-count":
        for _ in range(3):
            page.get_by_role("textbox", name="How many").press("ArrowUp")
    else:
        page.get_by_role("textbox", name="Your").fill(want)


def test_every_form_is_answered_and_scored(server: Any, new_tab: Any, forms: Any, kit: Any) -> None:
    tab = new_tab()
    page = tab.page
    kit.enter(tab, server.link(forms))
    seen = set()
    for _ in kit.FORMS:
        tab.ready()
        episode = server.episode()
        task_id = server.store.get_task(episode["task_hash"]).task_id
        seen.add(task_id)
        button = page.get_by_role("button", name="Give final answer")
        button.press("Enter")
        assert page.locator(".problem").first.inner_text() != ""  # an untouched form is no answer
        give(page, task_id)
        button.press("Enter")
        page.get_by_role("button", name="Submit").press("Enter")
        page.get_by_role("heading", name="Your answer is saved.").wait_for()
        query = "SELECT a.raw, a.confidence, s.correct_strict FROM answers a JOIN scores s USING (episode_id) WHERE a.episode_id = ?"
        kept = server.store.one(query, [episode["episode_id"]])
        assert json.loads(kept["raw"]) == GIVEN[task_id], task_id
        assert (kept["confidence"], kept["correct_strict"]) == (None, 1), task_id
        page.locator(".done button").press("Enter")
    assert seen == set(GIVEN)
    page.get_by_role("heading", name="Thank you").wait_for()


def test_items_are_ordered_by_dragging_too(server: Any, playing: Any, kit: Any) -> None:
    task = next(task for task in kit.FORMS if task.task_id == "form-sequence")
    tab = playing(task)
    page = tab.page
    page.locator(".tray li", has_text="cup").drag_to(page.locator(".placed"))
    page.get_by_role("button", name="bowl").press("Enter")
    page.get_by_role("button", name="plate").press("Enter")
    bottom_up = [text.split("\n")[-1] for text in reversed(page.locator(".placed .item").all_inner_texts())]
    assert bottom_up == ["cup", "bowl", "plate"]
    page.locator(".placed li", has_text="plate").drag_to(page.locator(".placed li").last)
    bottom_up = [text.split("\n")[-1] for text in reversed(page.locator(".placed .item").all_inner_texts())]
    assert bottom_up == ["plate", "cup", "bowl"]
    line = page.locator(".ticks").bounding_box()  # the scale from 0 to 100
    for percent in (80, 95, 3):
        page.mouse.click(line["x"] + line["width"] * percent / 100, line["y"] - 12)
        assert page.locator("output").inner_text() == f"{percent} %"


def test_object_actions_use_the_offered_handles_and_say_what_happened(server: Any, playing: Any, kit: Any) -> None:
    task = next(task for task in kit.FORMS if task.task_id == "form-sequence")
    tab = playing(task)
    page = tab.page
    objects = page.get_by_label("Pick up: which object")
    assert objects.locator("option").all_inner_texts()[1] == "1 · red box"
    assert all(text in ("object…", "1 · red box") or text.startswith("object ") for text in objects.locator("option").all_inner_texts())
    page.get_by_role("button", name="Do it").press("Enter")
    page.get_by_text("Choose the object first.").wait_for()
    sign, colour, ink = page.locator(".status").evaluate(
        "e => [getComputedStyle(e, '::before').content, getComputedStyle(e).color, getComputedStyle(e.closest('.vantage')).color]"
    )
    assert "✕" in sign and colour != ink, "a failure looks like one"
    objects.select_option("1 · red box")
    page.get_by_role("button", name="Do it").press("Enter")
    tab.at(1)
    step = server.steps(server.episode()["episode_id"])[1]
    assert step["action"].startswith("pick_up(")
    assert page.locator(".status").inner_text().startswith("Step 1: ")
