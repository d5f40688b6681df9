"""Whom a request comes from when a proxy passes it on. Only proxies that the operator named are believed; nobody is by default.

The headers are the usual ``X-Forwarded-For``, ``-Proto`` and ``-Host``; each proxy appends to them, so they are read from the right. This
replaces uvicorn's own reading, which believes this machine unasked and knows no ``X-Forwarded-Host``.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

BY = "vantage.forwarded_by"
"""Where a request's scope has the address of the trusted proxy that passed it on."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def network(text: str) -> Network:
    """The addresses that ``--trusted-proxy`` names: one, or a range such as ``10.0.0.0/8``.

    Raises:
        ValueError: it is neither; says so.
    """
    try:
        return ipaddress.ip_network(text.strip(), strict=True)
    except ValueError:
        raise ValueError(f"{text!r} is no address or range of a proxy; write 127.0.0.1, 10.0.0.0/8 or fd00::/8") from None


def address(text: str) -> Address | None:
    """The address in an entry of ``X-Forwarded-For``, with or without a port or brackets; None where there is none."""
    entry = text.strip().strip('"')
    if entry.startswith("["):
        entry = entry[1:].partition("]")[0]
    elif entry.count(":") == 1:
        entry = entry.partition(":")[0]
    try:
        found = ipaddress.ip_address(entry.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


class Forwarded:
    """ASGI layer: the client, scheme and host that trusted proxies tell replace those of the connection."""

    def __init__(self, app: ASGIApp, trusted: Sequence[Network]) -> None:
        self.app = app
        self._trusted = tuple(trusted)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request or a socket on; where it comes from a trusted proxy, with what that tells."""
        if scope["type"] in ("http", "websocket") and self._trusts(address(scope["client"][0]) if scope.get("client") else None):
            scope = self._told(scope)
        await self.app(scope, receive, send)

    def _trusts(self, found: Address | None) -> bool:
        return found is not None and any(found in network for network in self._trusted)

    def _told(self, scope: Scope) -> Scope:
        told = {**scope, BY: scope["client"][0]}
        if came := self._client(entries(scope, b"x-forwarded-for")):
            told["client"] = (str(came), 0)
        if protocols := entries(scope, b"x-forwarded-proto"):
            scheme = protocols[-1].lower()
            if scheme in ("http", "https", "ws", "wss"):
                secure = scheme in ("https", "wss")
                told["scheme"] = ("wss" if secure else "ws") if scope["type"] == "websocket" else ("https" if secure else "http")
        if hosts := entries(scope, b"x-forwarded-host"):
            told["headers"] = [(b"host", hosts[-1].encode("latin-1")), *(header for header in scope["headers"] if header[0] != b"host")]
        return told

    def _client(self, entries: Iterable[str]) -> Address | None:
        """The rightmost address that is no trusted proxy's; what stands left of it anybody may have written."""
        came: Address | None = None
        for entry in reversed(list(entries)):
            found = address(entry)
            if found is None:
                break
            came = found
            if not self._trusts(found):
                break
        return came


def entries(scope: Scope, name: bytes) -> list[str]:
    """The entries of a header, over all its lines, in order."""
    lines = [value.decode("latin-1") for header, value in scope["headers"] if header == name]
    return [entry.strip() for line in lines for entry in line.split(",") if entry.strip()]
