"""``vantage qa import`` and ``vantage qa sources``: robot episodes in, and what is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from app.commands.common import ACTOR, db_option, json_option, print_json, say
from app.commands.qa_recording import recording
from data.home import Home
from data.plurals import number_of
from data.robot.kinds import KINDS
from data.robot.records import Problem
from data.store import Store


def register(group: click.Group) -> None:
    """Add the commands to ``vantage qa``."""
    group.add_command(import_)
    group.add_command(sources)
    group.add_command(recording)


def _cameras(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    cameras = {}
    for value in values:
        view, sign, camera = value.partition("=")
        if not (view and sign and camera):
            raise click.BadParameter(f"write VIEW=CAMERA, as head=observation.images.top; got {value!r}.")
        cameras[camera] = view
    return cameras


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--kind", type=click.Choice(KINDS), help="Kind of source; default: found out.")
@click.option("--name", default="", help="How people call it; default: kind and folder.")
@click.option("--licence", default="", help="Licence of the recordings, kept with them.")
@click.option(
    "--view", "cameras", multiple=True, callback=_cameras, metavar="VIEW=CAMERA", help="Which camera is which view; may be repeated."
)
@click.option("--every-frame", is_flag=True, help="Decode every frame of every video, not only three of each.")
@click.option("--limit", type=click.IntRange(1), help="At most this many sound episodes, in the order of the source.")
@db_option
@json_option
def import_(
    path: Path,
    kind: str | None,
    name: str,
    licence: str,
    cameras: dict[str, str],
    every_frame: bool,
    limit: int | None,
    db: Path | None,
    as_json: bool,
) -> None:
    """Import robot episodes: AgiBot World, BridgeData V2, LeRobot v3.0 and v2.1, plain folders of images.

    The folder is never written to; frames are read from it later. The sound part is imported, everything wrong is named. Exit status 0:
    nothing was wrong; 1: something was left out or is doubtful (the report says what), or nothing could be imported.
    """
    from data import jobs
    from data.robot.errors import NothingSound
    from data.robot.importing import import_source

    store = Store.open(Home.from_env(db))

    def progress(seen: int) -> None:
        if seen % 25 == 0:
            jobs.report(store, jobs.current(), seen, 0, "reading episodes")
            say(f"{number_of(seen, 'episode')} looked at")

    try:
        done = import_source(
            store,
            path,
            kind,
            name=name,
            licence=licence,
            actor=ACTOR,
            cameras=cameras,
            every_frame=every_frame,
            limit=limit,
            progress=progress,
        )
    except NothingSound as error:
        if as_json:
            print_json({"source_id": None, "kind": kind, "episodes": 0, "added": 0, "changed": 0, "unchanged": 0, **error.report.as_json()})
        _problems(error.report.problems)
        say(str(error))
        raise SystemExit(1) from None
    if as_json:
        print_json(done.as_json())
    _problems(done.report.problems)
    for group in done.report.not_read[:20]:
        say(f"Not read: {group.like}" + (f" and {group.files - 1} like it." if group.files > 1 else "."))
    if len(done.report.not_read) > 20:
        say(f"… and {number_of(len(done.report.not_read) - 20, 'more kind', 'more kinds')} of files (see --json).")
    say(
        f"{path}: {number_of(done.report.seen, 'episode')} looked at, {done.episodes} imported ({done.added} new, {done.changed} changed), "
        f"{len(done.report.problems)} faults."
    )
    if done.report.problems:
        raise SystemExit(1)


def _problems(problems: Sequence[Problem]) -> None:
    for problem in problems[:20]:
        say(f"{problem.where}: {problem.what} ({problem.did})")
    if len(problems) > 20:
        say(f"… and {len(problems) - 20} more (see --json).")


@click.command()
@db_option
@json_option
def sources(db: Path | None, as_json: bool) -> None:
    """List the imported robot sources."""
    from data.robot.episodes import list_sources

    found = list_sources(Store.reading(Home.from_env(db)))
    if as_json:
        print_json([asdict(source) for source in found])
        return
    for source in found:
        faults = len(source.report.get("problems", ())) + source.report.get("left_off", 0)
        click.echo(
            f"{source.source_id}  {source.kind:<8} {number_of(source.episodes, 'episode'):>16}  {number_of(source.frames, 'frame'):>17} "
            f" {source.name}"
        )
        click.echo(f"    {source.root}  licence: {source.licence or 'not given'}  incomplete: {source.incomplete}  faults: {faults}")
    if not found:
        say("No robot source is imported yet: vantage qa import PATH.")
