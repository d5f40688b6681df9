"""Somebody makes a Partial Occlusion and an Unobserved Change task in the browser, in the real simulator, and a participant plays them."""

from __future__ import annotations

import ctypes.util
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from data.store import now
from data.task import Task

ROUND = ("a", "a", "w", "w", "w", "w", "w", *["ArrowRight"] * 9, "q", "ArrowDown")
"""Left of the box and round behind it."""
LOOK = ("q", "q", "q", "w", "w", "ArrowDown", "ArrowDown", "ArrowDown")
"""Into the box from above."""


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, kit: Any) -> Iterator[Any]:
    """A server with the embedded simulator."""
    if not ctypes.util.find_library("OSMesa"):
        pytest.skip("libOSMesa is missing: the embedded simulator cannot draw")
    running = kit.serve(tmp_path_factory.mktemp("real"), backend="mujoco")
    yield running
    kit.stop(running.process)


class Author:
    """An author at the page, with a verification to hand in to."""

    def __init__(self, real: Any, kit: Any, tab: Any, study: Any) -> None:
        self.real, self.tab, self.page = real, tab, tab.page
        kit.accept(tab, real.link(study, "author"))
        self.page.get_by_role("heading", name="Make questions").wait_for()
        self.page.goto(f"{real.base}/author")

    def begin(self, subcategory: str) -> None:
        self.page.get_by_role("combobox", name="Subcategory").click()
        self.page.keyboard.type(subcategory)
        self.page.keyboard.press("Enter")
        self.page.get_by_role("button", name="Begin", exact=True).click()
        self.page.locator(".maker[data-built]").wait_for()

    def still(self) -> None:
        """Wait until all is kept and built."""
        self.page.wait_for_function(
            "() => { const m = [...document.querySelectorAll('*')].map((e) => e.shadowRoot?.querySelector('.maker')).find(Boolean);"
            " return m && m.querySelector('.saved').textContent.startsWith('Kept') && !m.querySelector('.bar .note').textContent; }"
        )

    def world(self, **numbers: object) -> None:
        self.page.get_by_text("Room, light and picture").click()
        self.fields(numbers)

    def fields(self, values: dict[str, object]) -> None:
        for label, value in values.items():
            field = self.page.get_by_label(label, exact=True)
            field.fill(str(value))
            field.press("Tab")
        self.still()

    def add(self, what: str, *checks: str, **values: object) -> None:
        self.page.get_by_label("Which thing to add").fill(what)
        self.page.keyboard.press("Enter")
        self.page.locator(".detail h3", has_text=what).wait_for()
        self.fields({label.replace("_", " ").replace(" m", ", m"): value for label, value in values.items()})
        for check in checks:
            self.page.locator(".detail").get_by_label(check).press("Space")
        self.still()

    def choose(self, label: str, option: str) -> None:
        self.page.get_by_label(label, exact=True).select_option(label=option)
        self.still()

    def step(self, name: str) -> None:
        self.page.get_by_test_id("stButtonGroup").get_by_text(name, exact=True).click()

    def record(self, *parts: tuple[str, ...], answer: str) -> None:
        """Play it, and keep the way."""
        page = self.page
        self.step("Record the way")
        page.get_by_role("button", name="Begin", exact=True).click()
        play(self.tab, *parts, answer=answer)
        page.get_by_role("button", name="Look at what was recorded").press("Enter")
        page.get_by_role("textbox", name="What does its end show?").fill(f"It is {answer}.")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Use this as the trajectory").click()
        page.get_by_text("The way is kept.").wait_for(timeout=60_000)

    def hand_in(self) -> None:
        page = self.page
        self.step("Check and hand in")
        page.get_by_role("button", name="Check it").click()
        page.get_by_text("Nothing is wrong.").wait_for(timeout=60_000)
        page.get_by_role("button", name="Hand it in").click()
        page.get_by_text("It is handed in.").wait_for(timeout=60_000)

    def made(self) -> Task:
        """The task that was handed in last."""
        row = self.real.store.one(
            "SELECT d.task_hash, r.state FROM task_drafts d JOIN verification_items i USING (task_hash) "
            "JOIN reviewed r ON r.subject = i.subject AND r.kind = 'proposed_task' ORDER BY d.rowid DESC LIMIT 1"
        )
        assert row is not None and row["state"] == "proposed"
        found: Task = self.real.store.get_task(row["task_hash"])
        return found


def play(tab: Any, *parts: tuple[str, ...], answer: str, sure: bool = False) -> None:
    """Act in every part of a task, and answer."""
    page, seq = tab.page, 0
    tab.ready()
    for n, keys in enumerate(parts):
        if n:
            page.get_by_role("button", name="Go on to the next part").press("Enter")
            page.get_by_role("button", name="Go on to part 2").press("Enter")
            seq += 1
            page.locator(".part", has_text="Part 2 of 2").wait_for()
            page.locator(".view").focus()
        tab.press(*keys)
        seq += len(keys)
        tab.at(seq)
    page.locator(".option", has_text=answer).locator("input").press("Space")
    page.get_by_role("button", name="Give final answer").press("Enter")
    page.locator("dialog[open] button.primary").press("Enter")
    page.get_by_role("heading", name="Your answer is saved.").wait_for()


@pytest.fixture
def author(real: Any, kit: Any, new_tab: Callable[..., Any]) -> Author:
    study = kit.create_study(real.store, "Made by people", state="live")
    made = {"verification_id": f"ver_{study.study_id}", "name": "Ours", "study_id": study.study_id, "document": "{}"}
    real.store.insert("verifications", made | {"state": "open", "created_at": now()})
    return Author(real, kit, new_tab(width=1280, height=1000), study)


def answered(real: Any) -> tuple[Any, bool]:
    """The answer of the episode opened last, and whether it is right."""
    row = real.store.one(
        "SELECT a.answer, s.correct_strict FROM answers a JOIN scores s USING (episode_id) WHERE a.episode_id = ?",
        [real.episode()["episode_id"]],
    )
    assert row is not None
    return json.loads(row["answer"]), bool(row["correct_strict"])


def test_what_hides_behind_a_box_is_made_in_the_browser_and_played(real: Any, author: Author, playing: Callable[..., Any]) -> None:
    page = author.page
    author.begin("Partial Occlusion")
    author.world(**{"Picture width": 320, "Picture height": 240, "Field of view, °": 60})
    size = {"Width_m": 0.2, "Depth_m": 0.2, "Height_m": 0.2}
    author.add("gift box", Right_m=-0.05, Ahead_m=0.7, Words_of_the_question="gift box", **size)
    author.add("mug", "The answer depends on it", Right_m=-0.05, Ahead_m=0.8)
    page.locator(".faults", has_text="The mug (k2) runs into something.").wait_for()
    # placed by keys: the plan's things are buttons
    page.get_by_role("button", name="mug (k2), ").press("ArrowRight")
    page.get_by_role("button", name="gift box, ").press("ArrowDown")
    page.get_by_role("button", name="gift box, ").press("Shift+ArrowDown")
    page.get_by_role("button", name="gift box, ").press("Shift+ArrowDown")
    page.get_by_role("button", name="gift box, ").press("Shift+ArrowDown")
    page.get_by_role("button", name="gift box, ").press("Shift+ArrowDown")
    page.locator(".faults:empty").wait_for(state="attached")
    page.get_by_role("button", name="Start view, ").focus()
    author.fields({"Height, m": 0.06})
    author.choose("What it asks, in the generators’ terms", "behind")
    author.choose("Compared with, behind, in or on", "gift box")
    author.fields({"Options, one a line": "mug\ncan"})
    author.choose("Right answer", "can")
    page.get_by_role("button", name="Word it as the generator does").press("Enter")
    author.fields({"Why one view does not suffice (where it has no twin)": "The box hides its handle."})
    # what the state contradicts is said, and nothing is lost
    author.choose("Right answer", "mug")
    page.reload()
    assert page.get_by_label("The question", exact=True).input_value() == "What is behind the gift box: a mug or a can?"
    author.record(ROUND, answer="mug")
    author.hand_in()
    task = author.made()
    assert (task.provenance.dataset, task.gold.accepted, len(task.gt_trajectory)) == ("human-authored", ("mug",), len(ROUND))
    tab = playing(task, on=real)
    play(tab, ROUND, answer="mug")
    assert answered(real) == ("mug", True)


def test_what_changed_unseen_is_made_in_the_browser_and_played(real: Any, author: Author, playing: Callable[..., Any]) -> None:
    page = author.page
    author.begin("Unobserved Change")
    author.world(**{"Picture width": 320, "Picture height": 240})
    size = {"Width_m": 0.42, "Depth_m": 0.34, "Height_m": 0.24}
    author.add("carton", Right_m=0, Ahead_m=1.3, Words_of_the_question="box", **size)
    author.add("mug", "The answer depends on it", "There in part 1", Right_m=0, Ahead_m=1.3, Height_above_floor_m=0.005)
    page.get_by_role("radio", name="Part 2").press("Space")
    page.get_by_text("the mug (k2) is inside the box").wait_for()
    page.get_by_role("button", name="Start view, ").focus()
    author.fields({"Ahead, m": 0.5, "Height, m": 0.12, "Looking up, °": -20})
    author.choose("What it asks, in the generators’ terms", "what changed")
    page.locator(".asked").get_by_role("checkbox", name="box", exact=True).press("Space")
    author.fields({"Options, one a line": "replace\nremove\nadd\nno change"})
    author.choose("Right answer", "add")
    page.get_by_role("button", name="Word it as the generator does").press("Enter")
    author.fields({"Why one view does not suffice (where it has no twin)": "Nobody sees into the box from there."})
    author.record(LOOK, LOOK, answer="add")
    author.hand_in()
    task = author.made()
    assert task.gt_phase_starts == (len(LOOK),) and len(task.scene.phases) == 2
    tab = playing(task, on=real)
    play(tab, LOOK, LOOK, answer="add")
    assert answered(real) == ("add", True)
