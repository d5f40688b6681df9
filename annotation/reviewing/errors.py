"""What reviewing refuses on purpose; each message is a sentence for the person who meets it."""

from __future__ import annotations

from study.errors import StudyError


class ReviewError(StudyError):
    """Base of the refusals."""

    code = "review_error"


class BadKind(ReviewError):
    """A declaration contradicts itself; found when its module is imported."""

    code = "bad_kind"


class BadVote(ReviewError):
    """A vote of the wrong form, or one that lacks its reason or words; nothing was stored."""

    code = "bad_vote"


class TooLate(ReviewError):
    """What somebody said has had its effect already and cannot be taken back."""

    code = "too_late"
    status = 409


class UnknownReview(ReviewError):
    """There is no such review, or no such reviewed thing."""

    code = "unknown_review"


class NotYours(ReviewError):
    """This person may not do that, or not yet."""

    code = "not_yours"


class NothingToReview(ReviewError):
    """Nothing waits for this reviewer."""

    code = "nothing_to_review"
