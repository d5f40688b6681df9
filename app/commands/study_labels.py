"""``vantage study labels``: what coders said of trajectories, as figures."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from app.commands.common import db_option, json_option, print_json, say
from data.home import Home
from data.plurals import number_of
from data.store import Store
from study.labels import failures, results
from study.studies import get_study


@click.command("labels")
@click.argument("study_id", metavar="STUDY")
@db_option
@json_option
def command(study_id: str, db: Path | None, as_json: bool) -> None:
    """Show how many strategies coders found, how often views are contrastive and beliefs revised, and which failure modes there are.

    Trajectories are labelled on the page "Trajectories". A figure is missing, and never 0, where too little is labelled.
    """
    store = Store.open(Home.from_env(db))
    get_study(store, study_id)
    groups, rates, failed = results.strategies(store, study_id), results.rates(store, study_id), results.failures(store, study_id)
    if as_json:
        print_json({name: msgspec.to_builtins(part) for name, part in (("strategies", groups), ("rates", rates), ("failures", failed))})
        return
    for group in groups:
        told = ", ".join(f"{coder}: {n}" for coder, n in group.clusters.items()) or "none yet"
        click.echo(f"{group.category} / {group.subcategory}: {group.grouped} of {group.trajectories} grouped; strategies {told}.")
    for rate in rates:
        click.echo(
            f"{rate.agent}: {number_of(rate.trajectories, 'active trajectory', 'active trajectories')}, {rate.labelled} labelled by two; "
            f"contrastive {_percent(rate.contrastive)}, "
            f"belief revised {_percent(rate.revised)} of {rate.believed}, "
            f"after a contrastive view {_percent(rate.revised_after_contrastive)}."
        )
    labels = {code.code: code.label for code in failures.book(store, retired=True)}
    for each in failed:
        told = ", ".join(f"{labels[code]} {share:.1f} %" for code, share in each.shares.items()) or "none yet"
        click.echo(f"{each.agent}: {each.failed} failed, {each.coded} coded; {told}.")
    if not groups and not rates:
        say("Nobody has completed an active trajectory in this study yet.")


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f} %"
