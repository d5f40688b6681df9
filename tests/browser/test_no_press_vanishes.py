"""Whatever is pressed while a step is under way is done after it, or the page says that it was not used, and goes on saying so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

PRESS_AT = """(moment) => {
  const press = () => {
    if (!window.__pressed && (window.__pressed = true)) {
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', code: 'KeyA', bubbles: true, cancelable: true }));
    }
  };
  const [fetched, made] = [window.fetch.bind(window), window.createImageBitmap.bind(window)];
  const later = window.requestAnimationFrame.bind(window);
  let asked = false;
  window.fetch = async (...given) => {
    if (!String(given[0]).includes('api/act')) return fetched(...given);
    asked = true;
    if (moment === 'it is sent') press();
    const response = await fetched(...given);
    if (moment === 'the reply begins') press();
    const whole = response.arrayBuffer.bind(response);
    response.arrayBuffer = async () => {
      const body = await whole();
      if (moment === 'the reply is there') queueMicrotask(press);
      return body;
    };
    return response;
  };
  window.createImageBitmap = async (...given) => {
    if (asked && moment === 'it is drawn') press();
    const bitmap = await made(...given);
    if (asked && moment === 'its picture is ready') press();
    return bitmap;
  };
  window.requestAnimationFrame = (then) => later((at) => {
    if (asked && moment === 'it is painted') press();
    then(at);
    if (asked && moment === 'it was painted') press();
  });
}"""
MOMENTS = ("it is sent", "the reply begins", "the reply is there", "it is drawn", "its picture is ready", "it is painted", "it was painted")


def actions(server: Any) -> list[str]:
    return [step["action"] for step in server.steps(server.episode()["episode_id"])][1:]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_press_at_any_moment_of_a_slow_step_is_done_after_it(server: Any, playing: Callable[..., Any], kit: Any, moment: str) -> None:
    tab = playing(kit.make_task(f"moment-{MOMENTS.index(moment)}"))

    def slow(route: Any) -> None:
        reply = route.fetch()
        tab.page.wait_for_timeout(300)
        route.fulfill(response=reply)

    tab.page.route("**/api/act", slow)
    tab.page.evaluate(PRESS_AT, moment)
    tab.press("w")
    tab.at(2)
    assert actions(server) == ["move_forward", "move_left"]


def test_a_step_that_takes_longer_than_the_server_waits_keeps_the_presses_behind_it(
    server: Any, playing: Callable[..., Any], kit: Any
) -> None:
    tab = playing(kit.make_task("patience"))
    unready = [3]

    def late(route: Any) -> None:
        if unready[0]:
            unready[0] -= 1
            tab.page.wait_for_timeout(300)
            route.fulfill(status=202, json={"waiting": True, "place": 0})
        else:
            route.continue_()

    tab.page.route("**/api/act", late)
    tab.press("w", "a")
    tab.page.locator(".notice", has_text="getting ready").wait_for()
    assert tab.page.locator(".waiting").inner_text() == "1 waiting. Escape empties the line."
    tab.page.keyboard.press("d")  # while the page says that it waits
    tab.at(3)
    assert actions(server) == ["move_forward", "move_left", "move_right"]
    assert tab.page.locator(".missed").is_hidden()


def test_what_was_not_used_is_said_until_the_next_press_and_no_step_says_it_away(
    trouble: None, server: Any, playing: Callable[..., Any], kit: Any
) -> None:
    tab = playing(kit.make_task("said"))
    broken = [True]

    def fails(route: Any) -> None:
        if broken[0]:
            tab.page.wait_for_timeout(500)  # both presses are given before it fails
            route.abort()
        else:
            route.continue_()

    tab.page.route("**/api/act", fails)
    tab.press("w", "a")
    missed = tab.page.locator(".missed", has_text="Not connected: 1 more press was not used.")
    missed.wait_for()
    broken[0] = False
    tab.at(1)
    tab.page.locator(".status", has_text="Step 1: Moved forward.").wait_for()
    assert missed.is_visible()
    box, view = missed.bounding_box(), tab.page.locator(".view").bounding_box()
    assert view["x"] < box["x"] and box["x"] + box["width"] < view["x"] + view["width"], "it stands within the picture"
    tab.press("d")
    tab.at(2)
    assert missed.is_hidden()
    assert actions(server) == ["move_forward", "move_right"]
