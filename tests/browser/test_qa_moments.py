"""The page of moments: one at a time, kept or dropped by keys, the last decision taken back; thresholds judge what is undecided."""

from __future__ import annotations

import io
import random
from dataclasses import dataclass
from typing import Any

import pytest
from PIL import Image

from annotation.qa import moments, projects
from annotation.qa.drawn.pictures import ImageFolder
from annotation.qa.errors import NotYours
from annotation.qa.items import VIEWS, ViewImage
from data.store import dumps, now


@dataclass
class Bench:
    """One project in a study of its own."""

    server: Any
    study: Any
    project: projects.Project

    def image(self, view: str, key: str) -> ViewImage:
        kept = io.BytesIO()
        Image.new("RGB", (96, 72), f"#{random.Random(key).randrange(1 << 24):06x}").save(kept, "PNG")
        return ViewImage(view=view, image=ImageFolder(self.server.home).keep(kept.getvalue()), width=96, height=72)

    def moments(self, count: int) -> list[str]:
        """Moments of one episode, as sampling leaves them; the last is blurred."""
        store, tail = self.server.store, self.project.project_id[-8:]
        source, episode = f"rs_{tail}", f"re_{tail}"
        views = {view: {} for view in VIEWS["dual"]}  # type: ignore[var-annotated]
        with store.atomic():
            store.insert(
                "robot_sources", {"source_id": source, "kind": "plain", "name": "bench", "root": f"/none/{tail}", "created_at": now()}
            )
            row = {
                "episode_id": episode,
                "source_id": source,
                "key": "e1",
                "arm": "dual",
                "task": "stack the cups",
                "frames": 500,
                "fps": 30.0,
            }
            store.insert("robot_episodes", row | {"document": dumps({"views": views}), "created_at": now()})
            for n in range(count):
                shown = [self.image(view, f"moment {n} {view}").model_dump(mode="json") for view in VIEWS["dual"]]
                sharp = 3.0 if n == count - 1 else 240.0
                figures = {view: {"sharpness": sharp, "dark": 0.01, "blown": 0.0, "signature": "00" * 192} for view in VIEWS["dual"]}
                document = {"views": shown, "place": n, "metrics": {"views": figures, "skew_s": 0.0, "nearest": 30.0}}
                store.insert(
                    "moments",
                    {"moment_id": f"mo_{tail}_{n}", "project_id": self.project.project_id, "episode_id": episode, "frame_index": 20 * n}
                    | {"timestamp_s": n / 1.5, "state": "candidate", "document": dumps(document), "created_at": now()},
                )
        return [f"mo_{tail}_{n}" for n in range(count)]

    def state(self, moment_id: str) -> tuple[str, str]:
        row = self.server.store.one("SELECT state, reason FROM moments WHERE moment_id = ?", [moment_id])
        return row["state"], row["reason"]


@pytest.fixture
def bench(server: Any, kit: Any) -> Bench:
    study = kit.create_study(server.store, "Robot questions", state="live")
    return Bench(server, study, projects.create_project(server.store, "Tables", study_id=study.study_id))


@pytest.fixture
def opened(server: Any, new_tab: Any, kit: Any) -> Any:
    def start(study: Any, role: str) -> Any:
        tab = new_tab(width=1440, height=900)
        kit.accept(tab, server.link(study, role))
        tab.page.get_by_role("heading").first.wait_for()
        tab.page.goto(f"{server.base}/moments")
        tab.page.wait_for_selector(".sifter .picture img")
        return tab

    return start


def test_moments_are_kept_and_dropped_by_keys_and_the_last_decision_is_taken_back(server: Any, bench: Bench, opened: Any, kit: Any) -> None:
    first, second, third = bench.moments(3)
    tab = opened(bench.study, "annotator")
    shown = tab.page.locator(".sifter .where")
    assert "stack the cups" in shown.inner_text() and "frame 0" in shown.inner_text()
    assert tab.page.evaluate(kit.js("audit")) == []
    assert tab.page.evaluate(kit.js("contrast").replace("'.vantage'", "'.sifter'", 1)) == []
    tab.press("y")
    tab.page.get_by_text("frame 20").wait_for()
    tab.press("x", "2")
    tab.page.get_by_text("frame 40").wait_for()
    assert [bench.state(m) for m in (first, second, third)] == [("kept", "useful"), ("dropped", "occluded"), ("candidate", "")]
    assert tab.page.locator(".facts .bad", has_text="sharpness 3").count() == 3
    tab.press("u")
    tab.page.get_by_text("frame 20").wait_for()
    assert bench.state(second) == ("candidate", "")
    tab.press("y")
    tab.page.get_by_text("frame 40").wait_for()
    assert bench.state(second)[0] == "kept"
    tab.press("x", "8")
    tab.page.get_by_text("Say in a few words what the other reason is").wait_for()
    tab.page.keyboard.type("the table is wet")
    tab.press("Enter")
    tab.page.get_by_text("All moments are decided.").wait_for()
    assert bench.state(third) == ("dropped", "other")
    tab.drawn()
    assert tab.page.get_by_role("button", name="Sample").count() == 0  # only leads sample


def test_thresholds_are_changed_and_judge_undecided_moments_again(server: Any, bench: Bench, opened: Any, kit: Any) -> None:
    *_, blurred = bench.moments(2)
    tab = opened(bench.study, "researcher")
    tab.page.get_by_text("Thresholds of the rules").click()
    tab.page.get_by_role("spinbutton", name="Least sharpness").fill("10")
    last = tab.page.get_by_role("spinbutton", name="Least difference")
    last.fill("0")
    last.press("Tab")
    tab.page.get_by_role("button", name="Change the thresholds").press("Enter")
    tab.page.get_by_text("Held back by the rules (1)").wait_for()
    assert bench.state(blurred) == ("filtered", "blurred")
    assert projects.get_project(server.store, bench.project.project_id).thresholds.sharpness == 10


def test_one_takes_back_ones_own_decision_only_and_the_rules_hold_it_back_again(server: Any, bench: Bench) -> None:
    *_, blurred = bench.moments(2)
    store = server.store
    moments.rejudge(store, bench.project.project_id)
    assert bench.state(blurred) == ("filtered", "blurred")
    moments.decide(store, blurred, "keep", "rare", "ann")
    with pytest.raises(NotYours):
        moments.undo(store, blurred, "bob")
    assert bench.state(blurred) == ("kept", "rare")
    assert moments.undo(store, blurred, "ann").decided_by == ""
    assert bench.state(blurred) == ("filtered", "blurred")
    with pytest.raises(NotYours):
        moments.undo(store, blurred, "ann")


def test_enter_that_takes_a_conversion_decides_nothing_and_letters_act_where_they_lie(bench: Bench, opened: Any) -> None:
    first, second = bench.moments(2)
    page = opened(bench.study, "annotator").page
    devtools = page.context.new_cdp_session(page)

    def hit(key: str, code: str, number: int) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            devtools.send("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number})

    hit("н", "KeyY", 89)  # keep, on a Russian layout
    page.get_by_text("frame 20").wait_for()
    assert bench.state(first)[0] == "kept"
    hit("χ", "KeyX", 88)
    page.locator(".sifter .why input").focus()
    devtools.send("Input.imeSetComposition", {"text": "てがぶれ", "selectionStart": 4, "selectionEnd": 4})
    hit("Enter", "Enter", 229)  # so do browsers say that the input method has it
    page.locator(".sifter .why input").dispatch_event("keydown", {"key": "Enter", "code": "Enter", "isComposing": True, "bubbles": True})
    page.wait_for_timeout(100)
    assert bench.state(second)[0] != "dropped"
    devtools.send("Input.insertText", {"text": "手がぶれた"})
    page.keyboard.press("Enter")
    page.get_by_text("All moments are decided.").wait_for()
    assert bench.state(second) == ("dropped", "other")
    row = bench.server.store.one("SELECT json(data) AS data FROM events WHERE kind LIKE 'moment%' ORDER BY seq DESC LIMIT 1")
    assert "手がぶれた" in row["data"] and "てがぶれ" not in row["data"]
