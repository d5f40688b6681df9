"""Whatever breaks (network, tab, worker, app), an episode goes on at the same step and nothing happens twice."""

from __future__ import annotations

import os
import signal
from typing import Any


def actions(server: Any) -> list[str]:
    return [step["action"] for step in server.steps(server.episode()["episode_id"])][1:]


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
    first.page.get_by_role("button", name="Continue here").press("Enter")
    first.at(2)
    first.ready()
    second.page.get_by_text("continued in another tab").wait_for()
    assert first.canvas() == second.canvas()
    first.press("s")
    first.at(3)
    assert actions(server) == ["move_forward", "move_left", "move_backward"]


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


def test_presses_during_a_network_failure_are_sent_once_when_it_is_over(trouble: None, server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("offline"))
    tab.page.context.set_offline(True)
    tab.press("w", "a")
    tab.page.get_by_text("Connection lost. Reconnecting…").wait_for()
    tab.page.context.set_offline(False)
    tab.at(2)
    tab.page.locator(".notice").wait_for(state="hidden")
    assert actions(server) == ["move_forward", "move_left"]


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
    tab.press("w", "d")
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
