"""How our routes run: off the event loop in sized pools, joined when the same request comes again, every error as JSON."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, Future
from functools import wraps
from typing import Any, TypeVar

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import identity
from app.guard import NO_STORE, error_reply
from app.services import current

T = TypeVar("T")
Handler = Callable[[Request], Awaitable[Response]]


class StepNumber(Convertor[int]):
    """``{seq:step}`` in an address: a step's number. One that no step can have is no such address."""

    regex = "[0-9]{1,9}"

    def convert(self, value: str) -> int:
        """The number that stands in an address."""
        return int(value)

    def to_string(self, value: int) -> str:
        """A number as it stands in an address."""
        return str(value)


register_url_convertor("step", StepNumber())

KEEP_S = 30.0
"""How long a finished result waits for a sender that asked before and went away."""


def guarded(handler: Handler) -> Handler:
    """`handler`, with every exception as a JSON reply. What a person sends is a sign of life (`identity.alive`); what a page fetches by
    itself is none."""

    @wraps(handler)
    async def wrapped(request: Request) -> Response:
        try:
            if request.method == "POST" and (cookie := identity.cookie(request)):
                services = current()
                await run(services.reading, lambda: identity.alive(cookie, services))
            return await handler(request)
        except Exception as error:
            return error_reply(error, f"{request.method} {request.url.path}")

    return wrapped


async def run(executor: Executor, work: Callable[[], T]) -> T:
    """`work` in a thread of `executor`."""
    return await asyncio.get_running_loop().run_in_executor(executor, work)


def reply(value: Any, status: int = 200) -> Response:
    """A JSON reply that nobody may cache."""
    return JSONResponse(value, status, headers=NO_STORE)


class Joined:
    """Work in progress by key: a repeat of a request joins the work that runs instead of starting it again."""

    def __init__(self) -> None:
        self._running: dict[str, tuple[Future[Any], dict[str, int], float]] = {}

    async def result(self, key: str, executor: Executor, work: Callable[[Callable[[int], None]], T], patience_s: float) -> tuple[bool, Any]:
        """Wait for the work of `key`, starting it if it does not run.

        Args:
            key: names the request; only equal requests of one sender may share it.
            executor: where the work runs.
            work: the work; it gets a function to tell its place in the line.
            patience_s: how long to wait before answering "not yet" (seconds).

        Returns:
            (True, the result), or (False, the place in the line, 0 when unknown).
        """
        self._sweep()
        if key not in self._running:
            place: dict[str, int] = {}
            self._running[key] = (executor.submit(work, lambda n: place.update(now=n)), place, time.monotonic())
        future, place, _ = self._running[key]
        waiting = asyncio.wrap_future(future)
        # Who gave up will not look at a failure; without this asyncio tells the log of each, with a traceback.
        waiting.add_done_callback(lambda given_up: given_up.cancelled() or given_up.exception())
        done, _pending = await asyncio.wait({waiting}, timeout=patience_s)
        if not done:
            return False, place.get("now", 0)
        self._running.pop(key, None)
        return True, done.pop().result()

    def _sweep(self) -> None:
        limit = time.monotonic() - KEEP_S
        for key in [k for k, (future, _, since) in self._running.items() if future.done() and since < limit]:
            del self._running[key]
