"""Commands of ``vantage study`` that say beforehand how large a study is, and what it can tell apart."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from app.commands.common import db_option, json_option, print_json, say
from app.commands.study_setup import study_argument
from data import jobs
from data.home import Home
from data.plurals import number_of
from data.store import Store
from study import sizing
from study.studies import being_edited

people_option = click.option("--people", type=click.IntRange(1, 100_000), help="Who take part; default: as planned, or as many as fill it.")


@click.command()
@study_argument
@people_option
@click.option("--seconds", type=click.FloatRange(1), default=sizing.SECONDS_PER_TASK, show_default=True,
              help="Of one task, where no pilot says it.")  # fmt: skip
@click.option("--around", type=click.FloatRange(0), default=sizing.MINUTES_AROUND, show_default=True,
              help="Minutes of a person beside the tasks.")  # fmt: skip
@db_option
@json_option
def size(study_id: str, people: int | None, seconds: float, around: float, db: Path | None, as_json: bool) -> None:
    """Say how many places, people, sessions and hours a study has, and what it pays."""
    store = Store.reading(Home.from_env(db))
    study = being_edited(store, study_id)
    found = sizing.size(store, study, people=people, seconds=seconds, around=around)
    pay = sizing.pay_of(study, found)
    if as_json:
        print_json(asdict(found) | {"places_in_all": found.places_in_all, "pay": asdict(pay) if pay else None})
        return
    for name, number in found.places.items():
        timed = "pilot" if name in found.piloted else "guess"
        click.echo(f"{name}: {number_of(number, 'place')}, {found.seconds[name]:.0f} s a task ({timed})")
    fill = "" if found.people_to_fill is None else f" ({found.people_to_fill:,} fill all places if nobody leaves)"
    click.echo(
        f"{number_of(found.people, 'person', 'people')}{fill}, {number_of(found.tasks_each, 'task')} each, "
        f"{number_of(found.sessions, 'session')}"
    )
    click.echo(f"{found.hours_each:.1f} hours a person, {found.hours:,.0f} in all")
    if pay:
        click.echo(f"{pay.each:.2f} {pay.currency} a person, {pay.an_hour:.2f} an hour, {pay.all:,.2f} in all")


@click.command()
@study_argument
@people_option
@click.option("--between", nargs=2, metavar="PARADIGM PARADIGM", help="Which two are compared; default: the first two of the study.")
@click.option("--accuracy", type=click.FloatRange(0.01, 0.99), default=0.6, show_default=True, help="Right answers in the first of them.")
@click.option("--dropout", type=click.FloatRange(0, 0.95), default=0.0, show_default=True, help="Share of people who leave on the way.")
@click.option("--gap", "gaps", multiple=True, type=click.FloatRange(0, 0.9), help="Difference to look for (repeatable); default 0 to 0.2.")
@click.option("--sets", type=click.IntRange(500, 100_000), default=600, show_default=True, help="Simulated studies for each gap.")
@click.option("--sd", nargs=4, type=click.FloatRange(0, 10), default=(0.7, 0.3, 1.0, 0.5), show_default=True,
              help="Spread in logits of people, their gains, tasks, their gains.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Decides what is drawn.")
@db_option
@json_option
def power(
    study_id: str, people: int | None, between: tuple[str, str] | None, accuracy: float, dropout: float, gaps: tuple[float, ...], sets: int,
    sd: tuple[float, float, float, float], seed: int, db: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Say which difference between two paradigms a study would find, by simulating it with its own assignment of places.

    Each simulated study is tested as a report tests it: two-way cluster-robust over participants and tasks, t, 5 %.
    """
    from study.measures.power import GAPS, Spread
    from study.measures.power import power as simulate

    store = Store.open(Home.from_env(db)) if jobs.current() else Store.reading(Home.from_env(db))
    study = being_edited(store, study_id)
    names = [way.name for way in study.ways]
    if between is None and len(names) < 2:
        raise click.UsageError(f"A difference needs two paradigms, and this study has {names[0]} alone: add one (`vantage study edit`).")
    pair = between or (names[0], names[1])
    for name in pair:
        if name not in names:
            raise click.BadParameter(f"{name!r} is none of the study's paradigms: {', '.join(names)}.", param_hint="--between")
    found = sizing.size(store, study, people=people)
    wanted = sorted({0.0, *(gaps or GAPS)})
    job, whole = jobs.current(), found.people + len(wanted) * 20
    answers = sizing.planned(
        store, study, found.people, dropout=dropout, seed=seed,
        progress=lambda done, total: jobs.report(store, job, done, whole, f"Places of {done} of {number_of(total, 'person', 'people')}"),
    )  # fmt: skip
    person, task, arm = sizing.pair(answers, names.index(pair[0]), names.index(pair[1]))
    try:
        points = simulate(
            person, task, arm, accuracy=accuracy, gaps=wanted, spread=Spread(*sd), sets=sets, seed=seed,
            progress=lambda done, total: jobs.report(store, job, found.people + done * 20, whole, f"{done} of {total} gaps"),
        )  # fmt: skip
    except ValueError as error:
        raise click.UsageError(f"Nothing can be simulated: {error}.") from None
    told = report(points) | {
        "study_id": study_id, "between": list(pair), "people": found.people, "tasks": len(set(task.tolist())), "answers": len(arm),
        "places_left": answers.left, "accuracy": accuracy, "dropout": dropout, "sets": sets, "sd": list(sd), "seed": seed,
    }  # fmt: skip
    jobs.set_result(store, job, told)
    if as_json:
        print_json(told)
        return
    for point in told["points"]:
        shown = f"{point['low']:.0%} to {point['high']:.0%}"
        click.echo(f"a gap of {point['gap'] * 100:4.1f} points is found {point['power']:.0%} of the time ({shown})")
    say(told["says"])


def report(points: list[Any]) -> dict[str, Any]:
    """What the simulated gaps say, with a sentence for the page and the paper."""
    from study.measures.power import ENOUGH, found_at

    at, nothing = found_at(points), next(point for point in points if point.gap == 0)
    if at is None:
        says = f"None of these gaps is found {ENOUGH * 10:.0f} times in 10: more answers or more tasks are needed."
    else:
        says = f"With these places a gap of about {at * 100:.0f} points is found {ENOUGH * 10:.0f} times in 10."
    if nothing.low > 0.05:
        says += f" Where there is no gap one is found {nothing.power:.0%} of the time, which is too often: distrust these figures."
    return {"points": [asdict(point) for point in points], "found_at": at, "says": says}


COMMANDS: tuple[click.Command, ...] = (size, power)
"""The commands of this module."""
