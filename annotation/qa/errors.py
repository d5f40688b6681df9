"""What the QA studio refuses on purpose; each message is a sentence for the person who meets it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from annotation.reviewing.errors import NothingToReview, NotYours
from study.errors import StudyError

__all__ = [
    "BadItem",
    "Conflict",
    "NotReady",
    "NotYours",
    "NothingToReview",
    "PictureBroken",
    "Problem",
    "QaError",
    "QuotaFull",
    "Training",
    "UnknownItem",
]


class Problem(NamedTuple):
    """One rule that an item breaks."""

    field: str
    """Where: ``options.C``, ``marks.m3``, ``question``."""
    sentence: str
    """What is wrong and what to do."""
    things: int = 1
    """How many things are still to be done for it: four kinds to say, one box to draw. Nothing where another problem asks for the same."""


class QaError(StudyError):
    """Base of the studio's refusals."""

    code = "qa_error"


class BadItem(QaError):
    """This is no item document."""

    code = "bad_item"


class PictureBroken(QaError):
    """A kept original can no longer be read as an image."""

    code = "picture_broken"
    status = 500
    public = "A picture of this question cannot be shown. Tell whoever runs this study."


class UnknownItem(QaError):
    """There is no such item, version, review or project."""

    code = "unknown_item"


class Conflict(QaError):
    """Somebody saved the item in the meantime; `version` and `document` are the newer state."""

    code = "conflict"

    def __init__(self, message: str, version: int, document: str) -> None:
        super().__init__(message)
        self.version, self.document = version, document


class NotReady(QaError):
    """The item breaks rules; `problems` names them."""

    code = "not_ready"

    def __init__(self, problems: Sequence[Problem]) -> None:
        first = problems[0].sentence
        super().__init__(first if len(problems) == 1 else f"{first} ({len(problems) - 1} more.)")
        self.problems = list(problems)


class QuotaFull(QaError):
    """The project has, or is about to have, enough items of this kind."""

    code = "quota_full"


class Training(QaError):
    """The author's trial batch is not passed yet."""

    code = "training"
