"""Requests to an app from outside, as a browser makes them: what `vantage doctor --address` walks with."""

from __future__ import annotations

import http.client
import json
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.address import DEFAULT_PORTS, PublicAddress

PATIENCE_S = 22.0
"""How long a WebSocket is held in silence; the server itself says something every 20 s."""
REPLY_S = 20.0
"""How long a reply may take."""


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> list[str]:
        """The lines of one header."""
        return [value for header, value in self.headers if header.lower() == name]

    def told(self) -> dict[str, Any]:
        """The body as a JSON object; empty when it is none."""
        try:
            read = json.loads(self.body)
        except ValueError:
            return {}
        return read if isinstance(read, dict) else {}


@dataclass
class Way:
    """The way to one address."""

    address: PublicAddress
    patience_s: float = PATIENCE_S
    seen: dict[str, Any] = field(default_factory=dict)
    """What the server told of a request that arrived."""

    @property
    def place(self) -> tuple[str, int]:
        """Host and port."""
        host, _, port = self.address.netloc.rpartition(":") if re.search(r":\d+$", self.address.netloc) else (self.address.netloc, "", "")
        return host.strip("[]"), int(port) if port else DEFAULT_PORTS[self.address.scheme]

    def connection(self) -> http.client.HTTPConnection:
        """A connection of its own."""
        host, port = self.place
        if self.address.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=REPLY_S, context=ssl.create_default_context())
        return http.client.HTTPConnection(host, port, timeout=REPLY_S)

    def ask(self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Reply:
        """One request below the address."""
        line = self.connection()
        try:
            line.request(
                method, self.address.path + path, body, {"Host": self.address.netloc, "User-Agent": "vantage-doctor"} | dict(headers or {})
            )
            reply = line.getresponse()
            return Reply(reply.status, reply.getheaders(), reply.read(4 << 20))
        finally:
            line.close()

    def write(self, origin: str) -> Reply:
        """A write that changes nothing, from a page of `origin`."""
        return self.ask("POST", "/api/way", b"{}", {"Origin": origin, "Content-Type": "application/json"})
