"""``vantage study materials``: what a paper says of a study, as one folder."""

from __future__ import annotations

from pathlib import Path

import click

from app.commands import screens
from app.commands.common import db_option, say
from app.commands.study_setup import study_argument
from data.abilities import EMBEDDED
from data.home import Home
from data.plurals import number_of
from data.store import Store
from study import materials as written
from study.studies import get_study


@click.command("materials")
@study_argument
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--version", type=click.IntRange(1), help="A published version; default: the newest.")
@click.option("--screenshots/--no-screenshots", default=True, help="Of each page, taken with Chromium where it is there.  [default: yes]")
@click.option("--backend", default=EMBEDDED, show_default=True, help="The simulator that shows the task on them.")
@db_option
def materials(study_id: str, out: Path, version: int | None, screenshots: bool, backend: str, db: Path | None) -> None:
    """Write what a paper says of a study into the folder OUT.

    Instructions, consent, questionnaires, compensation, ethics record, protocol with the meaning of every setting, the tasks without their
    answers, and every sentence that participants read. Nothing of anybody's answers and no completion code is in it.
    """
    store = Store.reading(Home.from_env(db))
    study = get_study(store, study_id, version)

    def pictures(folder: Path) -> str:
        said = screens.take(store, study, folder, backend)
        say(said.split("\n")[0])
        return said

    folder = written.write(store, study_id, out, version=version, pictures=pictures if screenshots else None)
    say(f"{folder}: {number_of(len(written.PARTS), 'file')}; {written.INDEX} lists them.")
