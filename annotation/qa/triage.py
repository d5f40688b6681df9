"""Optional triage of moments by a model: which subtasks could a moment serve?

Off unless a project names an endpoint. The model's reply is a list of subtasks and nothing else: it never writes a question. A failure is
a sentence, and the moment stays untriaged.
"""

from __future__ import annotations

import base64
import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from ipaddress import ip_address
from typing import Any, Protocol
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from annotation.qa.errors import QaError
from annotation.qa.items import VIEW_WORDS
from annotation.qa.subtasks import SUBTASKS
from data.foreign import Unreadable, json_value

MAX_REPLY_BYTES = 1_000_000
"""A longer reply is refused."""
MIME = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp"}
"""First bytes → media type of a still."""


class TriageFailed(QaError):
    """The model gave no usable opinion; the moment stays untriaged."""

    code = "triage_failed"


class TriageSettings(BaseModel):
    """Which endpoint is asked. The key is never kept: only the name of the environment variable that holds it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    """Base address of an OpenAI-compatible API, such as ``http://127.0.0.1:8000/v1``."""
    model: str = Field(min_length=1, max_length=200)
    key_variable: str = Field(default="VANTAGE_TRIAGE_KEY", pattern=r"^[A-Z][A-Z0-9_]{0,60}$")
    timeout_s: float = Field(default=30.0, gt=0, le=600)

    @field_validator("url")
    @classmethod
    def _address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("give an address such as https://host/v1, without user, password or query")
        return value.rstrip("/")


@dataclass(frozen=True)
class Opinion:
    """What a model thinks a moment could serve."""

    subtasks: tuple[str, ...]
    """Slugs, in the published order."""
    model: str


class Triage(Protocol):
    """Anything that can be asked about a moment."""

    def __call__(self, stills: Mapping[str, bytes], arm: str, task: str) -> Opinion:
        """Which subtasks could this moment serve?

        Args:
            stills: view → the original image file.
            arm: ``dual`` or ``single``.
            task: what the robot does, in words; may be empty.

        Raises:
            TriageFailed: no usable answer.
        """


@dataclass(frozen=True)
class Endpoint:
    """A model behind an OpenAI-compatible ``/chat/completions``."""

    settings: TriageSettings
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def __call__(self, stills: Mapping[str, bytes], arm: str, task: str) -> Opinion:
        """See `Triage`."""
        body = {"model": self.settings.model, "temperature": 0, "messages": [{"role": "user", "content": _content(stills, arm, task)}]}
        reply = self._post(json.dumps(body).encode())
        return Opinion(read_reply(reply, arm), self.settings.model)

    def _post(self, body: bytes) -> bytes:
        where = f"{self.settings.url}/chat/completions"
        request = urllib.request.Request(where, body, {"content-type": "application/json", "accept": "application/json"})
        if key := self.environment.get(self.settings.key_variable, "").strip():
            host = urlsplit(where)
            if host.scheme == "http" and not _local(host.hostname or ""):
                raise TriageFailed(f"The key would travel unencrypted to {host.hostname}: use an https address, or unset the key.")
            # not passed on to wherever the answer might redirect
            request.add_unredirected_header("authorization", f"Bearer {key}")
        try:
            with urllib.request.build_opener(_NoRedirect).open(request, timeout=self.settings.timeout_s) as answer:
                data = answer.read(MAX_REPLY_BYTES + 1)
        except urllib.error.HTTPError as error:
            error.close()
            raise TriageFailed(f"{where} answered {error.code}: {_ADVICE.get(error.code, 'see its own log')}.") from None
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            words = f"{where} gave no answer ({_brief(reason)}): is it running, and is {self.settings.timeout_s:g} s enough?"
            raise TriageFailed(words) from None
        if len(data) > MAX_REPLY_BYTES:
            raise TriageFailed(f"{where} answered more than {MAX_REPLY_BYTES:,} bytes: not a short list of subtasks.")
        return bytes(data)


_ADVICE = {
    301: "it redirects; name the final address",
    302: "it redirects; name the final address",
    307: "it redirects; name the final address",
    308: "it redirects; name the final address",
    401: "it wants another key",
    403: "it wants another key",
    404: "the address or the model is not there",
    413: "the images are too large for it",
    429: "it is asked too often; try again later",
}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: Any) -> None:
        return None


def read_reply(reply: bytes, arm: str) -> tuple[str, ...]:
    """The subtasks that a chat completion names.

    The message must be one JSON object ``{"subtasks": [slugs]}`` (alone, or alone inside one fenced block); anything else is refused, so
    that a model's prose is never taken for an opinion.

    Raises:
        TriageFailed: it is something else.
    """
    try:
        text = json_value(reply, halves="mend")["choices"][0]["message"]["content"]
    except (Unreadable, LookupError, TypeError):
        raise TriageFailed(f"The reply is no chat completion: {_brief(reply[:80].decode(errors='replace'))}.") from None
    if not isinstance(text, str):
        raise TriageFailed("The reply's message is no text.")
    said = text.strip()
    if said.startswith("```") and said.endswith("```") and said.count("```") == 2:
        said = said.removeprefix("```json").strip("`").strip()
    try:
        value = json_value(said)
    except Unreadable:
        raise TriageFailed(f"The model did not answer with JSON alone: {_brief(text)}.") from None
    if not isinstance(value, dict) or set(value) != {"subtasks"} or not isinstance(value["subtasks"], list):
        raise TriageFailed(f'The model must answer {{"subtasks": [...]}} and nothing else; it answered {_brief(text)}.')
    named = value["subtasks"]
    unknown = [name for name in named if not (isinstance(name, str) and name in SUBTASKS)]
    if unknown:
        raise TriageFailed(f"The model names subtasks that do not exist: {_brief(', '.join(map(str, unknown)))}.")
    return tuple(slug for slug, subtask in SUBTASKS.items() if slug in named and arm in subtask.arms)


def _content(stills: Mapping[str, bytes], arm: str, task: str) -> list[dict[str, Any]]:
    kinds = "\n".join(f"- {slug}: {subtask.asked}" for slug, subtask in SUBTASKS.items() if arm in subtask.arms)
    words = (
        f"These are {len(stills)} synchronized views of one moment of a robot with {'two arms' if arm == 'dual' else 'one arm'}"
        + (f'. Its task: "{task}"' if task.strip() else "")
        + f".\nFor which of these kinds of question does the moment offer enough to see?\n{kinds}\n"
        'Answer with JSON alone: {"subtasks": ["…"]}. Do not write questions.'
    )
    parts: list[dict[str, Any]] = [{"type": "text", "text": words}]
    for view, data in stills.items():
        parts.append({"type": "text", "text": f"The {VIEW_WORDS.get(view, view)}:"})
        parts.append({"type": "image_url", "image_url": {"url": data_url(data, view)}})
    return parts


def data_url(data: bytes, view: str) -> str:
    """A still as a data URL.

    Raises:
        TriageFailed: it is no PNG, JPEG or WebP.
    """
    mime = next((kind for start, kind in MIME.items() if data.startswith(start)), None)
    if mime is None:
        raise TriageFailed(f"The image of {view} is neither PNG, JPEG nor WebP: it is not sent.")
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


def _local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _brief(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else text[:77] + "…"
