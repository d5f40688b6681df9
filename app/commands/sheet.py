"""``vantage tasks sheet``: pictures of tasks beside what their rows say."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from app.commands.common import db_option, json_option, print_json, say
from data.home import Home
from data.plurals import number_of
from data.store import Store
from sim_bridge.errors import BridgeError
from sim_bridge.lost import once_more


@click.command()
@click.argument("task_ids", nargs=-1, required=True)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder for one picture for each task.")
@db_option
@json_option
def sheet(task_ids: tuple[str, ...], out: Path, db: Path | None, as_json: bool) -> None:
    """Pictures of tasks, gold included (for researchers): the start view, the view that shows most of what the answer depends on, and what
    the row says.

    The second view is one that the row records; where it records none, one from above. Exit status 1: a scene was refused.
    """
    from data.generators.lab import laboratory
    from data.sheets import sheet as drawn
    from data.sheets import views_of

    store = Store.reading(Home.from_env(db))
    tasks = [store.find_task(task_id) for task_id in dict.fromkeys(task_ids)]
    out.mkdir(parents=True, exist_ok=True)
    made, refused = {}, {}
    with laboratory() as lab:
        for task in tasks:
            try:
                shown = once_more(partial(views_of, lab, task), lab.renew)
            except BridgeError as error:
                refused[task.task_id] = str(error)
                say(f"{task.task_id}: {error}")
                continue
            file = out / f"{task.task_id}.png"
            drawn(task, shown).save(file)
            made[task.task_id] = {"file": str(file), "view": shown.label, "seen": shown.seen[0], "of": shown.seen[1]}
            say(f"{task.task_id}: {file}")
    if as_json:
        print_json({"made": made, "refused": refused})
    say(f"{number_of(len(made), 'picture')}.")
    if refused:
        raise SystemExit(1)
