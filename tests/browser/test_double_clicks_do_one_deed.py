"""Two presses 0 and 150 ms apart do one deed on the pages Make a task, Record and Disputed golds; and what the page says of it stands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from study import access

GAPS_MS = (0, 150)
PRESS = """async ([x, y, gap]) => {
  const press = () => document.elementFromPoint(x, y)?.closest('button')?.click();
  press();
  if (gap) await new Promise((done) => setTimeout(done, gap));
  press();
}"""


def twice(page: Any, button: Any, gap_ms: int, done: Callable[[], bool]) -> None:
    """Press a button, and once more whatever button is there by then; then wait until it is done, and for what may be done too much."""
    page.wait_for_selector(".stApp[data-test-script-state=notRunning]")
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    page.evaluate(PRESS, [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, gap_ms])
    for _ in range(200):
        if done():
            break
        page.wait_for_timeout(50)
    page.wait_for_timeout(700)
    page.wait_for_selector(".stApp[data-test-script-state=notRunning]")
    assert done(), f"{gap_ms} ms"


def drafts(server: Any) -> int:
    return len(server.store.query("SELECT draft_id FROM task_drafts WHERE state = 'open'"))


def are(server: Any, number: int) -> Callable[[], bool]:
    """Whether so many drafts are open."""
    return lambda: drafts(server) == number


def test_one_draft_is_begun_copied_and_put_aside(trouble: None, server: Any, new_tab: Any, kit: Any) -> None:
    study = server.study(kit.make_task("doubly-made"), name="Doubly made")
    tab = new_tab(width=1440, height=900)
    page = tab.page
    kit.accept(tab, server.link(study, "author"))
    page.wait_for_load_state()
    page.goto(f"{server.base}/author")
    before = drafts(server)
    page.get_by_role("combobox", name="Subcategory").click()
    page.keyboard.type("Partial Occlusion")
    page.keyboard.press("Enter")
    twice(page, page.get_by_role("button", name="Begin", exact=True), 150, are(server, before + 1))
    for n, gap in enumerate(GAPS_MS, 2):
        twice(page, page.get_by_role("button", name="Copy", exact=True), gap, are(server, before + n))
    twin = page.get_by_role("button", name="Its twin")
    twice(page, page.get_by_role("button", name="Make its twin"), 150, lambda: drafts(server) == before + 4 and twin.is_visible())
    (copied,) = server.store.query("SELECT twin FROM task_drafts ORDER BY rowid DESC LIMIT 1")
    assert copied["twin"] and copied["twin"] not in page.url, "the twin is open, and the second press does not lead back"
    opened = page.url
    page.get_by_role("combobox", name="Draft").click()
    page.get_by_role("option", selected=False).nth(2).click()
    page.wait_for_function("(before) => location.href !== before", arg=opened)  # another one can be chosen
    for n, gap in enumerate(GAPS_MS, 1):
        twice(page, page.get_by_role("button", name="Put aside"), gap, are(server, before + 4 - n))
        page.get_by_text("is put aside.").wait_for()
        tab.drawn()
        assert page.get_by_role("combobox", name="Draft").input_value() == "Begin another one"
        page.get_by_role("combobox", name="Draft").click()
        page.get_by_role("option").nth(1).click()
        page.get_by_role("button", name="Put aside").wait_for()


def test_one_action_of_a_recording_is_taken_back(trouble: None, server: Any, new_tab: Any, kit: Any) -> None:
    study = server.study(kit.make_task("doubly-recorded"), name="Doubly recorded")
    tab = new_tab(width=1440, height=900)
    page = tab.page
    kit.accept(tab, server.link(study, "researcher"))
    page.wait_for_load_state()
    page.goto(f"{server.base}/record")

    def made() -> list[Any]:
        found: list[Any] = server.store.query(
            "SELECT last_seq, state FROM episodes WHERE task_hash = ? ORDER BY rowid DESC", [study.tasks[0]]
        )
        return found

    twice(page, page.get_by_role("button", name="Begin", exact=True), 150, lambda: len(made()) == 1)
    tab.ready()
    tab.press("w", "a", "d", "w")
    tab.at(4)
    for left, gap in zip((3, 2), GAPS_MS, strict=True):
        twice(page, page.get_by_role("button", name="Undo the last action"), gap, partial(_at, made, left))
        tab.ready()
    begun = len(made())
    again = page.get_by_role("button", name="Begin", exact=True)
    twice(page, page.get_by_role("button", name="Start again"), 150, lambda: again.is_visible() and len(made()) == begun)


def _at(made: Callable[[], list[Any]], seq: int) -> bool:
    return bool(made()[0]["last_seq"] == seq)


@pytest.mark.parametrize("gap", GAPS_MS)
def test_one_gold_is_disputed_and_the_page_goes_on_saying_so(server: Any, playing: Any, new_tab: Any, kit: Any, gap: int) -> None:
    tab = playing(kit.make_task(f"doubly-doubted-{gap}", gold="the red one"))
    tab.press("w")
    tab.at(1)
    tab.page.get_by_text("the blue one", exact=True).last.click()
    tab.page.get_by_role("button", name="Give final answer").click()
    tab.page.get_by_role("button", name="Submit").click()
    tab.page.get_by_text("Your answer is saved.").wait_for()
    study = server.episode()["study_id"]
    lead = new_tab(width=1440, height=900)
    page = lead.page
    kit.accept(lead, f"{server.base}/enter?invite={access.create_invite(server.store, 'researcher', study, label='lead')}")
    page.wait_for_load_state()
    page.goto(f"{server.base}/disputes")
    page.get_by_role("combobox", name="Task").click()
    page.get_by_role("option").first.click()
    page.get_by_role("textbox", name="Why its gold is doubted").fill("A participant looked twice.")
    page.get_by_role("textbox", name="Why its gold is doubted").press("Tab")
    said = page.get_by_text("It waits for somebody who took no part.")
    twice(page, page.get_by_role("button", name="Have it judged"), gap, lambda: said.count() == 1)
    assert len(server.store.query("SELECT subject FROM disputes WHERE study_id = ?", [study])) == 1
