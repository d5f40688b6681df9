"""Single view: one frame, the question, an answer with a confidence; nothing to act with."""

from __future__ import annotations

from typing import Any

import pytest

from data.frames import FrameStore, decode


def test_one_view_is_shown_and_answered_without_any_action(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("one-view"), protocol=kit.Protocol(paradigm="single_view"))
    page, episode = tab.page, server.episode()
    assert (episode["paradigm"], episode["last_seq"]) == ("single_view", 0)
    assert page.get_by_role("heading", name="Which box is larger").is_visible()
    (step,) = server.steps(episode["episode_id"])
    shown = decode(FrameStore(server.home.frames).kept(server.store, step["pixel_hash"]))
    page.wait_for_function(f"() => {kit.IN_PAGE}.querySelector('.view canvas').width === {shown.shape[1]}")
    assert tab.canvas() == shown.tobytes(), "the pixels on the page are those on disk"
    for gone in (".pad", ".budget", ".forced"):
        assert page.locator(gone).count() == 0, gone
    assert page.get_by_role("button", name="Keys").count() == 0
    assert page.get_by_role("status").filter(has_text="This is the only view.").is_visible()
    tab.press("w", "ArrowLeft", "q")
    tab.press("1")
    page.locator(".confidence input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Give final answer").click()
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("Your answer is saved.").wait_for()
    kept = server.store.one("SELECT seq, confidence, stopped_by FROM answers WHERE episode_id = ?", [episode["episode_id"]])
    assert (kept["seq"], kept["stopped_by"]) == (0, "answer") and kept["confidence"] is not None
    assert len(server.steps(episode["episode_id"])) == 1, "keys of the camera do nothing here"


@pytest.mark.parametrize("way", ["active", "single_view"])
def test_the_server_refuses_actions_where_nobody_acts(server: Any, trouble: None, playing: Any, kit: Any, way: str) -> None:
    tab = playing(kit.make_task(f"refused-{way}"), protocol=kit.Protocol(paradigm=way))
    episode = server.episode()
    body = {"episode": episode["episode_id"], "epoch": episode["epoch"], "seq": 1, "action": "turn_left"}
    status = tab.page.evaluate(kit.js("ask"), ["/api/act", body])[0]
    assert (status, len(server.steps(episode["episode_id"]))) == ((200, 2) if way == "active" else (422, 1))
