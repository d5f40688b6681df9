"""The play page in windows of every kind: the whole picture is seen, nothing is cut off, and nothing jumps while one acts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sim_bridge.actions import ACTIONS

WINDOWS = {
    "a common laptop": (1366, 650, 1),
    "a phone": (390, 844, 3),
    "the laptop at 200 %": (683, 325, 2),
    "a laptop with a fine screen": (1440, 900, 2),
    "a large screen": (2560, 1300, 1),
}
LONG = (
    "Which box is larger? 1. Walk from the sofa to the window and look at what stands on the sill behind the curtain. 2. Go to the table "
    "with the red box, and turn so that the blue box is on your left. 3. Stop at the wall, and turn once more to the door you came in by."
)
"""Four lines on a laptop, as a form of blanks has them."""
PARTS = (".question", ".view", ".budget", ".told", ".clusters", ".objects", ".answer", ".answer button[type=submit]", ".strip")


def chosen(page: Any, verb: str) -> None:
    """Choose a verb, and the first thing wherever one is asked for."""
    page.get_by_label("What to do").select_option(label=verb)
    taken = {""}
    for part in page.locator(".objects select[data-pick]").all():
        value = next(v for option in part.locator("option").all() if (v := option.get_attribute("value")) not in taken)
        part.select_option(value)
        taken.add(value)


STACK = ("purple recycling bin", "green recycling bin", "red recycling bin", "blue recycling bin")


@pytest.mark.parametrize("stacked", [True, False], ids=["a stack", "an order"])
def test_what_waits_and_what_stands_keep_their_places(playing: Callable[..., Any], kit: Any, stacked: bool) -> None:
    more: dict[str, Any] = {"kind": ("Physical Dynamics", "Stacking & Stability")} if stacked else {}
    names = {"object_1": "red box", "object_2": "blue box"}
    text = f"A stack is made of the {', the '.join(STACK)}. In which order does it stand, from bottom to top, once it has been built?"
    task = kit.make_task(
        "places", "sequence", [*STACK], actions=tuple(ACTIONS), options=STACK, names=names, text=text, note="A note.", **more
    )
    tab = playing(task, width=1366, height=650)
    page = tab.page
    assert (page.locator(".placed.stack").count() == 1) == stacked
    waiting = {item: page.locator(".tray .item", has_text=item).bounding_box() for item in STACK}
    parts = (".question", ".view", ".clusters", ".objects", ".answer", ".answer button[type=submit]")
    before = page.evaluate(kit.js("fits"), parts)
    assert before["fits"] or not stacked, "question, picture, actions and answer are in the window"
    lowest = None
    for n, item in enumerate(reversed(STACK), 1):
        page.locator(".tray .item", has_text=item).click()
        assert page.locator(".placed .item").count() == n
        for other in STACK[: len(STACK) - n]:
            assert page.locator(".tray .item", has_text=other).bounding_box() == waiting[other], f"{other} waits where it did, {n} placed"
        if stacked:
            now = page.evaluate(kit.js("fits"), parts)
            assert now["places"] == before["places"] and now["fits"], f"{n} placed"
            lowest, place = lowest or page.locator(".placed .item").bounding_box(), page.locator(".placed .item").last.bounding_box()
            assert place == lowest, "the lowest stands where it was put"


@pytest.mark.parametrize("window", WINDOWS)
def test_the_whole_picture_is_seen_and_nothing_jumps(playing: Callable[..., Any], kit: Any, window: str) -> None:
    width, height, ratio = WINDOWS[window]
    blanks = {"options": (), "blanks": (("left", "right"),) * 3, "blank_names": ("At the window", "At the table", "At the wall")}
    words = {"names": {"object_1": "red box", "object_2": "blue box"}, "note": "A note.", "text": LONG, **blanks}
    task = kit.make_task(f"fits-{width}", "blanks", ["left", "left", "right"], actions=tuple(ACTIONS), **words)
    tab = playing(task, width=width, height=height, device_scale_factor=ratio)
    page = tab.page
    before = page.evaluate(kit.js("fits"), PARTS)
    assert not before["sideways"] and before["aspect"] == pytest.approx(4 / 3, abs=0.01)
    x, _, w, h = before["places"][".view"]
    assert x >= 0 and x + w <= width and h <= height, "the whole picture has a place in the window"
    asked = page.locator(".question h1")
    assert asked.evaluate("e => e.scrollHeight <= e.clientHeight + 1"), "the whole question is read without scrolling in it"
    assert page.locator(".question .top").bounding_box()["height"] <= 54, "the line above the question takes two lines at most"
    per_pixel = before["across"] * ratio / 640
    assert per_pixel == pytest.approx(round(per_pixel), abs=0.01) or before["across"] < 640
    if before["form"] in ("columns", "three"):
        assert before["fits"], "question, picture, actions and answer are in the window"
    for verb in page.get_by_label("What to do").locator("option").all_inner_texts():
        page.get_by_label("What to do").select_option(label=verb)
        now = page.evaluate(kit.js("fits"), PARTS)
        assert now["places"] == before["places"] and now["fits"] == before["fits"], f"{verb} chosen"
        act = page.get_by_role("button", name="Do it")
        assert act.evaluate("e => e.getClientRects().length") == 1 and act.bounding_box()["height"] < 40, "its words are on one line"
    page.get_by_label("What to do").select_option(label="Pour")
    said = page.locator(".objects").evaluate("e => [...e.querySelectorAll('span')].map((part) => part.innerText.trim())")
    assert [words for words in said if words in ("from", "into")] == ["from", "into"]
    assert page.locator(".objects select[data-pick]").count() == 2, "pour from one into another: two things are asked for, no third"
    for seq, verb in enumerate(("Pick up", "Pour", "Put on the floor"), 1):
        chosen(page, verb)
        now = page.evaluate(kit.js("fits"), PARTS)
        assert now["places"] == before["places"] and now["fits"] == before["fits"], f"{verb} chosen"
        page.get_by_role("button", name="Do it").click()
        tab.at(seq)
        page.locator(".status", has_text=f"Step {seq}:").wait_for()
        assert page.evaluate(kit.js("fits"), PARTS)["places"] == before["places"], f"{verb} done"
    assert {"a common laptop": "columns", "a phone": "stacked", "a large screen": "columns"}.get(window, before["form"]) == before["form"]


LONGEST = ("medium-sized stainless steel mixing bowl", "left-hand one of the two wooden boxes")
SAID = "Put the red water glass on the green water glass. But the red water glass did not stay on the green water glass."
SAID_LONG = (
    "Put the medium-sized stainless steel mixing bowl inside the large purple recycling bin. But the medium-sized stainless steel mixing "
    "bowl did not stay inside the large purple recycling bin."
)


@pytest.mark.parametrize(("width", "height"), [(1366, 650), (1440, 900)])
def test_the_longest_names_and_words_move_nothing_and_are_not_cut(playing: Callable[..., Any], kit: Any, width: int, height: int) -> None:
    names = {"object_1": LONGEST[0], "object_2": LONGEST[1]}
    task = kit.make_task(f"longest-{width}", actions=tuple(ACTIONS), names=names)
    tab = playing(task, protocol=kit.Protocol(confidence_required=True), width=width, height=height)
    page = tab.page
    parts = (*PARTS, ".objects select", ".objects .sentence > button", ".objects .reach", ".told")
    before = page.evaluate(kit.js("fits"), parts)["places"]
    tab.press("w")
    tab.at(1)
    for seq, verb in enumerate(("Pick up", "Put", "Pour"), 2):
        chosen(page, verb)
        assert page.evaluate(kit.js("fits"), parts)["places"] == before, f"{verb} chosen"
        page.get_by_role("button", name="Do it").click()
        tab.at(seq)
        page.locator(".status", has_text=f"Step {seq}:").wait_for()
        assert page.evaluate(kit.js("fits"), parts)["places"] == before, f"{verb} done"
        if seq == 2:
            held = page.locator(".inhand")
            assert held.get_attribute("title") in [f"In your hand: {name}" for name in LONGEST]
            assert held.evaluate("e => e.getClientRects().length") == 1
    tell = """(words) => {
      const status = [...document.querySelectorAll('*')].map((e) => e.shadowRoot?.querySelector('.status')).find(Boolean);
      const told = status.parentElement;
      status.textContent = words;
      window.dispatchEvent(new Event('resize'));
      const cut = told.scrollHeight > told.clientHeight;
      return [cut, told.classList.contains('cut'), told.scrollTop + told.clientHeight >= told.scrollHeight - 1];
    }"""
    assert page.evaluate(tell, f"Step 2: {SAID}") == [False, False, True], "what came of a step is read whole"
    cut, marked, ends = page.evaluate(tell, f"Step 12: {SAID_LONG}")
    assert cut == marked and ends, "where something is cut, it is not what came of the step, and there is a sign"
    # What is missing from an answer is said without moving the button.
    page.get_by_role("button", name="Give final answer").click()
    page.locator(".problem:not(:empty)").wait_for()
    assert page.evaluate(kit.js("fits"), PARTS)["places"] == {part: before[part] for part in PARTS}
    page.locator(".option").first.click()
    page.get_by_role("button", name="Give final answer").click()
    page.get_by_text("Please also say how likely").wait_for()
    assert page.evaluate(kit.js("fits"), PARTS)["places"] == {part: before[part] for part in PARTS}
    said = page.locator(".problem").bounding_box()
    assert said["y"] + said["height"] <= height, "it can be read"
    for control in page.locator(".answer").locator("input, button, output, .scale").all():
        assert apart(said, control.bounding_box()), "it covers nothing that is asked for"


def apart(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether two boxes on the page do not overlap."""
    return (
        one["y"] + one["height"] <= other["y"]
        or other["y"] + other["height"] <= one["y"]
        or one["x"] + one["width"] <= other["x"]
        or other["x"] + other["width"] <= one["x"]
    )


def test_only_what_can_be_used_shows_that_it_has_the_focus(playing: Callable[..., Any], kit: Any) -> None:
    page = playing(kit.make_task("frameless"), width=1366, height=650).page
    page.mouse.click(1250, 640)
    for key in ("Shift", "v", "Escape"):
        page.keyboard.press(key)
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("e => e === document.activeElement")
    assert main.evaluate("e => [e.matches(':focus-visible'), getComputedStyle(e, '::before').content]") == [True, "none"]
