"""``vantage replay``: does an episode still look as it was recorded?"""

from __future__ import annotations

import sys

import click


@click.command("replay")
@click.option("--db", type=click.Path(exists=True, dir_okay=False), help="Database; default: vantage.db in VANTAGE_HOME.")
@click.option("--episode", "episodes", multiple=True, metavar="ID", help="Episode to replay; may be repeated.")
@click.option("--all", "everything", is_flag=True, help="Replay every episode.")
@click.option("--backend", help="Simulator; default: the one that recorded each episode.")
@click.option("--worker-address", "addresses", multiple=True, metavar="WS_URL", help="A worker that runs elsewhere; may be repeated.")
@click.option("--worker-token", envvar="VANTAGE_WORKER_TOKEN", help="Token of those workers.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
def command(
    db: str | None,
    episodes: tuple[str, ...],
    everything: bool,
    backend: str | None,
    addresses: tuple[str, ...],
    worker_token: str | None,
    as_json: bool,
) -> None:
    """Render episodes again, action by action, and compare every pixel hash and frame file with what is stored.

    Exits 0 only if every step is as stored.
    """
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
    for episode in wanted:
        row = store.one("SELECT backend FROM episodes WHERE episode_id = ?", [episode])
        if row is None:
            raise UnknownEpisode(f"There is no episode {episode[:40]!r} in {home.db}.")
        by_backend.setdefault(backend or row["backend"] or "mujoco", []).append(episode)
    store.close()
    total = Report()
    for name, ids in by_backend.items():
        with running(home, backend=name, workers=0 if addresses else 1, addresses=addresses, token=worker_token) as runtime:
            part = replay(runtime.store, runtime.frames, runtime.pool, ids, progress=lambda e: click.echo(f"replaying {e}", err=True))
        for field in ("episodes", "steps", "verified", "pictures", "differing", "other_backend"):
            setattr(total, field, getattr(total, field) + getattr(part, field))
        total.differences += part.differences
    if as_json:
        click.echo(total.model_dump_json())
    else:
        for difference in total.differences:
            click.echo(f"{difference.episode} step {difference.seq}: {difference.what} {difference.detail}")
        click.echo(
            f"{total.episodes} episodes, {total.steps} steps: {total.verified} as stored ({total.pictures} pictures), {total.differing} not"
        )
    sys.exit(0 if total.ok else 1)
