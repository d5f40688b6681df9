"""Stretches of somebody's time: which moment belongs to what. The time of a whole way (`study.time_spent`) and what counts against a time
limit (`study.clocks`) are both read from them.

Times of a browser's clock are moved to the server's by the least difference between the two that the same opening shows, and never lie
before what the server had kept before, nor after what it kept then: a clock that is wrong moves a boundary inside one step, no more.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Literal

import msgspec

Kind = Literal["waiting", "away", "thinking", "shown"]
KINDS: tuple[Kind, ...] = ("waiting", "away", "thinking", "shown")
"""In the order in which they count where several are true at once: who waits for us waits, even in another window."""
SILENT_MS = 10 * 60_000
"""On pages that tell nothing of the tab (between tasks), a longer stretch without a sign of life is time away."""
DELIVERY_MS = 30_000
"""So long after a step was kept its picture may still be on its way: then we are waited for. Longer, and the network or the computer was
off."""
OUT, BACK = {"hidden": "visible", "blur": "focus", "offline": "online"}, {"visible", "focus", "online"}
"""What of a page begins time away, and what ends it."""


@dataclass(frozen=True)
class Span:
    """A stretch of time, milliseconds since 1970 by the server's clock."""

    begin: int
    end: int
    kind: Kind


def cut(begin: int, end: int, spans: Iterable[Span], signs: Iterable[int] = (), *, silent_ms: int = SILENT_MS) -> dict[Kind, int]:
    """Share the time from `begin` to `end` out: each moment to the first of `KINDS` that has a span there; what is left to ``shown``, and
    to ``away`` where two signs of life lie more than `silent_ms` apart in it.

    Args:
        begin: milliseconds.
        end: milliseconds, not before `begin`.
        spans: in any order, overlapping or not; what of them lies outside is left out.
        signs: moments at which something was heard of the person.
        silent_ms: see above.

    Returns:
        Milliseconds of each kind; together ``end - begin``.
    """
    inside = [(max(begin, span.begin), min(end, span.end), span.kind) for span in spans if span.begin < end and span.end > begin]
    changes: dict[int, list[tuple[Kind, int]]] = {begin: [], end: []}
    for first, last, kind in inside:
        if first < last:
            changes.setdefault(first, []).append((kind, 1))
            changes.setdefault(last, []).append((kind, -1))
    for moment in signs:
        if begin < moment < end:
            changes.setdefault(moment, [])
    shares: dict[Kind, int] = dict.fromkeys(KINDS, 0)
    open_now = dict.fromkeys(KINDS, 0)
    moments = sorted(changes)
    for here, there in pairwise(moments):
        for kind, step in changes[here]:
            open_now[kind] += step
        length = there - here
        kind = next((kind for kind in KINDS if open_now[kind]), "away" if length > silent_ms else "shown")
        shares[kind] += length
    return shares


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What of a step says when it was."""

    episode_id: str
    seq: int
    epoch: int
    client_time_ms: float | None
    painted_ms: float | None
    server_time: str


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """What of an event says when it was."""

    episode_id: str | None
    kind: str
    at: str
    epoch: int = 0
    """Which opening it belongs to; 0: none is told."""
    client_time_ms: float | None = None
    """The browser's clock, where it was told."""
    what: str = ""
    """Of a page: what became of it."""
    event: str = ""
    """Of a participant's state: what moved it."""


TOLD = (
    "SELECT episode_id, kind, at, seq, CAST(coalesce(json_extract(data, '$.epoch'), 0) AS INTEGER) AS epoch, "
    "CAST(json_extract(data, '$.client_time_ms') AS REAL) AS client_time_ms, "
    "CASE WHEN kind = 'page' THEN coalesce(json_extract(data, '$.what'), '') ELSE '' END AS what, "
    "CASE WHEN kind = 'participant_state' THEN coalesce(json_extract(data, '$.event'), '') ELSE '' END AS event FROM events"
)
"""The beginning of a query for `Event`s; a condition follows."""


def of_episode(episode_id: str, steps: Sequence[Step], events: Sequence[Event]) -> list[Span]:
    """The spans of one episode, opening by opening."""
    own_steps = [step for step in steps if step.episode_id == episode_id]
    own_events = [event for event in events if event.episode_id == episode_id]
    epochs = sorted({event.epoch for event in own_events if event.kind == "opened"} | {step.epoch for step in own_steps})
    first = min((ms_of(step.server_time) for step in own_steps), default=None)
    # Where no simulator is free the page asks again and again until the first view is there: that is one wait.
    asks = [ms_of(event.at) for event in own_events if event.kind == "opened" and (first is None or ms_of(event.at) < first)]
    until = [*asks[1:], *([] if first is None else [first])]
    spans = [Span(ask, then, "waiting") for ask, then in zip(asks, until, strict=False) if then - ask <= SILENT_MS]
    for epoch in epochs:
        mine = [step for step in own_steps if step.epoch == epoch]
        told = [event for event in own_events if event.epoch == epoch]
        asked = min((ms_of(event.at) for event in told if event.kind == "opened"), default=None)
        spans += of_opening(mine, told, asked, first)
    return spans


def of_opening(steps: Sequence[Step], events: Sequence[Event], asked: int | None, first: int | None) -> list[Span]:
    """The spans of one opening.

    Args:
        steps: taken in it, in order.
        events: of it, in order.
        asked: when the page asked for the task.
        first: when the episode's first view was kept, in whatever opening; None: it has none.
    """
    heard = [ms_of(step.server_time) for step in steps] + [ms_of(event.at) for event in events]
    if not heard:
        return []
    shift = _shift(steps, events)
    asked = min(heard) if asked is None else asked
    last = max(heard)
    # when the picture that stood there at the beginning of this opening was ready
    ready = asked if first is None else max(asked, first) if first <= last else last
    acts = [(step.client_time_ms, step.painted_ms, ms_of(step.server_time)) for step in steps if step.seq > 0]
    acts += [(event.client_time_ms, None, ms_of(event.at)) for event in events if event.kind == "answered"]
    spans = [Span(ready, last, "thinking")]
    waits_from, kept = asked, ready
    for client, painted, done in sorted(acts, key=lambda act: act[2]):
        acted = _within(client, shift, kept, done)
        # not told by a later action: it was there when the server had it
        there = kept if painted is None else _within(painted, shift, kept, acted)
        seen = min(there, kept + DELIVERY_MS)
        spans += [Span(waits_from, seen, "waiting"), Span(seen, there, "away")]
        waits_from, kept = acted, done
    spans.append(Span(waits_from, kept, "waiting"))
    done_at = [done for _, _, done in acts]
    return [*spans, *_simulator(events, last, done_at), *_away(events, shift, asked, last, done_at)]


def _simulator(events: Sequence[Event], last: int, acted: Sequence[int]) -> list[Span]:
    """Waits for a simulator that has gone away: until one is back, or something was done, or until now."""
    spans, since = [], None
    for event in events:
        at = ms_of(event.at)
        if event.kind == "simulator_away":
            since = at if since is None else since
        elif event.kind == "simulator_back" and since is not None:
            spans.append(Span(since, at, "waiting"))
            since = None
    if since is not None:
        spans.append(Span(since, min((done for done in acted if done > since), default=last), "waiting"))
    return spans


def _away(events: Sequence[Event], shift: float | None, asked: int, last: int, acted: Sequence[int]) -> list[Span]:
    """Time away by what the page told: from leaving to coming back, or to the next thing that they did here."""
    spans: list[Span] = []
    left: dict[str, int] = {}
    for event in events:
        if event.kind != "page":
            continue
        what, at = event.what, _within(event.client_time_ms, shift, asked, ms_of(event.at))
        if what in OUT:
            left.setdefault(OUT[what], at)
        elif what in BACK and what in left:
            spans.append(Span(left.pop(what), at, "away"))
    for since in left.values():
        spans.append(Span(since, min((done for done in acted if done > since), default=last), "away"))
    return spans


def _shift(steps: Sequence[Step], events: Sequence[Event]) -> float | None:
    """What to add to the browser's clock to have the server's: the least difference seen, since what was sent arrives later. None: the
    browser's clock was never told."""
    told = [(step.client_time_ms, step.server_time) for step in steps] + [(event.client_time_ms, event.at) for event in events]
    return min((ms_of(server) - client for client, server in told if client is not None), default=None)


def _within(client: float | None, shift: float | None, low: int, high: int) -> int:
    """A browser's moment by the server's clock, between what was kept before and what was kept then; none told: the latter."""
    return high if client is None or shift is None else max(low, min(high, round(client + shift)))


@functools.lru_cache(maxsize=65_536)
def ms_of(iso: str) -> int:
    """A time as the database writes it, in milliseconds since 1970."""
    return round(datetime.fromisoformat(iso).timestamp() * 1000)
