"""``vantage replay``: does an episode still look as it was recorded?"""

from __future__ import annotations

import sys

import click

from app.commands.common import time_left
from app.commands.workers import chosen, remote_options
from data.plurals import number_of


@click.command("replay")
@click.option("--db", type=click.Path(exists=True, dir_okay=False), help="Database; default: vantage.db in VANTAGE_HOME.")
@click.option("--episode", "episodes", multiple=True, metavar="ID", help="Episode to replay; may be repeated.")
@click.option("--all", "everything", is_flag=True, help="Replay every episode.")
@click.option("--backend", help="Simulator; default: the one that recorded each episode.")
@remote_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
def command(
    db: str | None,
    episodes: tuple[str, ...],
    everything: bool,
    backend: str | None,
    addresses: tuple[str, ...],
    tokens: tuple[str, ...],
    as_json: bool,
) -> None:
    """Render episodes again, action by action, and compare them with what is stored.

    Same renderer: every pixel. Another renderer: poses, results and answers; pixels are not compared. Where an action was changed on
    purpose since, an episode that goes on otherwise is listed with the reason.

    Exits 1 for a difference inside one renderer, or in poses, results, answers or files.
    """
    from time import monotonic

    from data.home import Home
    from data.store import Store
    from study.errors import UnknownEpisode
    from study.replay import Report, episode_ids, replay
    from study.runtime import running

    if bool(episodes) == everything:
        raise click.UsageError("Name episodes with --episode, or take all with --all.")
    home = Home.from_env(db)
    store = Store.open(home)
    wanted = list(episodes) if episodes else episode_ids(store)
    by_backend: dict[str, list[str]] = {}
    length: dict[str, int] = {}
    for episode in wanted:
        row = store.one("SELECT backend, last_seq FROM episodes WHERE episode_id = ?", [episode])
        if row is None:
            raise UnknownEpisode(f"There is no episode {episode[:40]!r} in {home.db}.")
        by_backend.setdefault(backend or row["backend"] or "mujoco", []).append(episode)
        length[episode] = row["last_seq"] + 1
    store.close()
    total, begun, before = Report(), monotonic(), list[str]()

    def progress(episode: str) -> None:
        done = sum(length[e] for e in before)
        left = time_left(monotonic() - begun, done, sum(length.values()) - done)
        before.append(episode)
        click.echo(f"{len(before)} of {len(wanted)}: {episode}{left}", err=True)

    remotes = chosen(addresses, tokens)
    for name, ids in by_backend.items():
        with running(home, backend=name, workers=0 if remotes else 1, addresses=remotes) as runtime:
            total.add(replay(runtime.store, runtime.frames, runtime.pool, ids, backend=name if remotes else "", progress=progress))
    if as_json:
        click.echo(total.model_dump_json())
    else:
        for one in total.replayed:
            click.echo(f"{one.episode}: {one.sentence}")
        for difference in total.differences:
            click.echo(f"{difference.episode} step {difference.seq}: {difference.what} {difference.detail}")
        click.echo(f"{number_of(total.episodes, 'episode')}, {number_of(total.steps, 'step')}:")
        click.echo(f"  {total.verified} as stored ({number_of(total.pictures, 'picture')})")
        click.echo(f"  {total.equal} of another renderer, with equal poses and results")
        click.echo(f"  {total.changed} different because of a change on purpose")
        click.echo(f"  {total.differing} differ")
    sys.exit(0 if total.ok else 1)
