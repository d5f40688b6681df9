"""``vantage bench frames --bundle OLD --bundle NEW``: what the start views of two folders of tasks cost, in one run.

One task of each subcategory of each folder (the first by id) is loaded, and their start views are drawn again and again, old and new in
turn, so that whatever else the machine does meets both. The time is the worker's own (`bench.loop.BARE`: simulate, render, hash, encode).
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from bench.loop import BARE
from data.generators.checking import read
from data.generators.framework import Rejected
from data.generators.registry import GENERATORS
from data.task import Task
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.client import Client
from sim_bridge.errors import SceneError
from sim_bridge.pool import Pool

WARM_UP = 2
"""Views of each task before the count starts."""


def first_tasks(folder: Path) -> dict[str, Task]:
    """Subcategory (``Category / Name``) → the first task of a folder by its file's name, in the order of the generators.

    Raises:
        ClickException: a file is no task, or there is none.
    """
    found: dict[str, Task] = {}
    starts = {f"own-{g.slug}-": f"{g.category} / {g.subcategory}" for g in GENERATORS}
    for path in sorted(folder.glob("*.json")):
        # The names of files that our generators write say the kind, so that not every task of a bundle has to be read.
        if next((name for start, name in starts.items() if path.name.startswith(start)), "") in found:
            continue
        try:
            task = read(path)
        except Rejected as problem:
            raise click.ClickException(f"{path.name}: {problem}") from None
        found.setdefault(f"{task.category} / {task.subcategory}", task)
    if not found:
        raise click.ClickException(f"expected a folder of task files, got {folder.name!r} without any")
    order = {name: i for i, name in enumerate(starts.values())}
    return dict(sorted(found.items(), key=lambda item: order.get(item[0], len(order))))


def alternate(client: Client, tasks: Sequence[Task], rounds: int) -> list[list[float]]:
    """Milliseconds of each round's start view by task; the tasks take turns, the order turned around every other round."""
    for n, task in enumerate(tasks):
        client.load(f"view{n}", task.scene, task.start, actions=CAMERA_ACTIONS, deadline_s=300.0)
    times: list[list[float]] = [[] for _ in tasks]
    for k in range(rounds + WARM_UP):
        order = range(len(tasks)) if k % 2 == 0 else reversed(range(len(tasks)))
        for n in order:
            spent = client.observe(f"view{n}", deadline_s=120.0).timing_ms
            if k >= WARM_UP:
                times[n].append(sum(spent.get(part, 0.0) for part in BARE))
    for n in range(len(tasks)):
        client.close_session(f"view{n}")
    return times


def compare(old: Mapping[str, Sequence[float]], new: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Medians by subcategory, milliseconds, and how the whole compares: median of the medians, and the worst of them.

    Args:
        old: subcategory → milliseconds of its start view, one per round.
        new: the same of the second folder; empty where there is none.

    Returns:
        ``subcategories`` (name → ``old``, ``new``, ``ratio``), ``old`` and ``new`` (``median``, ``worst``), and over the subcategories that
        both have ``median_ratio`` and ``worst_ratio``.
    """
    rows: dict[str, dict[str, float]] = {}
    for name in dict.fromkeys([*old, *new]):
        row = {label: round(statistics.median(times[name]), 2) for label, times in (("old", old), ("new", new)) if name in times}
        if len(row) == 2:
            row["ratio"] = round(row["new"] / row["old"], 3) if row["old"] else 1.0
        rows[name] = row
    said: dict[str, Any] = {"subcategories": rows}
    both = [row for row in rows.values() if "ratio" in row] if new else list(rows.values())
    for label in ("old", "new") if new else ("old",):
        values = [row[label] for row in both]
        if values:
            said[label] = {"median": round(statistics.median(values), 2), "worst": round(max(values), 2)}
    if "new" in said and "old" in said:
        said["median_ratio"] = round(said["new"]["median"] / max(said["old"]["median"], 1e-9), 3)
        said["worst_ratio"] = round(said["new"]["worst"] / max(said["old"]["worst"], 1e-9), 3)
    return said


def run_start_views(folders: Sequence[Path], rounds: int, backend: str) -> dict[str, Any]:
    """Draw the start views of one folder or two; the figures, as ``--json`` prints them."""
    bundles = [first_tasks(folder) for folder in folders]
    times: list[dict[str, list[float]]] = [{} for _ in bundles]
    names = list(dict.fromkeys(name for bundle in bundles for name in bundle))
    with (
        tempfile.TemporaryDirectory(prefix="vantage-bench-") as logs,
        Pool(backend=backend, workers=1, max_sessions_per_worker=4, log_dir=Path(logs)) as pool,
    ):
        client = pool.acquire("views", wait_s=120.0)
        for i, name in enumerate(names):
            having = [k for k, bundle in enumerate(bundles) if name in bundle]
            try:
                measured = alternate(client, [bundles[k][name] for k in having], rounds)
            except SceneError as problem:
                raise click.ClickException(f"{name}: {problem}") from None
            for k, found in zip(having, measured, strict=True):
                times[k][name] = found
            click.echo(f"{i + 1} of {len(names)}: {name}", err=True)
        pool.release("views")
    return {"rounds": rounds, "backend": backend, **compare(times[0], times[1] if len(times) > 1 else {})}


def say(result: Mapping[str, Any]) -> None:
    """Print the figures for people."""
    click.echo(f"milliseconds per start view ({' + '.join(BARE)}), median of {result['rounds']}, {result['backend']}")
    for name, row in result["subcategories"].items():
        figures = "  ".join(f"{label} {row[label]:>7.1f}" for label in ("old", "new") if label in row)
        click.echo(f"  {name:<46} {figures}" + (f"  × {row['ratio']:.2f}" if "ratio" in row else ""))
    for label in ("old", "new"):
        if label in result:
            click.echo(f"  {label}: median {result[label]['median']:.1f}, worst {result[label]['worst']:.1f}")
    if "median_ratio" in result:
        click.echo(f"  new / old: median × {result['median_ratio']:.2f}, worst × {result['worst_ratio']:.2f}")
