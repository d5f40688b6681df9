"""While the server is away, people read what stands on our pages, and no dialog of Streamlit's lies over them."""

from __future__ import annotations

from typing import Any

import pytest

from study.access import EVERY_STUDY, create_invite, enter
from study.wording import wording

TRIES = 8
"""So often does Streamlit look for its server before the test ends; after six it would open its dialog."""


def away(server: Any, tab: Any) -> None:
    """The server dies, and the page has looked for it a few times."""
    tries: list[str] = []
    tab.page.on("request", lambda request: tries.append(request.url) if "_stcore/health" in request.url else None)
    server.process.kill()
    server.process.wait()
    for _ in range(1200):
        if len(tries) >= TRIES:
            return
        tab.page.wait_for_timeout(100)
    pytest.fail(f"{len(tries)} tries in two minutes")


def test_staff_read_one_plain_sentence_and_go_on(trouble: None, own_server: Any, new_tab: Any, kit: Any) -> None:
    tab = new_tab()
    kit.accept(tab, f"{own_server.base}/enter?invite={create_invite(own_server.store, 'researcher', EVERY_STUDY, label='r')}")
    tab.page.get_by_test_id("stHeading").first.wait_for()
    told = tab.page.get_by_text("The connection to Vantage is lost. It is tried again; nothing you sent is lost.")
    assert told.is_hidden()
    port = int(own_server.base.rsplit(":", 1)[1])
    away(own_server, tab)
    assert told.is_visible()
    assert tab.page.get_by_test_id("stDialog").count() == 0
    assert tab.page.get_by_text("Streamlit server").count() == 0
    own_server.process, _ = kit.launch(own_server.home, port=port)
    told.wait_for(state="hidden")


def test_participants_read_our_own_line_alone(trouble: None, own_server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("away"), on=own_server)
    own_server.process.kill()
    own_server.process.wait()
    tab.press("w")
    tab.page.get_by_text("Connection lost. Reconnecting…").wait_for()
    away(own_server, tab)
    assert tab.page.get_by_test_id("stDialog").count() == 0
    assert tab.page.get_by_text("The connection to Vantage is lost").is_hidden()
    assert tab.page.get_by_text("Connection lost. Reconnecting…").is_visible()


def test_before_the_tasks_people_read_it_in_the_language_of_their_study(trouble: None, own_server: Any, new_tab: Any, kit: Any) -> None:
    task = kit.make_task("away-in-words")
    own_server.store.put_task(task)
    study = kit.create_study(own_server.store, "Away", state="live", language="qps-ploc", tasks=(task.content_hash,), trials=1)
    tab = new_tab()
    cookie, _ = enter(own_server.store, create_invite(own_server.store, "participant", study.study_id))
    tab.page.context.add_cookies(
        [{"name": "vantage_session", "value": cookie, "url": own_server.base, "httpOnly": True, "sameSite": "Lax"}]
    )
    tab.page.goto(own_server.base)
    tab.page.get_by_role("button").first.wait_for()
    tab.page.wait_for_selector(".stApp[data-test-script-state=notRunning]")
    own_server.process.kill()
    own_server.process.wait()
    said = tab.page.get_by_text(wording("qps-ploc").say("page.lost"))
    said.wait_for()
    assert said.get_attribute("lang") == "qps-ploc" and said.get_attribute("role") == "alert"
    assert tab.page.get_by_text("The connection").count() == 0
