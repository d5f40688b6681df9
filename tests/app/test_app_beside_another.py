"""Two app processes on one database: the second says so, and an episode goes from one to the other without a step lost or done twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import app
from app.beside import registered
from app.play_api import STEP_TYPE
from data.frames import FrameStore
from data.generators.registry import bundled
from data.home import Home
from data.store import Store
from sim_bridge.pool import Pool
from study import access, participants
from study.episode import EpisodeEngine
from study.studies import create_study

ROOT = Path(app.__file__).parent.parent


def start(home: Home, port: int = 0) -> tuple[subprocess.Popen[str], str]:
    """A server of `home`; its address."""
    command = [sys.executable, "-P", "-m", "app.cli", "serve", "--backend", "toy", "--workers", "1", "--db", str(home.db)]
    process = subprocess.Popen(
        [*command, "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=home.root,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    return process, re.findall(r"http://\S+", process.stdout.readline())[0]


def post(base: str, cookie: str, path: str, **body: Any) -> tuple[int, dict[str, Any]]:
    headers = {"cookie": f"vantage_session={cookie}", "origin": base, "content-type": "application/json"}
    request = urllib.request.Request(base + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            body, kind = reply.read(), reply.headers.get_content_type()
            return reply.status, json.loads(body[4 : 4 + int.from_bytes(body[:4], "big")] if kind == STEP_TYPE else body)  # type: ignore[arg-type, index]
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


@pytest.fixture
def running(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=20)


def test_a_second_app_says_what_it_shares_and_takes_an_episode_over(tmp_path: Path, running: list[subprocess.Popen[str]]) -> None:
    home = Home.from_env(tmp_path / "vantage.db").prepare()
    store = Store.open(home)
    task = next(iter(bundled()))
    store.put_task(task)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), trials=1)
    cookie, grant = access.enter(store, access.create_invite(store, "participant", study.study_id))
    first, here = start(home)
    running.append(first)
    second, there = start(home, port=int(here.rpartition(":")[2]))
    running.append(second)
    assert here != there
    for event in ("welcome", "consent"):
        participants.advance(store, grant.participant_id or "", event)
    engine = EpisodeEngine(store, FrameStore(home.frames), Pool(backend="toy"))
    episode = participants.place(store, engine, grant.participant_id or "").episode_id

    def opened(base: str) -> dict[str, Any]:
        status = 202
        while status == 202:
            status, told = post(base, cookie, "/api/open", episode=episode, tab=base)
        assert status == 200, told
        return told

    at_first = opened(here)
    assert post(here, cookie, "/api/act", episode=episode, epoch=at_first["epoch"], seq=1, action="turn_left")[0] == 200
    at_second = opened(there)
    assert (at_second["step"]["seq"], at_second["step"]["action"]) == (1, "turn_left")
    status, told = post(here, cookie, "/api/act", episode=episode, epoch=at_first["epoch"], seq=2, action="turn_left")
    assert (status, told["error"]) == (409, "taken_over")
    assert post(there, cookie, "/api/act", episode=episode, epoch=at_second["epoch"], seq=2, action="turn_right")[0] == 200
    assert [row["action"] for row in store.query("SELECT action FROM steps ORDER BY seq")] == ["start", "turn_left", "turn_right"]
    assert "resume_differs" not in str(store.query("SELECT flags FROM episodes"))

    second.send_signal(signal.SIGINT)
    said = second.communicate(timeout=20)[1]
    assert f"is also served by {here} (process {first.pid}). That is allowed:" in said
    assert f"Port {here.rpartition(':')[2]} is busy; using {there.rpartition(':')[2]}" in said
    assert said.endswith(f"Vantage has ended. What was recorded stays in {home.root}.\n") and second.returncode == 0
    first.send_signal(signal.SIGINT)
    assert "also served" not in first.communicate(timeout=20)[1]
    store.close()


def test_a_process_that_died_is_not_named(tmp_path: Path) -> None:
    home = Home.from_env(tmp_path / "vantage.db")
    code = "import os, sys; from app.beside import registered; from data.home import Home\n"
    code += "with registered(Home.from_env(sys.argv[1]), 'http://a'): os._exit(9)"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, "-P", "-c", code, str(home.db)], env=env, check=False).returncode == 9
    assert len(list((home.run / "apps").glob("*.json"))) == 1
    with registered(home, "http://b") as others:
        assert others == []
    assert list((home.run / "apps").glob("*.json")) == []


def test_another_database_is_nobodys_business(tmp_path: Path) -> None:
    with registered(Home.from_env(tmp_path / "a.db"), "http://a"), registered(Home.from_env(tmp_path / "b.db"), "http://b") as others:
        assert others == []
