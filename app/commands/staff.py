"""``vantage staff``: who works here, in which roles; inviting people and taking roles back."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from app.address import PublicAddress
from app.commands.common import ACTOR, db_option, json_option, print_json, say, url_option
from app.commands.study import tell_link
from data.home import Home
from data.store import Store
from study import access, admission
from study.access import EVERY_STUDY, STAFF_ROLES

_role = click.option("--role", type=click.Choice(STAFF_ROLES), required=True, help="What the person may do.")
_study = click.option("--study", "study_id", default=EVERY_STUDY, show_default=True, help="In this study; *: in all.")


@click.group()
def command() -> None:
    """Who works here, and in which roles. STAFF is an id, as `vantage staff list` shows it."""


@command.command("list")
@click.option("--study", "study_id", help="Only who has a role in this study.")
@db_option
@json_option
def list_(study_id: str | None, db: Path | None, as_json: bool) -> None:
    """List members of staff with their roles, and invitations that nobody has used."""
    store = Store.reading(Home.from_env(db))
    members = admission.staff(store, study_id)
    waiting = [row for row in admission.invitations(store, study_id, staff=True) if row.state == "open"]
    if as_json:
        print_json({"staff": msgspec.to_builtins(members), "invitations": msgspec.to_builtins(waiting)})
        return
    for member in members:
        roles = ", ".join(f"{r.role} in {'all studies' if r.study == EVERY_STUDY else r.study}" for r in member.roles) or "no role any more"
        click.echo(f"{member.staff_id}  {member.name}: {roles}")
    for row in waiting:
        click.echo(f"invitation {row.invite_id}  {row.role} in {row.study_id}, {row.came} came  {row.label}")
    say(f"{len(members)} members of staff, {len(waiting)} open invitations.")


@command.command()
@click.argument("name")
@_role
@_study
@click.option("--days", type=click.IntRange(1, 3650), default=14, show_default=True, help="It has to be opened within so many days.")
@url_option
@db_option
@json_option
def invite(name: str, role: str, study_id: str, days: int, url: PublicAddress, db: Path | None, as_json: bool) -> None:
    """Make a link that is one person's: every browser that opens it is them. NAME is theirs, for lists."""
    store = Store.open(Home.from_env(db))
    token = access.create_invite(store, role, study_id, label=name, days=days, actor=ACTOR)
    tell_link(store, study_id, token, url, as_json)


@command.command()
@click.argument("staff_id", metavar="STAFF")
@_role
@_study
@db_option
def add(staff_id: str, role: str, study_id: str, db: Path | None) -> None:
    """Give a member of staff another role; it works at once in every browser of theirs."""
    store = Store.open(Home.from_env(db))
    member = admission.member(store, staff_id)
    access.add_role(store, staff_id, role, study_id, actor=ACTOR)
    click.echo(f"{member.name} is {role} in {'all studies' if study_id == EVERY_STUDY else study_id} now.")


@command.command()
@click.argument("staff_id", metavar="STAFF")
@click.option("--role", type=click.Choice(STAFF_ROLES), help="Only this role.")
@click.option("--study", "study_id", help="Only in this study.")
@db_option
def revoke(staff_id: str, role: str | None, study_id: str | None, db: Path | None) -> None:
    """Take roles back; without options all of them. It works at once, in every browser; what the person did is kept."""
    store = Store.open(Home.from_env(db))
    before = admission.member(store, staff_id)
    access.revoke_staff(store, staff_id, role=role, study_id=study_id, actor=ACTOR)
    after = admission.member(store, staff_id)
    gone = [r for r in before.roles if r not in after.roles]
    click.echo(
        f"{before.name} is no longer {', '.join(f'{r.role} in {r.study}' for r in gone)}." if gone else f"{before.name} had no such role."
    )
