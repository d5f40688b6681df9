"""``vantage backup``: everything that is kept, copied while people work."""

from __future__ import annotations

import json
from pathlib import Path

import click

from app.commands.common import ACTOR, Progress, db_option, json_option, say
from data.plurals import number_of


@click.command("backup")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--keep", type=click.IntRange(1, 10_000), help="Backups that stay in FOLDER, this one among them; older ones are deleted.")
@click.option(
    "--despite-damage", is_flag=True, help="Back up although frames are missing or changed in the home itself; the backup names them."
)
@db_option
@json_option
def command(folder: Path, keep: int | None, despite_damage: bool, db: Path | None, as_json: bool) -> None:
    """Copy the database, its frames, recordings and images into a new folder below FOLDER. An app may be running.

    The copy is of one moment, and has its name (vantage-, the time) only when all of it is on disk and was read again. It holds SHA256SUMS,
    which `sha256sum -c` checks without Vantage. Give each home a FOLDER of its own. What people take back afterwards is noted beside the
    backups, in taken-back.jsonl.
    """
    from app.cli import version
    from data.home import Home
    from study.safekeeping import back_up

    done = back_up(
        Home.from_env(db), folder, program=version(), actor=ACTOR, keep=keep, despite_damage=despite_damage, tell=Progress()
    )  # fmt: skip
    if as_json:
        told = {"path": str(done.path), "at": done.about.at, "files": done.about.files, "bytes": done.about.bytes}
        told |= {"frames": done.about.frames, "sums_sha256": done.sums_sha256, "took_s": round(done.took_s, 3)}
        click.echo(json.dumps(told | {"damaged": done.about.damaged, "pruned": done.pruned}))
        return
    size = f"{number_of(done.about.files, 'file')}, {done.about.bytes / 2**20:,.1f} MB"
    click.echo(f"{done.path}: {size}, of which {number_of(done.about.frames, 'frame')}; written and read again in {done.took_s:.1f} s.")
    click.echo(f"SHA-256 of its list of files, to be kept elsewhere: {done.sums_sha256}")
    if done.about.damaged:
        say(
            f"{number_of(len(done.about.damaged), 'frame is', 'frames are')} missing in the home itself, or changed there, and so "
            "not in the backup."
        )
    if done.pruned:
        say(f"Deleted older backups: {', '.join(done.pruned)}.")
