"""``vantage study``: make studies, open and close them, let people and model agents in, and take that back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from app.address import PublicAddress, invitation_link
from app.commands import (
    settings,
    study_coding,
    study_demo,
    study_disputes,
    study_forms,
    study_frames,
    study_items,
    study_labels,
    study_materials,
    study_money,
    study_setup,
    study_size,
)
from app.commands.common import ACTOR, db_option, json_option, print_json, say, url_option
from app.commands.study_setup import chosen_tasks, settings_file, tasks_options
from data.home import Home
from data.plurals import number_of
from data.store import Store
from study import access, admission, agent_keys, drafting
from study.ethics import DEMONSTRATION
from study.readiness import concerns
from study.studies import get_study


@click.group()
def command() -> None:
    """Make studies, open and close them, let people and models in.

    A study is a draft until it is opened. STUDY is its id, as `vantage study list` shows it.
    """


@command.command()
@click.argument("name")
@tasks_options
@settings_file
@click.option("--live", is_flag=True, help="Open it at once.")
@click.option("--demonstration", is_flag=True, help="It is shown or tried out: no ethics record is needed, and nothing in it is research.")
@settings.options
@db_option
@json_option
def create(name: str, file: Path | None, live: bool, demonstration: bool, db: Path | None, as_json: bool, **values: Any) -> None:
    """Make a study of any set of tasks.

    NAME is shown to participants. Tasks are those of the wanted kinds together with those that are named.
    """
    wanted = drafting.merged(drafting.read_settings(file) if file else {}, settings.given(values))
    if demonstration:
        wanted["ethics"] = {"basis": DEMONSTRATION}
    store = Store.open(Home.from_env(db))
    with store.atomic():
        chosen = chosen_tasks(store, values)
        made = drafting.draft(store, name, chosen.tasks, wanted)
        state = admission.move_study(store, made.study_id, "open", actor=ACTOR) if live else made.state
    if as_json:
        print_json({"study_id": made.study_id, "name": name, "state": state, "tasks": len(made.tasks), "trials": made.trials,
                    "left_out": list(chosen.left_out)})  # fmt: skip
    else:
        click.echo(made.study_id)
    say(f"{name}: {number_of(len(made.tasks), 'task')}, {made.trials} per participant. It is {state}: {admission.STATES_IN_WORDS[state]}.")
    if chosen.left_out:
        say(
            f"{number_of(len(chosen.left_out), 'task of these kinds is', 'tasks of these kinds are')} left out: what cannot be played "
            "here (`vantage tasks coverage` says why)."
        )
    for concern in concerns(store, made):
        say(concern.in_full)


@command.command("list")
@click.option("--archived", is_flag=True, help="Also those that are put away.")
@db_option
@json_option
def list_(archived: bool, db: Path | None, as_json: bool) -> None:
    """List studies: state, tasks, participants."""
    found = admission.studies(Store.reading(Home.from_env(db)), archived=archived)
    if as_json:
        print_json(msgspec.to_builtins(found))
        return
    for row in found:
        people = f"{number_of(row.participants, 'participant')}, {row.finished} finished"
        away = "  (put away)" if row.archived_at else ""
        click.echo(f"{row.study_id}  {row.state:<6} {number_of(row.tasks, 'task')}, {people}  {row.name}{away}")
    say(f"{number_of(len(found), 'study', 'studies')}." if found else "There is no study yet: `vantage study create` makes one.")


@command.command()
@click.argument("study_id", metavar="STUDY")
@db_option
@json_option
def show(study_id: str, db: Path | None, as_json: bool) -> None:
    """Show a study: its settings, invitations and keys."""
    store = Store.reading(Home.from_env(db))
    study = get_study(store, study_id)
    invitations, keys = admission.invitations(store, study_id), admission.keys(store, study_id)
    if as_json:
        print_json(study.model_dump(mode="json") | {"invitations": [_told(row) for row in invitations], "keys": msgspec.to_builtins(keys)})
        return
    click.echo(f"{study.name}\n{study.study_id} is {study.state}: {admission.STATES_IN_WORDS[study.state]}.")
    for field, value in study.model_dump(mode="json").items():
        if field == "tasks":
            click.echo(f"  tasks: {len(value)}")
        elif isinstance(value, dict):
            for name, inner in value.items():
                click.echo(f"  {field}.{name}: {inner}")
        elif field not in ("study_id", "name", "state"):
            click.echo(f"  {field}: {value}")
    _invitations(invitations)
    for key in keys:
        click.echo(f"key {key.key_id}  {'revoked' if key.revoked_at else 'open'}  {key.name}  {number_of(key.episodes, 'episode')}")


@command.command("open")
@click.argument("study_id", metavar="STUDY")
@db_option
def open_(study_id: str, db: Path | None) -> None:
    """Let people in by recruitment and invitation links; also a study that was closed. It needs an ethics record (see `ethics`)."""
    _move(study_id, "open", db)


@command.command()
@click.argument("study_id", metavar="STUDY")
@db_option
def pilot(study_id: str, db: Path | None) -> None:
    """Let people in for a pilot, whose data stay apart from the study's. It needs an ethics record, too."""
    _move(study_id, "pilot", db)


@command.command()
@click.argument("study_id", metavar="STUDY")
@db_option
def close(study_id: str, db: Path | None) -> None:
    """Let nobody new in; people who have begun can go on."""
    _move(study_id, "close", db)


@command.command()
@click.argument("study_id", metavar="STUDY")
@click.option("--label", default="", help="A note for staff.")
@click.option("--uses", type=click.IntRange(1), help="How many browsers may come in by it; default: any number.")
@click.option("--days", type=click.IntRange(1, 3650), help="Valid this long; default: until it is revoked.")
@click.option("--kiosk", is_flag=True, help="For a shared computer: whoever opens it is somebody new, and the person before has left.")
@url_option
@db_option
@json_option
def invite(
    study_id: str, label: str, uses: int | None, days: int | None, kiosk: bool, url: PublicAddress, db: Path | None, as_json: bool
) -> None:
    """Make a participants' link. It is shown once: only a fingerprint of it is kept."""
    store = Store.open(Home.from_env(db))
    token = access.create_invite(store, "participant", study_id, label=label, uses=uses, days=days, kiosk=kiosk, actor=ACTOR)
    tell_link(store, study_id, token, url, as_json)
    study = get_study(store, study_id)
    each = "Each time it is opened somebody new takes part." if kiosk or study.kiosk else "Each browser that comes in is a new participant."
    say(f"{each} The study is {study.state}: {admission.STATES_IN_WORDS[study.state]}.")


@command.command()
@click.argument("name", metavar="ID")
@db_option
def revoke(name: str, db: Path | None) -> None:
    """Take back an invitation or a model's key, by its id."""
    click.echo(admission.revoke(Store.open(Home.from_env(db)), name, actor=ACTOR))


@command.group()
def keys() -> None:
    """Keys of model agents: list, make, revoke."""


@keys.command("list")
@click.argument("study_id", metavar="STUDY")
@db_option
@json_option
def list_keys(study_id: str, db: Path | None, as_json: bool) -> None:
    """List the keys of a study."""
    found = admission.keys(Store.reading(Home.from_env(db)), study_id)
    if as_json:
        print_json(msgspec.to_builtins(found))
        return
    for key in found:
        click.echo(
            f"{key.key_id}  {'revoked' if key.revoked_at else 'open':<8} {key.created_at}  {key.name}: {number_of(key.episodes, 'episode')}"
        )
    say(f"{number_of(len(found), 'key')}.")


@keys.command()
@click.argument("study_id", metavar="STUDY")
@click.argument("model")
@db_option
def make(study_id: str, model: str, db: Path | None) -> None:
    """Make a key for a model agent. It is shown once: only a fingerprint of it is kept."""
    try:
        click.echo(agent_keys.create(Store.open(Home.from_env(db)), study_id, model, actor=ACTOR))
    except ValueError as error:
        raise click.BadParameter(f"{error}.", param_hint="MODEL") from None


keys.add_command(revoke)
MORE = (
    *study_setup.COMMANDS,
    *study_size.COMMANDS,
    *study_frames.COMMANDS,
    *study_forms.COMMANDS,
    study_coding.command,
    study_demo.command,
    *study_disputes.COMMANDS,
    study_items.command,
    study_labels.command,
    *study_money.COMMANDS,
    study_materials.materials,
)
for made in MORE:
    command.add_command(made)


def _move(study_id: str, event: str, db: Path | None) -> None:
    state = admission.move_study(Store.open(Home.from_env(db)), study_id, event, actor=ACTOR)
    click.echo(f"{study_id} is {state}: {admission.STATES_IN_WORDS[state]}.")


def _told(row: admission.Invitation) -> dict[str, Any]:
    return {**msgspec.to_builtins(row), "state": row.state}


def _invitations(found: list[admission.Invitation]) -> None:
    for row in found:
        left = "" if row.uses_left is None else f", {row.uses_left} uses left"
        until = "" if row.expires_at is None else f", until {row.expires_at[:10]}"
        shared = ", for a shared computer" if row.kiosk else ""
        click.echo(f"invitation {row.invite_id}  {row.state:<8} {row.role}, {row.came} came{left}{until}{shared}  {row.label}")


def tell_link(store: Store, study_id: str | None, token: str, url: PublicAddress, as_json: bool) -> None:
    """The link of a new invitation, with the id by which it can be taken back."""
    newest = admission.invitations(store, study_id)[-1]
    link = invitation_link(url, token)
    if as_json:
        print_json({"link": link, **_told(newest)})
    else:
        click.echo(link)
        say(f"Its id is {newest.invite_id}: `vantage study revoke {newest.invite_id}` takes it back.")
