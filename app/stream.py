"""Streamlit's own stream, made as narrow as the pages need it, at the protocol and not inside Streamlit.

Out: the first message of a run names the absolute path of the page script. Streamlit 1.67 has no setting for it: `st.App` makes every
script's path absolute, and `AppSession` copies it into ``NewSession``. A browser hashes it into a local identifier and has no other use for
it, so the field is shortened on its way out. ``main_script_hash`` stays: it is the MD5 of that path, which tells nobody a path they do not
know, and pages are found by it.

In: Streamlit answers a text frame or one that is no message of its own with a traceback in the log, and takes orders that no page of ours
gives (to clear everybody's caches, to install files). Such frames end here.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.guard import RateLimiter
from app.limits import Limits
from app.streamlit_seam import messages
from app.visitors import visitor


class ScriptPathHidden:
    """ASGI middleware: messages of a WebSocket that hold the script's path go out with its file name instead; all others pass untouched."""

    def __init__(self, app: ASGIApp, script: Path) -> None:
        """Args:
        app: the application.
        script: the page script as Streamlit names it.
        """
        self.app = app
        self._path, self._name = str(script), script.name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a socket on, with the script's name in place of its path in what goes out."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        needle = self._path.encode()

        async def without_path(message: Message) -> None:
            if message["type"] == "websocket.send" and needle in (message.get("bytes") or b""):
                message = {**message, "bytes": messages.with_script(message["bytes"], self._name)}
            await send(message)

        await self.app(scope, receive, without_path)


ORDERS = frozenset(("rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request"))
"""What a browser may ask for on the stream; everything else is passed over."""
OPERATIONS = frozenset(("dataframe_chunk",))
"""Of the operations of ``backend_operation_request``: more rows of a table."""
WAIT_S = 0.1
"""Pause before a message that came too soon asks again for its turn (seconds)."""
NO_TEXT, NO_MESSAGE, SILENT = 1003, 1002, 1008
"""WebSocket close codes for a text frame, for bytes that are no message, and for a client that opens a socket and never speaks."""


class ClientFrames:
    """ASGI middleware: lets only messages through that a page of ours sends, and ends a socket that sends something else or nothing."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app, self._first_frame_s = app, limits.first_frame_s
        self._people = RateLimiter(limits.messages_per_s, limits.messages_burst)
        self._strangers = RateLimiter(limits.messages_of_strangers_per_s, limits.messages_of_strangers_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a socket on as long as what comes in is what a page of ours sends, and comes in time."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        opened = heard = ended = False

        async def checked_receive() -> Message:
            nonlocal heard, ended
            while True:
                try:
                    message = await asyncio.wait_for(receive(), self._first_frame_s if opened and not heard else None)
                except TimeoutError:
                    message, code = {}, SILENT
                else:
                    if message["type"] != "websocket.receive":
                        return message
                    heard = True
                    passed, code = judged(message)
                    if passed:
                        await self._turn(scope)
                        return message
                if code:
                    ended = True
                    await send({"type": "websocket.close", "code": code})
                    return {"type": "websocket.disconnect", "code": code}

        async def checked_send(message: Message) -> None:
            nonlocal opened, ended
            opened = opened or message["type"] == "websocket.accept"
            # To a client that is gone nothing is sent. Were that an error, Streamlit would take its next look at the socket for a text
            # frame, and say so with a traceback; as it is, the next look tells it that the client is gone.
            if not ended:
                try:
                    await send(message)
                except OSError:
                    ended = True

        await self.app(scope, checked_receive, checked_send)

    async def _turn(self, scope: Scope) -> None:
        """Wait until whoever sent a message may have one more: each can have a page drawn, which takes the time of everybody.

        Meanwhile nothing more of this socket is read, so that a flood waits with whoever sends it.
        """
        who = visitor(scope)
        limiter = self._people if who.known else self._strangers
        while not limiter.allow(who.key):
            await asyncio.sleep(WAIT_S)


def judged(message: Message) -> tuple[bool, int]:
    """Whether a frame is a message that a page sends, and the code to close the socket with (0: pass it over)."""
    raw = message.get("bytes")
    if raw is None:
        return False, NO_TEXT
    order = messages.order(raw)
    if order is None:
        return False, NO_MESSAGE
    name, operation = order
    if name == "backend_operation_request":
        return operation in OPERATIONS, 0
    return name in ORDERS, 0
