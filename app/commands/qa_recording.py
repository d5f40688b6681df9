"""``vantage qa recording``: pictures of a robot episode as a recording, on which tasks are played."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from app.commands.common import db_option, json_option, print_json, say
from data.home import Home
from data.plurals import number_of
from data.store import Store


@click.command("recording")
@click.argument("episode", metavar="EPISODE")
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--view", "views", multiple=True, help="Of this camera (repeatable), the first being the start; default: of all.")
@click.option("--frame", "frames", multiple=True, type=click.IntRange(0), help="At this frame (repeatable); default: the first.")
@click.option("--every", type=click.IntRange(1), help="N: at every N-th frame, from the first on.")
@click.option("--in-order", is_flag=True, help="Without poses: the pictures in their order, among which nobody can act.")
@db_option
@json_option
def recording(
    episode: str, out: Path, views: tuple[str, ...], frames: tuple[int, ...], every: int | None, in_order: bool, db: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Write pictures of a robot episode as a recording into the new folder OUT.

    EPISODE is an imported episode's id, or its name in its source. `vantage tasks recorded OUT --task ...` then asks tasks about them.
    Where the source has camera matrices, each picture has the pose of its camera. What does not fit to the first picture is named; a view
    that was asked for by name and does not fit is refused.
    """
    from data.robot import episodes
    from data.robot.recording import film

    if every and frames:
        raise click.UsageError("Give --frame or --every, not both.")
    store = Store.reading(Home.from_env(db))
    found = episodes.find(store, episode)
    wanted = tuple(range(0, found.frames, every)) if every else frames or (0,)
    done = film(store, found, out, views=views, frames=wanted, in_order=in_order)
    if as_json:
        print_json({"folder": str(out), "recording": msgspec.to_builtins(done.recording), "left_out": list(done.left_out)})
    for sentence in done.left_out:
        say(f"Left out: {sentence}")
    say(f"{out}: {number_of(len(done.recording.views), 'view')} of {found.key}.")
