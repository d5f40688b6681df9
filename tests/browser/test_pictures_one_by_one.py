"""Ground-truth passive and yoked in a real browser: the exact pictures, one after the other, by an own key or at the partner's pace."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from data.frames import FrameStore, decode
from sim_bridge.actions import ACTIONS
from study import access, frozen, participants
from study.studies import create_study

ROOT = Path(__file__).resolve().parents[2]
WAY = ("turn_left", "move_forward", "turn_right")


def study_of(server: Any, kit: Any, name: str, ways: tuple[str, ...], **protocol: Any) -> tuple[Any, Any]:
    """A live study of one task with a proof, and the task; its pictures are rendered by the command."""
    task = kit.make_task(name, gt_trajectory=WAY)
    server.store.put_task(task)
    settings = kit.Protocol(confidence_required=False, **protocol)
    study = create_study(
        server.store, name, state="live", tasks=(task.content_hash,), paradigms=ways, per_task=1, trials=1, protocol=settings
    )
    return study, task


def come_in(server: Any, new_tab: Any, study: Any) -> Any:
    """A tab in which somebody who has consented meets the next task."""
    tab = new_tab()
    cookie, grant = access.enter(server.store, access.create_invite(server.store, "participant", study.study_id))
    for event in ("welcome", "consent"):
        participants.advance(server.store, grant.participant_id or "", event)
    tab.page.context.add_cookies([{"name": "vantage_session", "value": cookie, "url": server.base, "httpOnly": True, "sameSite": "Lax"}])
    tab.page.goto(server.base)
    tab.ready()
    return tab


def answer(page: Any) -> None:
    page.keyboard.press("2")
    page.get_by_role("button", name="Give final answer").click()
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("Your answer is saved.").wait_for()


def test_the_ground_truth_pictures_come_at_the_own_key_and_no_action_is_told(server: Any, new_tab: Any, kit: Any) -> None:
    study, task = study_of(server, kit, "proven", ("gt_passive",))
    command = [sys.executable, "-P", "-m", "app.cli", "study", "frames", study.study_id, "--backend", "toy", "--db", str(server.home.db)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL)
    tab = come_in(server, new_tab, study)
    page, frames = tab.page, FrameStore(server.home.frames)
    traffic: list[str] = []
    page.on("request", lambda request: traffic.append(f"{request.url} {request.post_data if '/api/' in request.url else ''}"))
    page.on(
        "response", lambda reply: traffic.append(reply.body().decode("latin-1")) if re.search(r"/api/(open|next)$", reply.url) else None
    )
    wanted = [
        decode(frames.kept(server.store, view.pixel_hash)).tobytes()
        for view in frozen.views_of(server.store, task.content_hash, frozen.GROUND_TRUTH)
    ]
    assert len(wanted) == len(WAY) + 1
    assert page.get_by_text("Picture 1 of 4.").is_visible()
    page.get_by_role("button", name="Give final answer").click()  # nothing is chosen
    page.keyboard.press("2")
    page.get_by_role("button", name="Give final answer").click()
    assert page.get_by_text("Look at all 4 pictures first. This is number 1.").is_visible()
    seen = [tab.canvas()]
    for seq in range(1, 4):
        page.keyboard.press("ArrowRight") if seq < 3 else page.get_by_role("button", name="Next picture").click()
        tab.at(seq)
        seen.append(tab.canvas())
    assert seen == wanted
    assert page.get_by_text("You have seen all pictures.").is_visible()
    assert page.locator(".strip li").all_inner_texts() == ["1", "2", "3"]
    answer(page)
    episode = server.episode()
    steps = server.steps(episode["episode_id"])
    assert [(s["kind"], s["input"]) for s in steps] == [("start", ""), ("frame", "key"), ("frame", "key"), ("frame", "button")]
    assert all(s["client_time_ms"] > s["painted_ms"] for s in steps[1:])
    words = "\n".join(traffic)
    assert "Picture 4 of 4" in words
    assert [name for name in ACTIONS if re.search(rf"\b{name}\b", words)] == []


@pytest.mark.parametrize("pace", ["own_key", "partner"])
def test_yoked_shows_what_the_partner_saw(server: Any, new_tab: Any, kit: Any, pace: str) -> None:
    study, _task = study_of(server, kit, f"yoked-{pace}", ("active", "yoked"), pace=pace)
    partner = come_in(server, new_tab, study)
    for seq, key in enumerate(("ArrowLeft", "w", "w"), 1):
        partner.press(key)
        partner.at(seq)
    answer(partner.page)
    theirs = server.steps(server.episode()["episode_id"])
    tab = come_in(server, new_tab, study)
    page = tab.page
    if pace == "partner":
        assert page.get_by_text("The pictures come by themselves.").is_visible()
        assert page.get_by_role("button", name="Next picture").count() == 0
    for seq in range(1, len(theirs)) if pace == "own_key" else ():
        page.keyboard.press("ArrowRight")
        tab.at(seq)
    tab.at(len(theirs) - 1)
    answer(page)
    own = server.steps(server.episode()["episode_id"])
    assert [step["pixel_hash"] for step in own] == [step["pixel_hash"] for step in theirs]
    assert {step["input"] for step in own[1:]} == {"pace" if pace == "partner" else "key"}
    if pace == "partner":
        looked = [after["client_time_ms"] - after["painted_ms"] for after in theirs[1:]]
        assert all(step["client_time_ms"] - step["painted_ms"] >= ms - 20 for step, ms in zip(own[1:], looked, strict=True))
