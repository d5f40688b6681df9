"""uvicorn's protocols with patience that ends: a client that sends its request, or reads its answer, too slowly loses the connection.

uvicorn 0.54 only limits the pause between two requests. A header or a body may take for ever, and after an answer that did not wait for the
body the rest of it is read to its end, however long. What the server itself takes is never counted here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from app.limits import Limits

HEADER, BODY, REST = "header", "body", "rest"
"""What a connection is waited for: a request's header; its body; the rest of a body whose answer has been sent."""


class _Timer:
    """One alarm of a connection, set and put off at will."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None

    def set(self, seconds: float, then: Callable[[], None]) -> None:
        self.stop()
        self._handle = self._loop.call_later(seconds, then)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class _Written:
    """Ends a connection whose client has read nothing of what waits for it for so long."""

    limits: Limits
    loop: asyncio.AbstractEventLoop
    transport: Any
    _writing: _Timer | None = None

    def pause_writing(self) -> None:
        super().pause_writing()  # type: ignore[misc]
        self._writing = self._writing or _Timer(self.loop)
        # Not `close`, which waits until all is written.
        self._writing.set(self.limits.write_s, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()  # type: ignore[misc]
        if self._writing is not None:
            self._writing.stop()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._writing is not None:
            self._writing.stop()
        super().connection_lost(exc)  # type: ignore[misc]


class SocketProtocol(_Written, WebSocketsSansIOProtocol):
    """A WebSocket. Its own pings end one that no longer answers, also in the middle of a frame."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._opening = _Timer(self.loop)
        # A handshake that the library waits for, such as one with a body, would wait for ever.
        self._opening.set(self.limits.header_s, lambda: None if self.handshake_complete else self.transport.abort())

    def connection_lost(self, exc: Exception | None) -> None:
        self._opening.stop()
        super().connection_lost(exc)

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text":
            # uvicorn puts a traceback for bytes that are no text into the log; `app.stream` ends a socket that sends text anyway.
            self.frames = [b"".join(self.frames).decode("utf-8", "replace").encode()]
        super().send_receive_event_to_app()


class RequestProtocol(_Written, H11Protocol):
    """HTTP/1.1 with limits of time."""

    waiting: dict[RequestProtocol, None]
    """Connections without a whole header, oldest first; one for the whole server."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._alarm = _Timer(self.loop)
        self._phase: tuple[str, object] | None = None
        self._since, self._bytes = 0.0, 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._enter(HEADER)
        while len(self.waiting) > self.limits.waiting:
            next(iter(self.waiting))._close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._bytes += len(data)
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._leave()
        super().handle_websocket_upgrade(event)

    def _look(self) -> None:
        """See what the connection is waited for now."""
        state = self.conn.their_state
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            self._leave()
        elif state is h11.SEND_BODY:
            self._enter(REST if self.cycle.response_complete else BODY)
        elif state is h11.IDLE and self.conn.trailing_data[0]:
            self._enter(HEADER)
        elif state is not h11.IDLE or self._phase != (HEADER, None):
            # Between two requests uvicorn's own limit holds.
            self._leave()
        if self._phase is not None and self._phase[0] == REST and self._bytes > self.limits.drain_bytes:
            self._close()

    def _enter(self, name: str) -> None:
        phase = (name, None if name == HEADER else self.cycle)
        if phase == self._phase:
            return
        self._leave()
        self._phase, self._since, self._bytes = phase, self.loop.time(), 0
        if name == HEADER:
            self.waiting[self] = None
        self._alarm.set({HEADER: self.limits.header_s, BODY: self.limits.body_s, REST: self.limits.drain_s}[name], self._late)

    def _leave(self) -> None:
        self._phase = None
        self._alarm.stop()
        self.waiting.pop(self, None)

    def _late(self) -> None:
        if self._phase is not None and self._phase[0] == BODY:
            if self.flow.read_paused:
                # The server is the one who is slow.
                self._since, self._bytes = self.loop.time(), 0
            left = self._since + self.limits.body_s + self._bytes / self.limits.body_rate - self.loop.time()
            if left > 0:
                self._alarm.set(left, self._late)
                return
        self._close()

    def _close(self) -> None:
        """End the connection; who has sent something of a request and has had no answer is told why."""
        told = self._phase is not None and (self._phase[0] == BODY or (self._phase[0] == HEADER and self.conn.trailing_data[0]))
        self._leave()
        if self.cycle is not None and not self.cycle.response_complete:
            told = told and not self.cycle.response_started
            # What the application sends now is dropped, and it hears that the client is gone.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if told and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            headers = [(b"content-length", b"0"), (b"connection", b"close")]
            reply = h11.Response(status_code=408, headers=headers, reason=STATUS_PHRASES[408])
            self.transport.write((self.conn.send(reply) or b"") + (self.conn.send(h11.EndOfMessage()) or b""))
        self.transport.close()


def protocols(limits: Limits) -> tuple[type[RequestProtocol], type[SocketProtocol]]:
    """The protocols of one server."""
    return (
        type("Requests", (RequestProtocol,), {"limits": limits, "waiting": {}}),
        type("Sockets", (SocketProtocol,), {"limits": limits}),
    )
