"""``vantage bench store``: how fast the database answers in a large study, and whether other people's steps are kept meanwhile.

The study is invented (`bench.synthetic`), the schema, the queries and the engine are the program's own. Each figure is the 95th percentile
of its repeats on this machine, in milliseconds, unless it says otherwise.

commit        one step from the request to the acknowledgement, through the engine, with a simulator that answers at once: event, row and
              flush of the disk. Writing and flushing the frame's file is counted apart (``frame``)
list          the researcher's list: counts and a page of it (any page); ``search``: with words for a task; ``script``: the whole page under
              Streamlit's AppTest, for comparison
episode       an old episode by its link: its line, its steps, its reports
place         a participant's page: where they stand; ``next task``: the view at which the next task is chosen and given
lead          the lead's overview: funnel, items, quotas, starved items
claim         a reviewer is given the next item
verify …      all tasks under verification: ``claim``, ``vote`` (either stage), ``list``: the slowest of the lead's lists
export        the tables of everything, in a process of its own: seconds, and its largest memory
erase         one person with all their episodes: seconds; ``commit meanwhile``: the longest step of somebody else while that happens
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import numpy as np

from annotation.qa import moments, projects
from annotation.qa.work import pool, reviews
from app.commands.common import say
from bench import synthetic, verification
from bench.synthetic import Made, Sizes
from data.frames import FrameRef, FrameStore
from data.home import Home
from data.store import Store
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.encoding import encode_frame
from sim_bridge.protocol import HelloReply, StepReply
from sim_bridge.spec import Frame, Observation, Pose, Scene
from study import access, erasure, filling, oddities, overview, participants, roster, watching
from study.episode import EpisodeEngine
from study.studies import get_study

AIMS = {
    "commit": 10.0, "list": 50.0, "search": 50.0, "episode": 50.0, "place": 50.0, "next task": 50.0, "lead": 50.0, "claim": 5.0,
    "watch": 50.0, "verify claim": 5.0, "verify vote": 10.0, "verify list": 50.0,
    "export s": 60.0, "export MB": 500.0, "erase s": 5.0, "commit meanwhile": 250.0,
}  # fmt: skip
"""Figure → what it may be at most: milliseconds, save where the name says seconds or megabytes."""


ROOT = Path(__file__).resolve().parent.parent


class _Simulator:
    """Answers at once, with ever the same picture but for its first pixels."""

    hello = HelloReply(
        version=1, backend="bench", deterministic=False, capabilities=tuple(CAMERA_ACTIONS), fingerprint={"backend": "bench"}
    )

    def __init__(self) -> None:
        self.count = 0
        self._pixels = np.random.default_rng(1).integers(0, 255, (48, 64, 3), dtype=np.uint8)

    def _reply(self, session: str, seq: int) -> StepReply:
        self.count += 1
        self._pixels[0, :4, 0] = [self.count >> shift & 255 for shift in (24, 16, 8, 0)]
        pose = Pose((0.0, -1.2, 1.0), (0.6427876, 0.0, 0.0, 0.7660444))
        observation = Observation(frames=(encode_frame(self._pixels),), camera=pose, visible={"object_1": 500})
        return StepReply(session=session, seq=seq, before=pose, observation=observation, timing_ms={"render": 0.0})

    def load(self, session: str, scene: Scene, start: Pose, *, seq: int = 0, **_: Any) -> StepReply:
        return self._reply(session, seq)

    def act(self, session: str, seq: int, action: str, *, pictures: bool = True) -> StepReply:
        return self._reply(session, seq)

    def views(self, session: str, poses: Sequence[Pose]) -> tuple[Frame, ...]:
        return tuple(encode_frame(self._pixels) for _ in poses)

    def visible(self, session: str, poses: Sequence[Pose]) -> tuple[dict[str, int], ...]:
        return tuple({"object_1": 500} for _ in poses)

    def set_phase(self, session: str, seq: int, phase: str) -> StepReply:
        return self._reply(session, seq)

    def restore(self, session: str, seq: int, snapshot: bytes) -> StepReply:
        return self._reply(session, seq)


class _Pool:
    """One simulator for everybody."""

    spare: Callable[[], bool] | None = None

    def __init__(self) -> None:
        self.simulator = _Simulator()

    def acquire(self, session: str, **_: Any) -> _Simulator:
        return self.simulator

    def release(self, session: str) -> None:
        """Nothing is held."""

    def report_lost(self, session: str) -> None:
        """Nothing can be lost."""


class _TimedFrames(FrameStore):
    """A frame folder that notes how long each file took."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.took_ms: list[float] = []

    def put(self, frame: Frame) -> FrameRef:
        started = time.perf_counter()
        try:
            return super().put(frame)
        finally:
            self.took_ms.append(1000 * (time.perf_counter() - started))


class _Player:
    """Somebody who plays on and on."""

    def __init__(self, store: Store, frames: _TimedFrames, made: Made) -> None:
        self.frames = frames
        self.engine = EpisodeEngine(store, frames, _Pool())
        study = get_study(store, made.study_id)
        self.task, self.study = study.tasks[0], study
        self._begin()

    def _begin(self) -> None:
        protocol, study = self.study.protocol, self.study.study_id
        made = self.engine.create(self.task, agent_kind="model", agent_name="player", protocol=protocol, study_id=study)
        self.view = self.engine.open(made)
        self.seq = 0

    def step(self) -> float:
        """One step; milliseconds without its frame's file."""
        if self.seq >= 900:
            self._begin()
        self.seq += 1
        self.frames.took_ms.clear()
        started = time.perf_counter()
        self.engine.act(self.view.episode_id, self.view.epoch, self.seq, ("turn_left", "turn_right")[self.seq % 2])
        return 1000 * (time.perf_counter() - started) - sum(self.frames.took_ms)


def p95(values: Sequence[float]) -> float:
    """95th percentile."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], 2)


def timed(work: Callable[[int], Any], repeats: int) -> list[float]:
    """Milliseconds of each repeat, after one that does not count."""
    work(-1)
    found = []
    for n in range(repeats):
        started = time.perf_counter()
        work(n)
        found.append(1000 * (time.perf_counter() - started))
    return found


def run_store(sizes: Sizes, folder: Path, repeats: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """Fill a database in `folder` and measure; the figures, as ``--json`` prints them."""
    started = time.perf_counter()
    home = Home.from_env(folder / "vantage.db").prepare()
    store = Store.open(home)
    tell(f"Writing {sizes.steps:,} steps of {sizes.episodes:,} episodes, {sizes.tasks:,} tasks and {sizes.items:,} robot questions …")
    made = synthetic.make(store, sizes)
    filled_s = time.perf_counter() - started
    frames = _TimedFrames(home.frames)
    player = _Player(store, frames, made)
    result: dict[str, Any] = {"steps": sizes.steps, "episodes": sizes.episodes, "tasks": sizes.tasks, "items": sizes.items}
    result |= {"participants": sizes.people, "database_mb": round(home.db.stat().st_size / 1e6), "filled_s": round(filled_s, 1)}
    result |= {"repeats": repeats, "cores": os.cpu_count(), "load_average_before": round(os.getloadavg()[0], 2)}
    figures: dict[str, float] = {}
    tell("Steps …")
    own, files = [], []
    for _ in range(3 * repeats):
        own.append(player.step())
        files += frames.took_ms
    figures |= {"commit": p95(own), "frame": p95(files)}
    tell("Pages …")
    figures |= _pages(store, player.engine, made, sizes, repeats)
    tell("Verification …")
    verification.make(store, repeats)
    figures |= verification.measure(store, repeats, p95)
    tell("The export …")
    figures |= _export(home, folder / "export")
    tell("Erasing …")
    figures |= _erase(store, player, made)
    result["figures"] = figures
    result["missed"] = {name: {"found": figures[name], "aim": aim} for name, aim in AIMS.items() if figures[name] > aim}
    result["load_average"] = round(os.getloadavg()[0], 2)
    store.close()
    return result


def _pages(store: Store, engine: EpisodeEngine, made: Made, sizes: Sizes, repeats: int) -> dict[str, float]:
    draw = random.Random(1)
    pages = max(1, sizes.episodes // overview.PAGE_SIZE)
    study = made.study_id

    def listed(n: int) -> None:
        overview.progress(store, study)
        overview.episode_page(store, study, number=1 if n % 2 else draw.randint(1, pages))

    def searched(n: int) -> None:
        overview.progress(store, study)
        overview.episode_page(store, study, overview.Search(task=f"{n % 97:02d}"))

    def old_episode(_: int) -> None:
        episode = f"ep_{draw.randrange(sizes.episodes):020d}"
        row = overview.episode(store, study, episode)
        assert row is not None
        store.find_task(row.task_id)
        overview.episode_steps(store, episode)
        overview.problems(store, episode)

    newcomers = [participants.add_participant(store, study) for _ in range(repeats + 1)]
    for person in newcomers:
        for event in ("welcome", "consent", "practise"):
            participants.advance(store, person, event)

    def stands(person: str) -> None:
        access.grants(store, made.cookie)
        get_study(store, study)
        participants.place(store, engine, person)

    def lead(_: int) -> None:
        project = projects.get_project(store, made.project_id)
        moments.funnel(store, project.project_id)
        pool.counts(store, project.project_id)
        projects.places(store, project)
        reviews.starved(store, project.project_id, [f"reviewer {n}" for n in range(9)])

    def watched(_: int) -> None:
        people = watching.under_way(store, study)
        roster.by_state(store, study)
        oddities.found(store, study)
        oddities.speed(store)
        filling.by_category(store, get_study(store, study))
        watching.left(store, study, people)
        watching.waiting(store, study)
        watching.measured(store, people[:50])

    return {
        "watch": p95(timed(watched, repeats)),
        "list": p95(timed(listed, repeats)),
        "search": p95(timed(searched, repeats)),
        "script": _script(store, engine, made),
        "episode": p95(timed(old_episode, repeats)),
        "next task": p95(timed(lambda n: stands(newcomers[n + 1]), repeats)),
        "place": p95(timed(lambda n: stands(newcomers[n + 1]), repeats)),
        "lead": p95(timed(lead, repeats)),
        "claim": p95(timed(lambda n: reviews.next_review(store, made.project_id, f"reviewer {n}"), repeats)),
    }


def _draw(grant: object) -> None:
    """The script of the researcher's list, for AppTest: it runs as a file of its own."""
    from app.pages import researcher

    researcher.overview(grant, several=False)  # type: ignore[arg-type]


def _script(store: Store, engine: EpisodeEngine, made: Made) -> float:
    """Milliseconds of the researcher's list as a whole script, the median of five runs after the first."""
    from streamlit.testing.v1 import AppTest

    from app import identity, services

    before, identity.page_cookie = identity.page_cookie, lambda: made.cookie
    services.install(SimpleNamespace(store=store, engine=engine, home=store.home))  # type: ignore[arg-type]
    try:
        grant = next(grant for grant in access.grants(store, made.cookie) if grant.role == "researcher")
        test = AppTest.from_function(_draw, kwargs={"grant": grant}, default_timeout=120).run()
        if test.exception:
            raise click.ClickException(f"The page failed: {test.exception[0].message}")
        took = timed(lambda _: test.run(), 5)
    finally:
        services.install(None)
        identity.page_cookie = before
    return round(sorted(took)[2], 1)


def export_tables(db: str, out: str) -> None:
    """Export the tables and print the seconds and this process's largest memory (MB), as JSON."""
    from study.export import export

    home = Home.from_env(db)
    started = time.perf_counter()
    report = export(Store.reading(home), FrameStore(home.frames, reading=True), Path(out), only=("tables",), images="none")
    # (getrusage would count what the program held that started this one)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) * 1024 / 1e6
    print(json.dumps({"s": time.perf_counter() - started, "mb": peak, "report": report.model_dump()}))


def _export(home: Home, out: Path) -> dict[str, float]:
    code = "import sys; from bench.store import export_tables; export_tables(*sys.argv[1:])"
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(home.db), str(out)], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    if done.returncode:
        raise click.ClickException(f"The export failed: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode}")
    told = json.loads(done.stdout)
    return {"export s": round(told["s"], 1), "export MB": round(told["mb"])}


def _erase(store: Store, player: _Player, made: Made) -> dict[str, float]:
    """Erase the participant in the middle, frame files included, while the player plays."""
    person = made.people[len(made.people) // 2]
    for pixel_hash in synthetic.frames_of(store, person):
        path = player.frames.path(pixel_hash)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"frame")
    told: dict[str, Any] = {}

    def erase() -> None:
        started = time.perf_counter()
        try:
            told["report"] = erasure.erase(store, FrameStore(player.frames.root), person, reason="bench")
        except Exception as error:
            told["error"] = error
        told["s"] = time.perf_counter() - started
        store.close()

    eraser = threading.Thread(target=erase)
    eraser.start()
    longest, steps = 0.0, 0
    while eraser.is_alive():
        longest, steps = max(longest, player.step()), steps + 1
        time.sleep(0.005)
    eraser.join()
    if "error" in told:
        raise told["error"]
    report = told["report"]
    figures = {"erase s": round(told["s"], 2), "commit meanwhile": round(longest, 1)}
    return figures | {"erased steps": report.steps, "erased frames": report.frames, "steps meanwhile": steps}


@click.command("store")
@click.option("--steps", type=click.IntRange(100), default=1_000_000, show_default=True, help="Steps in the database.")
@click.option("--episodes", type=click.IntRange(20), default=15_000, show_default=True, help="Episodes.")
@click.option("--tasks", type=click.IntRange(30), default=100_000, show_default=True, help="Tasks, all of one study.")
@click.option("--repeats", type=click.IntRange(5), default=100, show_default=True, help="Repeats of each page; three times as many steps.")
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), help="Where the database is written; default: a temporary folder."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
def command(steps: int, episodes: int, tasks: int, repeats: int, folder: Path | None, as_json: bool) -> None:
    """A large study: commits, pages, export, erasure. Ends with status 1 where an aim is missed, and says which."""
    if steps < episodes:
        raise click.UsageError("There are at least as many steps as episodes: raise --steps, or lower --episodes.")
    with tempfile.TemporaryDirectory(prefix="vantage-bench-", dir=folder) as place:
        result = run_store(Sizes(steps, episodes, tasks), Path(place), repeats, say)
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False))
    else:
        click.echo(f"{steps:,} steps, {episodes:,} episodes, {tasks:,} tasks: {result['database_mb']:,} MB, load {result['load_average']}")
        for name, value in result["figures"].items():
            aim = f" (aim {AIMS[name]:g})" if name in AIMS else ""
            click.echo(f"  {name:<18}{value:>10}{aim}")
    for name, one in result["missed"].items():
        say(f"Missed: {name} is {one['found']}, aimed at {one['aim']:g}.")
    sys.exit(1 if result["missed"] else 0)
