"""``vantage restore``: a home made from a backup."""

from __future__ import annotations

import json
from pathlib import Path

import click

from app import beside
from app.commands.common import ACTOR, Progress, db_option, json_option, say
from data.plurals import number_of


@click.command("restore")
@click.argument("backup", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Put the backup in the place of data that are there; these are kept in a folder of the home.")
@click.option(
    "--ledger", "ledgers", multiple=True, type=click.Path(dir_okay=False, path_type=Path),
    help="A taken-back.jsonl or erasures.jsonl that says who took their data back since, beside those that are found; may be repeated.",
)  # fmt: skip
@click.option("--by-hand", is_flag=True, help="BACKUP is a copy of a home without SHA256SUMS, made by other means.")
@click.option("--check", is_flag=True, help="Only hold every file of BACKUP to its hash; nothing is written.")
@db_option
@json_option
def command(
    backup: Path, replace: bool, ledgers: tuple[Path, ...], by_hand: bool, check: bool, db: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Make a home (--db or VANTAGE_HOME) from BACKUP, one folder that `vantage backup` wrote with this version or an earlier one.

    Every file is held to its hash, the database is brought to this version's schema, and who withdrew or was erased since has their data
    taken back in it too, as the ledger beside the backup says. Only then it takes its place; where something is wrong nothing changes.
    """
    from data.backup.manifest import verify
    from data.home import Home
    from data.store import Store, StoreBusy
    from study.safekeeping import bring_back

    if check:
        if by_hand or replace or ledgers:
            raise click.UsageError("--check goes with no other option but --json.")
        found = verify(backup, Progress())
        if as_json:
            click.echo(json.dumps({"ok": True, "at": found.at, "files": found.files, "bytes": found.bytes, "frames": found.frames}))
        else:
            click.echo(f"{backup}: all {found.files:,} files are as they were written, the database is of {found.at}.")
        return
    home = Home.from_env(db)
    if apps := beside.running(home):
        where = ", ".join(f"{app.address} (process {app.pid})" for app in apps)
        raise StoreBusy(f"An app serves {home.db} at {where}: nothing was changed. Stop it, then restore again.")
    done = bring_back(backup, home, actor=ACTOR, ledgers=ledgers, replace=replace, by_hand=by_hand, tell=Progress())
    store = Store.open(home)
    tables = ("studies", "participants", "episodes", "steps", "frames")
    counts = {name: int((store.one(f"SELECT count(*) AS n FROM {name}") or {"n": 0})["n"]) for name in tables}
    store.close()
    if as_json:
        told = {"home": str(home.root), "db": str(home.db), "taken_at": done.taken_at, "rows": counts, "withdrawn": done.applied.withdrawn}
        told |= {"erased": done.applied.erased, "ledgers": [str(path) for path in done.ledgers]}
        click.echo(json.dumps(told | {"replaced": None if done.aside is None else str(done.aside)}))
        return
    click.echo(f"{home.db}: restored, " + ", ".join(f"{number:,} {name}" for name, number in counts.items()) + ".")
    if done.applied.withdrawn or done.applied.erased:
        again = (
            f"{number_of(len(done.applied.withdrawn), 'person', 'people')} withdrew and "
            f"{number_of(len(done.applied.erased), 'was', 'were')} erased"
        )
        click.echo(f"Since the backup {again}: their data are taken back here too.")
    if not done.ledgers:
        say(
            f"No ledger of what people took back since {done.taken_at or 'then'} was found beside the backup or in the home. If there is "
            "one elsewhere, name it with --ledger; otherwise nobody's data were taken back."
        )
    if done.aside is not None:
        say(f"What was there before lies in {done.aside}, with the data of all who were in it. Delete it when all is well.")
    say("Staff, links and keys are those of the backup: revoke again who was revoked since (page People). Then run `vantage doctor`.")
