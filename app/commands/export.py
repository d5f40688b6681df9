"""``vantage export``: what happened, in the forms of `study.exports.FORMATS`."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path

import click

from app.commands.common import ACTOR
from data.plurals import number_of
from study.exports import FORMATS
from study.exports.choice import ALL_RESULTS, PICTURES, Pictures
from study.states import LIVE, MODES

TELL_S = 1.0
"""How often it says how far it has come."""


@click.command("export")
@click.option("--db", type=click.Path(exists=True, dir_okay=False), help="Database; default: vantage.db in VANTAGE_HOME.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder to write; an earlier export there is replaced."
)
@click.option("--study", "study_id", help="Only this study.")
@click.option("--episode", "episodes", multiple=True, metavar="ID", help="Only this episode; may be repeated.")
@click.option(
    "--format",
    "forms",
    multiple=True,
    type=click.Choice([form.name for form in FORMATS]),
    help="Only this form; may be repeated. " + " ".join(f"{form.name}: {form.text}" for form in FORMATS),
)
@click.option("--participant", "participants", multiple=True, metavar="ID", help="Only what this person did; may be repeated.")
@click.option(
    "--images",
    type=click.Choice(PICTURES),
    default="webp",
    show_default=True,
    help="How pictures are written: webp as they are stored, png with the same pixels as the released runner's, none.",
)
@click.option("--finished", is_flag=True, help="Only episodes with a final answer.")
@click.option("--no-practice", is_flag=True, help="Leave practice out.")
@click.option(
    "--mode",
    "modes",
    multiple=True,
    type=click.Choice(MODES),
    default=(LIVE,),
    show_default=True,
    help="Kind of run: live, the study itself; pilot; preview, tried out by staff; bot, simulated people. May be repeated.",
)
@click.option("--unfinished", is_flag=True, default=ALL_RESULTS, help="Result files also for practice and episodes without a final answer.")
@click.option("--zip", "as_zip", is_flag=True, help="Also pack the folder into <out>.zip.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
def command(
    db: str | None,
    out: Path,
    study_id: str | None,
    episodes: tuple[str, ...],
    forms: tuple[str, ...],
    participants: tuple[str, ...],
    images: Pictures,
    finished: bool,
    no_practice: bool,
    modes: tuple[str, ...],
    unfinished: bool,
    as_zip: bool,
    as_json: bool,
) -> None:
    """Write what happened, in tables and result files or in the forms that are named with --format.

    Data of people who withdrew and recruitment ids are
    never written.

    Exit status 3: the export is written, but lacks pictures whose files are missing or were changed; problems.json in it names them."""
    from data import jobs
    from data.frames import FrameStore
    from data.home import Home
    from data.store import Store
    from study.export import export, zip_export

    home = Home.from_env(db)
    store = Store.reading(home)

    told = time.monotonic()

    def progress(done: int, total: int, counts: Mapping[str, int]) -> None:
        nonlocal told
        if done == total or time.monotonic() - told >= TELL_S:
            told = time.monotonic()
            jobs.report(store, jobs.current(), done, total, in_words(counts))
            click.echo(f"{done} of {number_of(total, 'episode')}: {in_words(counts)}", err=True)

    report = export(
        store,
        FrameStore(home.frames, reading=True),
        out,
        study_id=study_id,
        episodes=list(episodes) or None,
        only=forms,
        participants=list(participants) or None,
        images=images,
        unfinished=unfinished,
        finished=finished,
        practice=not no_practice,
        modes=modes,
        progress=progress,
        actor=ACTOR,
    )
    if as_zip:
        packed = zip_export(out)
        jobs.set_result(store, jobs.current(), {"bytes": packed.stat().st_size, "counts": report.model_dump()})
    if as_json:
        click.echo(report.model_dump_json())
    else:
        click.echo(f"{out}: " + ", ".join(f"{count} {name}" for name, count in report.model_dump().items()))
    if report.problems:
        click.echo(
            number_of(report.problems, "picture is missing or was", "pictures are missing or were")
            + " changed after storing: problems.json names which.",
            err=True,
        )
        sys.exit(jobs.WITH_PROBLEMS)


def in_words(counts: Mapping[str, int]) -> str:
    """What has been written: ``340 steps, 512 images``."""
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count and name in ("steps", "images", "trajectory_steps"))
