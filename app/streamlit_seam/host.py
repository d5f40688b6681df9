"""What Streamlit's front end is told of the house it runs in: it opens no error dialog of its own.

Those dialogs lie over the page, take the keys, and speak of a "Streamlit server"; what people need to hear stands on our pages.
"""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Send

ADDRESS = "/_stcore/host-config"
"""Where the front end asks, at its start and after every break."""
NO_DIALOGS = "blockErrorDialogs"
"""The key of that answer which keeps its error dialogs away."""
STATE = "data-test-connection-state"
"""The attribute of the whole page (``stApp``) that tells how the connection stands."""
AWAY = "PINGING_SERVER"
"""Its value while the server does not answer."""


def without_dialogs(send: Send) -> Send:
    """`send` for the answer at `ADDRESS`: Streamlit's own, and no dialogs. It is small, so it is gathered first."""
    start: list[Message] = []
    parts: list[bytes] = []

    async def gathered(message: Message) -> None:
        if message["type"] == "http.response.start":
            start.append(message)
            return
        parts.append(message.get("body", b""))
        if message.get("more_body"):
            return
        body = b"".join(parts)
        if start[0]["status"] == 200:
            body = body.replace(f'"{NO_DIALOGS}":false'.encode(), f'"{NO_DIALOGS}":true'.encode())
            start[0]["headers"] = list(start[0]["headers"])
            MutableHeaders(raw=start[0]["headers"])["content-length"] = str(len(body))
        await send(start[0])
        await send({"type": "http.response.body", "body": body})

    return gathered
