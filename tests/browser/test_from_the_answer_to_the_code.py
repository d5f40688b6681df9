"""One task in each paradigm, then the code; the app dies after it has written the last answer and before anybody knows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from data.frames import FrameStore
from study import participants, slots
from study.episode import EpisodeEngine
from study.paying import Pay
from study.returning import Return, Returns
from study.studies import Study, create_study
from tests.study.conftest import InlinePool

ROOT = Path(__file__).resolve().parents[2]
WAYS = ("active", "single_view", "multi_view", "gt_passive", "yoked")
PROOF = ("turn_left", "move_forward")
LINK = "https://app.prolific.com/submissions/complete?cc={code}"


def answer(tab: Any) -> None:
    """Choose, say how sure, and submit."""
    page = tab.page
    page.locator("form.answer .option input").first.check()
    page.locator(".confidence input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.locator("form.answer button[type=submit]").click()
    page.locator("dialog[open] button.primary").click()


def partners(server: Any, study: Study) -> None:
    """Somebody who has explored each task before, so that each can be watched by another."""
    store, engine = server.store, EpisodeEngine(server.store, FrameStore(server.home.frames), InlinePool())  # type: ignore[arg-type]
    for content_hash in study.tasks:
        person = participants.add_participant(store, study.study_id)
        slot = slots.add(store, study.study_id, content_hash, "active", mode="live", version=1)
        with store.atomic() as db:
            db.execute("UPDATE slots SET state = 'held', participant_id = ?, trial_index = 0 WHERE slot_id = ?", [person, slot])
        view = engine.open(engine.create(content_hash, slot_id=slot, protocol=study.protocol))
        engine.act(view.episode_id, view.epoch, 1, "turn_left", client_time_ms=1_700.0, frame_painted_ms=1_000.0)
        engine.answer(view.episode_id, view.epoch, "the blue one", 80)


def look(tab: Any, way: str) -> None:
    """Look at all that has to be looked at before the answer."""
    seq = 0
    while way in ("gt_passive", "yoked") and not tab.page.get_by_text("You have seen all pictures.").is_visible():
        seq += 1
        tab.page.keyboard.press("ArrowRight")
        tab.at(seq)


def test_the_answer_is_there_once_and_the_code_after_the_app_was_killed_in_between(
    trouble: None, own_server: Any, new_tab: Any, kit: Any
) -> None:
    store, tasks = own_server.store, [kit.make_task(f"way-{way}", scene=kit.room(160, 120), gt_trajectory=PROOF) for way in WAYS]
    for task in tasks:
        store.put_task(task)
    study = create_study(
        store, "Boxes", state="live", tasks=tuple(task.content_hash for task in tasks), trials=len(WAYS), paradigms=WAYS, per_task=2,
        min_categories=1, protocol=kit.Protocol(confidence_required=True), debriefing="It was about boxes.", contact="Ann, 030 1234",
        returns=Returns(done=Return(code="DONE77", link=LINK), stopped=Return(code="STOP99")),
        pay=Pay(currency="EUR", per_session="9.00", minimum_per_hour="12.00"),
    )  # fmt: skip
    command = [
        sys.executable,
        "-P",
        "-m",
        "app.cli",
        "study",
        "frames",
        study.study_id,
        "--backend",
        "toy",
        "--db",
        str(own_server.home.db),
    ]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL)
    partners(own_server, study)
    before = len(WAYS)
    tab = new_tab()
    page = tab.page
    kit.enter(tab, own_server.link(study))
    met = []
    for number in range(1, len(WAYS)):
        page.get_by_text(f"Task {number} of {len(WAYS)}").first.wait_for()
        tab.ready()
        met.append(own_server.episode()["paradigm"])
        look(tab, met[-1])
        answer(tab)
        page.get_by_role("button", name="Next task").click()
    page.get_by_text(f"Task {len(WAYS)} of {len(WAYS)}").first.wait_for()
    tab.ready()
    met.append(own_server.episode()["paradigm"])
    look(tab, met[-1])
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
    assert store.one("SELECT count(*) AS n FROM answers") == {"n": before + len(WAYS)} and store.query("SELECT * FROM outcomes") == []
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
    for table, count in (("answers", before + len(WAYS)), ("scores", before + len(WAYS)), ("outcomes", 1), ("payments", 1)):
        assert store.one(f"SELECT count(*) AS n FROM {table}") == {"n": count}, table
    answered = store.query("SELECT episode_id, count(*) AS n FROM events WHERE kind = 'answered' GROUP BY episode_id")
    assert [row["n"] for row in answered] == [1] * (before + len(WAYS))
    page.get_by_text("Questions, or a problem?").click()
    assert page.get_by_text("Ann, 030 1234").is_visible()
    page.get_by_label("What is wrong?").fill("It went dark for a moment.")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("It is saved, and the researchers will read it.").wait_for()
    assert [row["text"] for row in store.query("SELECT text FROM reports")] == ["It went dark for a moment."]
