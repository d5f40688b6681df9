"""``vantage bench explore``: how often blind explorers reach the evidence of tasks in houses within the budget.

An explorer (`data.generators.exploring`) knows what the question names and what has been in the picture, and neither the plan nor the
answer. It turns once round where it starts, enters the nearest doorway behind which it has not been (first one behind which it has read
the name of a room of the question), and looks for the room's sign. It has reached the evidence when the judge, told nothing but its
cameras and where things stand, derives the gold.

reached   share of explorations that reach it within the task's budget; the interval takes twins as one cluster
views     median of the views that those needed, the first included
proof     median length of the proofs, in views

What an explorer sees follows from walls, doors and signs alone: furniture hides nothing from it and stops it nowhere.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from data.generators.checking import read
from data.generators.exploring import EXPLORERS, observations
from data.generators.framework import CANNOT_READ, Rejected
from data.generators.registry import FOLDER, GENERATORS
from data.task import Task
from study.measures.intervals import CLUSTERED, clustered

FIRST_SEED = EXPLORERS
"""The seeds before it were used to choose the tasks."""
POLICY = "turn once round, enter, read the sign"


def explored(tasks: Sequence[Task], seeds: int) -> dict[str, Any]:
    """What explorers reach in tasks of houses.

    Args:
        tasks: of the generators' own; those without a house are left out.
        seeds: explorers per task.

    Returns:
        ``subcategories`` (name → ``tasks``, ``explorations``, ``reached``, ``interval``, ``views``, ``proof``), ``all`` with the same
        fields, and ``least`` (the task that is reached least often: ``task``, ``reached``).

    Raises:
        ClickException: no task is in a house.
    """
    judges = {(g.category, g.subcategory): g.judge for g in GENERATORS}
    chosen = [t for t in tasks if t.scene.house is not None and judges.get((t.category, t.subcategory))]
    if not chosen:
        raise click.ClickException("expected tasks in houses, found none")
    needed: dict[str, list[int | None]] = {}
    for n, task in enumerate(chosen, start=1):
        judge = judges[task.category, task.subcategory]
        assert judge is not None
        try:
            needed[task.task_id] = [observations(task, judge, FIRST_SEED + k) for k in range(seeds)]
        except CANNOT_READ as problem:
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


def _in_houses(folder: Path) -> list[Task]:
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            task = read(path)
        except Rejected as problem:
            raise click.ClickException(f"{path.name}: {problem}") from None
        if task.scene.house is not None:
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
    """How often blind explorers reach the evidence of tasks in houses within the budget."""
    result = explored(_in_houses(bundle), seeds)
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
