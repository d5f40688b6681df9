"""``vantage bench explore``: how often blind explorers reach the evidence of tasks within the budget.

In houses an explorer (`data.generators.exploring`) knows what the question names and what has been in the picture, and neither the plan nor
the answer. It turns once round where it starts, enters the nearest doorway behind which it has not been (first one behind which it has read
the name of a room of the question), and looks for the room's sign. It has reached the evidence when the judge, told nothing but its
cameras and where things stand, derives the gold. In *Unobserved Change* and *Agent Observation* it watches what moves, and looks into, onto
and behind things (`bench.peering`); it has reached the evidence when the simulator has shown it, in every part of the task, all things that
the task's evidence names, as large as it says.

reached   share of explorations that reach it within the task's budget; the interval takes twins as one cluster
views     median of the views that those needed, the first included
proof     median length of the proofs, in views

What an explorer of houses sees follows from walls, doors and signs alone: furniture hides nothing from it and stops it nowhere.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import click

from bench.peering import change_views, passing_views
from data.generators.checking import read
from data.generators.exploring import EXPLORERS, observations
from data.generators.framework import CANNOT_READ, Rejected
from data.generators.lab import Lab, Playing, laboratory
from data.generators.registry import FOLDER, GENERATORS
from data.task import Answer, Task
from sim_bridge.errors import BridgeError
from sim_bridge.lost import once_more
from study.measures.intervals import CLUSTERED, clustered

FIRST_SEED = EXPLORERS
"""The seeds before it were used to choose the tasks."""
POLICY = "in houses: turn once round, enter, read the sign; elsewhere: watch what moves, look into, onto and behind things"
PEERED = {("Temporal Understanding", "Unobserved Change"): change_views, ("Temporal Understanding", "Agent Observation"): passing_views}
"""Kinds of one room that are explored, and how."""


def explored(tasks: Sequence[Task], seeds: int) -> dict[str, Any]:
    """What explorers reach in tasks of houses, of Unobserved Change and of Agent Observation.

    Args:
        tasks: of the generators' own; those of other kinds are left out.
        seeds: explorers per task.

    Returns:
        ``subcategories`` (name → ``tasks``, ``explorations``, ``reached``, ``interval``, ``views``, ``proof``), ``all`` with the same
        fields, and ``least`` (the task that is reached least often: ``task``, ``reached``).

    Raises:
        ClickException: there is no such task.
    """
    judges = {(g.category, g.subcategory): g.judge for g in GENERATORS}
    chosen = [t for t in tasks if explorable(t) and judges.get((t.category, t.subcategory))]
    if not chosen:
        raise click.ClickException("expected tasks in houses, of Unobserved Change or of Agent Observation, found none")
    needed: dict[str, list[int | None]] = {}
    peered = any((t.category, t.subcategory) in PEERED for t in chosen)
    with laboratory() if peered else nullcontext() as lab:
        for n, task in enumerate(chosen, start=1):
            try:
                needed[task.task_id] = _needed(task, judges[task.category, task.subcategory], range(FIRST_SEED, FIRST_SEED + seeds), lab)
            except (*CANNOT_READ, BridgeError) as problem:
                raise click.ClickException(f"{task.task_id}: cannot be explored: {problem}") from None
            if n % 10 == 0 or n == len(chosen):
                click.echo(f"{n} of {len(chosen)} tasks", err=True)
    kinds = list(dict.fromkeys(f"{t.category} / {t.subcategory}" for t in chosen))
    rows = {kind: figures([t for t in chosen if f"{t.category} / {t.subcategory}" == kind], needed) for kind in kinds}
    worst = min(chosen, key=lambda t: (share(needed[t.task_id]), t.task_id))
    return {
        "policy": POLICY,
        "seeds": seeds,
        "interval": CLUSTERED,
        "subcategories": rows,
        "all": figures(chosen, needed),
        "least": {"task": worst.task_id, "reached": round(share(needed[worst.task_id]), 3)},
    }


def explorable(task: Task) -> bool:
    """Whether explorers can be sent into a task."""
    return task.scene.house is not None or (task.category, task.subcategory) in PEERED


def _needed(task: Task, judge: Callable[[Playing], Answer] | None, seeds: Sequence[int], lab: Lab | None) -> list[int | None]:
    """Observations that each explorer needs; None: it does not reach the evidence."""
    peer = PEERED.get((task.category, task.subcategory))
    if peer is not None:
        assert lab is not None
        return once_more(partial(peer, task, lab, seeds), lab.renew)
    assert judge is not None
    return [observations(task, judge, seed) for seed in seeds]


def share(needed: Sequence[int | None]) -> float:
    """Explorations of one task that reached the evidence."""
    return sum(n is not None for n in needed) / len(needed)


def figures(tasks: Sequence[Task], needed: dict[str, list[int | None]]) -> dict[str, Any]:
    """The figures of some tasks (`explored`)."""
    rows = [(task, n) for task in tasks for n in needed[task.task_id]]
    found = clustered([float(n is not None) for _, n in rows], [min(t.task_id, t.twin or t.task_id) for t, _ in rows])
    views = [n for _, n in rows if n is not None]
    return {
        "tasks": len(tasks),
        "explorations": len(rows),
        "reached": round(found.value or 0.0, 3),
        "interval": [round(min(1.0, max(0.0, v)), 3) for v in found.interval] if found.interval else None,
        "views": statistics.median(views) if views else None,
        "proof": statistics.median(len(t.gt_trajectory) + 1 for t in tasks),
    }


def _explorable(folder: Path) -> list[Task]:
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            task = read(path)
        except Rejected as problem:
            raise click.ClickException(f"{path.name}: {problem}") from None
        if explorable(task):
            found.append(task)
    return found


@click.command("explore")
@click.option(
    "--bundle",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=FOLDER,
    show_default="the bundled tasks",
    help="A folder of task files.",
)
@click.option("--seeds", type=click.IntRange(1, 1000), default=20, show_default=True, help="Explorers per task.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
def command(bundle: Path, seeds: int, as_json: bool) -> None:
    """How often blind explorers reach the evidence within the budget: in houses, of Unobserved Change and of Agent Observation."""
    result = explored(_explorable(bundle), seeds)
    if as_json:
        json.dump(result, sys.stdout, ensure_ascii=False)
        click.echo()
        return
    click.echo(f"{result['seeds']} explorers a task ({result['policy']})")
    for name, row in [*result["subcategories"].items(), ("all", result["all"])]:
        interval = "[{:.2f}, {:.2f}]".format(*row["interval"]) if row["interval"] else "(no interval)"
        needed = "–" if row["views"] is None else f"{row['views']:g}"
        click.echo(
            f"  {name:<42} {row['tasks']:>3} tasks  reached {row['reached']:.2f} {interval}  views {needed:>4}  proof {row['proof']:g}"
        )
    click.echo(f"  least: {result['least']['task']}, {result['least']['reached']:.2f}")
