"""``vantage study demo``: a whole study of bundled tasks, to try one out with."""

from __future__ import annotations

from pathlib import Path

import click

from app.commands.common import db_option, json_option, print_json, say
from data.plurals import number_of


@click.command("demo")
@db_option
@json_option
def command(db: Path | None, as_json: bool) -> None:
    """Make a study as the paper's: forty bundled tasks of ten categories, five paradigms, five places each, sessions of ten.

    It is a draft, and made once: asked again, the command names the same one. `vantage simulate` lets simulated people come to a copy.
    """
    from data.home import Home
    from data.store import Store
    from study.sample import sample_study

    store = Store.open(Home.from_env(db))
    study = sample_study(store)
    categories = {store.get_task(content_hash).category for content_hash in study.tasks}
    ways = [way.name for way in study.ways]
    if as_json:
        print_json(
            {"study_id": study.study_id, "name": study.name, "state": study.state, "tasks": list(study.tasks)}
            | {"categories": sorted(categories), "paradigms": ways, "per_task": study.per_task, "trials": study.trials}
        )
    else:
        click.echo(study.study_id)
    say(
        f"{study.name}: {number_of(len(study.tasks), 'task')} of {number_of(len(categories), 'category', 'categories')} in "
        f"{', '.join(ways)}, {study.per_task} places each, "
        f"{number_of(study.trials, 'task')} a session. `vantage simulate {study.study_id}` tries it out with simulated people."
    )
