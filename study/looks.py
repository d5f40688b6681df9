"""Looks: when which of several pictures was on somebody's screen, as their page tells it.

A look lasts while at least half of a picture is in view and the page is not hidden; an enlarged picture is the only one looked at. It says
what could be seen, not where the eyes were.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from data.rows import columns
from data.store import Store, now

MAX_LOOKS = 10_000
"""Most looks kept of one episode: every one of thirty pictures three hundred times."""


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """One look. A field's text is its entry in the data dictionary."""

    n: Annotated[int, Meta(description="The page's count of looks in that opening.")]
    seq: Annotated[int, Meta(description="Step whose picture was looked at.")]
    enlarged: Annotated[bool, Meta(description="It was shown alone, enlarged.")]
    scale: Annotated[float, Meta(description="Screen pixels for each of the picture's own: 1 is exact, less is shrunk as a whole.")]
    began_ms: Annotated[float, Meta(description="Browser clock when it came into view, milliseconds since 1970.")]
    ended_ms: Annotated[float, Meta(description="Browser clock when it went out of view, milliseconds since 1970.")]


class LookRecord(Look, frozen=True, kw_only=True):
    """A row of `looks`."""

    episode_id: str
    epoch: int
    event_seq: int
    server_time: str


class _Count(msgspec.Struct):
    rows: int


def keep(store: Store, episode_id: str, epoch: int, looks: Sequence[Look]) -> int:
    """Keep looks of one opening, each once; part of the caller's transaction. Returns how many are new."""
    held = store.row("SELECT count(*) AS rows FROM looks WHERE episode_id = ?", _Count, [episode_id])
    known = store.rows("SELECT n FROM looks WHERE episode_id = ? AND epoch = ?", _Number, [episode_id, epoch])
    seen = {row.n for row in known}
    new = [look for look in {look.n: look for look in looks}.values() if look.n not in seen]
    new = new[: max(0, MAX_LOOKS - (held.rows if held else 0))]
    if not new:
        return 0
    at = now()
    event_seq = store.event("looks", {"epoch": epoch, "looks": msgspec.to_builtins(new)}, at=at, episode_id=episode_id)
    for look in new:
        told = msgspec.structs.asdict(look)
        store.insert("looks", columns(LookRecord(episode_id=episode_id, epoch=epoch, event_seq=event_seq, server_time=at, **told)))
    return len(new)


class _Number(msgspec.Struct):
    n: int


def looks_of(store: Store, episode_id: str) -> list[LookRecord]:
    """The looks of an episode, in the order in which they began."""
    return store.rows("SELECT * FROM looks WHERE episode_id = ? ORDER BY began_ms, epoch, n", LookRecord, [episode_id])
