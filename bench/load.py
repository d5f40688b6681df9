"""``vantage bench load``: many people play at once, over HTTP, on real workers with real pictures: what they wait, and what is lost.

Each is a browser as far as HTTP goes: the link, the consent, *where do I stand*, the opening of a task, then actions at their own moments
(exponential gaps around the stated rate), an answer when the budget is used, the next task. Three studies one after the other, each with
scenes of one kind: small (one thing in an empty room), furnished, house.

acknowledged   from sending an action to having the whole reply, the new picture in it; milliseconds
opened         from asking for a task to having its first view
lost           acknowledged steps and answers that are not in the database afterwards, or whose frame is not whole on disk
refused        replies of 400 and more;  lock_errors: those that say that the database was busy, and such lines in the app's log
memory_mb      the app and its workers together: at the start, after the first minute (or a third), at the end
bare_fps       pictures that one worker makes in a second of the same scene, with nobody else there
utilisation    share of the machine's cores that was busy;  asked_fps: pictures that were asked for in a second

`--watch` also keeps a researcher's pages open in Chromium: the study's live page and its results, loaded anew all the time.
Ends with status 1 where something was lost or refused, on a lock error, or where memory grew by more than a tenth after the first minute.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any

import click

from app import beside
from bench.browsing import Answered, Browser
from bench.frames import KINDS, Kind
from bench.loop import BROWSER
from bench.memory import resident_mb
from bench.serving import server
from bench.walk import walk
from data.frames import FrameStore
from data.home import Home
from data.store import Store, StoreError
from data.subcategories import SUBCATEGORIES
from data.task import Gold, Provenance, Question, Task
from sim_bridge.pool import Pool
from study import access
from study.ethics import EthicsRecord
from study.protocol import Protocol
from study.studies import Study, create_study

SCENES: dict[str, str] = {"small": "object", "furnished": "room", "house": "house"}
"""Name of a scene → kind of `bench.frames`."""
BUDGET = 30
TASKS = 12
"""Of a session: more than anybody comes to."""
BARE = 30
"""Actions by which the bare speed is measured."""
PATIENCE_S = 120.0
GROWTH = 1.1
"""So many times the memory after the first minute is too much."""
SAMPLE_S = 2.0
"""Between two readings of the memory."""


@dataclass
class Player:
    """One person, and what they met."""

    invite: str
    address: str
    seed: int
    statuses: list[int] = field(default_factory=list)
    acted_ms: list[float] = field(default_factory=list)
    opened_ms: list[float] = field(default_factory=list)
    steps: list[tuple[str, int]] = field(default_factory=list)
    """(episode, number) of each acknowledged step."""
    answers: list[str] = field(default_factory=list)
    """Episodes whose answer was acknowledged."""
    refusals: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def task(kind: Kind, number: int) -> Task:
    """A task in such a scene; what is asked does not matter. Each is of another subcategory, so that a session holds enough categories."""
    of = SUBCATEGORIES[number % len(SUBCATEGORIES)]
    return Task(
        task_id=f"load-{number}",
        category=of.category,
        subcategory=of.name,
        question=Question(text="Is there a mug?", form="yes_no", options=("yes", "no")),
        gold=Gold(accepted=("yes",), chance=0.5),
        scene=kind.scene,
        start=kind.start,
        budget=BUDGET,
        provenance=Provenance(dataset="vantage"),
    )


def study_of(store: Store, scene: str, people: int) -> Study:
    """A study that is open, with a place for everybody in every task."""
    kind = KINDS[SCENES[scene]]()
    tasks = [task(kind, n) for n in range(TASKS)]
    with store.atomic():
        for one in tasks:
            store.put_task(one)
        return create_study(
            store, f"Load, {scene}", state="live", paradigms=("active",), tasks=tuple(one.content_hash for one in tasks), per_task=people,
            trials=TASKS, consent="This is a rehearsal.", ethics=EthicsRecord(basis="demonstration"), protocol=Protocol(budget=BUDGET),
        )  # fmt: skip


def bare_fps(scene: str, backend: str, folder: Path) -> float:
    """Pictures a second that one worker makes of such a scene."""
    kind = KINDS[SCENES[scene]]()
    with Pool(backend=backend, workers=1, log_dir=folder) as pool:
        client = pool.acquire("bare", wait_s=120.0)
        client.load("bare", kind.scene, kind.start, actions=kind.actions, deadline_s=120.0)
        actions = list(walk(BARE + 5, 1))
        for seq, action in enumerate(actions[:5], 1):
            client.act("bare", seq, action, deadline_s=120.0)
        began = time.perf_counter()
        for seq, action in enumerate(actions[5:], 6):
            client.act("bare", seq, action, deadline_s=120.0)
        return BARE / (time.perf_counter() - began)


def play(base: str, player: Player, rate: float, until: float) -> None:
    """One person's way until the time is up."""
    draw = random.Random(player.seed)
    browser = Browser(base, player.address, player.statuses, PATIENCE_S)
    try:
        grant = browser.come_in(player.invite)
        while time.monotonic() < until:
            here = browser.ask("/api/place", {"grant": grant})
            if not here["episode_id"]:
                player.errors.append(f"no task at stage {here['stage']}")
                return
            _one_task(browser, player, here["episode_id"], rate, until, draw)
    except Answered as error:
        player.refusals.append(str(error))
    except (OSError, HTTPException, KeyError, ValueError) as error:
        player.errors.append(f"{type(error).__name__}: {error}")


def _one_task(browser: Browser, player: Player, episode: str, rate: float, until: float, draw: random.Random) -> None:
    began = time.perf_counter()
    view = _until_done(browser, "/api/open", {"episode": episode, "tab": "load"})
    player.opened_ms.append((time.perf_counter() - began) * 1e3)
    told = json.loads(view)
    epoch, seq = told["epoch"], told["step"]["seq"]
    for action in walk(BUDGET - 1 - seq, draw.randrange(10**6)):
        time.sleep(min(draw.expovariate(rate), 30.0))
        if time.monotonic() >= until:
            return
        seq += 1
        began = time.perf_counter()
        _until_done(browser, "/api/act", {"episode": episode, "epoch": epoch, "seq": seq, "action": action, "input": "key"})
        player.acted_ms.append((time.perf_counter() - began) * 1e3)
        player.steps.append((episode, seq))
    said = {"answer": draw.choice(["yes", "no"]), "confidence": draw.randint(0, 100)}
    browser.ask("/api/answer", {"episode": episode, "epoch": epoch, **said})
    player.answers.append(episode)


def _until_done(browser: Browser, path: str, body: dict[str, Any]) -> bytes:
    """Ask again while the answer is "not yet", as the page does."""
    sent = json.dumps(body).encode()
    while True:
        status, reply, _ = browser.send(path, sent, "application/json")
        if status != 202:
            return reply


@dataclass
class Watched:
    """Memory and use of the processor while people play."""

    pid: int
    mb: list[tuple[float, float]] = field(default_factory=list)
    """(seconds since the beginning, MB)."""

    def read(self) -> float:
        """Resident memory of the app and all processes that it started, MB."""
        return sum(resident_mb(pid) for pid in _family(self.pid))


def _family(pid: int) -> Iterator[int]:
    yield pid
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = thread.read_text(encoding="ascii").split()
        except OSError:
            continue
        for child in children:
            try:
                yield from _family(int(child))
            except OSError:
                continue


def _busy_s() -> float:
    """Seconds that all cores together were busy since the machine began."""
    # user, nice, system, idle, waiting, interrupts (two), stolen
    spent = [int(n) for n in Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:9]]
    return (sum(spent) - spent[3] - spent[4]) / os.sysconf("SC_CLK_TCK")


@contextmanager
def watching(base: str, store: Store, study: Study) -> Iterator[list[str]]:
    """A researcher's pages, loaded anew in Chromium all the while; yields what went wrong with them."""
    from bench.load_pages import keep_open

    trouble: list[str] = []
    stop = threading.Event()
    link = access.create_invite(store, "researcher", study.study_id, uses=1, label="load")
    pages = threading.Thread(target=keep_open, args=(base, link, BROWSER.split(), stop, trouble), daemon=True)
    pages.start()
    try:
        yield trouble
    finally:
        stop.set()
        pages.join(60)


def run_scene(
    scene: str,
    *,
    people: int,
    rate: float,
    minutes: float,
    backend: str,
    workers: int,
    watch: bool,
    folder: Path,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Let people play in scenes of one kind; the figures, as the module says."""
    tell(f"{scene}: bare speed")
    bare = bare_fps(scene, backend, folder)
    home = Home.from_env(folder / scene / "vantage.db")
    with closing(Store.open(home)) as store:
        study = study_of(store, scene, people)
        players = [
            Player(access.create_invite(store, "participant", study.study_id, uses=1, label=f"load {n}"), f"198.18.0.{n % 250 + 1}", n)
            for n in range(people)
        ]
        options = ("--trusted-proxy", "127.0.0.1", "--workers", str(workers))
        with server(home, backend, options=options, quiet=True) as base:
            pid = beside.running(home)[0].pid
            trouble: list[str] = []
            if watch:
                with watching(base, store, study) as trouble:
                    measured = _measure(base, players, pid, rate, minutes, scene, tell)
            else:
                measured = _measure(base, players, pid, rate, minutes, scene, tell)
        lost = _lost(store, home, players)
        log = (home.log / "app.log").read_text(encoding="utf-8", errors="replace") if (home.log / "app.log").exists() else ""
    return _figures(scene, players, measured, lost, log, trouble, bare, minutes)


def _measure(
    base: str, players: list[Player], pid: int, rate: float, minutes: float, scene: str, tell: Callable[[str], None]
) -> dict[str, Any]:  # fmt: skip
    watched = Watched(pid)
    start = watched.read()
    began, busy = time.monotonic(), _busy_s()
    until = began + 60 * minutes
    threads = [threading.Thread(target=play, args=(base, player, rate, until), daemon=True) for player in players]
    for thread in threads:
        thread.start()
    said = began
    while any(thread.is_alive() for thread in threads) and time.monotonic() < until + PATIENCE_S:
        time.sleep(SAMPLE_S)
        watched.mb.append((time.monotonic() - began, watched.read()))
        if time.monotonic() - said > 15:
            said = time.monotonic()
            acted = sum(len(player.acted_ms) for player in players)
            tell(f"{scene}: {acted} actions, {max(0.0, until - said):.0f} s left, {watched.mb[-1][1]:.0f} MB")
    stuck = sum(thread.is_alive() for thread in threads)
    spent = time.monotonic() - began
    first = min(60.0, 60 * minutes / 3)
    settled = next((mb for at, mb in watched.mb if at >= first), watched.mb[-1][1])
    # the mean of the last readings, since a single one may stand in the middle of a scene's loading
    last = [mb for at, mb in watched.mb if at >= spent - max(10.0, 2 * SAMPLE_S)]
    memory = {"start": start, "after_first": settled, "end": sum(last) / len(last)}
    return {"memory": memory, "stuck": stuck, "spent": spent, "used": (_busy_s() - busy) / spent / (os.cpu_count() or 1)}


def _lost(store: Store, home: Home, players: list[Player]) -> list[str]:
    """What was acknowledged and is not there."""
    frames, lost = FrameStore(home.frames, reading=True), []
    known = {row["episode_id"] for row in store.query("SELECT episode_id FROM answers")}
    for player in players:
        for episode, seq in player.steps:
            row = store.one(
                "SELECT f.pixel_hash, f.file_hash FROM steps s JOIN frames f USING (pixel_hash) WHERE s.episode_id = ? AND s.seq = ?",
                [episode, seq],
            )
            if row is None:
                lost.append(f"step {seq} of {episode}")
                continue
            try:
                frames.read(row["pixel_hash"], row["file_hash"])
            except StoreError as error:
                lost.append(f"frame of step {seq} of {episode}: {error}")
        lost += [f"answer of {episode}" for episode in player.answers if episode not in known]
    return lost


def _figures(
    scene: str, players: list[Player], measured: dict[str, Any], lost: list[str], log: str, trouble: list[str], bare: float, minutes: float
) -> dict[str, Any]:  # fmt: skip
    acted = [ms for player in players for ms in player.acted_ms]
    refusals = [text for player in players for text in player.refusals]
    errors = [text for player in players for text in player.errors]
    locks = sum("store_busy" in text or "server is busy" in text for text in refusals) + log.count("database is locked")
    memory = {name: round(mb, 1) for name, mb in measured["memory"].items()}
    growth = memory["end"] / memory["after_first"]
    statuses = Counter(status for player in players for status in player.statuses)
    found = {
        "scene": scene,
        "acknowledged": percentiles(acted) | {"actions": len(acted)},
        "opened": percentiles([ms for player in players for ms in player.opened_ms]),
        "answers": sum(len(player.answers) for player in players),
        "lost": len(lost),
        "refused": sum(count for status, count in statuses.items() if status >= 400),
        "errors": len(errors) + measured["stuck"],
        "lock_errors": locks,
        "memory_mb": memory | {"growth": round(growth, 3)},
        "bare_fps": round(bare, 1),
        "asked_fps": round(len(acted) / (60 * minutes), 1),
        "utilisation": round(measured["used"], 2),
        "page_trouble": trouble[:5],
        "told": [*lost, *refusals, *errors][:10],
    }
    found["ok"] = not (lost or found["refused"] or found["errors"] or locks or trouble) and growth <= GROWTH and bool(acted)
    return found


def percentiles(values: list[float]) -> dict[str, float | None]:
    """p50, p95 and p99, milliseconds; None where there is no value."""
    ordered = sorted(values)
    at = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    return {name: round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 1) if ordered else None for name, share in at.items()}


@click.command("load", help=__doc__)
@click.option("--participants", "people", type=click.IntRange(1, 200), default=20, show_default=True, help="People who play at once.")
@click.option("--rate", type=click.FloatRange(0.01, 10), default=0.5, show_default=True, help="Actions of each in a second.")
@click.option("--minutes", type=click.FloatRange(0.05, 120), default=3.0, show_default=True, help="For each scene.")
@click.option("--scene", "scenes", type=click.Choice(list(SCENES)), multiple=True, help="Only these; default: all three.")
@click.option("--workers", type=click.IntRange(1, 16), default=2, show_default=True, help="Simulator processes.")
@click.option("--watch", is_flag=True, help="With a researcher's pages open in Chromium all the while.")
@click.option("--backend", default="mujoco", show_default=True, help="Simulator.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    people: int, rate: float, minutes: float, scenes: tuple[str, ...], workers: int, watch: bool, backend: str, as_json: bool
) -> None:  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="vantage-load-") as folder:
        found = [
            run_scene(
                scene, people=people, rate=rate, minutes=minutes, backend=backend, workers=workers, watch=watch, folder=Path(folder),
                tell=lambda text: click.echo(text, err=True),
            )
            for scene in scenes or SCENES
        ]  # fmt: skip
    ok = all(one["ok"] for one in found)
    if as_json:
        about = {"participants": people, "rate": rate, "minutes": minutes, "workers": workers, "watched": watch, "cores": os.cpu_count()}
        click.echo(json.dumps({"ok": ok, **about, "load_average": round(os.getloadavg()[0], 2), "scenes": found}, indent=1))
    else:
        for one in found:
            times, memory = one["acknowledged"], one["memory_mb"]
            click.echo(
                f"{one['scene']}: {times['actions']} actions, p50 {times['p50']} ms, p95 {times['p95']} ms, p99 {times['p99']} ms; "
                f"opened p95 {one['opened']['p95']} ms; lost {one['lost']}, refused {one['refused']}, "
                f"lock errors {one['lock_errors']}; memory {memory['start']} → {memory['after_first']} → {memory['end']} MB; "
                f"bare {one['bare_fps']} frames/s, asked {one['asked_fps']}, cores {one['utilisation']:.0%} busy"
            )
            for text in one["told"]:
                click.echo(f"  {text}")
    if not ok:
        raise click.exceptions.Exit(1)
