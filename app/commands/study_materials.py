"""``vantage study materials``: what a paper says of a study, as one folder."""

from __future__ import annotations

from pathlib import Path

import click

from app.commands.common import db_option, say
from app.commands.study_setup import study_argument
from data.home import Home
from data.store import Store
from study import materials as written


@click.command("materials")
@study_argument
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--version", type=click.IntRange(1), help="A published version; default: the newest.")
@db_option
def materials(study_id: str, out: Path, version: int | None, db: Path | None) -> None:
    """Write what a paper says of a study into the folder OUT.

    Instructions, consent, questionnaires, compensation, ethics record, protocol with the meaning of every setting, the tasks without their
    answers, and every sentence that participants read. Nothing of anybody's answers and no completion code is in it.
    """
    folder = written.write(Store.reading(Home.from_env(db)), study_id, out, version=version)
    say(f"{folder}: {len(written.PARTS)} files; {written.INDEX} lists them.")
