"""``vantage verify matched``: generated tasks beside those that people made."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from app.commands.common import db_option, json_option, print_json, say
from data.home import Home
from data.plurals import number_of
from data.store import Store


@click.command("matched")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides which tasks are drawn.")
@click.option("--not-retained-too", is_flag=True, help="Also tasks that no verification retained.")
@db_option
@json_option
def command(seed: int, not_retained_too: bool, db: Path | None, as_json: bool) -> None:
    """Compare generated tasks with those that people made (ESI-Bench, Table 7).

    Equally many of both are drawn from every subcategory that has both. Beside them stands what each agent reached on them, acting:
    per cent right and the gap in points, each with a 95 % interval (people crossed with tasks; a model over tasks), or a dash and why not.
    """
    from annotation.authoring.matched import PEOPLE, matched
    from study.measures.rounding import half_up

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
        who = number_of(row.people, "person", "people") if row.agent == PEOPLE else row.agent
        click.echo(f"{who}, on {row.tasks[0]} generated and {row.tasks[1]} authored tasks:")
        for name, one in (("generated", row.generated), ("authored", row.authored), ("gap", row.gap)):
            between = "" if one.low is None else f" [{half_up(one.low, 1)}, {half_up(one.high, 1)}]"
            why = f": {one.reason}" if one.reason else ""
            click.echo(f"  {name:<9} {half_up(one.value, 1):>5}{between} ({number_of(one.n, 'answer')}{why})")
    say(f"{number_of(found.size, 'task')} of each.")
