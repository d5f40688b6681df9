"""After the last answer: whom to ask stands beside what was saved, and the page goes back to whoever sent the person, once all is kept."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from study.returning import Return, Returns
from study.studies import create_study

BACK = "https://app.prolific.com/submissions/complete"


def test_the_saved_page_says_whom_to_ask_and_the_last_page_goes_back_with_the_code_by_itself(server: Any, new_tab: Any, kit: Any) -> None:
    task = kit.make_task("way-back")
    server.store.put_task(task)
    study = create_study(
        server.store,
        "Way back",
        state="live",
        tasks=(task.content_hash,),
        trials=1,
        protocol=kit.Protocol(paradigm="single_view", confidence_required=False),
        contact="Ann, 030 1234",
        returns=Returns(done=Return(code="DONE77", link=f"{BACK}?cc={{code}}", how="redirect")),
    )
    tab = new_tab()
    page, kept = tab.page, []

    def platform(route: Any) -> None:
        sql = "SELECT p.state, o.code FROM outcomes o JOIN participants p USING (participant_id) WHERE p.study_id = ?"
        kept.append(server.store.query(sql, [study.study_id]))
        route.fulfill(status=200, content_type="text/html", body="<title>Platform</title><h1>Received</h1>")

    page.context.route("https://app.prolific.com/**", platform)
    kit.enter(tab, server.link(study))
    tab.ready()
    tab.press("1")
    page.get_by_role("button", name="Give final answer").click()
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("Your answer is saved.").wait_for()
    assert page.locator(".done .contact").inner_text() == "Questions? You can ask: Ann, 030 1234"
    page.locator(".done button.primary").press("Enter")
    page.get_by_role("link", name="Go back to app.prolific.com").wait_for()
    page.get_by_role("heading", name="Received").wait_for()
    assert page.url.startswith(BACK) and parse_qs(urlsplit(page.url).query) == {"cc": ["DONE77"]}
    assert kept == [[{"state": "finished", "code": "DONE77"}]], "the outcome was kept before"
    assert tab.foreign == [page.url], "it goes nowhere else"
    tab.foreign.clear()
