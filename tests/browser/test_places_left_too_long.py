"""Somebody comes back to a task whose place was freed: the page says what happened and leads on."""

from __future__ import annotations

from typing import Any

from data.frames import FrameStore
from sim_bridge.pool import Pool
from study.episode import EpisodeEngine


def test_a_returning_person_is_told_and_goes_on_with_another_task(trouble: None, server: Any, new_tab: Any, kit: Any) -> None:
    study = server.study(kit.make_task("left-1"), kit.make_task("left-2", text="Which box is nearer?"))
    tab = new_tab()
    page = tab.page
    kit.enter(tab, server.link(study))
    tab.ready()
    left = server.episode()["episode_id"]
    engine = EpisodeEngine(server.store, FrameStore(server.home.frames), Pool(backend="toy"))
    engine.end(left, "time_out", actor="hold limit")
    tab.press("w")
    page.get_by_role("heading", name="This task has ended.").wait_for()
    assert page.get_by_text("its place was freed for others").count() == 1
    page.locator(".done button").press("Enter")
    page.get_by_text("Please go on with this one.").wait_for()
    tab.ready()
    assert server.episode()["episode_id"] != left
    slots = server.store.query("SELECT state FROM slots WHERE study_id = ? ORDER BY created_at", [study.study_id])
    assert [slot["state"] for slot in slots] == ["timed_out", "free", "held"]
