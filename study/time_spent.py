"""Where somebody's time went: what was shown to them, thinking, waiting for us, and away. The four add up to the time from coming in to the
end, whatever clocks said, since that time is cut into pieces and each piece is one of them.

How each is told is in `docs/explanation/measurement.md`. Times of a browser's clock are moved to the server's by the least difference
between the two that the same opening shows, and never lie before what the server had kept before, nor after what it kept then: a clock that
is wrong moves a boundary inside one step, no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Literal

import msgspec

from data.store import Store, written
from study.participants import get_participant
from study.records import ParticipantRecord

Kind = Literal["waiting", "away", "thinking", "shown"]
KINDS: tuple[Kind, ...] = ("waiting", "away", "thinking", "shown")
"""In the order in which they count where several are true at once: who waits for us waits, even in another window."""
SILENT_MS = 10 * 60_000
"""On pages that tell nothing of the tab (between tasks), a longer stretch without a sign of life is time away."""
DELIVERY_MS = 30_000
"""So long after a step was kept its picture may still be on its way: then we are waited for. Longer, and the network or the computer was
off."""
LINE_MS = SILENT_MS
"""So long in the line for a place is waiting for us; who waits longer was told when to come back, and is free to go."""
OURS = ("places_reserved", "slot_state", "episode_state", "episode_created", "assigned", "resumed", "outcome", "gold_disputed", "erased")
"""Events of somebody's that are no sign of life: the program's own, or of others."""
OUT, BACK = {"hidden": "visible", "blur": "focus", "offline": "online"}, {"visible", "focus", "online"}
"""What of a page begins time away, and what ends it."""


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody's time, milliseconds."""

    began: str
    """When they came in; server time."""
    ended: str
    """When they came to their end; of who is on their way: the last sign of life."""
    shown_ms: int
    """A page of ours was there to read or to fill in, and none of the others."""
    thinking_ms: int
    """A task's picture was on the screen, and the next action theirs."""
    waiting_ms: int
    """They had done something, or opened a task, and what follows was not there yet."""
    away_ms: int
    """The tab hidden, another window used, the connection lost, a break, or no sign of life between tasks for more than ten minutes."""

    @property
    def wall_ms(self) -> int:
        """From coming in to the end."""
        return self.shown_ms + self.thinking_ms + self.waiting_ms + self.away_ms

    @property
    def paid_ms(self) -> int:
        """What is worked for us: all but the time away. Waiting for us is paid."""
        return self.wall_ms - self.away_ms


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


class _Step(msgspec.Struct, frozen=True, kw_only=True):
    episode_id: str
    seq: int
    epoch: int
    client_time_ms: float | None
    painted_ms: float | None
    server_time: str


class _Event(msgspec.Struct, frozen=True, kw_only=True):
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


_TOLD = (
    "SELECT episode_id, kind, at, seq, CAST(coalesce(json_extract(data, '$.epoch'), 0) AS INTEGER) AS epoch, "
    "CAST(json_extract(data, '$.client_time_ms') AS REAL) AS client_time_ms, "
    "CASE WHEN kind = 'page' THEN coalesce(json_extract(data, '$.what'), '') ELSE '' END AS what, "
    "CASE WHEN kind = 'participant_state' THEN coalesce(json_extract(data, '$.event'), '') ELSE '' END AS event FROM events"
)


def time_of(store: Store, participant_id: str) -> Spent:
    """Where the time of a participant went.

    Args:
        store: the database.
        participant_id: who.

    Raises:
        NoTaskLeft: there is nobody with this id.
    """
    person = get_participant(store, participant_id)
    own = {"id": participant_id}
    mine = "(SELECT episode_id FROM episodes WHERE participant_id = :id)"
    acted = "actor IN ('', :id)"
    events = store.rows(
        f"{_TOLD} WHERE participant_id = :id AND {acted} UNION "
        f"{_TOLD} WHERE episode_id IN {mine} AND kind <> 'step' AND {acted} ORDER BY seq",
        _Event,
        own,
    )
    steps = store.rows(
        f"SELECT episode_id, seq, epoch, client_time_ms, painted_ms, server_time FROM steps WHERE episode_id IN {mine} ORDER BY event_seq",
        _Step,
        own,
    )
    begin = _ms(person.created_at)
    signs = [_ms(event.at) for event in events if event.kind not in OURS] + [_ms(step.server_time) for step in steps]
    end = max(begin, _end(person, events) or max(signs, default=begin))
    spans = [span for episode in dict.fromkeys(step.episode_id for step in steps) for span in _of_episode(episode, steps, events)]
    spans += [span for episode in _pictured(events, steps) for span in _of_episode(episode, steps, events)]
    spans += [*_in_line(events, end), *_breaks(events, end)]
    shares = cut(begin, end, spans, signs, silent_ms=SILENT_MS)
    until = written(datetime.fromtimestamp(end / 1000, UTC))
    return Spent(began=person.created_at, ended=until, **{f"{kind}_ms": shares[kind] for kind in KINDS})


def _pictured(events: Sequence[_Event], steps: Sequence[_Step]) -> list[str]:
    """Episodes that were opened and have no steps: questions about pictures, and what never came to its first view."""
    stepped = {step.episode_id for step in steps}
    return list(dict.fromkeys(e.episode_id for e in events if e.kind == "opened" and e.episode_id and e.episode_id not in stepped))


def _end(person: ParticipantRecord, events: Sequence[_Event]) -> int | None:
    """When somebody came to their end; None: they are on their way. Who took their data back afterwards had come to it before."""
    if person.finished_at is None or person.state in ("entered", "welcomed", "consented", "practised"):
        return None
    ends = [event for event in events if event.kind == "participant_state" and event.event in _ENDING]
    earlier = [event for event in ends if event.event != "withdraw"]
    if person.state == "withdrawn" and earlier:
        return _ms(earlier[-1].at)
    return _ms(ends[-1].at if ends else person.finished_at)


def _in_line(events: Sequence[_Event], end: int) -> list[Span]:
    """Waits for a place of the study: from joining the line to a place, or to the end."""
    spans, since = [], None
    for event in events:
        if event.kind == "waiting":
            since = _ms(event.at) if since is None else since
        elif since is not None and event.kind in ("places_reserved", "assigned", "participant_state"):
            spans.append(Span(since, min(_ms(event.at), since + LINE_MS), "waiting"))
            since = None
    return spans if since is None else [*spans, Span(since, min(end, since + LINE_MS), "waiting")]


def _breaks(events: Sequence[_Event], end: int) -> list[Span]:
    """Breaks between tasks, from the offer to the end of it."""
    spans, since = [], None
    for event in events:
        if event.kind == "break_began":
            since = _ms(event.at)
        elif since is not None and event.kind in ("break_ended", "assigned"):
            spans.append(Span(since, _ms(event.at), "away"))
            since = None
    return spans if since is None else [*spans, Span(since, end, "away")]


_ENDING = ("finish", "stop", "screen_out", "fail", "decline", "withdraw")


def _of_episode(episode_id: str, steps: Sequence[_Step], events: Sequence[_Event]) -> list[Span]:
    """The spans of one episode, opening by opening."""
    own_steps = [step for step in steps if step.episode_id == episode_id]
    own_events = [event for event in events if event.episode_id == episode_id]
    epochs = sorted({event.epoch for event in own_events if event.kind == "opened"} | {step.epoch for step in own_steps})
    first = min((_ms(step.server_time) for step in own_steps), default=None)
    # Where no simulator is free the page asks again and again until the first view is there: that is one wait.
    asks = [_ms(event.at) for event in own_events if event.kind == "opened" and (first is None or _ms(event.at) < first)]
    until = [*asks[1:], *([] if first is None else [first])]
    spans = [Span(ask, then, "waiting") for ask, then in zip(asks, until, strict=False) if then - ask <= SILENT_MS]
    for epoch in epochs:
        mine = [step for step in own_steps if step.epoch == epoch]
        told = [event for event in own_events if event.epoch == epoch]
        asked = min((_ms(event.at) for event in told if event.kind == "opened"), default=None)
        spans += _of_opening(mine, told, asked, first)
    return spans


def _of_opening(steps: Sequence[_Step], events: Sequence[_Event], asked: int | None, first: int | None) -> list[Span]:
    """The spans of one opening.

    Args:
        steps: taken in it, in order.
        events: of it, in order.
        asked: when the page asked for the task.
        first: when the episode's first view was kept, in whatever opening; None: it has none.
    """
    heard = [_ms(step.server_time) for step in steps] + [_ms(event.at) for event in events]
    if not heard:
        return []
    shift = _shift(steps, events)
    asked = min(heard) if asked is None else asked
    last = max(heard)
    # when the picture that stood there at the beginning of this opening was ready
    ready = asked if first is None else max(asked, first) if first <= last else last
    acts = [(step.client_time_ms, step.painted_ms, _ms(step.server_time)) for step in steps if step.seq > 0]
    acts += [(event.client_time_ms, None, _ms(event.at)) for event in events if event.kind == "answered"]
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
    return spans + _away(events, shift, asked, last, [done for _, _, done in acts])


def _away(events: Sequence[_Event], shift: float | None, asked: int, last: int, acted: Sequence[int]) -> list[Span]:
    """Time away by what the page told: from leaving to coming back, or to the next thing that they did here."""
    spans: list[Span] = []
    left: dict[str, int] = {}
    for event in events:
        if event.kind != "page":
            continue
        what, at = event.what, _within(event.client_time_ms, shift, asked, _ms(event.at))
        if what in OUT:
            left.setdefault(OUT[what], at)
        elif what in BACK and what in left:
            spans.append(Span(left.pop(what), at, "away"))
    for since in left.values():
        spans.append(Span(since, min((done for done in acted if done > since), default=last), "away"))
    return spans


def _shift(steps: Sequence[_Step], events: Sequence[_Event]) -> float | None:
    """What to add to the browser's clock to have the server's: the least difference seen, since what was sent arrives later. None: the
    browser's clock was never told."""
    told = [(step.client_time_ms, step.server_time) for step in steps] + [(event.client_time_ms, event.at) for event in events]
    return min((_ms(server) - client for client, server in told if client is not None), default=None)


def _within(client: float | None, shift: float | None, low: int, high: int) -> int:
    """A browser's moment by the server's clock, between what was kept before and what was kept then; none told: the latter."""
    return high if client is None or shift is None else max(low, min(high, round(client + shift)))


def _ms(iso: str) -> int:
    return round(datetime.fromisoformat(iso).timestamp() * 1000)


def in_words(spent: Spent) -> Mapping[str, str]:
    """Each part as minutes and seconds: ``{"thinking": "12 min 03 s", …}``."""
    return {kind: words(getattr(spent, f"{kind}_ms")) for kind in KINDS}


def words(ms: int) -> str:
    """``1 h 02 min``, ``12 min 03 s``, ``4 s``."""
    seconds = round(ms / 1000)
    hours, minutes = divmod(seconds // 60, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {seconds % 60:02d} s" if minutes else f"{seconds} s"
