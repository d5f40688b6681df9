"""``vantage simulate``: a dry run of a study with simulated people."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.commands.common import db_option, json_option, print_json, say
from data.plurals import number_of

if TYPE_CHECKING:
    from study.dryrun.running import Report


@click.command("simulate")
@click.argument("study_id", metavar="[STUDY]", required=False)
@click.option("--participants", "count", type=click.IntRange(1, 5000), default=60, show_default=True, help="How many people come.")
@click.option("--dropout", type=click.FloatRange(0, 1), default=0.3, show_default=True, help="Probability that somebody leaves.")
@click.option("--seed", type=int, default=1, show_default=True, help="Decides who they are and what they do.")
@click.option("--render", is_flag=True, help="With the pictures of the real simulator; default: sketches, within minutes.")
@click.option(
    "--keep", type=click.Path(file_okay=False, path_type=Path), help="New folder for the dry run's database; default: it is thrown away."
)
@click.option("--burst", type=click.IntRange(1, 5000), help="Instead: number of people who come to a server of its own within seconds.")
@db_option
@json_option
def command(
    study_id: str | None, count: int, dropout: float, seed: int, render: bool, keep: Path | None, burst: int | None, db: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Let simulated people come to a copy of a study: do assignment and technique hold?

    STUDY is an id; without one it is the study of `vantage study demo`. People come together and one by one, are slow and quick, cautious
    and hasty, able and less able, take breaks, leave for good or for hours, and sometimes guess. They go through the real assignment and
    the real engine, in a database of its own whose people are of the kind bot; days pass within minutes. Nothing is written into your
    database.

    With --burst nobody plays: that many invited people come to a server of its own over HTTP within ten seconds, from a fifth as many
    addresses, one of which is a classroom of sixty. Each agrees and asks for their place.

    What was put into them stands beside what the measures find in their answers: accuracy in each paradigm and the differences,
    calibration, actions before a right answer, changes of mind, repeated actions, speed, drop-out. Of a hundred intervals about five miss.

    Exit status 1: something that must hold does not; it is named. An interval that misses is no such thing.
    """
    if burst is not None:
        _burst(burst, seed, as_json)
        return
    from data.home import Home
    from data.store import Store
    from study.dryrun.running import run
    from study.sample import sample_study
    from study.studies import being_edited

    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise click.BadParameter(f"{keep} is not empty: name a new folder.", param_hint="--keep")
    store = Store.open(Home.from_env(db))
    study = being_edited(store, study_id) if study_id else sample_study(store)
    report = run(store, study, count=count, dropout=dropout, seed=seed, render=render, keep=keep, tell=say)
    if as_json:
        import msgspec

        print_json(msgspec.to_builtins(report))
    _tell(report, keep, as_json)
    if not report.ok:
        sys.exit(1)


def _burst(count: int, seed: int, as_json: bool) -> None:
    from bench.burst import run

    report = run(count, seed=seed, tell=say)
    if as_json:
        print_json(report)
    for check in report["checks"]:
        (say if as_json else click.echo)(f"{'ok ' if check['ok'] else 'NOT'}  {check['name']}: {check['told']}")
    if not report["ok"]:
        sys.exit(1)


def _recovered(report: Report, tell: Callable[[str], None]) -> None:
    """What was put in beside what was found."""
    with_interval = [line for line in report.recovered if line.holds is not None]
    tell(f"Of {len(with_interval)} intervals {sum(bool(line.holds) for line in with_interval)} hold what was put in:")
    tell(f"     {'':<52} {'put in':>7} {'found':>7}  interval")
    for line in report.recovered:
        found = "–" if line.estimate is None else f"{line.estimate:.3f}"
        between = line.reason if line.low is None else f"{line.low:.3f} to {line.high:.3f}  (n = {line.n})"
        tell(f"{'' if line.holds is not False else 'misses':<6} {line.measure:<51} {line.put_in:>7.3f} {found:>7}  {between}")


def _tell(report: Report, keep: Path | None, quiet: bool) -> None:
    """The report for people: on standard output, or beside JSON on the other."""
    tell = say if quiet else click.echo
    study, places, known = report.study, report.places, report.hindsight
    tell(
        f"{study['name']}: {number_of(study['tasks'], 'task')} in {', '.join(study['paradigms'])}, {number_of(places['made'], 'place')}, "
        f"sessions of {study['trials']}."
    )
    tell("People: " + ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in report.people.items() if count) + ".")
    tell(f"Places: {places['completed']} completed, {places['live']} held; {report.hours:g} hours of the study in {report.seconds:g} s.")
    for finding in report.checks:
        tell(f"{'ok ' if finding.ok else 'NOT'}  {finding.name}: {finding.told}")
        for line in finding.wrong:
            tell(f"       {line}")
    for line in report.errors:
        tell(f"NOT  {line}")
    if report.recovered:
        _recovered(report, tell)
    tell(f"Whole sessions: {known['completed']}; knowing everything beforehand, at most {known['at_most']} (for information).")
    if report.left:
        reasons: dict[str, int] = {}
        for cell in report.left:
            reasons[cell["reason"]] = reasons.get(cell["reason"], 0) + cell["places"]
        tell("Places left: " + "; ".join(f"{count} {reason}" for reason, count in sorted(reasons.items())) + ".")
    if keep is not None:
        tell(f"Its database: {keep / 'vantage.db'} (`vantage export --mode bot --db …`).")
