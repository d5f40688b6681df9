"""What a browser shows before Streamlit's front end has come and drawn a page: a line of words instead of nothing.

Streamlit's one page has an empty place into which its front end draws (React empties it first). That takes a second or two the first time;
until then the place holds a sentence. Another one lies beside it for later: that the connection is lost.
"""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Scope, Send

from app.streamlit_seam.shell import PLACE, TITLE
from app.theme import FONT, font

WORDS = b"The page is loading\xe2\x80\xa6"
OURS = b"<title>Vantage</title>"
STYLE = f"margin:0;padding:20vh 24px 0;text-align:center;font:17px/26px {FONT};color:#5b6470".encode()
# Streamlit's own style keeps the words back until the font is there: these are shown at once. The page asks for the font by itself.
LOST = b"The connection to Vantage is lost. It is tried again; nothing you sent is lost."
# Beside the place, so that it outlives what is drawn there; `page.css` shows it while the server does not answer.
AWAY = b'<p class="connection-lost" role="alert" style="display:none">' + LOST + b"</p>"
FILLED = PLACE.replace(b"></", b">" + font.face("./").encode() + b'<p role="status" style="' + STYLE + b'">' + WORDS + b"</p></") + AWAY


def plain(scope: Scope) -> Scope:
    """The request, asking for a page that is not compressed."""
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name.lower() != b"accept-encoding"]}


def filled(send: Send) -> Send:
    """`send` for a page of Streamlit's: its place is filled. The page is small, so it is gathered first."""
    start: list[Message] = []
    parts: list[bytes] = []

    async def gathered(message: Message) -> None:
        if message["type"] == "http.response.start":
            start.append(message)
            return
        parts.append(message.get("body", b""))
        if message.get("more_body"):
            return
        body = b"".join(parts).replace(PLACE, FILLED).replace(TITLE, OURS)
        if body:
            start[0]["headers"] = list(start[0]["headers"])
            MutableHeaders(raw=start[0]["headers"])["content-length"] = str(len(body))
        await send(start[0])
        await send({"type": "http.response.body", "body": body})

    return gathered
