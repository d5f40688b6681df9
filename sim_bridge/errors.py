"""One exception class per meaning; the message says what, where, and what to do."""

from __future__ import annotations


class Refusal(Exception):
    """Base of everything that is raised on purpose, in every layer. It has two readers.

    The message is for whoever runs the program (it may name files and hashes; the log and the command line show it), `for_people` for
    whoever meets it in a browser.
    """

    code = "refused"
    """What a program looks at; stable."""
    status = 400
    """HTTP status of a reply that says so."""
    public: str | None = None
    """Words for people in a browser. None: the message itself is for them, and names neither a file of the server nor a hash."""

    @property
    def for_people(self) -> str:
        """What a page or a reply says."""
        return str(self) if self.public is None else self.public


class BridgeError(Refusal):
    """Base of everything the bridge raises on purpose. `code` travels on the wire."""

    code = "bridge_error"
    public: str | None = "The simulator could not do this. Nothing that was saved is lost: try again, or tell whoever runs this study."


class BadRequest(BridgeError):
    """A message or field does not fit the protocol."""

    code = "bad_request"


class UnsupportedVersion(BridgeError):
    """The other end speaks no common protocol version."""

    code = "unsupported_version"


class SceneError(BridgeError):
    """A scene cannot be built; the message names the field."""

    code = "scene_error"


class ActionError(BridgeError):
    """Text that is no action, or an action this task does not allow."""

    code = "action_error"
    status = 422
    public = None


class UnknownSession(BridgeError):
    """The worker does not hold this session (never loaded, evicted, or the worker was replaced): load it again."""

    code = "unknown_session"


class OutOfOrder(BridgeError):
    """A sequence number that is neither the last one (a retry) nor a later one."""

    code = "out_of_order"


class WorkerLost(BridgeError):
    """The worker died, hung past its deadline, or cannot be reached; the session can be resumed on another."""

    code = "worker_lost"
    status = 503


class NoWorker(WorkerLost):
    """No worker of the simulator that is wanted is there now; one may come back."""

    code = "no_worker"


class Busy(BridgeError):
    """No worker is free; `place` is the caller's place in the line (1 = next)."""

    code = "busy"
    status = 503
    public = "All simulators are in use. Nothing is lost: try again in a moment."

    def __init__(self, message: str, place: int = 0) -> None:
        super().__init__(message)
        self.place = place
