"""``vantage bench frames``: milliseconds per action by kind of scene, for one session and for eight on two workers.

ms        from sending an action to having its reply, in the process that asks: simulate, render, hash, encode, snapshot, wire and, with
          eight sessions, the wait for the others
one       one session alone on one worker
eight     eight sessions on two workers, four on each, every one asking again at once (or after a rest of `--rest` seconds)
several   actions whose reply has several pictures (pouring, lifting a cloth, …) stand apart, with the number of pictures

The eight all walk about at once, without pausing: eight people who look at what they see ask far less often.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec

from bench.loop import scene as mirror_scene
from bench.loop import spread
from bench.start_views import run_start_views, say
from bench.walk import walk
from sim_bridge import houses
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.client import Client
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import looking
from sim_bridge.pool import Pool
from sim_bridge.spec import Camera, House, Object, Pose, Room, Scene

WARM_UP = 3
"""Actions of each session before the count starts."""
SESSIONS, WORKERS = 8, 2
PICTURE = Camera(640, 480, 75.0)
TABLE_M = 0.74
"""Height of the table that hands work at."""


@dataclass(frozen=True)
class Kind:
    """One kind of scene.

    Attributes:
        deeds: actions with several pictures, done at the start of each round; the walk follows.
    """

    scene: Scene
    start: Pose
    deeds: tuple[str, ...] = ()

    @property
    def actions(self) -> tuple[str, ...]:
        """What the session allows: camera actions alone spare the count of visible pixels, as in the released tasks."""
        return () if self.deeds else CAMERA_ACTIONS


def _thing(n: int, category: str, x: float, y: float, z: float = 0.0, **more: Any) -> Object:
    return Object(f"object_{n}", category, Pose((x, y, z)), **{"origin": "base", **more})


def _table(n: int) -> Object:
    return _thing(n, "dining_table", 0.0, 0.0, size_m=(1.2, 0.8, TABLE_M))


def one_object() -> Kind:
    """A mug in an empty room."""
    return Kind(Scene(PICTURE, Room(furnished=False, seed=1), (_thing(1, "mug", 0.0, 0.6),)), looking(0.0, -0.4, 0.5, 0.0, -15.0))


def room() -> Kind:
    """A furnished living room with five things on the floor."""
    with_mirror = mirror_scene()
    objects = tuple(o for o in with_mirror.objects if o.category != "mirror")
    return Kind(msgspec.structs.replace(with_mirror, objects=objects), Pose((0.0, -1.2, 1.0), (0.6427876, 0.0, 0.0, 0.7660444)))


def mirror() -> Kind:
    """The same with a mirror (`bench loop`'s scene)."""
    return Kind(mirror_scene(), Pose((0.0, -1.2, 1.0), (0.6427876, 0.0, 0.0, 0.7660444)))


def house(seed: int = 7, rooms: int = 6) -> Kind:
    """A furnished house, seen from the middle of its largest room."""
    plan = houses.plan(seed, rooms)
    x, y = plan.centre(max(plan.names, key=plan.area_m2))
    return Kind(
        Scene(PICTURE, plan.bounding_room(), (_thing(1, "mug", x, y + 0.6),), house=House(seed=seed, rooms=rooms)), looking(x, y, 1.5)
    )


def liquid() -> Kind:
    """A glass and a bowl on a table: the glass is filled and poured into the bowl, then looked at."""
    things = (_table(1), _thing(2, "water_glass", -0.15, -0.1, TABLE_M, dynamic=True), _thing(3, "bowl", 0.15, -0.1, TABLE_M, dynamic=True))
    deeds = ("fill(object_2, with_water)", "pour(object_2, from, object_2, to, object_3)")
    return Kind(Scene(PICTURE, Room(kind="kitchen", seed=4), things), looking(0.0, -0.8, 1.3, 0.0, -34.0), deeds)


def cloth() -> Kind:
    """A cloth over a bottle and a bowl on a table; it is lifted, then the things are looked at."""
    things = (
        _table(1),
        _thing(2, "wine_bottle", -0.08, 0.0, TABLE_M),
        _thing(3, "bowl", 0.12, 0.0, TABLE_M),
        _thing(4, "cloth", 0.0, 0.0, 1.3, size_m=(0.7, 0.7, 0.002)),
    )
    return Kind(Scene(PICTURE, Room(kind="kitchen", seed=4), things), looking(0.0, -0.8, 1.3, 0.0, -34.0), ("remove_cloth(object_4)",))


KINDS: dict[str, Callable[[], Kind]] = {
    "object": one_object,
    "room": room,
    "house": house,
    "mirror": mirror,
    "liquid": liquid,
    "cloth": cloth,
}


@dataclass
class Times:
    """Milliseconds of what was done."""

    single: list[float]
    several: list[tuple[str, float, int]]
    """(action name, milliseconds, pictures)."""


def play(client: Client, session: str, kind: Kind, count: int, seed: int, rest_s: float = 0.0) -> Times:
    """Load the scene, do its deeds, walk `count` actions, and close.

    Raises:
        ClickException: a deed is not done, so that its time would mean nothing.
    """
    client.load(session, kind.scene, kind.start, actions=kind.actions, deadline_s=120.0)
    times = Times([], [])
    for seq, action in enumerate((*kind.deeds, *walk(count + WARM_UP, seed)), 1):
        before = time.perf_counter()
        reply = client.act(session, seq, action, deadline_s=120.0)
        took = (time.perf_counter() - before) * 1e3
        if action in kind.deeds:
            if not reply.ok:
                raise click.ClickException(f"{action} is not done: {reply.reason}")
            times.several.append((action.partition("(")[0], took, len(reply.observation.frames)))
        elif seq > len(kind.deeds) + WARM_UP:
            times.single.append(took)
        time.sleep(rest_s)
    client.close_session(session)
    return times


def figures(times: Sequence[Times]) -> dict[str, Any]:
    """Spread of the single-picture actions, and of the others by name."""
    single = [ms for t in times for ms in t.single]
    found: dict[str, Any] = {**spread(single), "actions": len(single)}
    names = dict.fromkeys(name for t in times for name, _, _ in t.several)
    several = {}
    for name in names:
        done = [(ms, frames) for t in times for n, ms, frames in t.several if n == name]
        several[name] = {**spread([ms for ms, _ in done]), "actions": len(done), "pictures": max(frames for _, frames in done)}
    return {**found, "several": several} if several else found


def alone(pool: Pool, kind: Kind, count: int) -> dict[str, Any]:
    """One session; a kind with deeds is played three times."""
    client = pool.acquire("alone", wait_s=120.0)
    rounds = 3 if kind.deeds else 1
    done = figures([play(client, "alone", kind, max(count // rounds, 10), seed) for seed in range(rounds)])
    pool.release("alone")
    return done


def together(pool: Pool, kind: Kind, count: int, rest_s: float) -> dict[str, Any]:
    """Eight sessions at once; all load before the first acts."""
    found: list[Times] = []
    failures: list[BaseException] = []

    def run(n: int) -> None:
        try:
            client = pool.acquire(f"e{n}", wait_s=120.0)
            found.append(play(client, f"e{n}", kind, count, n, rest_s))
        except BaseException as problem:
            failures.append(problem)
        finally:
            pool.release(f"e{n}")

    threads = [threading.Thread(target=run, args=(n,)) for n in range(SESSIONS)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    wall = time.perf_counter() - started
    done = figures(found)
    return {**done, "actions_per_s": round(SESSIONS * (count + WARM_UP + len(kind.deeds)) / wall, 1)}


def run_frames(names: Sequence[str], count: int, backend: str, folder: Path, rest_s: float) -> dict[str, Any]:
    """Measure the kinds named; the figures, as ``--json`` prints them."""
    scenes: dict[str, Any] = {}
    load = [round(os.getloadavg()[0], 2)]
    with Pool(backend=backend, workers=WORKERS, max_sessions_per_worker=SESSIONS // WORKERS, log_dir=folder) as pool:
        fingerprint = pool.acquire("alone", wait_s=120.0).hello.fingerprint
        pool.release("alone")
        for name in names:
            kind = KINDS[name]()
            try:
                one = alone(pool, kind, count)
            except SceneError as problem:
                raise click.ClickException(f"{name}: {problem}") from None
            scenes[name] = {"one": one, "eight": together(pool, kind, max(count // 4, 5), rest_s)}
            click.echo(f"{name}: one p95 {one['p95']} ms, eight p95 {scenes[name]['eight']['p95']} ms", err=True)
    load.append(round(os.getloadavg()[0], 2))
    return {
        "picture": f"{PICTURE.width}x{PICTURE.height}",
        "sessions": SESSIONS,
        "workers": WORKERS,
        "rest_s": rest_s,
        "scenes": scenes,
        "backend": backend,
        "renderer": fingerprint.get("gl_renderer", ""),
        "cores": os.cpu_count(),
        "load_average_before": load[0],
        "load_average": load[1],
    }


@click.command("frames")
@click.option("--actions", type=click.IntRange(20, 1000), default=60, show_default=True, help="Actions counted per kind, one session.")
@click.option("--kind", "names", type=click.Choice(list(KINDS)), multiple=True, help="Kinds of scene; default: all.")
@click.option(
    "--rest", type=click.FloatRange(0.0, 10.0), default=0.0, show_default=True, help="Seconds each of the eight rests per action."
)
@click.option(
    "--bundle",
    "bundles",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    help="A folder of task files: time the start view of one task of each subcategory instead. Given twice, old and new take turns.",
)
@click.option("--rounds", type=click.IntRange(1, 200), default=9, show_default=True, help="Views counted per task of a bundle.")
@click.option("--backend", default="mujoco", show_default=True, help="Simulator backend.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
def command(actions: int, names: tuple[str, ...], rest: float, bundles: tuple[Path, ...], rounds: int, backend: str, as_json: bool) -> None:
    """Milliseconds per action by kind of scene, for one session and for eight on two workers; or per start view of bundles of tasks."""
    if len(bundles) > 2:
        raise click.UsageError(f"--bundle: expected one folder or two, got {len(bundles)}")
    if bundles:
        said = run_start_views(bundles, rounds, backend)
        click.echo(json.dumps(said, ensure_ascii=False)) if as_json else say(said)
        return
    with tempfile.TemporaryDirectory(prefix="vantage-bench-") as folder:
        result = run_frames(names or tuple(KINDS), actions, backend, Path(folder), rest)
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False))
        return
    click.echo(f"{result['backend']} {result['picture']}, {result['cores']} cores, load average {result['load_average_before']} before")
    for name, scene in result["scenes"].items():
        one, eight = scene["one"], scene["eight"]
        click.echo(
            f"  {name:<8} one p50 {one['p50']:>7.1f}  p95 {one['p95']:>7.1f}    eight p50 {eight['p50']:>7.1f}  p95 {eight['p95']:>7.1f}"
        )
        for action, found in one.get("several", {}).items():
            click.echo(f"           {action:<14} p50 {found['p50']:>7.1f}  p95 {found['p95']:>7.1f}   {found['pictures']} pictures")
