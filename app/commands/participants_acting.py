"""Commands of ``vantage participants`` that do something about one person while a study runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from app.commands.common import ACTOR, db_option, json_option, print_json
from data.frames import FrameStore
from data.home import Home
from data.plurals import number_of
from data.store import Store
from sim_bridge.pool import Pool
from study import intervening, messages, participants
from study.episode import EpisodeEngine
from study.rejections import REASONS
from study.words import person as person_name

_who = click.argument("participant_id", metavar="PARTICIPANT")
_why = click.option("--why", required=True, help="Kept in the log. Write no names.")
_reasons = "; ".join(f"{reason.name}: {reason.words}" for reason in REASONS)


@click.command()
@_who
@click.argument("minutes", type=click.IntRange(1, intervening.MOST_MINUTES))
@_why
@db_option
def extend(participant_id: str, minutes: int, why: str, db: Path | None) -> None:
    """Keep somebody's places for MINUTES longer, even if nothing is heard of them."""
    store = Store.open(Home.from_env(db))
    until = intervening.extend(store, participant_id, minutes, why=why, actor=ACTOR)
    click.echo(f"{_named(store, participant_id)}: their places are kept until {until[:16].replace('T', ' ')} UTC.")


@click.command("return")
@_who
@_why
@db_option
def give_back(participant_id: str, why: str, db: Path | None) -> None:
    """Offer somebody's open places to others. They may come back by their link, and are given what is free then."""
    store = Store.open(Home.from_env(db))
    freed = intervening.give_back(store, _engine(store), participant_id, why=why, actor=ACTOR)
    click.echo(
        f"{_named(store, participant_id)}: {number_of(freed, 'place is', 'places are')} free again. They may come back; `end` "
        "is for whoever is not to."
    )


@click.command()
@_who
@click.argument("reason", type=click.Choice([reason.name for reason in REASONS]))
@_why
@db_option
@json_option
def reject(participant_id: str, reason: str, why: str, db: Path | None, as_json: bool) -> None:
    """Turn somebody's work down for REASON: they take no further part, and their places are offered to others."""
    store = Store.open(Home.from_env(db))
    done = intervening.reject(store, _engine(store), participant_id, reason, why=why, actor=ACTOR)
    if as_json:
        print_json({"participant_id": participant_id, "reason": done.reason, "why": done.why, "at": done.at})
        return
    click.echo(f"{_named(store, participant_id)}: rejected ({done.words}). Their places are free again; what is due to them stays due.")


reject.help = (
    "Do not accept somebody's data: they stay, marked, and their places are free again.\n\n"
    "Nobody is rejected for being fast, still or stubborn. What is due to them stays due. Rejecting cannot be undone.\n\n"
    f"REASON is one of: {_reasons}."
)


@click.command()
@_who
@click.option("--as", "outcome", type=click.Choice(get_args(intervening.EndedAs)), default="technical", show_default=True,
              help="What came of their taking part, which decides their pay: a fault of ours, ended early, or screened out.")  # fmt: skip
@_why
@db_option
def end(participant_id: str, outcome: Any, why: str, db: Path | None) -> None:
    """End somebody's part before its end. What they did is kept and counts; their open places are free again."""
    store = Store.open(Home.from_env(db))
    state = intervening.end(store, _engine(store), participant_id, outcome, why=why, actor=ACTOR)
    click.echo(f"{_named(store, participant_id)}: ended ({state}). What they did is kept.")


@click.command()
@_who
@click.argument("text")
@db_option
@json_option
def message(participant_id: str, text: str, db: Path | None, as_json: bool) -> None:
    """Write one sentence to somebody. They read it between two tasks, and cannot answer. Write nothing about tasks."""
    store = Store.open(Home.from_env(db))
    sent = messages.send(store, participant_id, text, actor=ACTOR)
    if as_json:
        print_json({"message_id": sent.message_id, "at": sent.at})
        return
    click.echo(f"{_named(store, participant_id)} reads it between two tasks. `vantage participants messages` says whether they have.")


@click.command("messages")
@_who
@db_option
@json_option
def list_messages(participant_id: str, db: Path | None, as_json: bool) -> None:
    """List what was written to somebody, and when they read it."""
    store = Store.reading(Home.from_env(db))
    _named(store, participant_id)
    found = messages.messages(store, participant_id)
    if as_json:
        print_json(
            [{"message_id": one.message_id, "text": one.text, "by": one.actor, "at": one.at, "read_at": one.read_at} for one in found]
        )
        return
    for one in found:
        click.echo(f"{one.at}  {'read ' + one.read_at if one.read_at else 'not read yet'}  {one.text}")
    click.echo(f"{number_of(len(found), 'message')}.", err=True)


def _named(store: Store, participant_id: str) -> str:
    return person_name(participants.get_participant(store, participant_id).number)


def _engine(store: Store) -> EpisodeEngine:
    """An engine without simulators: a program that plays lets go of a session whose episode has ended."""
    return EpisodeEngine(store, FrameStore(store.home.frames), Pool(workers=0))


COMMANDS = (extend, give_back, reject, end, message, list_messages)
