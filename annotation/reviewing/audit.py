"""Whether the reviews of a project or study contradict themselves: every kind of reviewed thing, by its declaration alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from annotation.reviewing import things
from annotation.reviewing.kind import VOID, Kind
from annotation.reviewing.rows import Review, Thing
from data.store import Store


class _Told(msgspec.Struct, frozen=True):
    subject: str
    event: str
    state: str


class _Votes(msgspec.Struct, frozen=True):
    review_id: str
    n: int
    first: str
    last: str


def audit(store: Store, kind: Kind, scope: str) -> dict[str, list[str]]:
    """Subject → what is out of order, as sentences; things in order are left out.

    Looked at: states (each follows from the events by the table), counted slots, open reviews (only of things in review), votes (each
    stage's before the decision), people (nobody decides on what they knew from an earlier review).
    """
    key = kind.things.key
    of = {"kind": kind.name, "scope": scope, "slots": kind.settings(store, scope).slots, "told": kind.told_of}
    mine = f"{things.source(kind)}t.{kind.things.scope} = :scope"
    events: dict[str, list[_Told]] = defaultdict(list)
    for event in store.stream(
        "SELECT e.subject, json_extract(e.data, '$.event') AS event, json_extract(e.data, '$.state') AS state FROM events e "
        f"WHERE e.kind = :told AND e.subject IN (SELECT t.{key} FROM {mine}) ORDER BY e.seq",
        _Told, of,
    ):  # fmt: skip
        events[event.subject].append(event)
    reviews: dict[str, list[Review]] = defaultdict(list)
    ours = "r.kind = :kind AND r.scope = :scope"
    for review in store.stream(f"SELECT r.* FROM reviews r WHERE {ours} ORDER BY r.assigned_at, r.rowid", Review, of):
        reviews[review.subject].append(review)
    stored = (
        "SELECT v.review_id, count(DISTINCT v.stage) AS n, min(v.at) AS first, max(v.at) AS last "
        f"FROM reviews r JOIN review_votes v USING (review_id) WHERE {ours} GROUP BY v.review_id"
    )
    votes = {row.review_id: row for row in store.stream(stored, _Votes, of)}
    found = {}
    for thing in store.stream(f"SELECT {things.columns(kind)} FROM {mine}", Thing, of):
        own = reviews[thing.subject]
        if wrong := _states(kind, thing, events[thing.subject]) + _slots(thing, own) + _people(kind, thing, own, votes):
            found[thing.subject] = wrong
    return found


def _states(kind: Kind, thing: Thing, events: Sequence[_Told]) -> list[str]:
    state = ""
    for event in events:
        # the first event of a thing, such as ``create``, names the state in which it begins
        if state and kind.states.get(state, {}).get(event.event) != event.state:
            return [f"{event.event!r} in the state {state!r} does not lead to {event.state!r}."]
        state = event.state
    return [] if state == thing.state else [f"its events lead to {state or 'nothing'!r}, it is {thing.state!r}."]


def _slots(thing: Thing, reviews: Sequence[Review]) -> list[str]:
    live = sum(review.round == thing.round and review.state != VOID for review in reviews)
    return [] if live == thing.live else [f"{live} reviews of its round count, its row says {thing.live}."]


def _people(kind: Kind, thing: Thing, reviews: Sequence[Review], votes: dict[str, _Votes]) -> list[str]:
    found = []
    seen: set[str] = set()
    for review in reviews:
        who, said = review.reviewer, votes.get(review.review_id)
        if review.state in kind.open_states and thing.state != kind.waiting:
            found.append(f"a review by {who} is open although the {kind.noun} is {thing.state}.")
        if (said.n if said else 0) != review.stages:
            found.append(f"the review by {who} says {review.stages} stages, {said.n if said else 0} are stored.")
        if review.state in kind.ends:
            whole = said is not None and said.n == len(kind.stages)
            if said is None or not whole or not review.assigned_at <= said.first <= said.last <= (review.decided_at or ""):
                found.append(f"{who} decided before they answered.")
            if who in seen:
                found.append(f"{who} had seen the answer before.")
        if review.stages:
            seen.add(who)
    return found
