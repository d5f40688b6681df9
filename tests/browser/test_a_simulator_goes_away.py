"""A server with its own simulator and one of another kind on another machine: it vanishes in the middle of a task, and comes back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

TOKEN = "a-token-of-the-far-worker"
AWAY = "The simulator of this task has gone away. Nothing is lost"


def far(port: int = 0) -> SimpleNamespace:
    """A worker in a process of its own, as it would run on another machine."""
    command = [sys.executable, "-m", "sim_bridge", "worker", "--backend", "tests.browser.fixtures.far:create", "--port", str(port)]
    root = str(Path(__file__).parents[2])
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": root, "SIM_BRIDGE_TOKEN": TOKEN},
    )
    assert process.stdout is not None
    said = json.loads(process.stdout.readline())
    return SimpleNamespace(process=process, address=said["address"], port=said["port"])


def end(worker: SimpleNamespace) -> None:
    worker.process.kill()
    worker.process.wait()


@pytest.fixture
def mixed(tmp_path: Path, kit: Any) -> Iterator[SimpleNamespace]:
    worker = far()
    server = kit.serve(tmp_path, options=["--worker-address", worker.address, "--worker-token", TOKEN])
    held = SimpleNamespace(server=server, worker=worker)
    yield held
    kit.stop(server.process)
    end(held.worker)


def test_who_played_on_it_waits_sees_why_and_goes_on_where_they_were(
    trouble: None, mixed: Any, playing: Any, new_tab: Any, kit: Any
) -> None:
    server, protocol = mixed.server, kit.Protocol(confidence_required=False, backends=["vantage=far"])
    tab = playing(kit.make_task("on-the-far-one"), protocol=protocol, on=server)
    tab.press("w")
    tab.at(1)
    episode = server.episode()["episode_id"]
    assert server.episode()["backend"] == "far"
    before = tab.canvas()

    end(mixed.worker)
    tab.press("a")
    tab.page.get_by_text(AWAY).wait_for()
    shot(tab, "participant")
    assert tab.canvas() == before, "what was seen last stays"
    assert len(server.steps(episode)) == 2, "no step was made, here or on another simulator"

    other = playing(kit.make_task("on-the-servers-own"), on=server)
    other.press("w", "a")
    other.at(2)
    assert {row["backend"] for row in server.store.query("SELECT backend FROM episodes WHERE episode_id <> ?", [episode])} == {"toy"}

    study = server.store.one("SELECT study_id FROM episodes WHERE episode_id = ?", [episode])["study_id"]
    lead = new_tab(height=2000)
    kit.accept(lead, server.link(SimpleNamespace(study_id=study), "researcher"))
    lead.page.get_by_test_id("stHeader").wait_for()
    kit.choose_page(lead, "Study", "Watch")
    lead.page.get_by_text("No simulator of the kind far is ready").wait_for()
    lead.page.get_by_text("1 task that was begun on it waits for it. Nothing is moved to another kind.").wait_for()
    lead.page.get_by_role("heading", name="Simulators").wait_for()
    shot(lead, "watch")

    mixed.worker = far(mixed.worker.port)
    tab.at(2)
    tab.page.locator(".notice").wait_for(state="hidden")
    tab.press("d")
    tab.at(3)
    assert [step["action"] for step in server.steps(episode)][1:] == ["move_forward", "move_left", "move_right"]
    row = server.store.one("SELECT backend, flags FROM episodes WHERE episode_id = ?", [episode])
    assert row == {"backend": "far", "flags": "[]"}
    (resumed,) = server.store.query("SELECT data FROM events WHERE kind = 'resumed' AND episode_id = ?", [episode])
    assert json.loads(resumed["data"])["verified"] is True, "pixel for pixel what was seen before"


def shot(tab: Any, name: str) -> None:
    """A picture for whoever looks."""
    if folder := os.environ.get("VANTAGE_TEST_SHOTS"):
        tab.page.screenshot(path=f"{folder}/away-{name}.png")
