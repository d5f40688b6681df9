"""``vantage bench coverage``: how often the intervals of accuracies and of their differences hold the truth, by drawing studies.

Sets of answers are drawn from a response model of known truth (`study.measures.response`), for 28 and 60 people and 40 tasks, and for few
people; each gets the interval that pages and reports print (`study.measures.accuracy`). Nothing is played.

all         one paradigm, everybody answers everything
five        one paradigm, five people to a task
half        difference of two paradigms, each person meets each task in one of them
five_each   difference of two paradigms, five people to a task in each

random      the truth is the accuracy at tasks like these;  fixed: at exactly the tasks of the set
covered     share of sets whose interval holds the truth; sets without an interval are counted in `without` and cover nothing

Prints every row and which lie outside 93 to 97 %. Ends with status 0: a method that misses is told beside its interval.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Literal

import click
import numpy as np

from study.measures.accuracy import Tasks, gap, share
from study.measures.intervals import Whole, wilson
from study.measures.power import Spread
from study.measures.record import Measure
from study.measures.response import Response, centres

PEOPLE = (28, 60)
FEW = (6, 12)
"""Sizes at which intervals have few clusters."""
TASKS = 40
SDS = (0.5, 1.0, 1.5)
"""Standard deviations of tasks, logits."""
MEANS = (0.3, 0.6, 0.9)
GAP = 0.05
"""By which the second paradigm is easier."""
PER_TASK = 5
LOW, HIGH = 0.93, 0.97

Design = Literal["all", "five", "half", "five_each"]
DESIGNS: tuple[Design, ...] = ("all", "five", "half", "five_each")
ONE_ARM = frozenset({"all", "five"})


@dataclass(frozen=True)
class Row:
    """What was found in one kind of study."""

    people: int
    tasks: int
    design: Design
    of: Tasks
    sd_task: float
    mean: float
    covered: float
    low: float
    """Wilson's interval for `covered`: how exactly these sets tell it."""
    high: float
    without: int
    """Sets whose answers give no interval."""
    width: float
    """Mean width of the intervals."""

    @property
    def holds(self) -> bool:
        """Whether it lies within what is aimed at."""
        return LOW <= self.covered <= HIGH


def plan(draw: np.random.Generator, people: int, tasks: int, design: Design) -> tuple[Whole, Whole, Whole]:
    """Who answers what, and in which paradigm: three arrays of shape (answers,)."""
    person, task = (grid.ravel() for grid in np.meshgrid(np.arange(people), np.arange(tasks), indexing="ij"))
    if design == "all":
        return person, task, np.zeros(len(person), dtype=np.int64)
    if design == "half":
        return person, task, draw.integers(0, 2, len(person))
    arms = 1 if design == "five" else 2
    each = min(PER_TASK, people // arms)
    # at each task, drawn people, the first few of them in the first paradigm
    who = np.concatenate([draw.permutation(people)[: each * arms] for _ in range(tasks)])
    return who, np.repeat(np.arange(tasks), each * arms), np.tile(np.repeat(np.arange(arms), each), tasks)


def cell(people: int, tasks: int, design: Design, sd: float, mean: float, sets: int, seed: int) -> list[Row]:
    """Draw the sets of one kind of study.

    Returns:
        Two rows: for tasks like these, and for exactly these.
    """
    spread = Spread(task=sd)
    middle = centres((mean, mean + GAP), spread)
    draw = np.random.default_rng([seed, people, tasks, DESIGNS.index(design), round(sd * 10), round(mean * 10)])
    held: dict[Tasks, list[bool]] = {"random": [], "fixed": []}
    widths: dict[Tasks, list[float]] = {"random": [], "fixed": []}
    without: dict[Tasks, int] = {"random": 0, "fixed": 0}
    for _ in range(sets):
        person, task, arm = plan(draw, people, tasks, design)
        model = Response.drawn(draw, people, tasks, middle, spread)
        right = (draw.random(len(person)) < model.probability(person, task, arm)).astype(np.float64)
        for of in held:
            truth = _truth(model, task, arm, of, mean, design)
            found = _found(right, person, task, arm, of, design)
            if found.interval is None:
                without[of] += 1
                held[of].append(False)
                continue
            low, high = found.interval
            held[of].append(low <= truth <= high)
            widths[of].append(high - low)
    return [_row(people, tasks, design, of, sd, mean, held[of], without[of], widths[of]) for of in held]


def _truth(model: Response, task: Whole, arm: Whole, of: Tasks, mean: float, design: Design) -> float:
    if design in ONE_ARM:
        return mean if of == "random" else model.of_these_tasks(task, 0)
    if of == "random":
        return GAP
    return model.of_these_tasks(task[arm == 1], 1) - model.of_these_tasks(task[arm == 0], 0)


def _found(right: Any, person: Whole, task: Whole, arm: Whole, of: Tasks, design: Design) -> Measure:
    who, what = person.tolist(), task.tolist()
    return share(right, who, what, tasks=of) if design in ONE_ARM else gap(right, who, what, arm, tasks=of)


def _row(
    people: int, tasks: int, design: Design, of: Tasks, sd: float, mean: float, held: list[bool], without: int, widths: list[float]
) -> Row:
    covered = wilson(sum(held), len(held))
    low, high = covered.interval or (0.0, 1.0)
    width = float(np.mean(widths)) if widths else float("nan")
    return Row(people, tasks, design, of, sd, mean, covered.value or 0.0, low, high, without, width)


def cells(people: tuple[int, ...]) -> Iterator[tuple[int, Design, float, float]]:
    """The kinds of studies, the longest first."""
    yield from product(sorted(people, reverse=True), DESIGNS, SDS, MEANS)


def run_coverage(people: tuple[int, ...], tasks: int, sets: int, seed: int, workers: int) -> list[Row]:
    """Draw every kind of study.

    Args:
        people: sizes.
        tasks: of each set.
        sets: of each kind.
        seed: decides what is drawn.
        workers: processes.
    """
    with ProcessPoolExecutor(workers) as pool:
        waiting = [pool.submit(cell, size, tasks, design, sd, mean, sets, seed) for size, design, sd, mean in cells(people)]
        rows: list[Row] = []
        with click.progressbar(waiting, label="Drawing studies", file=sys.stderr) as ready:
            for one in ready:
                rows.extend(one.result())
    return rows


@click.command("coverage", help=__doc__)
@click.option("--people", type=int, multiple=True, help="Participants of a study; several times for several sizes. Default: 6, 12, 28, 60.")
@click.option("--tasks", type=click.IntRange(2), default=TASKS, show_default=True)
@click.option("--sets", type=click.IntRange(100), default=1000, show_default=True, help="Drawn sets of each kind of study.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(people: tuple[int, ...], tasks: int, sets: int, seed: int, workers: int, as_json: bool) -> None:
    began = time.monotonic()
    rows = run_coverage(people or (*FEW, *PEOPLE), tasks, sets, seed, workers)
    took = round(time.monotonic() - began, 1)
    if as_json:
        told = [asdict(row) | {"holds": row.holds} for row in rows]
        click.echo(json.dumps({"sets": sets, "seed": seed, "seconds": took, "aim": [LOW, HIGH], "rows": told}, indent=1))
        return
    click.echo(f"{'people':>6} {'design':<10} {'of':<7} {'sd':>4} {'mean':>5}  covered           width")
    for row in rows:
        mark = "" if row.holds else "  outside" + (f", {row.without} without" if row.without else "")
        click.echo(
            f"{row.people:>6} {row.design:<10} {row.of:<7} {row.sd_task:>4} {row.mean:>5}  "
            f"{row.covered:.3f} ({row.low:.3f}–{row.high:.3f})  {row.width:.3f}{mark}"
        )
    click.echo(f"{sum(row.holds for row in rows)} of {len(rows)} within {LOW:.0%} to {HIGH:.0%}; {sets} sets each, {took} s")
