"""``vantage bench assignment``: what it costs to give somebody a task, in a study of the size of ESI-Bench's.

Tasks are the bundled ones again and again, under names of their own. People come one after the other and do their tasks in turns, a task
each; nothing is played, so that only assignment is timed, in a database on disk.

arrive, next    milliseconds to reserve a session, and to give the next task of one
within, between how far apart the numbers of people are, in each paradigm: of tasks of one category, and of any
missing         places that nobody has filled: in all, and for each task and paradigm

Ends with status 1 where giving a task takes more than 50 ms (95 %), or the numbers are more than 1 and 2 apart.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from data.generators.registry import bundled
from data.home import Home
from data.store import Store
from data.task import Task
from study import assignment, line, participants, slots
from study.errors import NoTaskLeft
from study.studies import Study, create_study

AIM_MS = 50.0
"""What giving a task may take (95 % of them)."""
WITHIN, BETWEEN = 1, 2
"""How far apart the numbers of people may be."""


def run_assignment(people: int, tasks: int, places: int, trials: int, folder: Path) -> dict[str, Any]:
    """Let people do their tasks in a new database.

    Args:
        people: how many.
        tasks: of the study.
        places: for each task in each paradigm.
        trials: tasks of a session.
        folder: where the database is written.

    Returns:
        The figures, as the module says.
    """
    store = Store.open(Home.from_env(folder / "vantage.db"))
    try:
        study = _study(store, tasks, places, trials)
        arrive, following = _everybody(store, study, people)
        return _figures(store, study, arrive, following)
    finally:
        store.close()


def _study(store: Store, tasks: int, places: int, trials: int) -> Study:
    made = list(itertools.islice(_again(), tasks))
    with store.atomic():
        for task in made:
            store.put_task(task)
    names = tuple(task.content_hash for task in made)
    ways = ("active", "single_view")
    return create_study(store, "Bench", state="live", paradigms=ways, tasks=names, per_task=places, trials=trials)


def _again() -> Iterator[Task]:
    """The bundled tasks, again and again; each a content of its own."""
    every = list(bundled())
    for n in itertools.count():
        for task in every:
            yield task.model_copy(update={"task_id": f"bench-{n}-{task.task_id}", "twin": task.twin and f"bench-{n}-{task.twin}"})


def _everybody(store: Store, study: Study, people: int) -> tuple[list[float], list[float]]:
    """Everybody comes, and all do their tasks in turns; returns how long each arrival and each task took, ms."""
    arrive, following, inside = [], [], []
    for _ in range(people):
        person = participants.add_participant(store, study.study_id)
        participants.decide(store, person, "consent")
        began = time.perf_counter()
        line.admit(store, study, participants.get_participant(store, person))
        arrive.append((time.perf_counter() - began) * 1000)
        inside.append(person)
    while inside:
        for person in list(inside):
            began = time.perf_counter()
            try:
                slot = assignment.assign(store, person)
            except NoTaskLeft:
                inside.remove(person)
                continue
            following.append((time.perf_counter() - began) * 1000)
            slots.move(store, slot.slot_id, "answer")
    return arrive, following


def _figures(store: Store, study: Study, arrive: list[float], following: list[float]) -> dict[str, Any]:
    rows = store.query(
        "SELECT p.paradigm, p.category, t.task_id AS task, p.filled, p.free + p.claimed AS missing FROM places p "
        "JOIN tasks t ON t.content_hash = p.task_hash WHERE p.study_id = ? ORDER BY p.paradigm, t.task_id",
        [study.study_id],
    )
    cells: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row in rows:
        for name in ((row["paradigm"],), (row["paradigm"], row["category"])):
            cells[name].append(row["filled"])
    apart = {name: max(counts) - min(counts) for name, counts in cells.items()}
    within = max((span for name, span in apart.items() if len(name) == 2), default=0)
    between = max((span for name, span in apart.items() if len(name) == 1), default=0)
    p95 = _p95(following)
    return {
        "tasks": len(study.tasks),
        "places": len(rows) * (study.per_task or 0),
        "given": len(following),
        "arrive_p95_ms": round(_p95(arrive), 1),
        "next_p50_ms": round(statistics.median(following), 1),
        "next_p95_ms": round(p95, 1),
        "next_max_ms": round(max(following), 1),
        "within": within,
        "between": between,
        "missing": sum(row["missing"] for row in rows),
        "missing_places": [[row["task"], row["paradigm"], row["missing"]] for row in rows if row["missing"]],
        "load_average": round(os.getloadavg()[0], 2),
        "met": p95 <= AIM_MS and within <= WITHIN and between <= BETWEEN,
    }


def _p95(times: list[float]) -> float:
    return sorted(times)[int(0.95 * (len(times) - 1))]


@click.command("assignment")
@click.option("--people", type=click.IntRange(2), default=28, show_default=True, help="How many take part.")
@click.option("--tasks", type=click.IntRange(10), default=3081, show_default=True, help="Tasks, each in two paradigms.")
@click.option("--places", type=click.IntRange(1), default=5, show_default=True, help="People for each task in each paradigm.")
@click.option("--trials", type=click.IntRange(1), default=30, show_default=True, help="Tasks of a session.")
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), help="Where the database is written; default: a temporary folder."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output, with every missing place.")
def command(people: int, tasks: int, places: int, trials: int, folder: Path | None, as_json: bool) -> None:
    """What it costs to give somebody a task in a large study, and how even the numbers are. Ends with status 1 where an aim is missed."""
    with tempfile.TemporaryDirectory(prefix="vantage-bench-", dir=folder) as place:
        result = run_assignment(people, tasks, places, trials, Path(place))
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False))
    else:
        click.echo(
            f"{people} people, {tasks:,} tasks in two paradigms, {places} places each, sessions of {trials}; "
            f"load {result['load_average']}\n"
            f"To reserve a session: {result['arrive_p95_ms']} ms (95 %)\n"
            f"To give the next task: {result['next_p50_ms']} ms (median), {result['next_p95_ms']} ms (95 %; at most {AIM_MS:g}), "
            f"{result['next_max_ms']} ms (longest)\n"
            f"Numbers of people differ by {result['within']} within a category and {result['between']} between any tasks\n"
            f"Places that nobody has filled: {result['missing']:,} of {result['places']:,}, at {len(result['missing_places']):,} tasks and "
            "paradigms (--json lists them)"
        )
    if not result["met"]:
        raise SystemExit(1)
