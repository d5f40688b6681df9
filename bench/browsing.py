"""A participant's browser, as far as HTTP goes: cookies, addresses, the way in, and what a page asks of the server."""

from __future__ import annotations

import http.client
import json
import re
from typing import Any
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit


class Answered(ValueError):
    """The server answered with an error; the message says what and how."""


class Browser:
    """Cookies and addresses, as a browser keeps them."""

    def __init__(self, base: str, address: str, replies: list[int], patience_s: float) -> None:
        """
        Args:
            base: of the server.
            address: whence it comes, as a proxy would say.
            replies: gets the status of each answer.
            patience_s: how long it waits for one, seconds.
        """
        self._base, self._address, self._replies, self._cookies = base, address, replies, dict[str, str]()
        self._connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=patience_s)

    def come_in(self, invite: str) -> str:
        """Open an invitation and agree to take part; returns the name of the access that it gives."""
        _, link = self.get(f"/enter?{urlencode({'invite': invite})}")
        page, _ = self.get(link)
        fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page))
        agreed = urlencode(fields | {"vantage-agrees": "yes", "vantage-choice": "consent"})
        _, _, start = self.send(link, agreed.encode(), "application/x-www-form-urlencoded")
        return parse_qs(urlsplit(start).query)["as"][0]

    def get(self, path: str) -> tuple[str, str]:
        """The text of a page, and whereto it leads on."""
        _, body, on = self._ask("GET", path, None, {})
        return body.decode(), on

    def ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The reply to JSON that is sent, where it is JSON."""
        found: dict[str, Any] = json.loads(self.send(path, json.dumps(body).encode(), "application/json")[1])
        return found

    def send(self, path: str, body: bytes, kind: str) -> tuple[int, bytes, str]:
        """(status, body, whereto it leads on) of what is sent.

        Raises:
            Answered: an error came back.
            OSError, HTTPException: none came.
        """
        return self._ask("POST", path, body, {"content-type": kind, "origin": self._base})

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes, str]:
        told = headers | {"x-forwarded-for": self._address}
        told |= {"cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())} if self._cookies else {}
        try:
            reply, read = self._once(method, path, body, told)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            # a connection that lay idle was closed by the server: browsers open another
            self._connection.close()
            reply, read = self._once(method, path, body, told)
        self._replies.append(reply.status)
        for name, value in reply.getheaders():
            if name.lower() == "set-cookie":
                cookie, _, rest = value.partition("=")
                self._cookies[cookie] = rest.partition(";")[0]
        if reply.status >= 400:
            text = read[:200].decode(errors="replace")
            raise Answered(f"{method} {path.partition('?')[0]} was answered {reply.status}: {text}")
        on = urlsplit(urljoin(path, reply.getheader("location", "")))._replace(scheme="", netloc="").geturl()
        return reply.status, read, on

    def _once(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[http.client.HTTPResponse, bytes]:
        self._connection.request(method, path, body, headers)
        reply = self._connection.getresponse()
        return reply, reply.read()
