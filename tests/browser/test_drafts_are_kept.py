"""That a draft is kept is said of what stands on the page now, from the server's word, and the newest arrives last."""

from __future__ import annotations

import json
from typing import Any

from study.studies import create_study
from tests.browser.test_verifying import come_in, open_room


def test_that_a_verdict_is_kept_is_not_said_of_what_was_typed_since(server: Any, new_tab: Any) -> None:
    room = open_room(server, range(21, 22), "Drafts")
    verifier = come_in(room, new_tab(width=1440, height=900))
    page = verifier.page
    verifier.look("x")
    verifier.press("y")
    kept = page.get_by_text("Draft kept")
    kept.wait_for()

    held: list[Any] = []
    page.route("**/api/verify/draft", lambda route: held.append(route))
    page.get_by_label("Note").press_sequentially("half")
    assert kept.count() == 0
    _wait(page, held, 1)
    page.get_by_label("Note").press_sequentially(" a note")
    page.wait_for_timeout(600)
    assert len(held) == 1, "one at a time"
    held[0].continue_()
    _wait(page, held, 2)
    assert kept.count() == 0, "what has come meanwhile is not kept"
    assert json.loads(held[1].request.post_data)["draft"]["note"] == "half a note"
    held[1].continue_()
    kept.wait_for()
    (draft,) = server.store.query("SELECT document FROM review_drafts d JOIN reviews r USING (review_id) WHERE r.scope = ?", [_scope(room)])
    assert json.loads(draft["document"])["note"] == "half a note"


def test_a_draft_that_comes_after_its_verdict_changes_nothing_and_is_not_told_of_the_next(server: Any, new_tab: Any) -> None:
    room = open_room(server, range(23, 25), "Late drafts")
    verifier = come_in(room, new_tab(width=1440, height=900))
    page = verifier.page
    said = page.locator(".verify .status, .verify .problem")
    held: list[Any] = []
    page.route("**/api/verify/draft", lambda route: held.append(route))

    # of the first view: it comes when the evidence is there
    verifier.stage("look")
    number = verifier.question()
    verifier.press("x")
    _wait(page, held, 1)
    verifier.press("Enter")
    verifier.stage("judge")
    _let_go(page, held)
    assert said.all_inner_texts() == ["", ""], "nothing of the evidence is kept yet"

    # of the verdict: it comes when the next task is there
    verifier.press("y", "y", "y", "w")
    page.keyboard.type("half")
    _wait(page, held, 1)
    page.keyboard.type(" a note")
    page.keyboard.press("Control+Enter")
    verifier.stage("look")
    assert verifier.question() != number
    stored = server.store.query(
        "SELECT axis, vote, comment FROM review_votes JOIN reviews USING (review_id) WHERE scope = ?", [_scope(room)]
    )
    assert "half a note" in {row["comment"] for row in stored}
    _let_go(page, held)
    assert said.all_inner_texts() == ["", ""], "of this task nothing is kept"
    assert (
        server.store.query("SELECT axis, vote, comment FROM review_votes JOIN reviews USING (review_id) WHERE scope = ?", [_scope(room)])
        == stored
    )
    page.unroute("**/api/verify/draft")

    # who takes the verdict back finds what it said, not what was half said; the next task has none of it
    verifier.press("u")
    verifier.stage("judge")
    assert verifier.question() == number
    assert page.get_by_label("Note").input_value() == "half a note"
    verifier.judge(then="look")
    verifier.look("x")
    assert page.get_by_label("Note").input_value() == "" and page.locator(".axis button[aria-pressed=true]").count() == 0


def test_that_all_pass_is_not_said_of_what_was_changed_since(server: Any, new_tab: Any) -> None:
    room = open_room(server, range(25, 26), "All pass")
    verifier = come_in(room, new_tab(width=1440, height=900))
    verifier.look("x")
    verifier.press("Enter")
    said = verifier.page.get_by_text("All three pass.")
    said.wait_for()
    verifier.press("ArrowRight")
    said.wait_for()
    verifier.press("x")
    said.wait_for(state="detached")


def test_that_a_form_is_saved_is_not_said_of_what_was_typed_since(trouble: None, server: Any, new_tab: Any, kit: Any) -> None:
    task = kit.make_task("saved-form")
    server.store.put_task(task)
    study = create_study(server.store, "Forms", state="live", tasks=(task.content_hash,), trials=1, forms=("eligibility",))
    tab = new_tab()
    page = tab.page
    kit.enter(tab, server.link(study))
    page.wait_for_selector(".form[data-state=ready]")
    said = page.locator(".form .saved")
    page.get_by_label("No", exact=True).check()
    said.get_by_text("Saved").wait_for()

    held: list[Any] = []
    page.route("**/api/form/note", lambda route: held.append(route))
    age = page.get_by_role("textbox")
    age.press_sequentially("3")
    assert said.inner_text() == "…"
    _wait(page, held, 1)
    age.press_sequentially("4")  # three years are refused, and are half of what is meant
    page.wait_for_timeout(1200)
    assert len(held) == 1, "one at a time for each question"
    held[0].continue_()
    _wait(page, held, 2)
    assert said.inner_text() == "…"
    held[1].continue_()
    said.get_by_text("Saved").wait_for()
    rows = server.store.query(
        "SELECT value FROM form_answers JOIN form_showings USING (showing_id) JOIN participants USING (participant_id) "
        "WHERE study_id = ? AND value LIKE '%34%' ORDER BY n DESC",
        [study.study_id],
    )
    assert rows, "the newest is there"


def _let_go(page: Any, held: list[Any]) -> None:
    """Let the request that is held go on, and wait until the page has its reply."""
    with page.expect_response("**/api/verify/draft") as replied:
        held.pop().continue_()
    replied.value.finished()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")


def _wait(page: Any, held: list[Any], number: int) -> None:
    """Until so many requests have been made; what holds them runs only while the page is waited for."""
    for _ in range(200):
        if len(held) >= number:
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{len(held)} of {number} requests")


def _scope(room: Any) -> str:
    found: str = room.verification.verification_id
    return found
