"""Whatever breaks (network, tab, worker, app), an episode goes on at the same step and nothing happens twice."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from typing import Any

import pytest


def actions(server: Any) -> list[str]:
    return [step["action"] for step in server.steps(server.episode()["episode_id"])][1:]


def until(tab: Any, condition: Callable[[], bool]) -> None:
    """What handles a page's requests runs only while the page is waited for."""
    for _ in range(300):
        if condition():
            return
        tab.page.wait_for_timeout(100)
    pytest.fail("it did not happen")


def cannot_be_used(page: Any) -> bool:
    """Whether pointer and keys reach nothing of the answer."""
    radio = page.locator("input[type=radio]").first
    box = radio.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    return not radio.is_checked() and bool(page.locator("input[type=range]").evaluate("e => { e.focus(); return !e.matches(':focus'); }"))


def test_a_later_tab_takes_over_and_the_earlier_says_so_and_can_take_it_back(server: Any, playing: Any, new_tab: Any, kit: Any) -> None:
    first = playing(kit.make_task("tabs"))
    first.press("w")
    first.at(1)
    second = new_tab(like=first)
    second.page.goto(first.page.url)
    second.ready()
    first.page.get_by_text("continued in another tab").wait_for()
    assert second.page.locator(".view canvas").get_attribute("data-seq") == "1"
    second.press("a")
    second.at(2)
    first.press("d")  # not ours any more: nothing happens
    assert cannot_be_used(first.page)
    first.page.get_by_role("button", name="Continue here").press("Enter")
    first.at(2)
    first.ready()
    second.page.get_by_text("continued in another tab").wait_for()
    assert first.canvas() == second.canvas()
    assert cannot_be_used(second.page) and not cannot_be_used(first.page)
    first.press("Escape")
    first.press("s")
    first.at(3)
    assert actions(server) == ["move_forward", "move_left", "move_backward"]


def test_an_opening_that_is_refused_before_the_page_is_built_says_so_without_an_error(
    trouble: None, server: Any, new_tab: Any, kit: Any
) -> None:
    tab = new_tab()
    broken: list[str] = []
    tab.page.on("pageerror", lambda error: broken.append(str(error)))
    refusal = {"status": 403, "json": {"error": "bad_origin", "message": "Tell the person who invited you."}}
    tab.page.route("**/api/open", lambda route: route.fulfill(**refusal))
    kit.enter(tab, server.link(server.study(kit.make_task("refused"))))
    tab.page.get_by_text("Tell the person who invited you.").wait_for()
    # Another tab opens the task now; here there is nothing yet that it could take.
    tab.page.evaluate("episode => new BroadcastChannel('vantage.episode').postMessage({episode, epoch: 9})", server.episode()["episode_id"])
    tab.page.wait_for_timeout(200)
    assert broken == [] and tab.page.get_by_role("button", name="Reload").is_visible()
    tab.page.unroute("**/api/open")
    tab.page.get_by_role("button", name="Reload").press("Enter")
    tab.ready()


def test_an_old_tab_that_heard_nothing_is_told_by_the_server(trouble: None, server: Any, playing: Any, new_tab: Any, kit: Any) -> None:
    first = playing(kit.make_task("deaf"))
    first.page.evaluate("() => { BroadcastChannel.prototype.postMessage = () => {}; }")
    second = new_tab(like=first)
    second.page.add_init_script("delete window.BroadcastChannel")
    second.page.goto(first.page.url)
    second.ready()
    first.press("w")
    first.page.get_by_text("continued in another tab").wait_for()
    assert actions(server) == []


def test_presses_during_a_network_failure_are_not_spent(trouble: None, server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("offline"))
    tab.page.context.set_offline(True)
    tab.press("w", "a")
    tab.page.get_by_text("Not connected: this press was not used.").wait_for()
    tab.page.context.set_offline(False)
    tab.page.wait_for_function("() => navigator.onLine")
    tab.press("d")
    tab.at(1)
    assert actions(server) == ["move_right"]


def test_the_press_that_meets_the_failure_is_done_once_and_no_other(trouble: None, server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("offline-later"))
    broken = [True]
    tab.page.route("**/api/act", lambda route: route.abort() if broken[0] else route.continue_())
    tab.press("w", "a", "s")
    tab.page.get_by_text("Connection lost. Reconnecting…").wait_for()
    notice, question = (tab.page.locator(part).bounding_box() for part in (".notice", ".question"))
    assert notice["y"] > question["y"] + question["height"], "the notice does not lie over the question"
    tab.page.get_by_text("Not connected").wait_for()
    broken[0] = False
    tab.at(1)
    tab.page.locator(".notice").wait_for(state="hidden")
    tab.press("d")
    tab.at(2)
    assert actions(server) == ["move_forward", "move_right"]


@pytest.mark.parametrize("arrived", [False, True], ids=["it had not arrived", "it had arrived"])
def test_a_press_that_met_a_long_failure_is_not_done_later(trouble: None, server: Any, playing: Any, kit: Any, arrived: bool) -> None:
    tab = playing(kit.make_task(f"long-failure-{int(arrived)}"))
    broken, tries = [True], list[str]()

    def fails(route: Any) -> None:
        if arrived and not tries:
            assert route.fetch().status == 200  # the server acts, the browser never hears of it
        tries.append(f"{route.request.url.rpartition('/')[2]} {route.request.post_data_json.get('seq')}")
        if broken[0]:
            route.abort()
        else:
            route.continue_()

    tab.page.route(re.compile(r"/api/(act|open)$"), fails)
    tab.press("w")
    tab.page.get_by_text("Connection lost. Reconnecting…").first.wait_for()
    until(tab, lambda: "act 0" in tries)  # it is too late to send it again: the page asks how it stands
    sent = tries.count("act 1")
    tab.page.keyboard.press("a")
    assert sent > 1
    broken[0] = False
    if arrived:
        tab.at(1)
        tab.page.locator(".status", has_text="Step 1: Moved forward.").wait_for()
    else:
        tab.page.locator(".missed", has_text="The connection was lost: the press before that was not used.").wait_for()
        tab.page.locator(".view canvas[data-seq='0']").first.wait_for()
    tab.page.locator(".notice").wait_for(state="hidden")
    tab.press("d")
    tab.at(2 if arrived else 1)
    assert actions(server) == [*(["move_forward"] if arrived else []), "move_right"]
    assert tries.count("act 1") == sent + (not arrived), "it was not sent again"
    assert tab.page.locator(".missed").is_hidden()


def test_a_press_that_met_a_long_failure_takes_nothing_back_from_another_tab(
    trouble: None, server: Any, playing: Any, new_tab: Any, kit: Any
) -> None:
    first = playing(kit.make_task("long-failure-elsewhere"))
    first.page.evaluate("() => { BroadcastChannel.prototype.postMessage = () => {}; }")
    broken = [True]
    asked: list[int] = []

    def fails(route: Any) -> None:
        asked.append(route.request.post_data_json["seq"])
        if broken[0]:
            route.abort()
        else:
            route.continue_()

    first.page.route("**/api/act", fails)
    first.press("w")
    second = new_tab(like=first)
    second.page.add_init_script("delete window.BroadcastChannel")
    second.page.goto(first.page.url)
    second.ready()
    until(first, lambda: 0 in asked)
    broken[0] = False
    first.page.get_by_text("continued in another tab").wait_for()
    second.press("d")
    second.at(1)
    assert actions(server) == ["move_right"]


def test_at_most_three_presses_wait_and_escape_empties_the_line(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("impatient"))
    held: list[Any] = []
    tab.page.route("**/api/act", lambda route: held.append(route))
    for key in "wasdww":
        tab.page.keyboard.press(key)
    tab.page.get_by_text("3 presses are waiting already: this one was not used.").wait_for()
    assert tab.page.locator(".waiting").text_content() == "3 waiting. Escape empties the line."
    tab.page.keyboard.press("Escape")
    tab.page.get_by_text("Stopped: 3 more presses were not used.").wait_for()
    assert tab.page.locator(".waiting").is_hidden()
    held[0].continue_()
    tab.at(1)
    tab.page.unroute("**/api/act")
    tab.press("d")
    tab.at(2)
    assert actions(server) == ["move_forward", "move_right"]


@pytest.mark.parametrize("way", ["button", "Escape"])
def test_a_submission_that_was_not_sent_can_be_taken_back(trouble: None, server: Any, playing: Any, kit: Any, way: str) -> None:
    tab = playing(kit.make_task(f"taken-back-{way.lower()}"))
    tab.press("1")
    tab.page.get_by_text("Noted").wait_for()
    tab.page.context.set_offline(True)
    tab.page.get_by_role("button", name="Give final answer").press("Enter")
    tab.page.get_by_role("button", name="Submit").press("Enter")
    back = tab.page.get_by_role("button", name="Take it back")
    back.wait_for()
    tab.page.get_by_text("not saved yet").wait_for()
    if way == "button":
        back.press("Enter")
    else:
        tab.press("Escape")
    tab.page.locator("dialog[open]").wait_for(state="hidden")
    tab.press("2")
    tab.page.context.set_offline(False)
    tab.ready()
    tab.page.get_by_text("Noted").wait_for()
    episode = server.episode()["episode_id"]
    assert server.store.one("SELECT 1 AS one FROM answers WHERE episode_id = ?", [episode]) is None
    chosen = tab.page.locator(".option :checked").input_value()
    tab.page.get_by_role("button", name="Give final answer").press("Enter")
    assert tab.page.locator("dialog[open] .final").text_content() == chosen
    tab.page.get_by_role("button", name="Submit").press("Enter")
    tab.page.get_by_role("heading", name="Your answer is saved.").wait_for()
    assert server.store.one("SELECT answer FROM answers WHERE episode_id = ?", [episode]) == {"answer": f'"{chosen}"'}


def test_what_cannot_be_taken_back_any_more_says_so_and_what_had_arrived_is_told(
    trouble: None, server: Any, playing: Any, kit: Any
) -> None:
    tab = playing(kit.make_task("too-late"))
    tab.press("1")
    chosen = tab.page.locator(".option :checked").input_value()
    held: list[Any] = []
    tab.page.route("**/api/answer", lambda route: route.abort() if held else held.append(route))
    tab.page.get_by_role("button", name="Give final answer").press("Enter")
    tab.page.get_by_role("button", name="Submit").press("Enter")
    tab.page.get_by_text("It cannot be taken back now.").wait_for()
    tab.press("Escape")
    assert tab.page.locator("dialog[open]").count() == 1
    assert tab.page.get_by_role("button", name="Take it back").is_disabled()
    while not held:  # what holds it runs only while the page is waited for
        tab.page.wait_for_timeout(50)
    assert held[0].fetch().status == 200  # the server has it, the browser never hears of it
    held[0].abort()
    tab.page.get_by_text("not saved yet").wait_for()
    tab.page.get_by_role("button", name="Take it back").press("Enter")
    tab.page.get_by_text(f"Your answer had arrived before it was taken back: {chosen}.").wait_for()


def test_one_can_stop_in_the_middle_and_is_told_before_what_it_means(trouble: None, server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("stopped"))
    page = tab.page
    page.get_by_role("button", name="Stop…").press("Enter")
    page.get_by_text("you come back to where you were; after 120 minutes").wait_for()
    page.get_by_text("ask the person who invited you what stopping means").wait_for()
    assert tab.page.evaluate(kit.js("focus"))[1] == "Go on taking part"  # nothing is ended by a press too many
    tab.press("w", "Escape")
    page.locator("dialog[open]").wait_for(state="hidden")
    tab.press("w")
    tab.at(1)
    assert actions(server) == ["move_forward"]  # while it was asked, no key acted
    page.route("**/api/stop", lambda route: route.abort())
    page.get_by_role("button", name="Stop…").press("Enter")
    page.get_by_role("button", name="Stop and leave my answers").press("Enter")
    page.get_by_text("Nothing is stopped yet").wait_for()
    page.get_by_role("button", name="Go on taking part").press("Enter")
    page.unroute("**/api/stop")
    tab.press("a")
    tab.at(2)  # a stop that was taken back is not sent later
    page.get_by_role("button", name="Stop…").press("Enter")
    page.get_by_role("button", name="Stop and leave my answers").press("Enter")
    page.get_by_role("heading", name="You have stopped").wait_for()
    person = "SELECT p.state, e.state AS episode FROM episodes e JOIN participants p USING (participant_id) WHERE e.episode_id = ?"
    episode = server.episode()["episode_id"]
    assert server.store.one(person, [episode]) == {"state": "stopped", "episode": "returned"}
    page.get_by_role("button", name="Take my data back…").press("Enter")
    page.get_by_role("button", name="Keep my data").press("Enter")
    page.get_by_role("dialog").wait_for(state="hidden")
    page.get_by_role("button", name="Take my data back…").press("Enter")
    page.get_by_role("button", name="Take my data back", exact=True).press("Enter")
    page.get_by_role("heading", name="Your data are taken back").wait_for()
    assert server.store.one(person, [episode]) == {"state": "withdrawn", "episode": "withdrawn"}


def test_a_reply_that_got_lost_is_asked_for_again_and_acts_once(trouble: None, server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("lost-reply"))
    lost: list[int] = []

    def swallow(route: Any) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().status)  # the server acts, the browser never hears of it
        route.abort()

    tab.page.route("**/api/act", swallow)
    tab.press("w")
    tab.at(1)
    tab.page.locator(".notice").wait_for(state="hidden")
    tab.press("d")
    tab.at(2)
    assert lost == [200]
    assert actions(server) == ["move_forward", "move_right"]


def test_an_episode_goes_on_after_its_worker_was_killed(trouble: None, server: Any, playing: Any, kit: Any, own_server: Any) -> None:
    tab = playing(kit.make_task("killed", scene=kit.room(velocity_m=[0.0, 0.02, 0.0])), on=own_server)
    tab.press("w", "w")
    tab.at(2)
    before = tab.canvas()
    for child in kit.children(own_server.process.pid):
        os.kill(child, signal.SIGKILL)
    tab.press("d")
    tab.at(3)
    assert before != tab.canvas()
    assert actions(own_server) == ["move_forward", "move_forward", "move_right"]
    flags = own_server.store.one("SELECT flags FROM episodes")["flags"]
    assert flags == "[]"  # the resumed simulator showed the stored picture


def test_an_episode_goes_on_after_the_app_was_killed_and_started_again(trouble: None, own_server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("restart"), on=own_server)
    tab.press("w", "a", "ArrowLeft")
    tab.at(3)
    before = tab.canvas()
    port = int(own_server.base.rsplit(":", 1)[1])
    own_server.process.kill()
    own_server.process.wait()
    tab.press("d")
    tab.page.get_by_text("Connection lost. Reconnecting…").wait_for()
    own_server.process, base = kit.launch(own_server.home, port=port)
    assert base == own_server.base
    missed = tab.page.locator(".missed", has_text="was not used")
    until(tab, lambda: missed.is_visible() or tab.page.evaluate("window.__vantage.last.seq") == 4)
    if missed.is_visible():  # it took longer than a press is kept for
        tab.press("d")
    tab.at(4)
    assert actions(own_server) == ["move_forward", "move_left", "turn_left", "move_right"]
    tab.page.reload()
    tab.ready()
    tab.at(4)
    tab.press("q")
    tab.at(5)
    assert before != tab.canvas()


def test_no_process_is_left_when_the_server_is_stopped(own_server: Any, kit: Any) -> None:
    kit.wait_until(lambda: len(kit.children(own_server.process.pid)) > 0)
    started = kit.children(own_server.process.pid)
    kit.stop(own_server.process)
    assert own_server.process.returncode in (0, -signal.SIGINT)
    kit.wait_until(lambda: not any(kit.alive(pid) for pid in started))


def test_a_busy_port_is_left_alone_and_the_next_one_taken(own_server: Any, kit: Any, tmp_path: Any) -> None:
    port = int(own_server.base.rsplit(":", 1)[1])
    decoys = tmp_path / "decoys"
    (decoys / "data").mkdir(parents=True)
    (decoys / "data" / "__init__.py").write_text("raise SystemExit('decoy')")
    (decoys / "app.py").write_text("raise SystemExit('decoy')")
    home = kit.Home.from_env(tmp_path / "other" / "vantage.db").prepare()
    process, base = kit.launch(home, port=port, cwd=decoys)
    try:
        assert int(base.rsplit(":", 1)[1]) > port
    finally:
        kit.stop(process)
    assert f"Port {port} is busy" in process.stderr.read()
