"""Optional triage of moments by a model: which subtasks could a moment serve?

Off unless a project names an endpoint. The model's reply is a list of subtasks and nothing else: it never writes a question. A failure is
a sentence, and the moment stays untriaged.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import Field

from annotation.endpoint import EndpointSettings, NoReply, brief, complete
from annotation.qa.errors import QaError
from annotation.qa.items import VIEW_WORDS
from annotation.qa.subtasks import SUBTASKS
from data.foreign import Unreadable, json_value

MIME = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp"}
"""First bytes → media type of a still."""


class TriageFailed(QaError):
    """The model gave no usable opinion; the moment stays untriaged."""

    code = "triage_failed"


class TriageSettings(EndpointSettings):
    """Which endpoint is asked."""

    key_variable: str = Field(default="VANTAGE_TRIAGE_KEY", pattern=r"^[A-Z][A-Z0-9_]{0,60}$")


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
        try:
            said = complete(self.settings, [{"role": "user", "content": _content(stills, arm, task)}], self.environment)
        except NoReply as error:
            raise TriageFailed(str(error)) from None
        return Opinion(read_reply(said, arm), self.settings.model)


def read_reply(text: str, arm: str) -> tuple[str, ...]:
    """The subtasks that a model's message names.

    The message must be one JSON object ``{"subtasks": [slugs]}`` (alone, or alone inside one fenced block); anything else is refused, so
    that a model's prose is never taken for an opinion.

    Raises:
        TriageFailed: it is something else.
    """
    said = text.strip()
    if said.startswith("```") and said.endswith("```") and said.count("```") == 2:
        said = said.removeprefix("```json").strip("`").strip()
    try:
        value = json_value(said)
    except Unreadable:
        raise TriageFailed(f"The model did not answer with JSON alone: {brief(text)}.") from None
    if not isinstance(value, dict) or set(value) != {"subtasks"} or not isinstance(value["subtasks"], list):
        raise TriageFailed(f'The model must answer {{"subtasks": [...]}} and nothing else; it answered {brief(text)}.')
    named = value["subtasks"]
    unknown = [name for name in named if not (isinstance(name, str) and name in SUBTASKS)]
    if unknown:
        raise TriageFailed(f"The model names subtasks that do not exist: {brief(', '.join(map(str, unknown)))}.")
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
