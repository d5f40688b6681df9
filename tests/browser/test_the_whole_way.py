"""The whole way: consent, a worked example, whether it was understood, one task in each paradigm, the code; the app dies after it has
written the last answer and before anybody knows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from study import participants, slots
from study.forms.form import Form, Item
from study.paying import Pay
from study.returning import Return, Returns
from study.runtime import running
from study.studies import Study, create_study
from study.tutorial.settings import Example, Tutorial

ROOT = Path(__file__).resolve().parents[2]
WAYS = ("active", "single_view", "multi_view", "gt_passive", "yoked")
UNDERSTOOD = Form(
    name="understood",
    when="comprehension",
    title="Before you begin",
    items=(Item(name="look", text="How often may you look?", kind="choice", options=("once", "as I like"), passes=("as I like",)),),
    attempts=2,
)
MINE = "WHERE episode_id IN (SELECT episode_id FROM episodes WHERE participant_id = (SELECT participant_id FROM grants))"
"""Of the one person who came by a link."""
MOST_PICTURES = 10
"""More than any task here has."""
LINK = "https://app.prolific.com/submissions/complete?cc={code}"


def answer(tab: Any, *, choose: bool = True) -> None:
    """Choose, say how sure, and submit."""
    page = tab.page
    if choose:
        page.locator("form.answer .option input").first.check()
    page.locator(".confidence input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.locator("form.answer button[type=submit]").click()
    page.locator("dialog[open] button.primary").click()


def partner(server: Any, study: Study) -> None:
    """Somebody else has explored every task: what they saw can be shown to a yoked person."""
    person = participants.add_participant(server.store, study.study_id)
    with running(server.home, backend="toy") as runtime:
        for trial, task in enumerate(study.tasks, 1):
            slot_id = server.store.one(
                "SELECT slot_id FROM slots WHERE task_hash = ? AND paradigm = 'active' AND state = 'free' AND mode = 'live'", [task]
            )["slot_id"]
            slots.hold(server.store, slot_id, person, version=study.version, trial=trial)
            episode = runtime.engine.create(task, slot_id=slot_id, protocol=study.protocol)
            epoch = runtime.engine.open(episode).epoch
            runtime.engine.act(episode, epoch, 1, "turn_left")
            runtime.engine.answer(episode, epoch, "the blue one", 60)


def look_through(tab: Any, way: str) -> None:
    """In paradigms of given pictures one after the other, all of them are looked at."""
    if way in ("gt_passive", "yoked"):
        more = tab.page.get_by_role("button", name="Next picture")
        for _ in range(MOST_PICTURES):
            if not more.is_enabled():
                return
            before = tab.page.evaluate("window.__vantage.last.seq")
            more.click()
            tab.at(before + 1)
        raise AssertionError("there is always another picture")


def test_the_answer_is_there_once_and_the_code_after_the_app_was_killed_in_between(
    trouble: None, own_server: Any, new_tab: Any, kit: Any
) -> None:
    store, tasks = own_server.store, [kit.make_task(f"way-{way}", scene=kit.room(160, 120), gt_trajectory=("turn_left",)) for way in WAYS]
    worked = kit.make_task("worked", actions=("turn_left", "turn_right"))
    for task in (*tasks, worked):
        store.put_task(task)
    study = create_study(
        store, "Boxes", state="live", tasks=tuple(task.content_hash for task in tasks), trials=len(WAYS), paradigms=WAYS, per_task=2,
        min_categories=1, protocol=kit.Protocol(confidence_required=True), debriefing="It was about boxes.", contact="Ann, 030 1234",
        returns=Returns(done=Return(code="DONE77", link=LINK), stopped=Return(code="STOP99")),
        pay=Pay(currency="EUR", per_session="9.00", minimum_per_hour="12.00"),  # type: ignore[arg-type]
        tutorial=Tutorial(examples=(Example(task=worked.content_hash),)), forms=(UNDERSTOOD,),
    )  # fmt: skip
    command = [sys.executable, "-P", "-m", "app.cli", "study", "frames", study.study_id, "--backend", "toy"]
    shown = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([*command, "--db", str(own_server.home.db)], check=True, env=shown, stdout=subprocess.DEVNULL, timeout=120)
    partner(own_server, study)
    tab = new_tab()
    page = tab.page
    kit.enter(tab, own_server.link(study))
    page.get_by_role("button", name="Go on").click()  # the instructions
    tab.ready()
    page.locator(".pad [data-action=turn_left]").click()
    tab.at(1)
    page.locator("form.answer .option", has_text="the blue one").locator("input").check()  # who is wrong does it once more
    answer(tab, choose=False)
    page.locator("section.done button.primary").click()
    page.get_by_text("How often may you look?").wait_for()
    page.get_by_label("as I like").check()
    page.locator(".vantage.form button[type=submit]").click()
    met, seen = [], {row["episode_id"] for row in store.query("SELECT episode_id FROM episodes WHERE started_at IS NOT NULL")}
    for number in range(1, len(WAYS) + 1):
        # the page of the task before says what comes next: it is the next one only when another episode has been opened
        kit.wait_until(lambda: own_server.episode()["episode_id"] not in seen, 30)
        page.locator("header.question").get_by_text(f"Task {number} of {len(WAYS)}").wait_for()
        tab.ready()
        met.append(own_server.episode()["paradigm"])
        seen.add(own_server.episode()["episode_id"])
        look_through(tab, met[-1])
        if number < len(WAYS):
            answer(tab)
            page.get_by_role("button", name="Next task").click()
    assert sorted(met) == sorted(WAYS)
    assert "DONE77" not in page.content() and "STOP99" not in page.content()

    def die(route: Any) -> None:
        """The answer is written, and the app is gone before its word has reached the browser."""
        reply = route.fetch()
        assert reply.status == 200
        own_server.process.kill()
        own_server.process.wait(30)
        route.abort()

    page.route("**/api/answer", die, times=1)
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/api/answer")):
        answer(tab)
    assert own_server.process.poll() is not None
    assert store.one(f"SELECT count(*) AS n FROM answers {MINE}") == {"n": len(WAYS) + 1} and store.query("SELECT * FROM outcomes") == []
    port = int(own_server.base.rsplit(":", 1)[1])
    own_server.process, base = kit.launch(own_server.home, port=port)
    assert base == own_server.base
    page.get_by_text("Your answer is saved.").wait_for()
    page.reload()
    page.get_by_text("DONE77").wait_for()
    assert page.get_by_role("link", name="Go back to app.prolific.com").get_attribute("href") == LINK.format(code="DONE77")
    tab.drawn()
    assert page.get_by_text("It was about boxes.").is_visible()
    assert "STOP99" not in page.content()
    page.reload()
    page.get_by_text("DONE77").wait_for()
    for table, count in ((f"answers {MINE}", len(WAYS) + 1), (f"scores {MINE}", len(WAYS) + 1), ("outcomes", 1), ("payments", 1)):
        assert store.one(f"SELECT count(*) AS n FROM {table}") == {"n": count}, table
    answered = store.query(f"SELECT episode_id, count(*) AS n FROM events {MINE} AND kind = 'answered' GROUP BY episode_id")
    assert [row["n"] for row in answered] == [1] * (len(WAYS) + 1)
    page.get_by_text("Questions, or a problem?").click()
    page.get_by_text("Ann, 030 1234").wait_for()
    page.get_by_label("What is wrong?").fill("It went dark for a moment.")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("It is saved, and the researchers will read it.").wait_for()
    assert [row["text"] for row in store.query("SELECT text FROM reports")] == ["It went dark for a moment."]
