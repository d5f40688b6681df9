"""One task in each paradigm, then the code; the app dies after it has written the last answer and before anybody knows."""

from __future__ import annotations

from typing import Any

from study.paying import Pay
from study.returning import Return, Returns
from study.studies import create_study

WAYS = ("active", "single_view")
LINK = "https://app.prolific.com/submissions/complete?cc={code}"


def answer(tab: Any) -> None:
    """Choose, say how sure, and submit."""
    page = tab.page
    page.locator("form.answer .option input").first.check()
    page.locator(".confidence input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.locator("form.answer button[type=submit]").click()
    page.locator("dialog[open] button.primary").click()


def test_the_answer_is_there_once_and_the_code_after_the_app_was_killed_in_between(
    trouble: None, own_server: Any, new_tab: Any, kit: Any
) -> None:
    store, tasks = own_server.store, [kit.make_task(f"way-{way}") for way in WAYS]
    for task in tasks:
        store.put_task(task)
    study = create_study(
        store, "Boxes", state="live", tasks=tuple(task.content_hash for task in tasks), trials=len(WAYS), paradigms=WAYS, per_task=1,
        min_categories=1, protocol=kit.Protocol(confidence_required=True), debriefing="It was about boxes.", contact="Ann, 030 1234",
        returns=Returns(done=Return(code="DONE77", link=LINK), stopped=Return(code="STOP99")),
        pay=Pay(currency="EUR", per_session="9.00", minimum_per_hour="12.00"),
    )  # fmt: skip
    tab = new_tab()
    page = tab.page
    kit.enter(tab, own_server.link(study))
    met = []
    for number in range(1, len(WAYS)):
        page.get_by_text(f"Task {number} of {len(WAYS)}").first.wait_for()
        tab.ready()
        met.append(own_server.episode()["paradigm"])
        answer(tab)
        page.get_by_role("button", name="Next task").click()
    page.get_by_text(f"Task {len(WAYS)} of {len(WAYS)}").first.wait_for()
    tab.ready()
    met.append(own_server.episode()["paradigm"])
    assert sorted(met) == sorted(WAYS)
    assert "DONE77" not in page.content() and "STOP99" not in page.content()

    def die(route: Any) -> None:
        """The answer is written, and the app is gone before its word has reached the browser."""
        reply = route.fetch()
        assert reply.status == 200
        own_server.process.kill()
        own_server.process.wait()
        route.abort()

    page.route("**/api/answer", die, times=1)
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/api/answer")):
        answer(tab)
    assert own_server.process.poll() is not None
    assert store.one("SELECT count(*) AS n FROM answers") == {"n": len(WAYS)} and store.query("SELECT * FROM outcomes") == []
    port = int(own_server.base.rsplit(":", 1)[1])
    own_server.process, base = kit.launch(own_server.home, port=port)
    assert base == own_server.base
    page.get_by_text("Your answer is saved.").wait_for()
    page.reload()
    page.get_by_text("DONE77").wait_for()
    assert page.get_by_role("link", name="Go back to app.prolific.com").get_attribute("href") == LINK.format(code="DONE77")
    assert page.get_by_text("It was about boxes.").is_visible() and "STOP99" not in page.content()
    page.reload()
    page.get_by_text("DONE77").wait_for()
    for table, count in (("answers", len(WAYS)), ("scores", len(WAYS)), ("outcomes", 1), ("payments", 1)):
        assert store.one(f"SELECT count(*) AS n FROM {table}") == {"n": count}, table
    answered = store.query("SELECT episode_id, count(*) AS n FROM events WHERE kind = 'answered' GROUP BY episode_id")
    assert [row["n"] for row in answered] == [1] * len(WAYS)
    page.get_by_text("Questions, or a problem?").click()
    assert page.get_by_text("Ann, 030 1234").is_visible()
    page.get_by_label("What is wrong?").fill("It went dark for a moment.")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("It is saved, and the researchers will read it.").wait_for()
    assert [row["text"] for row in store.query("SELECT text FROM reports")] == ["It went dark for a moment."]
