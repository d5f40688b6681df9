"""What ``vantage tasks balance`` says of shortcuts: golds guessed from names, from words, and from the first view."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from app.commands.common import print_json, say, time_left
from data.plurals import number_of
from data.task import Task

if TYPE_CHECKING:
    from data.generators.framework import Generator

ABOVE = 0.10
"""The upper end of a baseline's interval on drafts may be so far above chance."""
POOLED = 0.04
"""Over all tasks the first view may guess so many more, or fewer, than chance."""
ARMS = {"names": "objects", "question": "wording"}
"""What is told of baselines → the signal of the audit's models."""
AGAIN = 4
"""A kind that misses the bound is drawn again with so many times the items, and the larger draw decides."""


def of_drafts(items: int, seed: int, as_json: bool) -> None:
    """Names-only and question-only baselines on unproven drafts: a conditional logit in ten folds, twins in one (`annotation.auditing`).

    Twins have opposite golds and are guessed alike, so that Wilson's interval, which takes tasks for independent, is rather too wide. Of
    100 items with four options and no leak one draw in seven ends beyond the bound (57 or more of 200, binomial), so a miss is looked at
    again: with `AGAIN` times the items and the next seed, whatever comes of it. A row keeps both.
    """
    from data.generators.registry import GENERATORS

    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    began = time.perf_counter()
    for n, generator in enumerate(GENERATORS):
        say(f"{generator.category} / {generator.subcategory}{time_left(time.perf_counter() - began, n, len(GENERATORS) - n)}")
        row: dict[str, Any] = {"category": generator.category, "subcategory": generator.subcategory, "slug": generator.slug}
        row |= _guessed(generator, items, seed)
        deciding = row
        if _missed(row):
            say(f"{generator.subcategory}: beyond the bound; drawn again with {number_of(AGAIN * items, 'item')}")
            row["again"] = {"seed": seed + 1, "items": AGAIN * items, **_guessed(generator, AGAIN * items, seed + 1)}
            deciding = {**row, **row["again"]}
        rows.append(row)
        problems += [
            f"{row['subcategory']}: the {arm} alone give{'' if arm == 'names' else 's'} {deciding[arm]['share']:.2f} "
            f"[{deciding[arm]['interval'][0]:.2f}, {deciding[arm]['interval'][1]:.2f}] against {deciding['chance']:.2f}"
            for arm in _missed(deciding)
        ]
        if not row["questions"]:
            problems.append(f"{row['subcategory']}: no draft came out")
    _told(rows, problems, as_json, {"seed": seed, "items": items})


def _guessed(generator: Generator, items: int, seed: int) -> dict[str, Any]:
    """How many questions came out, what chance gets, and what each arm gets with its interval; None where it tells no candidates apart."""
    from annotation.auditing.shortcuts import FAMILIES, choices, credited
    from data.generators.framework import generate
    from study.measures.intervals import wilson

    found = choices(generate(generator, seed=seed, pairs=items).tasks)
    row: dict[str, Any] = {"questions": len(found)}
    row["chance"] = round(sum(sum(c.right) / len(c.right) for c in found) / max(len(found), 1), 4)
    for arm, family in ARMS.items():
        told = credited(found, FAMILIES[family][1]) if found else None
        # A signal that tells no candidate from another is a blind guess.
        share = wilson(round(sum(told)), len(told)) if told is not None else None
        row[arm] = (
            None if share is None else {"share": round(share.value or 0.0, 4), "interval": [round(x, 4) for x in share.interval or ()]}
        )
    return row


def _missed(row: dict[str, Any]) -> list[str]:
    """Arms whose interval ends beyond the bound."""
    return [arm for arm in ARMS if row[arm] is not None and row[arm]["interval"][1] > row["chance"] + ABOVE]


def of_first_frames(tasks: Sequence[Task], as_json: bool) -> None:
    """The first-view baseline (`data.generators.glances`), with Wilson's interval for each subcategory, and over all."""
    import numpy as np

    from data.generators.glances import first_glance, report
    from data.generators.lab import laboratory
    from sim_bridge.lost import once_more
    from study.measures.intervals import wilson

    began = time.perf_counter()

    with laboratory() as lab:
        each = []
        for done, task in enumerate(tasks):
            if done % 20 == 0:
                say(f"{done} of {len(tasks)} first views{time_left(time.perf_counter() - began, done, len(tasks) - done)}")
            each.append(once_more(partial(first_glance, task, lab), lab.renew))
    features = np.array(each)
    rows = report(tasks, features)
    for row in rows:
        share = wilson(row["right"], row["tasks"])
        row["first_view"] = {"share": round(share.value or 0.0, 4), "interval": [round(x, 4) for x in share.interval or ()]}
    right, chance = sum(r["right"] for r in rows), sum(r["chance"] * r["tasks"] for r in rows)
    pooled = {"share": round(right / len(tasks), 4), "chance": round(chance / len(tasks), 4), "tasks": len(tasks)}
    off = right / len(tasks) - chance / len(tasks)
    problems = [f"over all tasks the first view alone gives {off:+.3f} against chance"] if abs(off) > POOLED else []
    _told(rows, problems, as_json, {"pooled": pooled})


def _told(rows: list[dict[str, Any]], problems: list[str], as_json: bool, more: dict[str, Any]) -> None:
    if as_json:
        print_json({**more, "subcategories": rows, "problems": problems})
    else:
        for row in rows:
            shares = [
                f"{arm} {row[arm]['share']:.2f} [{row[arm]['interval'][0]:.2f}, {row[arm]['interval'][1]:.2f}]"
                for arm in (*ARMS, "first_view")
                if row.get(arm)
            ]
            click.echo(f"{row['subcategory']:<26} chance {row['chance']:.2f}  {'  '.join(shares)}".rstrip())
        if "pooled" in more:
            click.echo("over all                   chance {chance:.2f}  first_view {share:.2f}, {tasks} tasks".format_map(more["pooled"]))
    for problem in problems:
        say(problem)
    if problems:
        raise SystemExit(1)
