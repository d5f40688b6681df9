"""Where somebody's time went: what was shown to them, thinking, waiting for us, and away. The four add up to the time from coming in to the
end, whatever clocks said, since that time is cut into pieces and each piece is one of them.

How each is told is in `docs/explanation/measurement.md`, how it is read from what was kept in `study.spans`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from data.store import Store, written
from study.participants import get_participant
from study.records import ParticipantRecord
from study.spans import KINDS, SILENT_MS, TOLD, Event, Span, Step, cut, ms_of, of_episode

LINE_MS = SILENT_MS
"""So long in the line for a place is waiting for us; who waits longer was told when to come back, and is free to go."""
OURS = (
    "places_reserved", "slot_state", "episode_state", "episode_created", "assigned", "resumed", "simulator_away", "simulator_back",
    "outcome", "gold_disputed", "erased",
)  # fmt: skip
"""Events of somebody's that are no sign of life: the program's own, or of others."""


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody's time, milliseconds."""

    began: str
    """When they came in; server time."""
    ended: str
    """When they came to their end; of whoever is on their way: the last sign of life."""
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
        f"{TOLD} WHERE participant_id = :id AND {acted} UNION "
        f"{TOLD} WHERE episode_id IN {mine} AND kind <> 'step' AND {acted} ORDER BY seq",
        Event,
        own,
    )
    steps = store.rows(
        f"SELECT episode_id, seq, epoch, client_time_ms, painted_ms, server_time FROM steps WHERE episode_id IN {mine} ORDER BY event_seq",
        Step,
        own,
    )
    begin = ms_of(person.created_at)
    signs = [ms_of(event.at) for event in events if event.kind not in OURS] + [ms_of(step.server_time) for step in steps]
    end = max(begin, _end(person, events) or max(signs, default=begin))
    spans = [span for episode in dict.fromkeys(step.episode_id for step in steps) for span in of_episode(episode, steps, events)]
    spans += [span for episode in _pictured(events, steps) for span in of_episode(episode, steps, events)]
    spans += [*_in_line(events, end), *_breaks(events, end)]
    shares = cut(begin, end, spans, signs, silent_ms=SILENT_MS)
    until = written(datetime.fromtimestamp(end / 1000, UTC))
    return Spent(began=person.created_at, ended=until, **{f"{kind}_ms": shares[kind] for kind in KINDS})


def _pictured(events: Sequence[Event], steps: Sequence[Step]) -> list[str]:
    """Episodes that were opened and have no steps: questions about pictures, and what never came to its first view."""
    stepped = {step.episode_id for step in steps}
    return list(dict.fromkeys(e.episode_id for e in events if e.kind == "opened" and e.episode_id and e.episode_id not in stepped))


def _end(person: ParticipantRecord, events: Sequence[Event]) -> int | None:
    """When somebody came to their end; None: they are on their way. Who took their data back afterwards had come to it before."""
    if person.finished_at is None or person.state in ("entered", "welcomed", "consented", "practised"):
        return None
    ends = [event for event in events if event.kind == "participant_state" and event.event in _ENDING]
    earlier = [event for event in ends if event.event != "withdraw"]
    if person.state == "withdrawn" and earlier:
        return ms_of(earlier[-1].at)
    return ms_of(ends[-1].at if ends else person.finished_at)


def _in_line(events: Sequence[Event], end: int) -> list[Span]:
    """Waits for a place of the study: from joining the line to a place, or to the end."""
    spans, since = [], None
    for event in events:
        if event.kind == "waiting":
            since = ms_of(event.at) if since is None else since
        elif since is not None and event.kind in ("places_reserved", "assigned", "participant_state"):
            spans.append(Span(since, min(ms_of(event.at), since + LINE_MS), "waiting"))
            since = None
    return spans if since is None else [*spans, Span(since, min(end, since + LINE_MS), "waiting")]


def _breaks(events: Sequence[Event], end: int) -> list[Span]:
    """Breaks between tasks, from the offer to the end of it."""
    spans, since = [], None
    for event in events:
        if event.kind == "break_began":
            since = ms_of(event.at)
        elif since is not None and event.kind in ("break_ended", "assigned"):
            spans.append(Span(since, ms_of(event.at), "away"))
            since = None
    return spans if since is None else [*spans, Span(since, end, "away")]


_ENDING = ("finish", "stop", "screen_out", "fail", "decline", "withdraw")


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
