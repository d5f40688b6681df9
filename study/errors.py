"""One exception class per meaning; the message is a sentence for the person who meets it."""

from __future__ import annotations

from data.store import StorageFull, StoreError
from sim_bridge.errors import Refusal

__all__ = ["StorageFull", "StoreError"]


class StudyError(Refusal):
    """Base of everything a study refuses on purpose; the messages are for people, where a class says nothing else."""

    code = "study_error"


class UnknownEpisode(StudyError):
    """There is no such episode."""

    code = "unknown_episode"
    status = 404


class TakenOver(StudyError):
    """A later tab, device or program owns this episode."""

    code = "taken_over"
    status = 409


class EpisodeOver(StudyError):
    """The episode has ended; nothing can be added."""

    code = "episode_over"
    status = 409


class BadAction(StudyError):
    """Text that is no action, or one that is not offered now. Refused free: no observation is used up."""

    code = "bad_action"
    status = 422


class BudgetUsed(BadAction):
    """All observations (of the episode or of this part) are used up: only an answer, or the next part, is possible."""

    code = "budget_used"


class OutOfStep(StudyError):
    """The sender does not know the current step: open the episode again and look."""

    code = "out_of_step"
    status = 409


class BadAnswer(StudyError):
    """An answer, belief or report of the wrong form; nothing was lost, it can be given again."""

    code = "bad_answer"
    status = 422


class BridgeDown(StudyError):
    """No simulator can be reached now; the episode is kept and goes on when one can."""

    code = "bridge_down"
    status = 503


class NoRoom(BridgeDown):
    """Every simulator is in use; `place` is the place in the line (1 = next)."""

    code = "no_room"

    def __init__(self, message: str, place: int = 0) -> None:
        super().__init__(message)
        self.place = place


class SceneUnplayable(StudyError):
    """The simulator cannot build this task's scene, or cannot do its actions."""

    code = "scene_unplayable"
    status = 422
    public = "This task cannot be played here. Please report it; you can go on with another task."


class TooMany(StudyError):
    """A total is used up: of an episode's reports or changes of mind, or of what one key may have going on at a time."""

    code = "too_many"
    status = 429


class WrongParadigm(StudyError):
    """A task that cannot be met in this way: a question about pictures in a simulator, or a scene without one."""

    code = "wrong_paradigm"


class FrameNotShown(StudyError):
    """The study's history rule does not show this frame (any more)."""

    code = "frame_not_shown"
    status = 403


class NotAllowed(StudyError):
    """This browser or key has no grant for that."""

    code = "not_allowed"
    status = 403


class BadToken(NotAllowed):
    """A link or token that is unknown, used up, expired or revoked."""

    code = "bad_token"


class OtherBrowser(NotAllowed):
    """A recruited person who is bound to the browser on which they began came on another."""

    code = "other_browser"


class NoTaskLeft(StudyError):
    """There is no task this participant may still do."""

    code = "no_task_left"
    status = 409


class BadTransition(StudyError):
    """An event that is impossible in the current state."""

    code = "bad_transition"
    status = 409


class ExportRefused(StudyError):
    """The export would overwrite something it did not write."""

    code = "export_refused"
    public = "This export cannot be made: tell whoever runs this server."
