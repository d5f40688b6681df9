"""What can be wrong with a recording; each message is a sentence for whoever records."""

from __future__ import annotations

from study.errors import StudyError


class NotYours(StudyError):
    """Somebody else records there."""

    code = "not_yours"
    status = 403


class Unusable(StudyError):
    """What was recorded cannot be the task's trajectory."""

    code = "unusable_trajectory"
    status = 422
