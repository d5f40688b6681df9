"""``vantage participants``: who takes part, and the erasure of somebody's data."""

from __future__ import annotations

import json
from typing import Any

import click

from app.commands import participants_acting
from data.plurals import number_of
from study.states import LIVE, MODES

_db = click.option("--db", type=click.Path(exists=True, dir_okay=False), help="Database; default: vantage.db in VANTAGE_HOME.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
_mode = click.option(
    "--mode", type=click.Choice(MODES), default=LIVE, show_default=True,
    help="Kind of run: live, the study itself; pilot; preview, tried out by staff; bot, simulated people.",
)  # fmt: skip


@click.group("participants")
def command() -> None:
    """List participants; extend, end, reject or write to one; erase the data of one."""


@command.command("list")
@click.option("--study", "study_id", help="Only this study.")
@_mode
@_db
@_json
def list_(study_id: str | None, mode: str, db: str | None, as_json: bool) -> None:
    """List participants by pseudonymous id: number, state, tasks done. Recruitment ids are not shown."""
    from data.home import Home
    from data.store import Store
    from study.words import person

    rows = Store.reading(Home.from_env(db)).query(
        "SELECT p.participant_id, p.study_id, p.version, p.mode, p.number, p.state, p.created_at, p.shared_computer, "
        "(SELECT count(*) FROM slots s WHERE s.participant_id = p.participant_id AND s.state = 'completed' AND NOT s.practice) AS tasks "
        "FROM participants p WHERE p.mode = :mode AND (:study IS NULL OR p.study_id = :study) ORDER BY p.study_id, p.number",
        {"study": study_id, "mode": mode},
    )
    if as_json:
        click.echo(json.dumps(rows))
        return
    for row in rows:
        where = f"{row['participant_id']}  {row['study_id']}  {person(row['number'])}"
        shared = "  shared computer" if row["shared_computer"] else ""
        click.echo(f"{where}  {row['state']:<10} {number_of(row['tasks'], 'task')}  {row['created_at']}{shared}")
    click.echo(f"{number_of(len(rows), 'participant')}.", err=True)


@command.command("recruited")
@click.option("--study", "study_id", help="Only this study.")
@_mode
@_db
@_json
def recruited(study_id: str | None, mode: str, db: str | None, as_json: bool) -> None:
    """List recruited people by the platform's id: state, tasks done, when they finished. For paying them; show it to nobody else."""
    from data.home import Home
    from data.store import Store

    rows = Store.reading(Home.from_env(db)).query(
        "SELECT r.external_id, r.source, p.study_id, p.participant_id, p.state, p.created_at, p.finished_at, "
        "(SELECT count(*) FROM slots s WHERE s.participant_id = p.participant_id AND s.state = 'completed' AND NOT s.practice) AS tasks "
        "FROM recruitment r JOIN participants p USING (participant_id) WHERE p.mode = :mode "
        "AND (:study IS NULL OR p.study_id = :study) ORDER BY p.study_id, p.created_at",
        {"study": study_id, "mode": mode},
    )
    if as_json:
        click.echo(json.dumps(rows))
        return
    for row in rows:
        when = row["finished_at"] or "not finished"
        click.echo(f"{row['external_id']}  {row['participant_id']}  {row['state']:<10} {number_of(row['tasks'], 'task')}  {when}")
    click.echo(f"{number_of(len(rows), 'person', 'people')} came from a recruitment platform.", err=True)


@command.command("erase")
@click.argument("participant_id", required=False)
@click.option("--external-id", help="The recruitment platform's id of the person instead.")
@click.option("--study", "study_id", help="With --external-id: only in this study; default: in every study they took part in.")
@click.option("--again", is_flag=True, help="Erase whoever the ledger names and the database (restored from a backup) still holds.")
@click.option("--reason", default="", help="Kept in the ledger; write no names.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@_db
@_json
def erase(
    participant_id: str | None,
    external_id: str | None,
    study_id: str | None,
    again: bool,
    reason: str,
    yes: bool,
    db: str | None,
    as_json: bool,
) -> None:
    """Delete everything that a participant did, for good: steps, views, beliefs, answers, reports, recruitment id, access.

    Their places are offered to others. What remains is the pseudonymous id, the closed places, and a ledger beside the database, by which
    --again erases them again after a backup has been restored. Exports made before are listed, not changed. An app may be running.
    """
    from data.backup.manifest import LEDGER_HERE
    from data.frames import FrameStore
    from data.home import Home
    from data.store import Store
    from study import erasure, taken_back

    if sum((participant_id is not None, external_id is not None, again)) != 1:
        raise click.UsageError("Name one participant by PARTICIPANT_ID or --external-id, or give --again.")
    store = Store.open(Home.from_env(db))
    frames = FrameStore(store.home.frames)
    if again:
        done = erasure.apply_ledger(store, frames)
    else:
        wanted = erasure.find(store, participant_id=participant_id, external_id=external_id, study_id=study_id)
        if not yes:
            click.confirm(f"Erase the data of {', '.join(wanted)}? This cannot be undone.", abort=True, err=True)
        done = [erasure.erase(store, frames, name, reason=reason) for name in wanted]
    for folder in taken_back.carry(store):
        click.echo(f"{folder} holds backups, and could not be told: give its {LEDGER_HERE} this home's before you restore one.", err=True)
    exports = erasure.exports_made(store, [entry.participant_id for entry in done]) if done else []
    if as_json:
        click.echo(json.dumps({"erased": [entry.model_dump() for entry in done], "exports": [str(path) for path in exports]}))
        return
    for entry in done:
        _tell(entry)
    if not done:
        click.echo("Nothing to erase: the database holds no data of the people in the ledger.")
    if exports:
        click.echo("These exports of the app may hold their data; delete or replace them:")
        for path in exports:
            click.echo(f"  {path}")
    there = {str(path) for path in exports}
    if moved := sorted({path for entry in done for path in entry.released} - there):
        click.echo("These held their data when they were written, and are not there any more (moved, handed on or deleted):")
        for gone in moved:
            click.echo(f"  {gone}")
    if done:
        click.echo("Copies of exports, backups and what was published are not known here.", err=True)


def _tell(entry: Any) -> None:
    click.echo(
        f"{entry.participant_id}: erased {number_of(entry.episodes, 'episode')}, {number_of(entry.steps, 'step')}, "
        f"{number_of(entry.events, 'event')} "
        f"and {number_of(entry.frames, 'frame')} "
        "that nobody else saw."
    )
    if not entry.log_emptied:
        click.echo("SQLite's log is in use and still holds old pages: it is emptied when the app has ended, or by --again.", err=True)


for made in participants_acting.COMMANDS:
    command.add_command(made)
