"""What every route of ours checks: origin, body size and shape, rate; and how an error becomes a reply.

A reply to a failure is always ``{"error": code, "message": sentence}`` with a fitting status, never a traceback.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from app import origin
from app.bodies import BadBody, Body, decode
from data.plurals import number_of
from sim_bridge.errors import Refusal

log = logging.getLogger("vantage.http")

MAX_BODY_BYTES = 64 * 1024
"""Largest JSON body a route reads."""
SHORT_BYTES = 2048
"""A body up to this size is read at once (in about a millisecond), a longer one in a thread."""
NO_STORE = {"cache-control": "no-store"}

Kind = TypeVar("Kind", bound=Body)


IN_THE_WAY = "This study cannot be reached properly at this address. Please tell the person who invited you."
"""To people whose requests are passed on so that they look like another site's; whoever runs the server reads more in the log."""


class HttpError(Refusal):
    """A refusal by the HTTP layer itself."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


def check_origin(request: Request) -> None:
    """Refuse writes that another site caused (the cookie alone would let them through).

    Raises:
        HttpError: 403, the request names another origin or none.
    """
    verdict = origin.judged(request.scope)
    if verdict == "foreign" and request.headers.get("sec-fetch-site", "same-origin") == "same-origin":
        # The browser knows better: the host it asked is not the one that was passed on to us. (Without TLS it does not say.)
        origin.tell_operator(request.scope, request.headers["origin"])
        raise HttpError(403, "bad_origin", IN_THE_WAY)
    if verdict == "foreign":
        raise HttpError(403, "bad_origin", "This request came from another site and was refused.")
    if verdict == "unsaid":
        raise HttpError(403, "bad_origin", "This request does not say where it came from and was refused.")


async def read_body(request: Request, kind: type[Kind], limit: int = MAX_BODY_BYTES) -> Kind:
    """The JSON body as `kind`.

    Raises:
        HttpError: 413 too large, 415 not JSON, 400 malformed or of the wrong shape (the message names the field).
    """
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise HttpError(415, "bad_request", "Send JSON with the header content-type: application/json.")
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > limit:
            raise HttpError(413, "too_large", f"The request is larger than {number_of(limit, 'byte')}.")
    try:
        return decode(bytes(raw), kind) if len(raw) <= SHORT_BYTES else await asyncio.to_thread(decode, bytes(raw), kind)
    except BadBody as error:
        raise HttpError(400, "bad_request", str(error)) from None


class RateLimiter:
    """Token buckets by key; forgets the least recently used ones.

    Attributes:
        per_s: tokens that come back each second.
        burst: most tokens a key can have.
    """

    def __init__(self, per_s: float, burst: int, keep: int = 20_000) -> None:
        self.per_s, self.burst, self._keep = per_s, burst, keep
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def allow(self, key: str) -> bool:
        """Take one token of `key`; False when there is none."""
        now = time.monotonic()
        with self._lock:
            tokens, then = self._buckets.pop(key, (float(self.burst), now))
            tokens = min(float(self.burst), tokens + (now - then) * self.per_s)
            allowed = tokens >= 1
            self._buckets[key] = (tokens - 1 if allowed else tokens, now)
            while len(self._buckets) > self._keep:
                self._buckets.popitem(last=False)
        return allowed


def too_fast() -> HttpError:
    """The refusal of a rate limiter."""
    return HttpError(429, "too_fast", "Too many requests in a short time.")


def error_reply(error: Exception, where: str = "") -> Response:
    """The reply for any exception. What is not raised on purpose becomes 500 `internal`, with the traceback in the log only."""
    if isinstance(error, ClientDisconnect):
        # Nobody reads this, and it is no error of ours.
        return Response(status_code=400, headers=NO_STORE)
    if not isinstance(error, Refusal):
        log.error("unexpected error in %s", where, exc_info=error)
        return JSONResponse({"error": "internal", "message": "The server met an error; what was saved is kept."}, 500, headers=NO_STORE)
    if error.status >= 500:
        log.error("%s: %s", where, error, exc_info=error)
    elif error.public is not None:
        log.warning("%s: %s", where, error)
    body: dict[str, object] = {"error": error.code, "message": error.for_people}
    if place := getattr(error, "place", 0):
        body["place"] = place
    return JSONResponse(body, error.status, headers=NO_STORE)
