"""What authoring refuses on purpose; each message is a sentence for the author."""

from __future__ import annotations

from study.errors import StudyError


class UnknownDraft(StudyError):
    """There is no such draft, or it is somebody else's."""

    code = "unknown_draft"
    status = 404


class DraftChanged(StudyError):
    """The draft was changed elsewhere since it was read."""

    code = "draft_changed"
    status = 409


class BadDraft(StudyError):
    """This is no draft, or not one that can be built."""

    code = "bad_draft"
    status = 422


class NotReady(StudyError):
    """The draft cannot be played or handed in yet; the message says why."""

    code = "not_ready"
    status = 409
