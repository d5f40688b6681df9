"""``vantage report``: the results of a study as one page, tables and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from app.commands.common import db_option, json_option, print_json, say
from data.plurals import number_of
from study.analysis.trials import Truth
from study.states import LIVE, MODES

if TYPE_CHECKING:
    from data.store import Store
    from study.analysis.trials import Trials


@click.command("report")
@click.option("--study", "study_id", help="The study; default: the only one there is, or the one that an export holds.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder to write; an earlier report there is replaced."
)
@click.option(
    "--export", "folder", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="FOLDER",
    help="Compute everything from the tables of this export alone, in place of a database.",
)  # fmt: skip
@click.option("--mode", type=click.Choice(MODES), default=LIVE, show_default=True, help="Kind of run.")
@click.option("--paradigm", "paradigms", multiple=True, metavar="NAME", help="Only this paradigm; may be repeated.")
@click.option(
    "--truth", type=click.Choice(get_args(Truth)), default="strict", show_default=True, help="By which reading an answer is right."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of resampling and permutation.")
@click.option("--no-pictures", is_flag=True, help="Make no SVG and PNG files; the page itself can save them.")
@click.option("--zip", "as_zip", is_flag=True, help="Also pack the folder into <out>.zip.")
@db_option
@json_option
def command(
    study_id: str | None, out: Path, folder: Path | None, mode: str, paradigms: tuple[str, ...], truth: Truth, seed: int, no_pictures: bool,
    as_zip: bool, db: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Write the results of a study: report.html, which needs no network, each table as CSV, every measure in figures.json, and each figure
    as SVG and PNG where a browser is installed.

    Every figure is there with and without what declared rules leave out. With --export the same numbers come from the Parquet tables of
    an export alone; a table that was changed since it was written is named and nothing is written.
    """
    import msgspec

    from data import jobs
    from data.home import Home
    from data.store import Store
    from study import overview
    from study.analysis.figures.figure import Choice
    from study.analysis.report.about import of_study
    from study.analysis.report.pictures import browser
    from study.analysis.report.writing import write_report
    from study.export import zip_export
    from study.paradigms import paradigm

    store = None if folder is not None else Store.reading(Home.from_env(db))
    trials = _read(store, folder, study_id, mode)
    choice = Choice(paradigms=tuple(paradigm(name).name for name in paradigms), truth=truth, seed=seed)
    sections = of_study(store, trials.study_id) if store is not None else []
    if not trials.rows:
        others = [] if store is None else [name for name in overview.modes(store, trials.study_id) if name != mode]
        there = f" There is another kind of run: --mode {' or --mode '.join(others)}." if others else ""
        say(f"Nobody has ended a task of this kind of run yet: the report says so, and its figures are empty.{there}")
    written = write_report(trials, choice, sections, out, program=None if no_pictures else browser(), pictures=not no_pictures)
    if as_zip:
        packed = zip_export(out)
        if store is not None:
            jobs.set_result(store, jobs.current(), {"bytes": packed.stat().st_size, "counts": {}})
    if written.note:
        say(written.note)
    if as_json:
        print_json(msgspec.to_builtins(written) | {"out": str(out)})
    else:
        click.echo(
            f"{out}: {written.figures} figures of {written.trials} trials, {number_of(written.tables, 'table')}, "
            f"{number_of(written.pictures, 'picture')}"
        )


def _read(store: Store | None, folder: Path | None, study_id: str | None, mode: str) -> Trials:
    from study.analysis.exported import exported
    from study.analysis.stored import stored
    from study.studies import list_studies

    if store is None:
        assert folder is not None
        return exported(folder, study_id, mode=mode)
    if study_id is None:
        studies = list_studies(store)
        if len(studies) != 1:
            known = ", ".join(f"{study.study_id} ({study.name})" for study in studies) or "none"
            raise click.UsageError(f"Name a study with --study; there is: {known}.")
        study_id = studies[0].study_id
    return stored(store, study_id, mode=mode)
