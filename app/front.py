"""The layer in front of everything that is not ours: what of Streamlit's own addresses the pages need, and nobody gets more.

Streamlit serves a WebSocket, uploads, media, figures about itself and more at addresses that no route of ours guards. This layer knows each
of them (`ENDPOINTS`) and refuses, before Streamlit sees it, what is not in the list: a handshake from another site, an upload by somebody
whose pages have no uploader, an address that a later Streamlit may bring. See design note 0021.
"""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Literal

from starlette._utils import get_route_path
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import entry_pages, first_paint, identity, origin, rights, visitors
from app.guard import HttpError, RateLimiter, error_reply
from app.http import run
from app.pages.registry import ADDRESSES, PAGES
from app.services import Settings, current
from app.streamlit_seam import host
from app.visitors import Visitors
from sim_bridge.errors import Refusal
from study.access import Grant

log = logging.getLogger("vantage.front")

To = Literal["anybody", "uploaders", "nobody"]
"""Who may use an address of Streamlit's: everybody whose request is not another site's, who has a page with an uploader, or nobody."""

READ = ("GET", "HEAD")
UNCOUNTED = ("/assets/", "/favicon.ico", "/healthz")
"""Addresses of ours that strangers may ask as often as they like: files that are the same for everybody, and what a proxy asks in order to
know whether it may send people here."""
SOCKET = ("WEBSOCKET",)
"""In the place of HTTP methods: this address is a WebSocket."""
POLICY_VIOLATION, TRY_LATER = 1008, 1013
"""WebSocket close codes (RFC 6455 and its registry)."""


@dataclass(frozen=True)
class Endpoint:
    """An address that Streamlit serves."""

    path: str
    """As Streamlit's own table of routes has it."""
    to: To
    methods: tuple[str, ...] = ()
    """What is let through; everything else is refused, as for an unknown address."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What an address must look like to be this one."""
        return compile_path(self.path)[0]


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint("/_stcore/stream", "anybody", SOCKET),
    Endpoint("/_stcore/health", "anybody", READ),
    Endpoint(host.ADDRESS, "anybody", READ),
    Endpoint("/_stcore/upload_file/{session_id}/{file_id}", "uploaders", ("PUT", "DELETE")),
    # No page shows media of Streamlit's or offers a download through it: pictures and exports have routes of ours, which check each.
    Endpoint("/media/{file_id:path}", "nobody"),
    Endpoint("/_stcore/metrics", "nobody"),
    Endpoint("/_stcore/script-health-check", "nobody"),
    Endpoint("/_stcore/agent/interact", "nobody"),
    Endpoint("/_stcore/agent/openapi.json", "nobody"),
    Endpoint("/_stcore/agent/mcp", "nobody"),
    # Our components come inline and from /assets.
    Endpoint("/component/{path:path}", "nobody"),
    Endpoint("/_stcore/bidi-components/{path:path}", "nobody"),
    Endpoint("/app/static/{path:path}", "nobody"),
    Endpoint("/auth/login", "nobody"),
    Endpoint("/auth/logout", "nobody"),
    Endpoint("/oauth2callback", "nobody"),
)
"""Every address that Streamlit 1.67 serves, beside its front end. A test compares the list with Streamlit's own."""

MEDIA = Endpoint("/media/{file_id:path}", "anybody", READ)
"""For the page of a measurement, which is not ours and shows a picture as Streamlit does."""
FRONT_END: tuple[Endpoint, ...] = (
    Endpoint("/static/{path:path}", "anybody", READ),
    Endpoint("/favicon.png", "anybody", READ),
    Endpoint("/manifest.json", "anybody", READ),
    *(Endpoint(address, "anybody", READ) for address in ADDRESSES),
)
"""Streamlit's front end, the same files for everybody: its parts, and its one page under every address of ours."""


def may_upload(grants: Sequence[Grant]) -> Grant | None:
    """The first grant with which a page with an uploader is open."""
    return next((grant for grant in grants if any(page.uploads and page.open_to(grant) for page in PAGES)), None)


class Front:
    """ASGI middleware around Streamlit's application, in which our routes lie too."""

    def __init__(self, app: ASGIApp, ours: Sequence[BaseRoute], settings: Settings) -> None:
        """Args:
        app: the application.
        ours: our own routes, which check everything themselves.
        settings: how the server was started.
        """
        self.app, self._ours, self._settings = app, list(ours), settings
        self._endpoints = (*([MEDIA] if settings.entry else []), *ENDPOINTS, *FRONT_END)
        self._visitors = Visitors(settings.limits)
        self._told = RateLimiter(per_s=0.1, burst=5)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or a socket, or pass it on to Streamlit; a client that goes away while it sends is no error."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        # Who goes away while sending a request is no error.
        with contextlib.suppress(ClientDisconnect):
            await self._passed(scope, receive, send)

    async def _passed(self, scope: Scope, receive: Receive, send: Send) -> None:
        if any(route.matches(scope)[0] is not Match.NONE for route in self._ours):
            await self._ours_called(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._request(scope, receive, send)

    async def _ours_called(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A route of ours. It checks who may; here strangers are counted."""
        if not get_route_path(scope).startswith(UNCOUNTED):
            try:
                scope[visitors.SCOPE_KEY] = await self._visitors.of(scope)
            except Exception as error:
                await _refused(scope, error)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = self._endpoint(scope, "WEBSOCKET")
        if endpoint is None or origin.judged(scope) != "ours":
            self._tell(scope, "an origin or address that is not ours")
            await _refuse_socket(receive, send, POLICY_VIOLATION)
            return
        with contextlib.ExitStack() as held:
            try:
                scope[visitors.SCOPE_KEY] = await self._visitors.of(scope)
                held.enter_context(self._visitors.socket(scope[visitors.SCOPE_KEY]))
            except Refusal as error:
                self._tell(scope, str(error))
                await _refuse_socket(receive, send, TRY_LATER)
                return
            await self.app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = self._endpoint(scope, scope["method"])
        if endpoint is None:
            await _nothing_here(scope)(scope, receive, send)
        elif endpoint.to == "uploaders":
            await self._upload(scope, receive, send)
        else:
            given = self._cookies(scope, send)
            if endpoint.path in ADDRESSES and scope["method"] == "GET":
                await self.app(first_paint.plain(scope), receive, first_paint.filled(given))
            elif endpoint.path == host.ADDRESS and scope["method"] == "GET":
                await self.app(first_paint.plain(scope), receive, host.without_dialogs(given))
            else:
                await self.app(scope, receive, given)

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        services = current()
        try:
            if origin.judged(scope) != "ours":
                self._tell(scope, "an origin that is not ours")
                raise HttpError(403, "bad_origin", "This request came from another site and was refused.")
            await self._visitors.of(scope)
            grants = await run(services.reading, lambda: rights.held(services.store, identity.cookie(Request(scope))))
            grant = may_upload(grants)
            if grant is None:
                raise HttpError(403, "not_allowed", rights.FOREIGN)
            held = services.uploads.begin(grant, _upload_address(scope), Headers(scope=scope)) if scope["method"] == "PUT" else None
        except Exception as error:
            await _refused(scope, error)(scope, receive, send)
            return
        if held is None:
            await self.app(scope, receive, send)
            return
        with held:
            await self.app(scope, receive, held.watching(send))

    def _endpoint(self, scope: Scope, method: str) -> Endpoint | None:
        """What is let through of Streamlit's at this address by this method; None: nothing."""
        path = get_route_path(scope)
        for endpoint in self._endpoints:
            if endpoint.pattern.match(path):
                return endpoint if method in endpoint.methods else None
        return None

    def _cookies(self, scope: Scope, send: Send) -> Send:
        """`send`, with every cookie of Streamlit's kept to TLS where people come by it: Streamlit only looks for its own certificate."""
        if not identity.by_tls(scope, self._settings):
            return send

        async def kept(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [(n, _secure(v) if n.lower() == b"set-cookie" else v) for n, v in message["headers"]]
            await send(message)

        return kept

    def _tell(self, scope: Scope, why: str) -> None:
        """A line for the operator: a proxy that passes on the wrong Host looks to us like another site."""
        if self._told.allow(why):
            headers = Headers(scope=scope)
            log.warning(
                "refused %s (%s): Origin %r, Host %r",
                scope["path"][:80], why, headers.get("origin", "")[:120], headers.get("host", "")[:120],
            )  # fmt: skip


def _secure(cookie: bytes) -> bytes:
    return cookie if b"secure" in [part.strip().lower() for part in cookie.split(b";")[1:]] else cookie + b"; Secure"


def _upload_address(scope: Scope) -> tuple[str, str]:
    session, file_id = get_route_path(scope).split("/")[-2:]
    return session, file_id


NOTHING_HERE = "The address may be misspelt or incomplete. If you came by a link, open it once more as it was sent to you."


def _nothing_here(scope: Scope) -> Response:
    return _refused(scope, HttpError(404, "not_found", NOTHING_HERE))


def _refused(scope: Scope, error: Exception) -> Response:
    """The reply for an error: a page for whoever opens an address, JSON for a program."""
    reply = error_reply(error, f"{scope['method']} {scope['path']}")
    if scope["method"] not in READ or "text/html" not in Headers(scope=scope).get("accept", ""):
        return reply
    said = error.for_people if isinstance(error, Refusal) else "The server met an error; what was saved is kept."
    title = "There is no such page here" if reply.status_code == 404 else "This page cannot be shown now"
    start = entry_pages.start_of(get_route_path(scope))
    body = f'<p>{escape(said)}</p><p><a href="{start}">To the start page</a></p>'
    return entry_pages.page(title, body, reply.status_code, start=start)


async def _refuse_socket(receive: Receive, send: Send, code: int) -> None:
    """Refuse a handshake: the client gets 403 and no WebSocket."""
    await receive()
    await send({"type": "websocket.close", "code": code})
