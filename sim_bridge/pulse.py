"""Whether a worker lives and is on time: asked on a connection of the asker's own, which the worker answers while its simulator works."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sim_bridge.client import Client
from sim_bridge.errors import BridgeError
from sim_bridge.protocol import HealthReply


@dataclass(frozen=True)
class Beat:
    """One question and its answer."""

    health: HealthReply | None
    """What the worker said; None: it did not answer."""
    took_ms: float
    """There and back, milliseconds."""
    trouble: str = ""
    """Why there was no answer, or that the worker hangs; empty: all is well."""
    hopeless: bool = False
    """Whether it has to be replaced: it hangs, or left as many questions in a row without an answer as it may."""


class Pulse:
    """The health of one worker, question after question.

    Args:
        connect: opens the connection; called with the first question.
        patience: so many questions in a row without an answer make a process frozen.
    """

    def __init__(self, connect: Callable[[], Client], patience: int) -> None:
        self._connect, self._patience, self._misses = connect, patience, 0
        self.client: Client | None = None
        """The connection, once it stands; its ``hello`` says what the worker is."""

    def feel(self, deadline_s: float) -> Beat:
        """Ask once; no answer within `deadline_s` is a miss."""
        began = time.perf_counter()
        try:
            if self.client is None:
                self.client = self._connect()
            began = time.perf_counter()
            health = self.client.health(deadline_s=deadline_s)
        except BridgeError as problem:
            self._misses += 1
            return Beat(None, (time.perf_counter() - began) * 1e3, str(problem), self._misses >= self._patience)
        took_ms, self._misses = (time.perf_counter() - began) * 1e3, 0
        if health.overdue:
            return Beat(health, took_ms, f"hung: {health.busy_s:.0f} s on one request, past its deadline", True)
        return Beat(health, took_ms)

    def close(self) -> None:
        """Close the connection."""
        if self.client is not None:
            self.client.close()
