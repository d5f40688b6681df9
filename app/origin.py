"""Whether a request comes from a page of ours. One function decides it, for our own routes and for everything that Streamlit serves."""

from __future__ import annotations

import re
from typing import Literal

from starlette.datastructures import Headers
from starlette.types import Scope

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
    page = _ORIGIN_FORM.fullmatch(said[0])
    if page is None or len(said) > 1:
        return "foreign"
    scheme = page["scheme"]
    # Of the public address where there is one: `app.address` has put it into the request.
    hosts = headers.getlist("host")
    here = _HOST_FORM.fullmatch(hosts[0]) if len(hosts) == 1 else None
    # Without a trusted word of a proxy, "http" may be what is left of https behind it.
    same = here is not None and (scheme == "https" or scope["scheme"] in ("http", "ws"))
    return "ours" if same and here is not None and _place(here, scheme) == _place(page, scheme) else "foreign"


def _place(found: re.Match[str], scheme: str) -> tuple[str, str]:
    return found["host"].lower(), str(int(found["port"] or _DEFAULT_PORT[scheme]))
