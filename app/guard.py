"""What every route of ours checks: origin, body size and shape, rate; and how an error becomes a reply.

A reply to a failure is always ``{"error": code, "message": sentence}`` with a fitting status, never a traceback.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import origin
from data.store import StorageFull, StoreBusy, StoreError, TaskNotFound
from sim_bridge.errors import BridgeError
from study.errors import StudyError

log = logging.getLogger("vantage.http")

MAX_BODY_BYTES = 64 * 1024
"""Largest JSON body a route reads."""
NO_STORE = {"cache-control": "no-store"}

Body = TypeVar("Body", bound=msgspec.Struct)


class HttpError(Exception):
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
    if verdict == "foreign":
        raise HttpError(403, "bad_origin", "This request came from another site and was refused.")
    if verdict == "unsaid":
        raise HttpError(403, "bad_origin", "This request does not say where it came from and was refused.")


async def read_body(request: Request, kind: type[Body], limit: int = MAX_BODY_BYTES) -> Body:
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
            raise HttpError(413, "too_large", f"The request is larger than {limit} bytes.")
    try:
        return msgspec.json.decode(bytes(raw), type=kind)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HttpError(400, "bad_request", f"The request could not be read: {error}.") from None


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


STATUS: dict[str, int] = {
    "not_allowed": 403,
    "bad_token": 403,
    "other_browser": 403,
    "frame_not_shown": 403,
    "unknown_episode": 404,
    "not_found": 404,
    "taken_over": 409,
    "episode_over": 409,
    "out_of_step": 409,
    "bad_transition": 409,
    "too_many": 429,
    "no_task_left": 409,
    "bad_action": 422,
    "budget_used": 422,
    "action_error": 422,
    "bad_answer": 422,
    "scene_unplayable": 422,
    "bridge_down": 503,
    "no_room": 503,
    "worker_lost": 503,
    "busy": 503,
    "store_busy": 503,
    "store_error": 500,
    "storage_full": 507,
}
"""Error code → status. A code of ours that is missing here is a refusal (400); an exception without a code is a bug (500)."""

_STORE_CODES = ((StorageFull, "storage_full"), (StoreBusy, "store_busy"), (TaskNotFound, "not_found"), (StoreError, "store_error"))
"""The store's errors carry no code of their own; most special first."""


def code_of(error: Exception) -> str | None:
    """The stable code of an error raised on purpose, None for anything else."""
    if isinstance(error, StudyError | BridgeError):
        return error.code
    return next((code for kind, code in _STORE_CODES if isinstance(error, kind)), None)


def error_reply(error: Exception, where: str = "") -> Response:
    """The reply for any exception. What is not raised on purpose becomes 500 `internal`, with the traceback in the log only."""
    if isinstance(error, HttpError):
        return JSONResponse({"error": error.code, "message": str(error)}, error.status, headers=NO_STORE)
    code = code_of(error)
    if code is None:
        log.error("unexpected error in %s", where, exc_info=error)
        return JSONResponse({"error": "internal", "message": "The server met an error; what was saved is kept."}, 500, headers=NO_STORE)
    status = STATUS.get(code, 400)
    if status >= 500:
        log.error("%s: %s", where, error, exc_info=error)
    body: dict[str, object] = {"error": code, "message": str(error)}
    if place := getattr(error, "place", 0):
        body["place"] = place
    return JSONResponse(body, status, headers=NO_STORE)
