"""What Streamlit's own stream tells a browser beyond need: the first message of a run names the absolute path of the page script.

Streamlit 1.67 has no setting for it: `st.App` makes every script's path absolute, and `AppSession` copies it into ``NewSession``. A browser
hashes it into a local identifier and has no other use for it, so the field is shortened on its way out, at the protocol and not inside
Streamlit. ``main_script_hash`` stays: it is the MD5 of that path, which tells nobody a path they do not know, and pages are found by it.
"""

from __future__ import annotations

from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send


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
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        needle = self._path.encode()

        async def without_path(message: Message) -> None:
            if message["type"] == "websocket.send" and needle in (message.get("bytes") or b""):
                message = {**message, "bytes": self._shortened(message["bytes"])}
            await send(message)

        await self.app(scope, receive, without_path)

    def _shortened(self, raw: bytes) -> bytes:
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        told = ForwardMsg.FromString(raw)
        if told.WhichOneof("type") != "new_session":
            return raw
        told.new_session.main_script_path = self._name
        return told.SerializeToString()
