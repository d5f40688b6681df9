"""Workers that run elsewhere: their addresses, and what each says of itself when it is asked."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from urllib.parse import urlsplit

from sim_bridge.client import Client
from sim_bridge.errors import BadRequest, BridgeError

ASKED_TIMES = 5
"""How often a worker's health is asked for, to say how long a question takes."""


@dataclass(frozen=True)
class Remote:
    """A worker that runs elsewhere."""

    address: str
    """``ws://host:port`` or ``wss://host:port``."""
    token: str = ""
    """Its bearer token."""


@dataclass(frozen=True)
class Told:
    """What a worker says of itself, or why it cannot be used."""

    address: str
    backend: str = ""
    """Name of its simulator; empty: it cannot be used."""
    places: int = 0
    """Sessions it keeps at once; 0: it does not say."""
    sessions: int = 0
    """Sessions it has."""
    latency_ms: float | None = None
    """How long a question takes there and back, the median of a few; milliseconds."""
    deterministic: bool = False
    capabilities: tuple[str, ...] = ()
    fingerprint: dict[str, str] | None = None
    trouble: str = ""
    """Why it cannot be used, a sentence."""


def check_address(address: str) -> str:
    """The address of a worker, as it is used.

    Raises:
        BadRequest: it is none.
    """
    wanted = "expected ws://host:port or wss://host:port"
    try:
        parts = urlsplit(address.strip())
        port = parts.port
    except ValueError as problem:
        raise BadRequest(f"worker address: {wanted}, got {address!r} ({problem})") from None
    if parts.username or parts.password:
        raise BadRequest("worker address: no name or password belongs into it; the worker's token is given beside it")
    if parts.scheme not in ("ws", "wss") or not parts.hostname or parts.query or parts.fragment or (port is None and parts.scheme == "ws"):
        raise BadRequest(f"worker address: {wanted}, got {address!r}")
    return address.strip().rstrip("/")


def remotes(addresses: Sequence[str], tokens: Sequence[str] = ()) -> tuple[Remote, ...]:
    """Addresses with their tokens.

    Args:
        addresses: each once.
        tokens: one for all of them, or one for each in their order; none: empty ones.

    Raises:
        BadRequest: an address is none or stands there twice, or there are more or fewer tokens than that.
    """
    checked = [check_address(address) for address in addresses]
    for address in checked:
        if checked.count(address) > 1:
            raise BadRequest(f"worker address: {address} is given twice; name each worker once")
    if len(tokens) not in (0, 1, len(checked)):
        raise BadRequest(f"worker token: expected one for all workers or one for each address, {len(checked)}, got {len(tokens)}")
    each = list(tokens) if len(tokens) == len(checked) else [*tokens, ""][:1] * len(checked)
    return tuple(Remote(address, token) for address, token in zip(checked, each, strict=True))


def ask(remote: Remote, *, timeout_s: float = 5.0) -> Told:
    """What a worker says of itself; nothing is raised for one that cannot be used."""
    try:
        with Client(remote.address, remote.token, name="ask", connect_timeout_s=timeout_s) as client:
            took: list[float] = []
            for _ in range(ASKED_TIMES):
                began = time.perf_counter()
                health = client.health(deadline_s=timeout_s)
                took.append((time.perf_counter() - began) * 1e3)
            said = client.hello
            trouble = f"It is past the deadline of its request, {health.busy_s:.0f} s: restart it where it runs." if health.overdue else ""
            return Told(
                remote.address,
                backend=said.backend,
                places=said.places,
                sessions=health.sessions,
                latency_ms=round(median(took), 2),
                deterministic=said.deterministic,
                capabilities=said.capabilities,
                fingerprint=said.fingerprint,
                trouble=trouble,
            )
    except BridgeError as problem:
        return Told(remote.address, trouble=str(problem))
