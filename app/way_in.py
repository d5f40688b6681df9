"""Whether what a page needs gets through from a browser to this server: asked before the consent, and by ``vantage doctor``.

Between them stands what the program cannot see: a proxy that passes on another ``Host``, keeps WebSockets back, or serves only a part. A
page that is opened by GET looks well even then, and its first write is refused.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from app import forwarded, origin
from app.bodies import Body
from app.components import assets_version
from app.guard import NO_STORE, check_origin, read_body
from app.http import guarded, reply
from app.services import current

FINE = ""
REFUSED = "main > :not(.way) { display: none; } .way, .way .write { display: block; }"
UPGRADES = "main > :not(.way) { display: none; } .way, .way .socket { display: block; }"
"""Styles of a page before the consent: nothing, or the words about what stands in the way (`app.entry_pages`) instead of its form."""
DRIP_S = 0.5
"""Pause between the parts of a reply."""
DRIP = (b"one\n", b"two\n", b"three\n")
"""They; what stands in front may send the first on with the header and keep the others."""


class WriteBody(Body):
    """A write that changes nothing."""


@guarded
async def seen(request: Request) -> Response:
    """GET /api/way: how this request arrived, for `vantage doctor --address`. Nothing in it but the sender's own and the public address."""
    scope, settings = request.scope, current().settings
    return reply({
        "program": "vantage",
        "assets": f"assets/{assets_version()}/play.js",
        "host": request.headers.get("host", ""),
        "https": scope["scheme"] == "https",
        "version": scope["http_version"],
        "public": str(settings.public) if settings.public else None,
        "client": request.client.host if request.client else "",
        "forwarded": len(forwarded.entries(scope, b"x-forwarded-for")),
        "believed": forwarded.BY in scope,
    })  # fmt: skip


def style_for(request: Request) -> str:
    """How a page looks that asks for its style by this request: with its form, or with what would keep the form back.

    A style sheet needs no script, and its request names the page that it is for, by the address in the browser. HTTP/1.0, which no browser
    speaks and which nginx speaks by default, passes on no WebSocket.
    """
    page = re.match(r"https?://[^/?#]+", request.headers.get("referer", ""))
    if page and not origin.is_here(request.scope, page[0]) and request.headers.get("sec-fetch-site", "same-origin") == "same-origin":
        origin.tell_operator(request.scope, page[0])
        return REFUSED
    if request.scope.get("http_version") == "1.0":
        origin.tell_upgrades()
        return UPGRADES
    return FINE


@guarded
async def style(request: Request) -> Response:
    """GET /api/way/page.css: hides the form of a page whose form would be refused."""
    return Response(style_for(request), media_type="text/css", headers=NO_STORE)


@guarded
async def write(request: Request) -> Response:
    """POST /api/way: refused as every write of a page would be, and otherwise without effect."""
    check_origin(request)
    await read_body(request, WriteBody)
    return Response(status_code=204, headers=NO_STORE)


@guarded
async def drip(_: Request) -> Response:
    """GET /api/way/drip: a reply in parts with pauses between; who gets the last ones at once sits behind a buffer."""

    async def parts() -> AsyncIterator[bytes]:
        for number, part in enumerate(DRIP):
            await asyncio.sleep(DRIP_S if number else 0)
            yield part

    return StreamingResponse(parts(), media_type="text/plain", headers=NO_STORE)


ROUTES = [
    Route("/api/way", seen, methods=["GET"]),
    Route("/api/way", write, methods=["POST"]),
    Route("/api/way/page.css", style, methods=["GET"]),
    Route("/api/way/drip", drip, methods=["GET"]),
]
