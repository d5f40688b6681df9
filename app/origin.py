"""Whether a request comes from a page of ours. One function decides it, for our own routes and for everything that Streamlit serves."""

from __future__ import annotations

import logging
import re
from typing import Literal

from starlette.datastructures import Headers
from starlette.types import Scope

log = logging.getLogger("vantage.http")

Verdict = Literal["ours", "foreign", "unsaid"]
"""From a page of ours; from another site; the request does not say (no browser of today leaves it out of a write or a WebSocket)."""

_HOST = r"(?P<host>[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}))?"
_ORIGIN_FORM = re.compile(rf"(?P<scheme>https?)://{_HOST}")
_HOST_FORM = re.compile(_HOST)
_DEFAULT_PORT = {"http": "80", "https": "443"}


def judged(scope: Scope) -> Verdict:
    """Where a request or a WebSocket handshake comes from.

    ``Origin`` decides. A browser that hides it (``null``, from a page with ``Referrer-Policy: no-referrer``) is believed where its
    ``Sec-Fetch-Site`` says that the page is ours: pages cannot set that header, and a sandboxed or opaque page gets ``cross-site``.
    A foreign port of the same host is foreign, and so is the plain page of a host that is reached by TLS.
    """
    headers = Headers(scope=scope)
    said = headers.getlist("origin")
    if not said or said == ["null"]:
        site = headers.getlist("sec-fetch-site")
        return "ours" if site == ["same-origin"] else "foreign" if said or site else "unsaid"
    return "ours" if len(said) == 1 and is_here(scope, said[0]) else "foreign"


def is_here(scope: Scope, origin: str) -> bool:
    """Whether a page of `origin` (``scheme://host[:port]``) is one of the address that a request was made to."""
    page = _ORIGIN_FORM.fullmatch(origin)
    if page is None:
        return False
    scheme = page["scheme"]
    # Of the public address where there is one: `app.address` has put it into the request.
    hosts = Headers(scope=scope).getlist("host")
    here = _HOST_FORM.fullmatch(hosts[0]) if len(hosts) == 1 else None
    # Without a trusted word of a proxy, "http" may be what is left of https behind it.
    same = here is not None and (scheme == "https" or scope["scheme"] in ("http", "ws"))
    return same and here is not None and _place(here, scheme) == _place(page, scheme)


def tell_operator(scope: Scope, page: str) -> None:
    """Say in the log, once, that a browser's own page is taken for another site's: what stands in front hides the public address."""
    if page not in _told and len(_told) < MOST_TOLD:
        _told.append(page)
        host = Headers(scope=scope).get("host", "")
        log.warning(
            "Pages at %r are refused, because their requests arrive for %r. If people reach this server at the former, start it "
            "with --public-url %s, or let the proxy pass the host on (nginx: proxy_set_header Host $http_host;).",
            page[:120], host[:120], page[:120],
        )  # fmt: skip


def tell_upgrades() -> None:
    """Say in the log, once, that requests come by HTTP/1.0."""
    if UPGRADES not in _told:
        _told.append(UPGRADES)
        log.warning(UPGRADES)


UPGRADES = (
    "Requests come by HTTP/1.0, by which no WebSocket can be opened: let the proxy speak HTTP/1.1 and upgrade (nginx: "
    "proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;)."
)
_told: list[str] = []
MOST_TOLD = 5
"""Pages that the log names; strangers may invent some."""


def _place(found: re.Match[str], scheme: str) -> tuple[str, str]:
    return found["host"].lower(), str(int(found["port"] or _DEFAULT_PORT[scheme]))
