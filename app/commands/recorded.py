"""``vantage tasks recorded``: tasks that are played on pictures which exist already."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from app.commands.common import db_option, json_option, print_json, say
from data import recordings
from data.home import Home
from data.plurals import number_of
from data.store import Store
from sim_bridge.backends.recorded.recording import MANIFEST


@click.command("recorded")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--task", "task_ids", multiple=True, required=True, help="A task that is asked about these pictures; may be given again.")
@db_option
@json_option
def recorded(folder: Path, task_ids: tuple[str, ...], db: Path | None, as_json: bool) -> None:
    """Make tasks playable on recorded views: pictures with the poses of their cameras.

    FOLDER holds PNG, JPEG or WebP pictures and a recording.json that says where each was taken; or, for an imported row, the renders that
    its image_paths name. Each task gets a version `….recorded`, which a server started with `--backend recorded` plays.
    """
    home = Home.from_env(db)
    store = Store.open(home)
    made = []
    for task_id in task_ids:
        task = store.find_task(task_id)
        left_out: tuple[str, ...] = ()
        if (folder / MANIFEST).is_file():
            digest, recording = recordings.keep(home, folder)
        else:
            with tempfile.TemporaryDirectory(prefix="vantage-recording-") as kept:
                _, left_out = recordings.released(task, folder, Path(kept))
                digest, recording = recordings.keep(home, Path(kept))
        new = recordings.on_recording(task, digest, recording)
        store.put_task(new)
        made.append(
            {
                "task_id": new.task_id,
                "content_hash": new.content_hash,
                "recording": digest,
                "views": len(recording.views),
                "left_out": list(left_out),
            }
        )
        for sentence in left_out:
            say(f"Left out: {sentence}")
        say(f"{new.task_id}: {number_of(len(recording.views), 'view')}.")
    if as_json:
        print_json(made)
