"""A participant's outcome by the state that they are in."""

from __future__ import annotations

from study.records import ParticipantRecord
from study.returning import OUTCOME_OF, OutcomeName

TRYING = ("preview", "bot")
"""Kinds of runs in which nobody is sent back or paid: staff try the study out, or programs do."""


def ended(person: ParticipantRecord) -> OutcomeName | None:
    """Somebody's outcome; None: they are on their way."""
    return OUTCOME_OF.get(person.state)
