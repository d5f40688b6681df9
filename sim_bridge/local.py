"""A backend in this process behind the same methods as a remote one: for scripts, generators and tests that need no worker."""

from __future__ import annotations

from sim_bridge.backend import Backend
from sim_bridge.client import Calls, R, unwrap
from sim_bridge.host import Host
from sim_bridge.protocol import MAX_SESSIONS, Hello, HelloReply, Request, decode_reply, decode_request, encode


class LocalClient(Calls):
    """Same checks, retries and replies as through a worker, without a network. Use it from one thread, the simulator's.

    Example:
        >>> from sim_bridge.backends.toy import create
        >>> client = LocalClient(create())
    """

    def __init__(self, backend: Backend, max_sessions: int = MAX_SESSIONS) -> None:
        self._host = Host(backend, max_sessions)
        self.hello: HelloReply = self._ask(Hello(), HelloReply)

    def close(self) -> None:
        """Close every session."""
        self._host.close()

    def _ask(self, request: Request, expected: type[R]) -> R:
        # Through the wire format, so that nothing passes here that would not pass there.
        return unwrap(decode_reply(encode(self._host.handle(decode_request(encode(request))))), expected)
