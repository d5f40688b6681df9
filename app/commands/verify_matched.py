"""``vantage verify matched``: generated tasks beside those that people made."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from app.commands.common import db_option, json_option, print_json, say
from data.home import Home
from data.store import Store


@click.command("matched")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides which tasks are drawn.")
@click.option("--not-retained-too", is_flag=True, help="Also tasks that no verification retained.")
@db_option
@json_option
def command(seed: int, not_retained_too: bool, db: Path | None, as_json: bool) -> None:
    """Compare generated tasks with those that people made (ESI-Bench, Table 7).

    Equally many of both are drawn from every subcategory that has both. Beside them stands what each agent reached on them, acting.
    """
    from annotation.authoring.matched import matched

    found = matched(Store.reading(Home.from_env(db)), seed=seed, retained=not not_retained_too)
    if as_json:
        print_json(msgspec.to_builtins(found))
        return
    if not found.pairs:
        say("No subcategory has both generated tasks and tasks that people made and a verification retained.")
        return
    for pair in found.pairs:
        click.echo(f"{pair.category}: {pair.subcategory}: {len(pair.authored)} of {pair.there[0]} generated and {pair.there[1]} authored")
    for row in found.rows:
        one, other, gap = ("none" if value is None else f"{value:.1f}" for value in (row.generated, row.authored, row.gap))
        click.echo(
            f"{row.agent}: generated {one} ({row.answers[0]} answers), authored {other} ({row.answers[1]} answers), gap {gap} points"
        )
    say(f"{found.size} tasks of each.")
