"""Three people verify tasks by keyboard: blind, first by the first view alone; the right ones are retained.

Every response of the server is kept, and searched for what must not be in it before the first stage is stored.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
import pytest

from annotation.reviewing import things
from annotation.reviewing.kinds.tasks import KIND
from annotation.verifying import items
from annotation.verifying.evidence import Evidence, Map, Moment, Picture, Thing
from annotation.verifying.verifications import Protocol, Verification
from data.frames import FrameStore
from data.store import Store, dumps, now
from data.task import Task
from sim_bridge.encoding import encode_frame
from sim_bridge.spec import Frame
from study import access, frozen
from study.frozen import Rendered

from .conftest import LOOK, Server, Tab, accept, children, make_task

WAY = ("turn_left", "move_forward", "turn_right")
SECRET = "only the released evidence says this"
PATH = "/api/verify/"


def a_frame(number: int, shade: int) -> Frame:
    """A small picture of its own."""
    pixels = np.full((120, 160, 3), shade, np.uint8)
    pixels[20:100, 10 + 30 * number : 40 + 30 * number] = (30 * number, 80, 200)
    return encode_frame(pixels)


def with_evidence(store: Store, frames: FrameStore, number: int) -> Task:
    """A task with the evidence that a simulator makes of it."""
    task = make_task(
        f"verify-{number}",
        gt_trajectory=WAY,
        text=f"Question {number}: which box is larger?",
        options=("the red one", "the blue one", "neither"),
    )
    task = task.model_copy(update={"gold": task.gold.model_copy(update={"derivation": SECRET})})
    store.put_task(task)
    views = [Rendered(a_frame(n, 200 + number), LOOK) for n in range(len(WAY) + 1)]
    kept = frozen.keep(store, frames, task.content_hash, frozen.EVIDENCE, views, fingerprint='{"backend": "test"}')
    box = Thing("the red one", "box", "room", True, 4100, ("held",), (), (0.1, 0.2, 0.3), (0.4, 0.4, 0.4), (10, 20, 40, 100))
    moments = tuple(
        Moment(
            n,
            Picture(view.pixel_hash, 160, 120),
            action,
            "Done." if n else "",
            True,
            "",
            LOOK,
            False,
            (box,),
            ("the red one touches the floor",),
        )
        for n, (view, action) in enumerate(zip(kept, ("", "Turned left", "Went forward", "Turned right"), strict=True))
    )
    room = Map(
        (("room", (-3.0, -3.0, 3.0, 3.0)),),
        (("the red one", (-0.1, 0.0, 0.3, 0.4)),),
        ((0.0, -2.0, 90.0), (0.0, -2.0, 105.0), (0.0, -1.7, 105.0), (0.0, -1.7, 90.0)),
    )
    evidence = Evidence(moments, room)
    store.insert(
        "task_evidence",
        {"task_hash": task.content_hash, "document": dumps(msgspec.to_builtins(evidence)), "fingerprint": "{}", "made_at": now()},
    )
    return task


@dataclass
class Verifier:
    """Somebody at a keyboard, and everything that the server sends them."""

    tab: Tab
    heard: list[list[str]] = field(default_factory=list)
    """[address, text] of each response, in the order in which they came."""
    back: bool = False
    """Whether their browser was away, and they go on in another."""
    drafted: bool = False
    """Whether a draft of theirs is on the page."""

    def __post_init__(self) -> None:
        self.listen()

    def listen(self) -> None:
        def hear(response: Any) -> None:
            if PATH in response.url:
                # its place is that of its arrival, though the text is read later
                heard = [response.url.partition(PATH)[2], ""]
                self.heard.append(heard)
                if "json" in response.headers.get("content-type", ""):
                    heard[1] = response.text()

        self.tab.page.on("response", hear)

    @property
    def page(self) -> Any:
        return self.tab.page

    def stage(self, name: str) -> None:
        self.page.wait_for_selector(f".verify[data-stage={name}]")

    def question(self) -> int:
        """Which task is before them."""
        return int(self.page.locator(".verify .head h2").inner_text().split(":")[0].split()[1])

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def look(self, *keys: str) -> None:
        self.stage("look")
        self.press(*keys, "Enter")
        self.stage("judge")

    def judge(self, *keys: str, then: str) -> None:
        self.press(*keys, "Enter")
        self.stage(then)


@dataclass
class Room:
    """A verification with its people."""

    server: Server
    verification: Verification
    tasks: list[Task]

    def subject(self, number: int) -> str:
        found = items.items_of(self.server.store, self.verification.verification_id)
        return next(item.subject for item in found if item.task_hash == self.tasks[number - 1].content_hash)

    def state(self, number: int) -> str:
        return things.get(self.server.store, KIND, self.subject(number)).state


def open_room(server: Server, numbers: range, name: str, **protocol: Any) -> Room:
    store, frames = server.store, FrameStore(server.home.frames)
    tasks = [with_evidence(store, frames, number) for number in numbers]
    study = server.study(*tasks[:1], name=name)
    settings = Protocol.model_validate({"control_share": 0.0, "training": 0, "allow_own_study": True, **protocol})
    made = items.start(store, name, [task.content_hash for task in tasks], study_id=study.study_id, protocol=settings, actor="lead")
    return Room(server, made, tasks)


def come_in(room: Room, tab: Tab) -> Verifier:
    """A new verifier of the room, at this tab."""
    invite = access.create_invite(room.server.store, "reviewer", room.verification.study_id or "", label="reviewer")
    accept(tab, f"{room.server.base}/enter?invite={invite}")
    tab.page.wait_for_load_state()
    verifier = Verifier(tab)
    tab.page.goto(f"{room.server.base}/verify")
    return verifier


KEYS = {"fine": (), 3: ("y", "x", "2", "ArrowDown", "y"), 4: ("x", "1", "ArrowDown", "y", "y"), "doubt": ("y", "y", "x", "2")}
"""What a verdict takes at the keys: nothing is wrong; several answers fit; something is not there; what kind of thing it is tells."""


def test_three_people_verify_six_tasks_by_keyboard_and_the_right_ones_are_retained(server: Server, new_tab: Any, browser: Any) -> None:
    """1 and 2 are good, 3 and 4 broken; of 5 one person says that it fails, of 6 two do."""
    room = open_room(server, range(1, 7), "Six tasks")
    store, scope = server.store, room.verification.verification_id
    mortal = browser.new_context(viewport={"width": 1440, "height": 900})  # one that will be gone in the middle of a task
    tabs = [Tab(mortal.new_page()), *(new_tab(width=1440, height=900) for _ in range(2))]
    people = [come_in(room, tab) for tab in tabs]
    for place, verifier in enumerate(people):
        for left in reversed(range(6)):
            verifier.stage("look")
            number = verifier.question()
            if number == 1 and place == 0:
                verifier.look("y", "1", "ArrowRight")
            else:
                verifier.look("x")
            if place == 0 and left == 4:
                verifier = people[0] = _killed_and_found_again(room, new_tab, verifier)
            doubts = (number == 5 and place == 0) or (number == 6 and place < 2)
            keys = KEYS.get(number, KEYS["doubt" if doubts else "fine"])
            # where all is well: once Enter, and all pass; once more, and it is saved
            fine = ("y", "y", "y") if verifier.drafted else ("ArrowRight", "End", "Enter")
            verifier.judge(*(keys or fine), then="look" if left else "nothing")
            verifier.drafted = False
    assert [room.state(number) for number in range(1, 7)] == ["retained", "retained", "rejected", "rejected", "retained", "rejected"]
    for verifier in people:
        _nothing_came_early(verifier)
    (kept,) = store.query(
        "SELECT count(*) AS n, count(DISTINCT subject || slot) AS slots FROM reviews WHERE scope = ? AND decided_at IS NOT NULL", [scope]
    )
    assert kept == {"n": 18, "slots": 18}


def _killed_and_found_again(room: Room, new_tab: Any, verifier: Verifier) -> Verifier:
    """Their browser goes away in the middle of a verdict; in another one the draft is there. It is cleared again."""
    number = verifier.question()
    verifier.press("ArrowRight", "y", "x", "3", "w")
    verifier.page.keyboard.type("half a note")
    verifier.page.get_by_text("Draft kept").wait_for()
    cookie = next(c for c in verifier.page.context.cookies() if c["name"] == "vantage_session")
    _nothing_came_early(verifier)
    verifier.page.context.close()
    tab = new_tab(width=1440, height=900)
    tab.page.context.add_cookies([cookie])
    again = Verifier(tab, back=True, drafted=True)
    tab.page.goto(f"{room.server.base}/verify")
    again.stage("judge")
    assert again.question() == number
    assert again.page.get_by_label("Note").input_value() == "half a note"
    assert again.page.get_by_text("2 / 4").count() == 1
    assert again.page.locator(".axis button[aria-pressed=true]").all_inner_texts() == ["Pass", "Fail"]
    assert again.page.locator(".axis .reason input:checked").evaluate_all("found => found.map((one) => one.value)") == ["several_answers"]
    again.press("3", "ArrowUp")  # whoever unticks the last reason of a failed axis still has to say pass
    return again


def _nothing_came_early(verifier: Verifier) -> None:
    """Before the reply to a task's first stage no response holds its answer, nor a picture beyond its first."""
    assert verifier.heard
    released: set[str] = set()
    for address, text in verifier.heard:
        item = (json.loads(text) if text else {}).get("item") or {}
        if item.get("stage") == "evidence" and (address == "look" or (verifier.back and not released)):
            released.add(item["review"])
        if item.get("review", "") not in released:
            assert SECRET not in text and "rest" not in item and "moment-" not in text
        if address.startswith("picture/"):
            _, review, place = address.split("/")
            assert review in released or place == "first-0", address


def test_an_exercise_is_explained_and_who_steps_in_keeps_their_draft_though_the_simulator_dies(
    server: Server, new_tab: Any, trouble: None
) -> None:
    room = open_room(server, range(7, 8), "An exercise and a task", training=1)
    known = with_evidence(server.store, FrameStore(server.home.frames), 8)
    scope = room.verification.verification_id
    items.add_known(server.store, scope, "training", known.content_hash, {"correctness": "fail"}, "The red one is not there.", actor="lead")
    verifier = come_in(room, new_tab(width=1440, height=900))
    page = verifier.page
    verifier.stage("look")
    page.get_by_text("Exercise 1 of 1").wait_for()
    (open_,) = server.store.query("SELECT review_id FROM reviews WHERE scope = ?", [scope])
    picture = f"{server.base}/api/verify/picture/{open_['review_id']}"
    early = {place: page.request.get(f"{picture}/{place}").status for place in ("first-0", "moment-0", "moment-3", "twin-0")}
    assert early == {"first-0": 200, "moment-0": 404, "moment-3": 404, "twin-0": 404}
    verifier.look("x")
    verifier.judge("Enter", then="feedback")
    page.get_by_text("The red one is not there.").wait_for()
    assert page.get_by_text("Question 8: which box is larger?").count() == 1 and page.get_by_text("Exercise 1 of 1").count() == 1
    page.keyboard.press("Enter")
    verifier.look("x")
    verifier.press("ArrowRight", "y", "m")
    page.locator("svg.map").wait_for()
    verifier.press("s")
    verifier.tab.ready()
    assert server.episode()["mode"] == "preview" and server.episode()["study_id"] is None
    assert [step["action"] for step in server.steps(server.episode()["episode_id"])] == ["start", "turn_left"]
    for worker in children(server.process.pid):
        os.kill(worker, signal.SIGKILL)
    page.keyboard.press("ArrowLeft")
    page.get_by_text("Step 2").wait_for()
    page.get_by_role("button", name="Back to the task").press("Enter")
    verifier.stage("judge")
    assert page.get_by_text("2 / 4").count() == 1
    assert page.locator(".axis button[aria-pressed=true]").all_inner_texts() == ["Pass"]
    verifier.judge("y", "y", "y", then="nothing")
    verifier.press("u")
    verifier.stage("judge")
    assert page.locator(".axis button[aria-pressed=true]").count() == 3, "the draft stays when the verdict is taken back"
    verifier.judge(then="nothing")
    verifier.press("h")
    page.get_by_text("2 judged").wait_for()


@pytest.mark.parametrize(("first", "width", "height"), [(50, 1366, 650), (52, 1440, 1400)])
def test_what_is_missing_is_said_beside_the_button_and_moves_nothing(
    server: Server, new_tab: Any, first: int, width: int, height: int
) -> None:
    room = open_room(server, range(first, first + 2), f"Stands still {first}")
    verifier = come_in(room, new_tab(width=width, height=height))
    page = verifier.page
    buttons = """() => { const main = document.querySelector('[data-testid=stMain]');
      const root = [...document.querySelectorAll('*')].find((e) => e.shadowRoot?.querySelector('.verify')).shadowRoot;
      return [...root.querySelectorAll('button, input, textarea')].filter((e) => e.offsetParent && !e.closest('.foot'))
        .map((e) => Math.round(e.getBoundingClientRect().top + main.scrollTop))
        .concat(Math.round(root.querySelector('.foot button').getBoundingClientRect().top)); }"""

    def stays(act: Callable[[], None], said: str) -> None:
        before = page.evaluate(buttons)
        act()
        page.locator(".verify .problem", has_text=said).wait_for()
        assert len(before) > 4 and page.evaluate(buttons) == before, said

    verifier.stage("look")
    stays(lambda: verifier.press("Enter"), "Say first whether the first view tells it.")
    page.locator(".verdicts button").first.click()
    page.locator(".foot button").scroll_into_view_if_needed()
    stays(page.get_by_role("button", name="Go on").click, "Choose")
    page.get_by_role("button", name="I cannot judge").click()
    stays(page.get_by_role("button", name="Give it to somebody else").click, "Say in a few words")
    page.get_by_role("button", name="Cancel").click()
    page.locator(".verdicts button").nth(1).click()
    page.get_by_role("button", name="Go on").click()
    verifier.stage("judge")
    for vote in ("pass", "fail"):
        page.locator(f"[data-vote={vote}]").nth(0 if vote == "pass" else 1).click()
    page.locator("[data-vote=pass]").nth(2).click()
    page.get_by_role("button", name="Save and go on").scroll_into_view_if_needed()
    stays(page.get_by_role("button", name="Save and go on").click, "Tick at least one reason")


def test_two_windows_of_one_person_do_not_lose_a_verdict_without_a_word(server: Server, new_tab: Any) -> None:
    room = open_room(server, range(11, 13), "Two windows")
    verifier = come_in(room, new_tab(width=1440, height=900))
    verifier.look("x")
    other = Verifier(Tab(verifier.page.context.new_page()))
    other.page.goto(f"{room.server.base}/verify")
    other.stage("judge")
    verifier.judge("y", "y", "y", then="look")
    other.press("x", "1", "ArrowDown", "y", "y", "Enter")
    other.page.get_by_text("that verdict stands, and this one was not stored").wait_for()
    other.page.get_by_role("button", name="Go on with what comes next").press("Enter")
    other.stage("look")
    assert other.question() == verifier.question()
