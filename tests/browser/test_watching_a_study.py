"""Two people play while a researcher watches both: extends one, writes to them, reads a report, rejects the other, whose place somebody
else gets. Nothing of it tells the people a gold."""

from __future__ import annotations

import json
import re
from typing import Any

from study.studies import create_study
from tests.browser.test_secrecy import cleaned, record

SENTENCE = "Take all the time that you need."


def pick(page: Any, row: int) -> None:
    """Select a row of the first table, by its tick; the table is drawn on a canvas."""
    table = page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    box = table.bounding_box()
    page.mouse.click(box["x"] + 18, box["y"] + 35 + 35 * row + 18)


def choose(page: Any, what: str) -> None:
    """Choose what to do; what stood there of somebody else goes only when the page has been drawn to its end."""
    page.wait_for_selector(".stApp[data-test-script-state=notRunning]")
    found = page.get_by_role("radio", name=what, exact=True)
    found.nth(1).wait_for(state="detached")
    found.click()


def do(page: Any, what: str, button: str, **fields: str) -> None:
    """One of the things that can be done about who is selected."""
    choose(page, what)
    for label, value in fields.items():
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name=button, exact=True).click()


def cells(page: Any) -> str:
    return " ".join(page.get_by_test_id("stDataFrame").first.locator("[role=gridcell]").all_text_contents())


def run(server: Any, new_tab: Any, kit: Any, name: str, golds: tuple[str, str]) -> list[str]:
    """The whole of it with two tasks of these golds; what the people's pages heard."""
    tasks = [kit.make_task(f"watched-{name}-{n}", gold=gold) for n, gold in enumerate(golds)]
    for task in tasks:
        server.store.put_task(task)
    study = create_study(
        server.store, f"Watched {name}", state="live", tasks=tuple(task.content_hash for task in tasks), trials=1, per_task=1,
        hold_minutes=30,        contact="Ada, room 12", protocol=kit.Protocol(confidence_required=False, shuffle_options=False),
    )  # fmt: skip
    people, heard = [], []  # type: ignore[var-annotated]
    for _ in range(3):
        tab = new_tab()
        kit.enter(tab, server.link(study))
        if len(people) < 2:
            tab.ready()
        else:
            tab.page.get_by_role("heading", name="Please wait for a place").wait_for()
        heard.append(record(tab))
        people.append(tab)
    first, second, third = people
    for number, key in enumerate("wa", 1):
        first.press(key)
        first.at(number)
    first.page.get_by_role("button", name="Report a problem").press("Enter")
    first.page.get_by_label("What is wrong?").fill("It is too dark to see.")
    first.page.get_by_role("button", name="Send").press("Enter")
    first.page.get_by_text("Thank you. Saved").wait_for()
    first.page.keyboard.press("Escape")

    desk = new_tab(width=1366, height=900)
    page = desk.page
    kit.accept(desk, server.link(study, "researcher"))
    page.get_by_role("heading", name=f"Watched {name}").wait_for()
    kit.choose_page(desk, "Study", "Watch")
    page.get_by_text("3 under way (1 in the queue, 2 at a task)").wait_for()
    kit.wait_until(lambda: all(who in cells(page) for who in ("P000", "P001", "P002", "task 1 of 1", "in the queue")))
    page.get_by_text("1 problem reports of people").wait_for()
    page.get_by_text("What people reported").click()
    page.get_by_text("It is too dark to see.", exact=True).wait_for()

    pick(page, 0)
    page.get_by_role("heading", name="P000").wait_for()
    do(page, "More time", "Give more time", Why="the light fails")
    page.get_by_text("P000: their places are kept until").wait_for()
    page.get_by_role("radio", name="More time", exact=True, checked=False).wait_for()
    do(page, "Write to them", "Send", Message=SENTENCE)
    page.get_by_text("P000 reads it between two tasks.").wait_for()
    told = server.store.query(
        "SELECT kind, actor FROM events WHERE study_id = ? AND kind IN ('time_extended', 'message') ORDER BY seq", [study.study_id]
    )
    assert [row["kind"] for row in told] == ["time_extended", "message"] and all(row["actor"] for row in told)

    pick(page, 1)
    page.get_by_role("heading", name="P001").wait_for()
    choose(page, "Reject their data")
    page.get_by_role("combobox", name=re.compile("Reason")).click()
    page.get_by_role("option", name="the same person took part before").click()
    page.get_by_label("Why", exact=True).fill("took part as P007")
    page.get_by_role("button", name="Reject", exact=True).click()
    page.get_by_text("Choose the reason, and tick that their data are not to count.").wait_for()
    page.get_by_text("Their data are not to count", exact=True).click()
    page.get_by_role("button", name="Reject", exact=True).click()
    page.get_by_text("P001: rejected (the same person took part before: took part as P007).").wait_for()

    # the place is somebody else's, and who was rejected is told that it is over
    third.ready()
    second.press("w")
    second.page.get_by_role("heading", name="This task has ended.").wait_for()
    second.page.locator(".done button").press("Enter")
    second.page.get_by_role("heading", name="Your part has ended").wait_for()
    second.drawn()
    assert second.page.get_by_text("took part as").count() == 0

    # the message waits until the task is answered
    assert first.page.get_by_text(SENTENCE).count() == 0
    first.press("1")
    first.page.get_by_text("Noted").wait_for()
    first.page.get_by_role("button", name="Give final answer").press("Enter")
    first.page.get_by_role("button", name="Submit").press("Enter")
    first.page.locator(".done button").press("Enter")
    first.page.get_by_role("heading", name="A message from the researchers").wait_for()
    first.drawn()
    assert first.page.get_by_text(SENTENCE, exact=True).count() == 1 and first.page.get_by_text("Ada, room 12").count() >= 1
    assert first.page.locator("canvas").count() == 0
    first.page.get_by_role("button", name="I have read it").press("Enter")
    first.page.get_by_role("heading", name="Thank you").wait_for()
    pick(page, 0)
    people_now = {row["number"]: row["state"] for row in server.store.query(
        "SELECT number, state FROM participants WHERE study_id = ?", [study.study_id])}  # fmt: skip
    assert people_now == {0: "finished", 1: "stopped", 2: "practised"}
    whole = json.dumps(heard)
    assert not any(task.content_hash in whole or task.task_id in whole for task in tasks)
    # what became of a page (another tab in front) is told as it happens, and says nothing of a task
    return sorted(set(cleaned([one for some in heard for one in some if one["path"] != "/api/event"])))


def test_a_researcher_watches_two_people_and_nothing_of_it_tells_a_gold(trouble: None, server: Any, new_tab: Any, kit: Any) -> None:
    one = run(server, new_tab, kit, "a", ("the blue one", "the blue one"))
    other = run(server, new_tab, kit, "b", ("the red one", "the red one"))
    assert set(one) ^ set(other) == set()
