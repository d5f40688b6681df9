"""A model behind an OpenAI-compatible ``/chat/completions``: one question over HTTP, one reply; every failure is a sentence."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from http.client import HTTPException
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from data.foreign import Unreadable, json_value

MAX_REPLY_BYTES = 1_000_000
"""A longer reply is refused."""
TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""Statuses after which the same question may be asked again."""


class NoReply(Exception):
    """The model gave no reply that can be used; the message says why and what to do."""

    def __init__(self, message: str, *, again: bool = False) -> None:
        """`again`: the same question may be answered when it is asked once more."""
        super().__init__(message)
        self.again = again


class EndpointSettings(BaseModel):
    """Which endpoint is asked. The key is never kept: only the name of the environment variable that holds it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    """Base address of an OpenAI-compatible API, such as ``http://127.0.0.1:8000/v1``."""
    model: str = Field(min_length=1, max_length=200)
    key_variable: str = Field(default="VANTAGE_ENDPOINT_KEY", pattern=r"^[A-Z][A-Z0-9_]{0,60}$")
    timeout_s: float = Field(default=30.0, gt=0, le=600)

    @field_validator("url")
    @classmethod
    def _address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("give an address such as https://host/v1, without user, password or query")
        return value.rstrip("/")


def complete(settings: EndpointSettings, messages: Sequence[Mapping[str, Any]], environment: Mapping[str, str] = os.environ) -> str:
    """What the model says to `messages`, at temperature 0.

    Raises:
        NoReply: nothing usable came.
    """
    body = {"model": settings.model, "temperature": 0, "messages": list(messages)}
    reply = _post(settings, json.dumps(body).encode(), environment)
    try:
        text = json_value(reply, halves="mend")["choices"][0]["message"]["content"]
    except (Unreadable, LookupError, TypeError):
        raise NoReply(f"The reply is no chat completion: {brief(reply[:80].decode(errors='replace'))}.") from None
    if not isinstance(text, str):
        raise NoReply("The reply's message is no text.")
    return text


def _post(settings: EndpointSettings, body: bytes, environment: Mapping[str, str]) -> bytes:
    where = f"{settings.url}/chat/completions"
    request = urllib.request.Request(where, body, {"content-type": "application/json", "accept": "application/json"})
    if key := environment.get(settings.key_variable, "").strip():
        host = urlsplit(where)
        if host.scheme == "http" and not _local(host.hostname or ""):
            raise NoReply(f"The key would travel unencrypted to {host.hostname}: use an https address, or unset the key.")
        # not passed on to wherever the answer might redirect
        request.add_unredirected_header("authorization", f"Bearer {key}")
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=settings.timeout_s) as answer:
            data = answer.read(MAX_REPLY_BYTES + 1)
    except urllib.error.HTTPError as error:
        error.close()
        words = f"{where} answered {error.code}: {_ADVICE.get(error.code, 'see its own log')}."
        raise NoReply(words, again=error.code in TRANSIENT) from None
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        words = f"{where} gave no answer ({brief(reason)}): is it running, and is {settings.timeout_s:g} s enough?"
        raise NoReply(words, again=True) from None
    if len(data) > MAX_REPLY_BYTES:
        raise NoReply(f"{where} answered more than {MAX_REPLY_BYTES:,} bytes: not a short answer.")
    return bytes(data)


_ADVICE = {
    301: "it redirects; name the final address",
    302: "it redirects; name the final address",
    307: "it redirects; name the final address",
    308: "it redirects; name the final address",
    401: "it wants another key",
    403: "it wants another key",
    404: "the address or the model is not there",
    413: "what is sent is too large for it",
    429: "it is asked too often; try again later",
}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: Any) -> None:
        return None


def _local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def brief(value: object) -> str:
    """A text of others in one short line, for a sentence."""
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else text[:77] + "…"
