"""``vantage bench memory``: resident memory of one worker over many short episodes in ever new scenes; it should stay flat.

Every episode loads a scene nobody has loaded before (room, house, mirror, glass, water, cloth, things by turns), acts three times, asks for
the state, and closes. Memory is that of the worker process alone, as the system counts it.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import msgspec

from bench.frames import KINDS, Kind, house
from sim_bridge.pool import Pool

MARK = 50
"""Episodes between two readings."""
ACTIONS = ("turn_left", "move_forward", "turn_right")
COLOURS = ("red", "green", "blue", "yellow", "orange", "purple", "white", "black", "brown", "pink")
ROOMS = ("living_room", "bedroom", "kitchen", "bathroom", "office", "dining_room")


def episodes(count: int) -> Iterator[Kind]:
    """Scenes by turns, each with a seed and a thing of its own."""
    made = {name: build() for name, build in KINDS.items()}
    numbers = random.Random(3)
    for n in range(count):
        name = list(made)[n % len(made)]
        kind = made[name] if name != "house" else house(numbers.randrange(1000), numbers.randint(3, 8))
        room = kind.scene.room
        if name != "house":
            room = msgspec.structs.replace(room, kind=ROOMS[n % len(ROOMS)], seed=numbers.randrange(10**6))
        *others, last = kind.scene.objects
        painted = msgspec.structs.replace(last, params={**last.params, "color": numbers.choice(COLOURS)})
        yield replace(kind, scene=msgspec.structs.replace(kind.scene, room=room, objects=(*others, painted)))


def resident_mb(pid: int) -> float:
    """Resident memory of a process, MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def run_memory(count: int, backend: str, folder: Path) -> dict[str, Any]:
    """Measure; the figures, as ``--json`` prints them."""
    marks: list[dict[str, float]] = []
    started = time.perf_counter()
    with Pool(backend=backend, workers=1, log_dir=folder) as pool:
        client = pool.acquire("m", wait_s=120.0)
        pid = pool.status()[0].pid
        assert pid is not None
        for n, kind in enumerate(episodes(count), 1):
            client.load(f"m{n}", kind.scene, kind.start, deadline_s=120.0)
            for seq, action in enumerate((*ACTIONS, *kind.deeds), 1):
                client.act(f"m{n}", seq, action, deadline_s=120.0)
            client.state(f"m{n}", deadline_s=120.0)
            client.close_session(f"m{n}")
            if n % MARK == 0 or n == count:
                marks.append({"episodes": n, "rss_mb": round(resident_mb(pid), 1)})
                click.echo(f"{n} episodes: {marks[-1]['rss_mb']} MB, {time.perf_counter() - started:.0f} s", err=True)
        if pool.status()[0].restarts:
            raise click.ClickException("the worker was replaced on the way: its memory says nothing")
    first, last = marks[len(marks) // 2 - 1 if len(marks) > 1 else 0], marks[-1]
    span = max(last["episodes"] - first["episodes"], 1)
    return {
        "marks": marks,
        "growth_mb_per_100": round((last["rss_mb"] - first["rss_mb"]) / span * 100, 2),
        "backend": backend,
        "seconds": round(time.perf_counter() - started),
        "load_average": round(os.getloadavg()[0], 2),
    }


@click.command("memory")
@click.option("--episodes", "count", type=click.IntRange(1, 100_000), default=500, show_default=True, help="Episodes played.")
@click.option("--backend", default="mujoco", show_default=True, help="Simulator backend.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
def command(count: int, backend: str, as_json: bool) -> None:
    """Resident memory of one worker over many short episodes in ever new scenes."""
    if not Path("/proc/self/statm").exists():
        raise click.UsageError("This reads /proc, which this system has not.")
    with tempfile.TemporaryDirectory(prefix="vantage-bench-") as folder:
        result = run_memory(count, backend, Path(folder))
    if as_json:
        click.echo(json.dumps(result))
        return
    for mark in result["marks"]:
        click.echo(f"  {mark['episodes']:>6.0f} episodes  {mark['rss_mb']:>7.1f} MB")
    click.echo(f"  growth over the second half: {result['growth_mb_per_100']} MB per 100 episodes, {result['seconds']} s")
