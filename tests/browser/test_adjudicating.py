"""A participant's answer casts doubt on a gold; somebody who took no part judges it by keyboard, and the lead gives the task another gold.

Everything that the server sends to whoever judges is kept, and searched for what must not be in it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from annotation import disputes as queue
from annotation.reviewing.rows import Vote
from annotation.verifying import items
from annotation.verifying import queue as verifying
from annotation.verifying.verifications import Protocol
from data.frames import FrameStore
from data.store import now
from study import access
from study.disputes import BadDispute
from study.export import export

from .conftest import accept, choose_page, wait_until

SECRET = "only the row of the task says this"


def answered(tab: Any, option: str) -> None:
    """Give this option as the final answer."""
    page = tab.page
    page.get_by_text(option, exact=True).last.click()
    page.get_by_role("button", name="Give final answer").click()
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("Your answer is saved.").wait_for()


def test_a_disputed_gold_goes_from_the_answer_to_both_scorings(server: Any, playing: Any, new_tab: Any, kit: Any, tmp_path: Path) -> None:
    task = kit.make_task("doubted", gold="the red one")
    task = task.model_copy(update={"gold": task.gold.model_copy(update={"derivation": SECRET})})
    store = server.store
    tab = playing(task)
    tab.press("w", "ArrowLeft")
    tab.at(2)
    answered(tab, "the blue one")
    first = server.episode()
    other = kit.make_task("seen-once", gold="the red one")
    answered(playing(other, protocol=kit.Protocol(paradigm="single_view", confidence_required=False)), "the blue one")
    once = server.episode()
    with pytest.raises(BadDispute, match="meant to err"):
        queue.raise_one(store, once["study_id"], other.content_hash, "It looks wrong.", actor="lead")

    # the lead doubts it
    lead = new_tab(width=1440, height=900)
    accept(lead, f"{server.base}/enter?invite={access.create_invite(store, 'researcher', first['study_id'], label='lead')}")
    lead.page.wait_for_load_state()
    lead.page.goto(f"{server.base}/disputes")
    lead.page.get_by_role("combobox", name="Task").click()
    lead.page.get_by_role("option", name="doubted (1 of 1 answer otherwise)").click()
    lead.page.get_by_role("textbox", name="Why its gold is doubted").fill("A participant looked twice.")
    lead.page.get_by_role("button", name="Have it judged").click()
    lead.page.get_by_text("It waits for somebody who took no part.").wait_for()

    # somebody judges it, by keyboard
    judge = new_tab(width=1440, height=900)
    heard: list[str] = []

    def hear(response: Any) -> None:
        """Read at once: after a navigation there is no body any more."""
        if "/api/adjudicate/" in response.url and "json" in response.headers.get("content-type", ""):
            heard.append(response.text())

    judge.page.on("response", hear)
    accept(judge, f"{server.base}/enter?invite={access.create_invite(store, 'annotator', first['study_id'], label='judge')}")
    judge.page.wait_for_load_state()
    choose_page(judge, "Study", "Adjudicate")
    page = judge.page
    page.wait_for_selector(".adjudicate[data-stage=judge]")
    page.locator(".adjudicate img").first.wait_for()
    options = page.locator(".adjudicate .option").all_inner_texts()
    number = next(n for n, text in enumerate(options, 1) if "blue" in text)
    page.keyboard.press("Enter")
    page.get_by_text("If it cannot be told, say so.").wait_for()
    page.keyboard.press(str(number))
    page.keyboard.press("x")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("3")
    page.keyboard.press("w")
    page.keyboard.type("Seen from the left")
    page.get_by_text("Draft kept").wait_for()
    page.reload()
    page.wait_for_selector(".adjudicate[data-stage=judge]")
    assert page.get_by_label("Note").input_value() == "Seen from the left", "a draft outlives the page"
    assert page.locator(".adjudicate .reason input:checked").evaluate_all("found => found.map((one) => one.value)") == ["picture"]
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/adjudicate.png")
    page.keyboard.press("s")
    judge.ready()
    assert server.episode()["mode"] == "preview"
    page.get_by_role("button", name="Back to the question").press("Enter")
    page.wait_for_selector(".adjudicate[data-stage=judge]")
    page.keyboard.press("Enter")
    page.get_by_text("Say how sure you are.").wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector(".adjudicate[data-stage=nothing]")
    page.keyboard.press("u")
    page.wait_for_selector(".adjudicate[data-stage=judge]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".adjudicate[data-stage=nothing]")
    sent = " ".join(heard)
    assert "larger" in sent and not [word for word in (SECRET, "looked twice", first["episode_id"], "accepted") if word in sent]

    # the lead sees what it changes, and makes the new version
    lead.page.reload()
    lead.page.get_by_text("Answers in this study: 1; 1 become right, 0 become wrong.").wait_for()
    lead.page.get_by_label("What shows that the old gold does not hold").fill("The red box is drawn too large.")
    lead.page.get_by_label("What shows that the old gold does not hold").press("Tab")
    if folder:
        lead.page.screenshot(path=f"{folder}/settle.png", full_page=True)
    lead.page.get_by_role("button", name="Make the new version").click()
    lead.page.get_by_text("has a new version; its answers are scored by both golds.").wait_for()
    if folder:
        lead.page.screenshot(path=f"{folder}/settled.png", full_page=True)
    wait_until(lambda: queue.listed(store, first["study_id"])[0].state == "settled")
    new = store.find_task("doubted")
    assert (new.supersedes, new.gold.accepted, store.get_task(task.content_hash).gold) == (task.content_hash, ("the blue one",), task.gold)
    export(store, FrameStore(server.home.frames), tmp_path / "out")
    rows = pd.read_parquet(next((tmp_path / "out").rglob("answers.parquet"))).set_index("episode_id")
    scored = rows.loc[first["episode_id"]]
    assert (bool(scored.correct_strict), bool(scored.correct_settled), scored.settled_task_hash) == (False, True, new.content_hash)
    assert pd.isna(rows.loc[once["episode_id"]].correct_settled)


def test_disputed_reasons_stand_there_before_anything_is_chosen(server: Any, new_tab: Any, kit: Any) -> None:
    store, task = server.store, kit.make_task("rejected", gold="the red one")
    store.put_task(task)
    study = kit.create_study(store, "Rejected", state="live", tasks=(task.content_hash,), trials=1)
    settings = Protocol(training=0, control_share=0.0)
    which = items.start(
        store, "V", [task.content_hash], study_id=study.study_id, protocol=settings, evidence=False, actor="lead"
    ).verification_id
    for who, reason in (("amy", "floats"), ("bob", "intersects"), ("cyd", "vanished")):
        store.insert("staff", {"staff_id": who, "name": who, "created_at": now()})
        review = verifying.next_item(store, which, who)
        review = verifying.look(store, review.review_id, who, "no", "the red one", 60)
        failed = {"correctness": Vote("fail", reasons=(reason,)), "answerability": Vote("pass"), "nontriviality": Vote("pass")}
        verifying.judge(store, review.review_id, who, failed)
    judge = new_tab(width=1366, height=768)
    accept(judge, f"{server.base}/enter?invite={access.create_invite(store, 'annotator', study.study_id, label='judge')}")
    judge.page.wait_for_load_state()
    judge.page.goto(f"{server.base}/adjudicate")
    page = judge.page
    page.get_by_text("Something floats.").wait_for()
    assert page.locator(".adjudicate .reason").count() == 3
    page.get_by_label("Something floats.").check()
    assert page.get_by_role("button", name="Those that I tick hold").get_attribute("aria-pressed") == "true"
    page.keyboard.press("x")
    page.get_by_text("Something floats.").wait_for(state="hidden")
    page.keyboard.press("Enter")
    page.get_by_text("Say in the note what you see instead.").wait_for()
    page.keyboard.type("All of it stands there.")
    page.get_by_role("button", name="Save and go on").click()
    page.wait_for_selector(".adjudicate[data-stage=nothing]")
