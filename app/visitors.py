"""Whom a request counts as, for everything that has a limit: a person by their grant, a model agent by its key, everybody else by address.

A class of sixty behind one address is sixty people once each has come in; strangers of one address share what one stranger may take. What a
visitor may *do* is never read from here: `app.rights` asks the database on every call.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from starlette.requests import HTTPConnection
from starlette.types import Scope

from app import forwarded, identity, rights
from app.guard import HttpError, RateLimiter, too_fast
from app.http import run
from app.limits import Limits
from app.services import current
from data.store import Store
from study.errors import NotAllowed

SCOPE_KEY = "vantage.visitor"
"""Where `app.front` puts whom a request counts as."""
KNOWN_S = 600.0
"""How long it is remembered that a cookie or key is somebody's (seconds)."""
MOST_KNOWN = 20_000
"""And of how many."""


@dataclass(frozen=True)
class Visitor:
    """Whom a request counts as."""

    key: str
    known: bool
    """Whether it is somebody with a grant or a key."""


def client_address(scope: Scope) -> str:
    """The address that a request counts for: of the client, as trusted proxies tell (`app.forwarded`).

    Of IPv6 it is the network of 64 bits, which one household or machine has to itself.
    """
    client = scope.get("client")
    found = forwarded.address(client[0]) if client else None
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found or (client[0] if client else ""))


def visitor(scope: Scope) -> Visitor:
    """Whom this request counts as, which `app.front` has found out."""
    found: Visitor = scope.get(SCOPE_KEY) or _stranger(scope)
    return found


def bearer(connection: HTTPConnection) -> str | None:
    """The key of a model agent that a request brought."""
    scheme, _, key = connection.headers.get("authorization", "").partition(" ")
    return key.strip() or None if scheme.lower() == "bearer" else None


class Visitors:
    """Who is here, and how much of it. Used on the event loop alone."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._strangers = RateLimiter(limits.strangers_per_s, limits.strangers_burst)
        self._handshakes = RateLimiter(limits.handshakes_per_s, limits.handshakes_burst)
        self._known: OrderedDict[str, tuple[float, Visitor]] = OrderedDict()
        # However many are asked about, most of the threads that read stay free.
        self._looking = asyncio.Semaphore(2)
        self._sockets: Counter[str] = Counter()
        self._strangers_sockets = 0

    async def of(self, scope: Scope) -> Visitor:
        """Whom a request or handshake counts as.

        Raises:
            HttpError: 429, it is a stranger's, and strangers of its address have asked too much.
        """
        connection, address, stranger = HTTPConnection(scope), client_address(scope), _stranger(scope)
        known = None
        if cookie := identity.cookie(connection):
            known = await self._looked_up(cookie, _person)
        elif key := bearer(connection):
            known = await self._looked_up(key, _agent)
        if known is None and not self._strangers.allow(address):
            raise too_fast()
        return known or stranger

    async def _looked_up(self, value: str, look: Callable[[Store, str], Visitor | None]) -> Visitor | None:
        """Whose a cookie or key is. Looked up before anything is counted: who has just come in is not kept out by strangers beside them."""
        digest = identity.limit_key(value)
        since, known = self._known.get(digest, (0.0, None))
        if known is not None and time.monotonic() - since < KNOWN_S:
            return known
        services = current()
        async with self._looking:
            known = await run(services.reading, lambda: look(services.store, value))
        if known is not None:
            self._known.pop(digest, None)
            self._known[digest] = (time.monotonic(), known)
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
        return known

    @contextlib.contextmanager
    def socket(self, visitor: Visitor) -> Iterator[None]:
        """A WebSocket of a visitor, while it is open.

        Raises:
            HttpError: 429, they have as many as they may, or open them too fast.
        """
        most = self._limits.sockets_of_one if visitor.known else self._limits.sockets_of_an_address
        full = not visitor.known and self._strangers_sockets >= self._limits.sockets_of_strangers
        if self._sockets[visitor.key] >= most or full or not self._handshakes.allow(visitor.key):
            raise HttpError(429, "too_many", "There are too many open pages from here. Close some, then try again.")
        self._sockets[visitor.key] += 1
        self._strangers_sockets += not visitor.known
        try:
            yield
        finally:
            self._strangers_sockets -= not visitor.known
            self._sockets[visitor.key] -= 1
            if not self._sockets[visitor.key]:
                del self._sockets[visitor.key]


def _stranger(scope: Scope) -> Visitor:
    return Visitor(f"address {client_address(scope)}", known=False)


def _person(store: Store, cookie: str) -> Visitor | None:
    grants = rights.held(store, cookie)
    return Visitor(f"grant {grants[0].grant_id}", known=True) if grants else None


def _agent(store: Store, key: str) -> Visitor | None:
    try:
        return Visitor(f"agent {rights.agent(store, key).key_id}", known=True)
    except NotAllowed:
        return None
