"""One exception class per meaning; the message says what, where, and what to do."""

from __future__ import annotations


class BridgeError(Exception):
    """Base of everything the bridge raises on purpose. `code` travels on the wire."""

    code = "bridge_error"


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


class UnknownSession(BridgeError):
    """The worker does not hold this session (never loaded, evicted, or the worker was replaced): load it again."""

    code = "unknown_session"


class OutOfOrder(BridgeError):
    """A sequence number that is neither the last one (a retry) nor a later one."""

    code = "out_of_order"


class WorkerLost(BridgeError):
    """The worker died, hung past its deadline, or cannot be reached; the session can be resumed on another."""

    code = "worker_lost"


class Busy(BridgeError):
    """No worker is free; `place` is the caller's place in the line (1 = next)."""

    code = "busy"

    def __init__(self, message: str, place: int = 0) -> None:
        super().__init__(message)
        self.place = place
