"""Security headers on every response, as plain ASGI (no buffering, no extra task per request)."""

from __future__ import annotations

import base64
import hashlib

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.streamlit_seam import shell


def _inline_script_hashes() -> str:
    """CSP sources for the inline scripts of Streamlit's own page, so that no other inline script may run."""
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in shell.inline_scripts())
    return " ".join(f"'sha256-{one}'" for one in hashes)


def content_security_policy() -> str:
    """What pages of ours may load and run. Components v2 load as ``blob:`` modules; Streamlit styles inline."""
    return "; ".join([
        "default-src 'self'",
        f"script-src 'self' blob: {_inline_script_hashes()}".strip(),
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "media-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-src 'self'",
        "frame-ancestors 'none'",
    ])  # fmt: skip


class SecurityHeaders:
    """ASGI middleware that adds the headers of OWASP ASVS 3.4 to every response that does not set them itself."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._headers = [
            (b"content-security-policy", content_security_policy().encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"same-origin"),
            (b"x-frame-options", b"DENY"),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"cross-origin-resource-policy", b"same-origin"),
            (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; the answer's start gets the headers that it lacks."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                told = message["headers"]
                if any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in told):
                    # A browser keeps no page to show it again by Back: somebody else may sit there by then.
                    told = [*((n, v) for n, v in told if n.lower() != b"cache-control"), (b"cache-control", b"no-store")]
                message["headers"] = [*told, *((n, v) for n, v in self._headers if n not in present)]
                if scope["scheme"] == "https" and b"strict-transport-security" not in present:
                    message["headers"].append((b"strict-transport-security", b"max-age=31536000"))
            await send(message)

        await self.app(scope, receive, with_headers)
