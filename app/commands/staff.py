"""``vantage staff``: who works here, in which roles; inviting people and taking roles back."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from app.address import PublicAddress
from app.commands.common import ACTOR, db_option, json_option, print_json, say, url_option
from app.commands.study import tell_link
from data.home import Home
from data.plurals import number_of
from data.store import Store
from study import access, admission, people
from study.access import EVERY_STUDY, STAFF_ROLES

_role = click.option("--role", type=click.Choice(STAFF_ROLES), required=True, help="What the person may do.")
_study = click.option("--study", "study_id", default=EVERY_STUDY, show_default=True, help="In this study; *: in all.")


@click.group()
def command() -> None:
    """Who works here, and in which roles. STAFF is an id, as `vantage staff list` shows it."""


@command.command("list")
@click.option("--study", "study_id", help="Only people who have a role in this study.")
@db_option
@json_option
def list_(study_id: str | None, db: Path | None, as_json: bool) -> None:
    """List members of staff with their roles, when they were last there, where they are signed in; and invitations that nobody used."""
    store = Store.reading(Home.from_env(db))
    members = people.staff(store, study_id)
    waiting = [row for row in admission.invitations(store, study_id, staff=True) if row.state == "open" and row.staff_id is None]
    if as_json:
        print_json({"staff": msgspec.to_builtins(members), "invitations": msgspec.to_builtins(waiting)})
        return
    for member in members:
        roles = ", ".join(f"{r.role} in {'all studies' if r.study == EVERY_STUDY else r.study}" for r in member.roles) or "no role any more"
        seen = f"last there {member.seen_at[:16].replace('T', ' ')} UTC" if member.seen_at else "never there"
        signed = f"signed in in {member.browsers} browser{'s' if member.browsers != 1 else ''}"
        click.echo(f"{member.staff_id}  {member.name}: {roles}  ({seen}, {signed}, {'a link' if member.links else 'no link'})")
    for row in waiting:
        click.echo(f"invitation {row.invite_id}  {row.role} in {row.study_id}, {row.came} came  {row.label}")
    say(f"{number_of(len(members), 'member')} of staff, {number_of(len(waiting), 'open invitation')}.")


@command.command()
@click.argument("name")
@_role
@_study
@click.option("--days", type=click.IntRange(1, 3650), default=14, show_default=True, help="Days within which it has to be opened.")
@url_option
@db_option
@json_option
def invite(name: str, role: str, study_id: str, days: int, url: PublicAddress, db: Path | None, as_json: bool) -> None:
    """Make a link that is one person's: every browser that opens it is them. NAME is theirs, for lists."""
    store = Store.open(Home.from_env(db))
    token = access.create_invite(store, role, study_id, label=people.checked_name(name), days=days, actor=ACTOR)
    tell_link(store, study_id, token, url, as_json)


@command.command()
@click.argument("staff_id", metavar="STAFF")
@_role
@_study
@db_option
def add(staff_id: str, role: str, study_id: str, db: Path | None) -> None:
    """Give a member of staff another role; it works at once in every browser of theirs."""
    store = Store.open(Home.from_env(db))
    member = people.member(store, staff_id)
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
    before = people.member(store, staff_id)
    access.revoke_staff(store, staff_id, role=role, study_id=study_id, actor=ACTOR)
    after = people.member(store, staff_id)
    gone = [r for r in before.roles if r not in after.roles]
    click.echo(
        f"{before.name} is no longer {', '.join(f'{r.role} in {r.study}' for r in gone)}." if gone else f"{before.name} had no such role."
    )


@command.command()
@click.argument("staff_id", metavar="STAFF")
@click.option("--sign-out", is_flag=True, help="Also end their access in every browser: for a link that others may have used.")
@url_option
@db_option
@json_option
def renew(staff_id: str, sign_out: bool, url: PublicAddress, db: Path | None, as_json: bool) -> None:
    """Make another link for the same person; their earlier ones work no more. STAFF may also be an invitation that nobody has used."""
    store = Store.open(Home.from_env(db))
    with store.atomic():
        if store.one("SELECT 1 AS yes FROM invites WHERE invite_id = ?", [staff_id]):
            token = people.renew_invitation(store, staff_id, days=14, actor=ACTOR)
        else:
            token = people.new_link(store, staff_id, actor=ACTOR)
            if sign_out:
                people.sign_out_everywhere(store, staff_id, actor=ACTOR)
    tell_link(store, None, token, url, as_json)


@command.command()
@click.argument("staff_id", metavar="STAFF")
@click.argument("name")
@db_option
def name(staff_id: str, name: str, db: Path | None) -> None:
    """Give a member of staff another NAME."""
    people.rename(Store.open(Home.from_env(db)), staff_id, name, actor=ACTOR)
    click.echo(f"{staff_id} is called {people.checked_name(name)} now.")


@command.command("sign-out")
@click.argument("staff_id", metavar="STAFF")
@db_option
def sign_out(staff_id: str, db: Path | None) -> None:
    """End a person's access in every browser, at once. Their roles stay: their link brings them back."""
    ended = people.sign_out_everywhere(Store.open(Home.from_env(db)), staff_id, actor=ACTOR)
    click.echo(f"{staff_id} is signed out of {ended} browser{'s' if ended != 1 else ''}.")
