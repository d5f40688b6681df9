"""The address under which people reach the app, where it is not the one the server listens on: behind a proxy, at a sub-path.

Everything inside the program stands at the root of the address that a request names. `AtPublicAddress` is the one place that translates:
requests come in as if they had been made to the public address, redirects and cookies go out with its path. Addresses that pages and
scripts name are relative to the page, so they need no translation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from study.studies import Recruitment

DEFAULT_PORTS = {"http": 80, "https": 443}
"""The port that an address of a scheme does not name."""

_COOKIE_PATH = re.compile(rb"(?i);\s*path=(/[^;\s]*)")
_SEGMENT = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*")


class AddressError(ValueError):
    """An address that cannot be the app's; the sentence says why and shows a good one."""

    def __init__(self, value: str, why: str) -> None:
        super().__init__(
            f"{value!r} is no address for people to reach the app: {why}. Write it like https://lab.example or https://lab.example/vantage."
        )


@dataclass(frozen=True)
class PublicAddress:
    """Where people reach the app."""

    scheme: str
    """``http`` or ``https``."""
    netloc: str
    """Host as a browser sends it (lower case, international names in their ASCII form), with the port where it is not the usual one."""
    path: str = ""
    """Sub-path without a slash at its end, such as ``/vantage``; empty at the root."""

    @classmethod
    def parse(cls, value: str) -> PublicAddress:
        """The address that a person wrote.

        Raises:
            AddressError: it is no http address of a host, or its path cannot be one to serve below.
        """
        try:
            parts = urlsplit(value.strip())
            host, port = parts.hostname or "", parts.port
        except ValueError as error:
            raise AddressError(value, f"{error}") from None
        if parts.scheme not in DEFAULT_PORTS:
            raise AddressError(value, "it does not begin with http:// or https://")
        if not host or parts.username is not None or parts.password is not None:
            raise AddressError(value, "it names no host" if not host else "it holds a user name or password")
        if parts.query or parts.fragment or value.strip()[-1] in "?#":
            raise AddressError(value, "nothing may follow the path")
        path = parts.path.strip("/")
        if path and not all(_SEGMENT.fullmatch(segment) for segment in path.split("/")):
            raise AddressError(value, "its path may hold letters, digits, '-', '_', '~' and '.' between single slashes")
        netloc = _host(value, host) + (f":{port}" if port is not None and port != DEFAULT_PORTS[parts.scheme] else "")
        return cls(parts.scheme, netloc, f"/{path}" if path else "")

    @property
    def origin(self) -> str:
        """Scheme and host, as a browser sends them in ``Origin``."""
        return f"{self.scheme}://{self.netloc}"

    def __str__(self) -> str:
        return f"{self.origin}{self.path}"


def _host(value: str, host: str) -> str:
    if ":" in host:
        return f"[{host}]"
    try:
        name = host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise AddressError(value, f"{host!r} is no name of a host") from None
    if not re.fullmatch(r"[a-z0-9._-]+", name):
        raise AddressError(value, f"{host!r} is no name of a host")
    return name


def invitation_link(base: PublicAddress | str, token: str) -> str:
    """The address that an invitation is given out as.

    Args:
        base: the app's address, with or without a slash at its end.
        token: of the invitation.
    """
    return f"{str(base).rstrip('/')}/enter?invite={token}"


def recruitment_address(base: PublicAddress | str, recruitment: Recruitment) -> str:
    """The address that a recruitment platform is given for a study. What stands in braces the platform fills in: Prolific's blanks where it
    is Prolific; another platform's have to be put in place of them.

    Args:
        base: the app's address, with or without a slash at its end.
        recruitment: how its parameters are called.
    """
    if recruitment.source.casefold() == "prolific":
        person, study, visit = "{{%PROLIFIC_PID%}}", "{{%STUDY_ID%}}", "{{%SESSION_ID%}}"
    else:
        person, study, visit = "{person}", quote(recruitment.external_study, safe=""), "{visit}"
    names = recruitment
    return f"{str(base).rstrip('/')}/enter?{names.person_param}={person}&{names.study_param}={study}&{names.session_param}={visit}"


class AtPublicAddress:
    """ASGI layer that puts every request at the root of the public address, and what goes out below its path.

    The proxy may pass the sub-path on or cut it off; both arrive. What it says as ``Host`` does not matter: people reach the app at one
    address, and a request's origin is compared with that.
    """

    def __init__(self, app: ASGIApp, public: PublicAddress) -> None:
        self.app = app
        self.public = public
        self._host = (b"host", public.netloc.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request or a socket on as if it had come to the public address; other messages of ASGI as they are."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        public = self.public
        inner = dict(scope)
        inner["scheme"] = public.scheme.replace("http", "ws") if scope["type"] == "websocket" else public.scheme
        inner["headers"] = [self._host, *(header for header in scope["headers"] if header[0] != b"host")]
        if not public.path:
            await self.app(inner, receive, send)
            return
        if scope["path"] == public.path and scope["type"] == "http":
            query = b"?" + scope["query_string"] if scope["query_string"] else b""
            location = f"{public.path}/".encode() + query
            await send({"type": "http.response.start", "status": 307, "headers": [(b"location", location), (b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b""})
            return
        inner["path"] = _below(scope["path"], public.path)
        if raw := scope.get("raw_path"):
            inner["raw_path"] = _below(raw.decode("latin-1"), public.path).encode("latin-1")

        async def outward(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.accept", "websocket.http.response.start"):
                headers = [(name, self._outward(name.lower(), value)) for name, value in message.get("headers", ())]
                message = {**message, "headers": headers}
            await send(message)

        await self.app(inner, receive, outward)

    def _outward(self, name: bytes, value: bytes) -> bytes:
        path = self.public.path.encode()
        if name == b"location" and value.startswith(b"/") and not value.startswith(b"//"):
            return path + value
        if name == b"set-cookie":
            return _COOKIE_PATH.sub(lambda found: b"; Path=" + path + found[1].rstrip(b"/"), value)
        return value


def _below(path: str, base: str) -> str:
    return path[len(base) :] if path.startswith(base + "/") else path
