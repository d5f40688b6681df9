"""Choosing an answer or a confidence must not take the arrow keys away from the camera: else answers change unmeant."""

from __future__ import annotations

import json
from typing import Any


def test_an_option_chosen_by_its_number_stays_chosen_while_the_camera_turns(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("digit-then-arrow"))
    tab.press("1", "ArrowRight")
    tab.at(1)
    assert tab.page.locator(".option input").first.is_checked()
    assert [s["action"] for s in server.steps(server.episode()["episode_id"])] == ["start", "turn_right"]


def test_clicked_options_and_sliders_give_the_arrow_keys_back(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("click-then-arrow"))
    tab.page.locator(".option").first.click()
    tab.press("ArrowLeft")
    tab.at(1)
    slider = tab.page.locator("input[type=range]")
    slider.click()
    sure = slider.input_value()
    tab.press("ArrowRight")
    tab.at(2)
    assert slider.input_value() == sure
    assert tab.page.locator(".option input").first.is_checked()


def test_digits_of_one_number_come_together_and_leave_the_keys_to_the_camera(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("digits", "count", "12", text="How many boxes are there?", options=()))
    tab.press("1", "2", "w")
    tab.at(1)
    assert tab.page.get_by_label("How many").input_value() == "12"


def test_a_digit_answers_that_digit_where_all_options_are_digits_and_its_badge_shows_it(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("digit-is-digit", "choice", "2", text="How many boxes are there?", options=("0", "2", "3", "5")))
    assert tab.page.locator(".option kbd").all_text_contents() == tab.page.locator(".option span").all_text_contents()
    for key in "250":
        tab.press(key)
        assert tab.page.locator(".option :checked").input_value() == key
    tab.press("4")  # no such answer: nothing changes
    assert tab.page.locator(".option :checked").input_value() == "0"


def test_an_answers_key_answers_and_acts_on_nothing_save_in_a_list_that_has_the_focus(server: Any, playing: Any, kit: Any) -> None:
    more = {"actions": (*kit.CAMERA_ACTIONS, "pick_up"), "names": {"object_1": "red box", "object_2": "blue box"}}
    tab = playing(kit.make_task("letters", "choice", "A", text="Which one is it: A or B?", options=("A", "B"), **more))
    for key in "ab":
        tab.press(key)
        assert tab.page.locator(".option :checked").input_value() == key.upper()
    assert tab.page.locator("[data-action=move_left] kbd").text_content() == ""  # its key is an answer's
    tab.press("w")
    tab.at(1)
    assert [step["action"] for step in server.steps(server.episode()["episode_id"])] == ["start", "move_forward"]
    tab = playing(kit.make_task("digits-and-numbers", "choice", "1", text="How many?", options=("1", "2"), **more))
    things = tab.page.get_by_label("Pick up: which object")
    first = things.locator("option").nth(1).inner_text()
    tab.press("2")
    things.focus()
    tab.press(first[0])
    assert things.locator(":checked").inner_text() == first
    assert tab.page.locator(".option :checked").input_value() == "2"  # the digit went to the list
    tab.press("Escape", "1")
    assert tab.page.locator(".option :checked").input_value() == "1"


def test_numerals_of_two_digits_are_chosen_by_their_places(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("two-digits", "choice", "9", text="How many boxes are there?", options=("9", "10", "11")))
    tab.press("2")
    assert tab.page.locator(".option :checked").input_value() == "10"
    assert tab.page.locator(".option kbd").all_text_contents() == ["1", "2", "3"]


def test_a_digit_orders_an_item_and_leaves_the_arrow_keys_to_the_camera(server: Any, playing: Any, kit: Any) -> None:
    options = ("cup", "bowl", "plate")
    tab = playing(kit.make_task("digit-in-order", "sequence", list(options), text="In which order?", options=options))
    tab.press("1", "2", "ArrowLeft")
    tab.at(1)
    assert tab.page.locator(".placed .item").count() == 2
    shown = tab.page.locator(".placed .item span").all_text_contents()
    tab.press("ArrowUp")
    tab.at(2)
    assert tab.page.locator(".placed .item span").all_text_contents() == shown
    assert [s["action"] for s in server.steps(server.episode()["episode_id"])] == ["start", "turn_left", "turn_up"]


def test_the_painting_time_is_the_browsers_clock(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("clock"))
    tab.press("w")
    tab.at(1)
    tab.press("s")
    tab.at(2)
    first, second = server.steps(server.episode()["episode_id"])[1:]
    assert first["painted_ms"] <= first["client_time_ms"], "the first view's, too: how long it was looked at is a measure"
    assert first["client_time_ms"] <= second["painted_ms"] <= second["client_time_ms"]
    assert json.loads(second["pose_after"])
