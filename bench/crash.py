"""``vantage bench crash``: kill the app or a worker at random moments, again and again, and count what was lost.

A driver (this process) plays episodes through an engine process: the product's own store, frames, pool and episode engine, spoken to over
a pipe. The driver remembers every step that was acknowledged, with the hash of the picture it got. Then it SIGKILLs the engine process
(its workers go with it) or one worker process, mostly while an action is on its way, and looks: is every acknowledged step in the database,
is its picture on disk and whole, does the resumed simulator show the stored picture, and did each action happen exactly once? At the end
every episode is rendered again from nothing and compared.

What this proves and what not: a killed process leaves the operating system's page cache intact, so a power cut is not tested here; the
store's ``synchronous=FULL`` and the fsyncs of frame files are what stand against that.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import click

import study
from data.frames import FrameStore, pixel_hash_of
from data.home import Home
from data.store import Store, StoreError
from data.task import Gold, Provenance, Question, Task
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.errors import BridgeError
from sim_bridge.spec import Camera, Object, Pose, Room, Scene
from study.errors import BridgeDown, StudyError
from study.replay import replay
from study.runtime import Runtime, running

PLAYERS = 3
"""Episodes played at the same time."""
WORKERS = 2
ANSWER_TIMEOUT_S = 90.0
"""Longest wait for a reply of a living engine process."""
ANSWER = "near the lamp"


# the engine process


def serve(arguments: list[str]) -> None:
    """The process under test: reads one JSON request a line, writes one JSON reply a line."""
    home, backend = Home.from_env(Path(arguments[0])), arguments[1]
    out = threading.Lock()

    def reply(message: dict[str, Any]) -> None:
        with out:
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()

    with running(home, backend=backend, workers=WORKERS) as runtime, ThreadPoolExecutor(2 * PLAYERS + 2) as threads:

        def work(request: dict[str, Any]) -> None:
            try:
                result = _handle(runtime, request)
            except (StudyError, StoreError, BridgeError) as error:
                result = {"error": type(error).__name__, "message": str(error), "again": isinstance(error, BridgeDown)}
            reply({"id": request["id"]} | result)

        reply({"ready": True})
        for line in sys.stdin:
            threads.submit(work, json.loads(line))


def _handle(runtime: Runtime, request: dict[str, Any]) -> dict[str, Any]:
    engine, episode = runtime.engine, request.get("episode", "")
    match request["do"]:
        case "workers":
            return {"pids": [status.pid for status in runtime.pool.status() if status.pid is not None and status.state == "ready"]}
        case "create":
            return {"episode": engine.create(request["task"], agent_kind="script", agent_name="bench crash")}
        case "open":
            view = engine.open(episode, tab="bench")
            return {"epoch": view.epoch, "seq": view.step.seq, "action": view.step.action, "state": view.state}
        case "act":
            step = engine.act(episode, request["epoch"], request["seq"], request["action"])
            return {"seq": step.seq, "image": base64.b64encode(step.image or b"").decode()}
        case "answer":
            return {"state": engine.answer(episode, request["epoch"], ANSWER, 50).state}
    raise StudyError(f"unknown request {request['do']!r}")


# the driver


class EngineGone(Exception):
    """The engine process died before it replied."""


class Engine:
    """The driver's end of one engine process."""

    def __init__(self, home: Home, backend: str, log: TextIO) -> None:
        env = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(study.__file__).parent.parent), os.environ.get("PYTHONPATH", "")])}
        start = [sys.executable, "-P", "-c", "import sys; from bench.crash import serve; serve(sys.argv[1:])", str(home.db), backend]
        self.process = subprocess.Popen(
            start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=env, start_new_session=True
        )
        self._lock = threading.Condition()
        self._replies: dict[int, dict[str, Any]] = {}
        self._last = 0
        self._gone = False
        self.acting = 0
        """Actions sent and not yet answered."""
        self.ready = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """Send a request and wait for its reply.

        Raises:
            EngineGone: the process died meanwhile.
        """
        with self._lock:
            self._last += 1
            number = self._last
            if self._gone:
                raise EngineGone
            self.acting += do == "act"
            try:
                assert self.process.stdin is not None
                self.process.stdin.write(json.dumps({"id": number, "do": do} | fields) + "\n")
                self.process.stdin.flush()
                if not self._lock.wait_for(lambda: number in self._replies or self._gone, ANSWER_TIMEOUT_S):
                    raise RuntimeError(f"the engine did not answer {do!r} within {ANSWER_TIMEOUT_S:g} s")
            except (BrokenPipeError, ValueError):
                self._gone = True
            finally:
                self.acting -= do == "act"
            if number not in self._replies:
                raise EngineGone
            return self._replies.pop(number)

    def kill(self) -> bool:
        """SIGKILL; returns whether an action was on its way."""
        with self._lock:
            os.kill(self.process.pid, signal.SIGKILL)
            return self.acting > 0

    def kill_worker(self, pid: int) -> bool:
        """SIGKILL one of its workers; returns whether an action was on its way."""
        with self._lock:
            os.kill(pid, signal.SIGKILL)
            return self.acting > 0

    def end(self) -> None:
        """Close the pipe; it ends by itself, or is killed."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
            self.process.wait(timeout=20)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line) if line.endswith("\n") else {}
            with self._lock:
                if message.get("ready"):
                    self.ready.set()
                elif "id" in message:
                    self._replies[message["id"]] = message
                self._lock.notify_all()
        with self._lock:
            self._gone = True
            self._lock.notify_all()
        self.ready.set()


@dataclass
class Play:
    """One episode as the driver knows it."""

    episode: str = ""
    epoch: int = 0
    sent: list[str] = field(default_factory=list)
    """Actions in order; the last may be unanswered."""
    acked: list[tuple[int, str, str]] = field(default_factory=list)
    """(seq, action, SHA-256 of the picture received)."""
    done: bool = False


class Driver:
    """Plays, kills, looks."""

    def __init__(self, home: Home, backend: str, kills: int, seed: int, log: TextIO, progress: Callable[[str], None] | None = None) -> None:
        self.home, self.backend, self.kills, self.log = home, backend, kills, log
        self.progress = progress
        self.random = random.Random(seed)
        self.store = Store.open(home)
        self.frames = FrameStore(home.frames)
        self.task = bench_task(backend)
        self.store.put_task(self.task)
        self.plays: list[Play] = []
        self.engine: Engine | None = None
        self.changed = threading.Condition()
        self.acks = 0
        self.stop = False
        self.problems: list[str] = []
        self.lost = self.differing = self.unacked = 0
        self.killed: Counter[str] = Counter()
        self.in_flight = 0

    def run(self) -> dict[str, Any]:
        """Play and kill until there were enough kills or a problem; returns the figures that the bench prints."""
        started = time.monotonic()
        self._start_engine()
        players = [threading.Thread(target=self._player, args=(n,), daemon=True) for n in range(PLAYERS)]
        for player in players:
            player.start()
        try:
            while sum(self.killed.values()) < self.kills and not self.problems:
                self._kill_once()
                done = sum(self.killed.values())
                if done % 20 == 0 and self.progress:
                    self.progress(f"{done} of {self.kills} kills, {self.acks} steps acknowledged")
        finally:
            with self.changed:
                self.stop = True
                self.changed.notify_all()
            for player in players:
                player.join(ANSWER_TIMEOUT_S)
            assert self.engine is not None
            self.engine.end()
        for play in self.plays:
            self._look(play)
        versions = self.store.one("SELECT count(DISTINCT fingerprint) AS n FROM episodes WHERE fingerprint <> '{}'")
        if versions is not None and versions["n"] > 1:
            self._problem(f"the simulator or its models changed during the run ({versions['n']} versions): pictures cannot be compared")
        flagged = self.store.one("SELECT count(*) AS n FROM events WHERE kind = 'resumed' AND json_extract(data, '$.difference') <> ''")
        resumed = self.store.one("SELECT count(*) AS n FROM events WHERE kind = 'resumed'")
        assert flagged is not None
        assert resumed is not None
        self.differing += flagged["n"]
        with running(self.home, backend=self.backend) as runtime:
            report = replay(runtime.store, runtime.frames, runtime.pool, [play.episode for play in self.plays if play.episode])
        self.differing += report.differing
        return {
            "kills": {"app": self.killed["app"], "worker": self.killed["worker"]},
            "acked": sum(len(play.acked) for play in self.plays),
            "lost": self.lost,
            "differing": self.differing,
            "in_flight_kills": self.in_flight,
            "episodes": len(self.plays),
            "resumed": resumed["n"],
            "committed_unacknowledged": self.unacked,
            "replayed_steps": report.steps,
            "backend": self.backend,
            "seconds": round(time.monotonic() - started, 1),
            "problems": self.problems[:20],
        }

    # playing

    def _player(self, number: int) -> None:
        draw = random.Random(self.random.random() + number)
        try:
            while True:
                with self.changed:
                    if self.stop:
                        return
                    play = Play()
                    self.plays.append(play)
                self._play(play, draw)
        except Exception as error:
            self._problem(f"player {number}: {type(error).__name__}: {error}")

    def _play(self, play: Play, draw: random.Random) -> None:
        while not play.done:
            engine = self._living_engine()
            if engine is None:
                return
            try:
                if not play.episode:
                    play.episode = self._ask(engine, "create", task=self.task.content_hash)["episode"]
                self._reopen(play, engine)
                while len(play.sent) < self.task.budget - 1:
                    with self.changed:
                        if self.stop:
                            return
                    action = draw.choice(self.task.actions)
                    play.sent.append(action)
                    self._send(play, engine)
                self._ask(engine, "answer", episode=play.episode, epoch=play.epoch)
                play.done = True
            except EngineGone:
                continue

    def _reopen(self, play: Play, engine: Engine) -> None:
        """Take the episode up again: the last acknowledged step, or the one after it, must be where it stands."""
        view = self._ask(engine, "open", episode=play.episode)
        play.epoch = view["epoch"]
        if view["state"] == "completed":
            play.done = True
            return
        if view["seq"] == len(play.sent) - 1:
            # the action on its way was not kept: send it again
            self._send(play, engine)
        elif view["seq"] == len(play.sent):
            if play.sent and view["action"] != play.sent[-1]:
                self._problem(f"{play.episode} resumed with {view['action']}, sent was {play.sent[-1]}")
        else:
            self.lost += max(0, len(play.acked) - view["seq"])
            self._problem(f"{play.episode} resumed at {view['seq']}, {len(play.sent)} actions were sent, {len(play.acked)} acknowledged")

    def _send(self, play: Play, engine: Engine) -> None:
        seq = len(play.sent)
        reply = self._ask(engine, "act", episode=play.episode, epoch=play.epoch, seq=seq, action=play.sent[-1])
        picture = hashlib.sha256(base64.b64decode(reply["image"])).hexdigest()
        play.acked.append((seq, play.sent[-1], picture))
        with self.changed:
            self.acks += 1
            self.changed.notify_all()

    def _ask(self, engine: Engine, do: str, **fields: Any) -> dict[str, Any]:
        """Ask until it works: while no simulator can be reached the same request is sent again."""
        while True:
            reply = engine.ask(do, **fields)
            if "error" not in reply:
                return reply
            if not reply["again"]:
                raise RuntimeError(f"{do}: {reply['error']}: {reply['message']}")
            time.sleep(0.1)

    # killing

    def _kill_once(self) -> None:
        """Wait for progress since the last kill, then kill at a random moment, mostly while an action is on its way."""
        with self.changed:
            seen = self.acks
            if not self.changed.wait_for(lambda: self.acks > seen or self.problems, ANSWER_TIMEOUT_S) or self.problems:
                self._problem("no progress after a kill")
                return
        engine = self.engine
        assert engine is not None
        time.sleep(self.random.uniform(0.0, 0.8))
        what = "worker" if self.killed["app"] > self.killed["worker"] else "app"
        if what == "worker":
            pids = engine.ask("workers")["pids"]
            if not pids:
                return
            pid = self.random.choice(pids)
            time.sleep(self.random.uniform(0.0, 0.05))
            try:
                self.in_flight += engine.kill_worker(pid)
            except ProcessLookupError:
                return
            self.killed[what] += 1
            return
        self.in_flight += engine.kill()
        self.killed[what] += 1
        engine.process.wait()
        with self.changed:
            self.engine = None
        for play in self.plays[-3 * PLAYERS :]:
            self._look(play, final=False)
        self._start_engine()

    def _start_engine(self) -> None:
        engine = Engine(self.home, self.backend, self.log)
        if not engine.ready.wait(ANSWER_TIMEOUT_S) or engine.process.poll() is not None:
            raise RuntimeError("the engine process does not start; see its log")
        with self.changed:
            self.engine = engine
            self.changed.notify_all()

    def _living_engine(self) -> Engine | None:
        with self.changed:
            dead = self.engine
            self.changed.wait_for(
                lambda: self.stop or self.problems or (self.engine is not None and (self.engine is not dead or not self.engine._gone)),
                ANSWER_TIMEOUT_S,
            )
            return None if self.stop or self.problems else self.engine

    # looking

    def _look(self, play: Play, final: bool = True) -> None:
        """Compare what the driver knows with what is stored."""
        if not play.episode:
            return
        sent, acked = list(play.sent), list(play.acked)
        rows = self.store.query(
            "SELECT s.seq, s.action, s.pixel_hash, f.file_hash FROM steps s JOIN frames f USING (pixel_hash) "
            "WHERE episode_id = ? ORDER BY seq",
            [play.episode],
        )
        stored = {row["seq"]: row for row in rows}
        for seq, action, picture in acked:
            row = stored.get(seq)
            if row is None or row["action"] != action:
                self.lost += 1
                self._problem(f"{play.episode} step {seq} ({action}) was acknowledged and is not stored")
                continue
            try:
                data = self.frames.read(row["pixel_hash"], row["file_hash"])
            except StoreError as error:
                self.lost += 1
                self._problem(f"{play.episode} step {seq}: {error}")
                continue
            if hashlib.sha256(data).hexdigest() != picture or (final and pixel_hash_of(data) != row["pixel_hash"]):
                self.differing += 1
                self._problem(f"{play.episode} step {seq}: the stored picture is not the one that was shown")
        actions = [row["action"] for row in rows if row["seq"] > 0]
        if actions != sent[: len(actions)] or len(sent) - len(actions) > 1 or [row["seq"] for row in rows] != list(range(len(rows))):
            self.differing += 1
            self._problem(
                f"{play.episode}: {len(sent)} actions were sent once each, stored are {len(actions)}: {actions[-3:]} / {sent[-3:]}"
            )
        if final:
            self.unacked += len(actions) - len(acked)

    def _problem(self, text: str) -> None:
        with self.changed:
            self.problems.append(text)
            self.changed.notify_all()


def bench_task(backend: str) -> Task:
    """A furnished room; with the toy backend an object drifts, so that an action executed twice shows."""
    toy = backend == "toy"
    drifting = Object("object_1", "cup", Pose((0.0, 1.5, 0.3)), dynamic=True, params={"velocity_m": [0.02, 0.01, 0.0]})
    scene = Scene(camera=Camera(64, 48) if toy else Camera(640, 480), room=Room(seed=7), objects=(drifting,) if toy else ())
    return Task(
        task_id=f"bench-crash-{backend}",
        category="Metric Comparison",
        subcategory="Dimensional Size",
        question=Question(text="Which is larger?", form="choice", options=("near the bowl", ANSWER)),
        gold=Gold(accepted=(ANSWER,), chance=0.5),
        scene=scene,
        start=Pose((0.0, -1.0, 1.0), (0.7071067811865476, 0.0, 0.0, 0.7071067811865476)),
        actions=CAMERA_ACTIONS,
        provenance=Provenance(dataset="vantage", generator="bench crash"),
    )


def run_crash(
    kills: int = 200,
    *,
    backend: str = "mujoco",
    seed: int = 1,
    folder: Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Run the benchmark.

    Args:
        kills: how many, half of the app and half of a worker.
        backend: the simulator under test.
        seed: of the moments and actions.
        folder: where the data goes; None: a temporary folder, removed at the end.
        progress: called with a sentence now and then.

    Returns:
        Counts: ``kills``, ``acked``, ``lost``, ``differing``, ``in_flight_kills`` and more.
    """
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="vantage-crash-") as temporary:
            return run_crash(kills, backend=backend, seed=seed, folder=Path(temporary), progress=progress)
    home = Home.from_env(folder / "vantage.db").prepare()
    with (home.log / "engine.log").open("a", encoding="utf-8") as log:
        driver = Driver(home, backend, kills, seed, log, progress)
        try:
            return driver.run()
        finally:
            driver.store.close()


def held(result: dict[str, Any], kills: int) -> bool:
    """Whether everything the benchmark states holds."""
    done = result["kills"]["app"] + result["kills"]["worker"]
    return (
        not result["problems"]
        and result["lost"] == result["differing"] == 0
        and done >= kills
        and 2 * result["in_flight_kills"] >= done
        and result["acked"] > 0
    )


@click.command("crash")
@click.option("--kills", type=click.IntRange(1, 100000), default=200, show_default=True, help="How many SIGKILLs, half app, half worker.")
@click.option("--backend", default="mujoco", show_default=True, help="Simulator under test.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the moments and actions.")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep the data in this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
def command(kills: int, backend: str, seed: int, keep: Path | None, as_json: bool) -> None:
    """Kill the app or a worker at random moments and count what was lost. Exits 0 only if nothing was."""
    result = run_crash(kills, backend=backend, seed=seed, folder=keep, progress=lambda text: click.echo(text, err=True))
    if as_json:
        click.echo(json.dumps(result))
    else:
        for name, value in result.items():
            click.echo(f"{name:26} {value}")
    sys.exit(0 if held(result, kills) else 1)
