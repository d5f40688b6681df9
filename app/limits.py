"""How long and how much a client may take: one small setting, so that a test can have it small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Limits:
    """Limits of one server. Those of time are for clients that send too slowly, never for work that the server does."""

    header_s: float = 20.0
    """A request's header must have come after this long (seconds)."""
    body_s: float = 20.0
    """A request's body may take this long (seconds), and longer by what has come at `body_rate`."""
    body_rate: float = 2_000.0
    """Bytes a second that a body comes with at least."""
    waiting: int = 400
    """Connections that have sent no whole header yet; beyond it the oldest is closed."""
    drain_s: float = 3.0
    """After an answer that did not wait for the whole body: how long the rest may still come (seconds), so that the answer is read."""
    drain_bytes: int = 1 << 20
    """And how much of it (bytes)."""
    write_s: float = 300.0
    """An answer of which the client reads nothing for so long is given up (seconds)."""
    first_frame_s: float = 30.0
    """A WebSocket's first message must have come after this long (seconds)."""
    strangers_per_s: float = 50.0
    """Requests a second that visitors without a grant may make from one address, beside pages and their files."""
    strangers_burst: int = 1000
    """And at once."""
    handshakes_per_s: float = 1.0
    """WebSockets a second that one person, or strangers of one address, may open."""
    handshakes_burst: int = 200
    """And at once."""
    sockets_of_one: int = 24
    """WebSockets that one person may have open at once: a page each."""
    sockets_of_an_address: int = 32
    """WebSockets that visitors without a grant may have open from one address."""
    sockets_of_strangers: int = 500
    """And from all addresses."""
    messages_per_s: float = 8.0
    """Messages a second that one person's pages send on their WebSockets, each of which may draw a page; what comes faster waits."""
    messages_burst: int = 40
    """And at once."""
    messages_of_strangers_per_s: float = 3.0
    """Those of visitors without a grant from one address, whose page is soon drawn."""
    messages_of_strangers_burst: int = 100
    """And at once."""
    uploads_of_one: int = 64 << 20
    """Bytes that one person's uploaded files may take in memory at once."""
    uploads_together: int = 512 << 20
    """And those of all people."""


DEFAULT = Limits()


def from_words(words: Sequence[str]) -> Limits:
    """Limits, some given as ``name=number``.

    Raises:
        ValueError: no such limit, or no number.
    """
    kinds = {field.name: type(getattr(DEFAULT, field.name)) for field in fields(Limits)}
    given = {}
    for word in words:
        name, _, number = word.partition("=")
        if name not in kinds:
            raise ValueError(f"a limit is one of {', '.join(kinds)}; got {name!r}")
        given[name] = kinds[name](number)
    return Limits(**given)
