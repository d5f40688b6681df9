"""Who reviews what next: reviews are given out by one query over an index, in a write lock that is held for one row.

Order: the things that lack the fewest reviews come first, so that what is begun is finished; among those, the one that was sent in first.
Nobody gets what they made or took part in, nor a thing of which an earlier review has shown them more than the first stage. Staff ids that
one browser held side by side are taken for one person (`study.access.same_people`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from annotation.reviewing import things
from annotation.reviewing.errors import NothingToReview
from annotation.reviewing.kind import VOID, Kind
from annotation.reviewing.rows import Review
from data.rows import columns
from data.store import Store, dumps, new_id, now, written
from study.access import same_people

MOST = 1000
"""So many waiting things are counted for a page."""


class _Found(msgspec.Struct, frozen=True):
    subject: str
    version: int
    round: int


class _Count(msgspec.Struct, frozen=True):
    n: int


class _Subject(msgspec.Struct, frozen=True):
    subject: str


class _Slot(msgspec.Struct, frozen=True):
    slot: int


_OPEN = f"decided_at IS NULL AND state <> '{VOID}'"
"""Reviews under way; the words of the partial indexes."""


def next_review(store: Store, kind: Kind, scope: str, reviewer: str) -> Review:
    """The reviewer's unfinished review, or a new one.

    Raises:
        NothingToReview: nothing waits for this person.
    """
    give_back(store, kind, scope)
    if own := _own(store, kind, scope, reviewer):
        return own
    # looked for before the write lock, so that a search that takes long delays nobody else's work
    found = _waiting(store, kind, scope, reviewer)
    with store.atomic():
        if own := _own(store, kind, scope, reviewer):
            return own
        if found is not None:
            # somebody may have been faster: look again, at this one only, and search again only where it is gone
            found = _waiting(store, kind, scope, reviewer, only=found.subject) or _waiting(store, kind, scope, reviewer)
        if found is None:
            raise NothingToReview(kind.nothing)
        return _assign(store, kind, scope, reviewer, found)


def _assign(store: Store, kind: Kind, scope: str, reviewer: str, found: _Found) -> Review:
    taken = store.rows(
        "SELECT slot FROM reviews WHERE kind = ? AND subject = ? AND round = ? AND slot IS NOT NULL",
        _Slot, [kind.name, found.subject, found.round],
    )  # fmt: skip
    free = min(set(range(1, len(taken) + 2)) - {row.slot for row in taken})
    at = now()
    review = Review(
        new_id("rv"), kind.name, scope, found.subject, found.version, found.round, free, reviewer, kind.first, 0, at, at, None
    )  # fmt: skip
    store.insert("reviews", columns(review))
    of = {"kind": kind.name, "subject": found.subject}
    store.db.execute(f"UPDATE {kind.things.table} AS t SET live = t.live + 1 {things.this(kind)}", of)
    things.tell_review(store, kind, review, "assigned", {"version": review.version, "round": review.round}, actor=reviewer, at=at)
    return review


def waiting_for(store: Store, kind: Kind, scope: str, reviewer: str, *, most: int = MOST) -> int:
    """How many things could be given to this reviewer now; counted up to `most`."""
    people = named(same_people(store, reviewer))
    of = _parameters(store, kind, scope) | people | {"most": most}
    row = store.row(f"SELECT count(*) AS n FROM (SELECT 1 FROM {_candidates(kind, tuple(people))} LIMIT :most)", _Count, of)
    return row.n if row else 0


def starved(store: Store, kind: Kind, scope: str, people: Sequence[str]) -> list[str]:
    """Things in review that cannot get the reviews they need from these people: too many made them or have seen their answer."""
    at, key = kind.things, kind.things.key
    same = {who: same_people(store, who) for who in people}
    barred, knows = kind.excluded.format(person="a.name"), _known(kind, "a.name")
    # Enough others are left where few made it and few know it: most things are told by two indexes alone.
    perhaps = f"({at.makers}) + coalesce(k.knowing, 0) > :n - ({at.slots})" if at.makers else "1"
    # each person who is found can review it; the search ends as soon as a whole round of them is found
    out = f"SELECT 1 FROM names a WHERE a.person = p.person AND (EXISTS ({barred}) OR EXISTS ({knows}))"
    able = f"SELECT count(*) FROM (SELECT 1 FROM people p WHERE NOT EXISTS ({out}) LIMIT :slots)"
    rows = store.rows(
        "WITH names (person, name) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(:names)), "
        "people (person) AS MATERIALIZED (SELECT DISTINCT person FROM names), known (subject, knowing) AS MATERIALIZED "
        "(SELECT subject, count(*) FROM reviews WHERE kind = :kind AND (stages > 0 OR skipped IS NOT NULL) GROUP BY subject) "
        f"SELECT t.{key} AS subject FROM {at.table} t LEFT JOIN known k ON k.subject = t.{key} {things.where(kind)}t.{at.scope} = :scope "
        f"AND t.state = :waiting AND t.live < ({at.slots}) "
        # a CASE, so that the people are not looked at where they need not be
        f"AND CASE WHEN {perhaps} THEN ({able}) < ({at.slots}) - t.live ELSE 0 END ORDER BY t.queued",
        _Subject,
        _parameters(store, kind, scope)
        | {"names": dumps(sorted({(min(names), name) for names in same.values() for name in names}))}
        | {"n": len({min(names) for names in same.values()})},
    )
    return [row.subject for row in rows]


def give_back(store: Store, kind: Kind, scope: str) -> None:
    """Give back the reviews that nobody finishes. Nothing is written where there is none."""
    minutes = kind.settings(store, scope).hold_minutes
    limit = written(datetime.fromisoformat(now()) - timedelta(minutes=minutes))
    late = f"SELECT * FROM reviews WHERE kind = ? AND scope = ? AND moved_at < ? AND {_OPEN} ORDER BY moved_at"
    if not store.rows(f"{late} LIMIT 1", Review, [kind.name, scope, limit]):
        return
    with store.atomic():
        for review in store.rows(late, Review, [kind.name, scope, limit]):
            things.void(store, kind, review, "not finished in time")


def _own(store: Store, kind: Kind, scope: str, reviewer: str) -> Review | None:
    return store.row(
        f"SELECT * FROM reviews WHERE kind = ? AND reviewer = ? AND scope = ? AND {_OPEN} ORDER BY assigned_at LIMIT 1",
        Review, [kind.name, reviewer, scope],
    )  # fmt: skip


def _parameters(store: Store, kind: Kind, scope: str) -> dict[str, str | int]:
    return {"kind": kind.name, "scope": scope, "waiting": kind.waiting, "slots": kind.settings(store, scope).slots}


def _known(kind: Kind, person: str) -> str:
    """SQL: a review of ``t`` by which a person knows it, or takes part in its round already."""
    return (
        f"SELECT 1 FROM reviews r WHERE r.kind = :kind AND r.reviewer = {person} AND r.subject = t.{kind.things.key} "
        f"AND (r.stages > 0 OR r.skipped IS NOT NULL OR (r.round = t.round AND r.state <> '{VOID}'))"
    )


def named(people: Sequence[str]) -> dict[str, str]:
    """Staff ids of one person as parameters of a query: name → id."""
    return {"reviewer" if not number else f"reviewer_{number}": who for number, who in enumerate(people)}


def _candidates(kind: Kind, people: Sequence[str] = ("reviewer",)) -> str:
    """SQL: the things ``t`` that could be given now to the person with these names (parameters), after FROM."""
    barred = "".join(
        f" AND NOT EXISTS ({sql})"
        for name in people
        for sql in (
            kind.excluded.format(person=f":{name}"),
            _known(kind, f":{name}"),
            *([kind.postponed.format(person=f":{name}")] if kind.postponed else []),
        )
    )
    return f"{things.source(kind)}t.{kind.things.scope} = :scope AND t.state = :waiting AND t.live < ({kind.things.slots}){barred}"


def _waiting(store: Store, kind: Kind, scope: str, reviewer: str, *, only: str | None = None) -> _Found | None:
    this = "" if only is None else f" AND t.{kind.things.key} = :only"
    people = named(same_people(store, reviewer))
    return store.row(
        f"SELECT t.{kind.things.key} AS subject, t.version, t.round FROM {_candidates(kind, tuple(people))}{this} "
        "ORDER BY t.live DESC, t.queued LIMIT 1",
        _Found,
        _parameters(store, kind, scope) | people | {"only": only or ""},
    )
