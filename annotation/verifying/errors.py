"""What verification refuses on purpose; each message is a sentence for the person who meets it."""

from __future__ import annotations

from study.errors import StudyError


class BadVerification(StudyError):
    """These tasks, or these settings, make no verification."""

    code = "bad_verification"
    status = 422


class Closed(StudyError):
    """The verification is closed."""

    code = "verification_closed"
    status = 409


class Ended(StudyError):
    """The review under which something is sent has ended; what was chosen is kept as a draft."""

    code = "review_ended"
    status = 409


class Expired(Ended):
    """The task was not finished in time, and its place was given to somebody else."""

    code = "review_expired"


class Edited(Ended):
    """A new version of the task has taken its place."""

    code = "task_edited"


class Paused(Ended):
    """This person gets nothing more for now."""

    code = "verifier_paused"
    status = 403


class NoMasks(StudyError):
    """Which thing each pixel of a view shows cannot be told here."""

    code = "no_masks"
    status = 409


class CannotStepIn(StudyError):
    """The simulator cannot be brought to this view of the trajectory."""

    code = "cannot_step_in"
    status = 409
