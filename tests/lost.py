"""A simulator that is lost when a test wants it."""

from __future__ import annotations

from sim_bridge.client import Calls, R
from sim_bridge.errors import WorkerLost
from sim_bridge.protocol import Request


class Lost(Calls):
    """A simulator that is lost for good after some questions."""

    def __init__(self, calls: Calls, questions: int) -> None:
        self._calls, self._left, self.hello = calls, questions, calls.hello

    def _ask(self, request: Request, expected: type[R]) -> R:
        self._left -= 1
        if self._left < 0:
            raise WorkerLost("The worker died.")
        return self._calls._ask(request, expected)
