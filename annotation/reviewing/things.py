"""Where a reviewed thing stands, and what moves it: its state table, its rounds, and the events that tell of both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from annotation.reviewing.errors import UnknownReview
from annotation.reviewing.kind import VOID, Kind
from annotation.reviewing.rows import Review, Thing
from data.store import Store, now
from study.states import after


class _Scope(msgspec.Struct, frozen=True):
    scope: str


def where(kind: Kind) -> str:
    """SQL: WHERE the things ``t`` are of this kind, up to the conditions that follow."""
    return "WHERE " if kind.things.own else "WHERE t.kind = :kind AND "


def source(kind: Kind) -> str:
    """SQL, after FROM: the things ``t`` of a kind, up to the conditions that follow."""
    return f"{kind.things.table} t {where(kind)}"


def this(kind: Kind) -> str:
    """SQL: the one thing ``:subject`` of a kind."""
    return f"{where(kind)}t.{kind.things.key} = :subject"


def columns(kind: Kind) -> str:
    """SQL: the columns of `Thing`; needs the parameter ``slots``."""
    things = kind.things
    names = f"t.{things.key} AS subject, t.{things.scope} AS scope, t.state, t.version, t.round, t.live"
    return f"{names}, ({things.slots}) AS needed"


def get(store: Store, kind: Kind, subject: str) -> Thing:
    """The thing as it stands.

    Raises:
        UnknownReview: there is none.
    """
    of = {"kind": kind.name, "subject": subject}
    there = store.row(f"SELECT t.{kind.things.scope} AS scope FROM {kind.things.table} t {this(kind)}", _Scope, of)
    if there is None:
        raise UnknownReview(f"There is no {kind.noun} {subject[:60]!r} here.")
    slots = kind.settings(store, there.scope).slots
    found = store.row(f"SELECT {columns(kind)} FROM {kind.things.table} t {this(kind)}", Thing, of | {"slots": slots})
    assert found is not None
    return found


def put(store: Store, kind: Kind, subject: str, scope: str, state: str, *, actor: str, version: int = 1) -> None:
    """Take a thing in, for a kind without a table of its own.

    Args:
        store: the database.
        kind: its kind.
        subject: its id.
        scope: the project or study that it belongs to.
        state: the state in which it begins; not the waiting one, which is entered by an event.
        actor: who takes it in.
        version: of its content.
    """
    with store.atomic():
        at = now()
        row = {"kind": kind.name, "subject": subject, "scope": scope, "state": state, "version": version, "round": 0, "live": 0}
        store.insert("reviewed", row | {"queued": 0, "updated_at": at})
        tell(store, kind, subject, "create", actor, at=at)


def move(
    store: Store, kind: Kind, subject: str, event: str, actor: str, *, why: str = "", at: str | None = None, version: int | None = None,
    told: Mapping[str, Any] | None = None,
) -> Thing:  # fmt: skip
    """One event of a thing. What enters the waiting state begins a new round (but for `Kind.reopens`); what leaves it ends the reviews that
    are under way.

    Args:
        store: the database.
        kind: its kind.
        subject: its id.
        event: of the state table.
        actor: who did it.
        why: the reason, where there is one.
        at: when; now, where it is left out.
        version: the new version, where the event is a change of its content.
        told: more for the event that is written.

    Returns:
        Where it stands afterwards.

    Raises:
        BadTransition: impossible in its state.
        UnknownReview: there is no such thing.
    """
    with store.atomic() as db:
        thing, at = get(store, kind, subject), at or now()
        state = after(kind.states, thing.state, event)
        begins = state == kind.waiting != thing.state and event != kind.reopens
        version = version or thing.version
        of = {"kind": kind.name, "subject": subject, "state": state, "version": version, "at": at}
        if thing.state == kind.waiting != state:
            void_open(store, kind, subject, f"the {kind.noun} was {state}")
        seq = _tell(store, kind, thing, event, state, version, actor, why, at, told or {})
        more = ", round = t.round + 1, live = 0, queued = :seq" if begins else ""
        change = f"UPDATE {kind.things.table} AS t SET state = :state, version = :version, updated_at = :at{more} {this(kind)}"
        db.execute(change, of | {"seq": seq})
        return get(store, kind, subject)


def void_open(store: Store, kind: Kind, subject: str, why: str) -> None:
    """End every review of a thing that is under way."""
    found = store.rows(
        "SELECT * FROM reviews WHERE kind = ? AND subject = ? AND decided_at IS NULL AND state <> ? ORDER BY rowid",
        Review, [kind.name, subject, VOID],
    )  # fmt: skip
    for review in found:
        void(store, kind, review, why)


def void(store: Store, kind: Kind, review: Review, why: str) -> None:
    """End one review without counting it: its slot is free again."""
    with store.atomic() as db:
        state = after(kind.review, review.state, VOID)
        db.execute("UPDATE reviews SET state = ?, slot = NULL WHERE review_id = ?", [state, review.review_id])
        db.execute(
            f"UPDATE {kind.things.table} AS t SET live = t.live - 1 {this(kind)} AND t.round = :round",
            {"kind": kind.name, "subject": review.subject, "round": review.round},
        )
        tell_review(store, kind, review, "void", {"why": why}, actor=review.reviewer)


def tell_review(
    store: Store, kind: Kind, review: Review, what: str, data: Mapping[str, Any], *, actor: str, at: str | None = None
) -> None:  # fmt: skip
    """Write one event of a review."""
    told = {"review": review.review_id, kind.noun: review.subject, **data}
    study_id = kind.settings(store, review.scope).study_id
    store.event(f"{kind.review_told}_{what}", told, at=at, actor=actor, study_id=study_id, subject=review.subject)


def done_so(store: Store, kind: Kind, subject: str, event: str, actor: str, why: str) -> bool:
    """Whether this is what was done with a thing last, by the same person for the same reason: it is asked for again."""
    newest = "SELECT actor, data FROM events WHERE subject = ? AND kind = ? ORDER BY seq DESC LIMIT 1"
    row = store.one(newest, [subject, kind.told_of])
    data = {} if row is None else json.loads(row["data"])
    return row is not None and (row["actor"], data.get("event"), data.get("why", "")) == (actor, event, why)


def tell(store: Store, kind: Kind, subject: str, event: str, actor: str, *, why: str = "", at: str | None = None) -> None:
    """Write that a thing came to be as it stands, such as ``create``: events from which its state table is entered."""
    thing = get(store, kind, subject)
    _tell(store, kind, thing, event, thing.state, thing.version, actor, why, at or now(), {})


def _tell(
    store: Store, kind: Kind, thing: Thing, event: str, state: str, version: int, actor: str, why: str, at: str, more: Mapping[str, Any]
) -> int:  # fmt: skip
    data = {kind.noun: thing.subject, "event": event, "state": state, "version": version, **more} | ({"why": why} if why else {})
    study_id = kind.settings(store, thing.scope).study_id
    return store.event(kind.told_of, data, at=at, actor=actor, study_id=study_id, subject=thing.subject)
