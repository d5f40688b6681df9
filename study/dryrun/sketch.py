"""A simulator of sketches: the toy backend in small pictures, for scenes of any simulator. What decides a task is not to be seen in them.

vantage serve --backend study.dryrun.sketch:create
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from sim_bridge import errors
from sim_bridge.backends.toy import ToyBackend
from sim_bridge.host import Host
from sim_bridge.protocol import Act, Close, ErrorReply, Hello, HelloReply, Load, Request, Restore, SetPhase, StepReply, Views, ViewsReply
from sim_bridge.spec import Frame, Observation, Pose, Scene
from sim_bridge.validation import MAX_VIEWS

WIDTH, HEIGHT = 64, 48
"""Of a sketch, pixels."""
SESSIONS = 4096
"""Sessions at once: a sketch takes next to no memory, and nobody who takes part in a dry run should wait for a simulator."""
_ERRORS = {kind.code: kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.BridgeError)}


class Sketch(ToyBackend):
    """See the module's docstring."""

    name = "sketch"
    capabilities = (*ToyBackend.capabilities, "mirror")

    def load(self, session: str, scene: Scene, start: Pose, seed: int, render: bool = True) -> Observation:
        """As the toy backend, without what only other simulators know of a thing."""
        things = tuple(msgspec.structs.replace(thing, params={}) for thing in scene.objects)
        camera = msgspec.structs.replace(scene.camera, width=WIDTH, height=HEIGHT)
        return super().load(session, msgspec.structs.replace(scene, objects=things, camera=camera), start, seed, render)


def create() -> Sketch:
    """The backend, for ``--backend study.dryrun.sketch:create``."""
    return Sketch()


class Sketches:
    """A pool (`study.simulators.Pool`) and the clients of its one simulator, all in this process."""

    spare: Callable[[], bool] | None = None

    def __init__(self) -> None:
        self._host, self._lock = Host(Sketch(), max_sessions=SESSIONS), threading.Lock()
        hello = self._ask(Hello())
        assert isinstance(hello, HelloReply)
        self.hello = hello

    def acquire(self, session: str, **_: Any) -> Sketches:
        """The simulator; there is always room."""
        return self

    def release(self, session: str) -> None:
        """End a session, where it has begun."""
        with self._lock:
            self._host.handle(Close(session=session))

    def report_lost(self, session: str) -> None:
        """What is in this process cannot be lost."""

    def load(self, session: str, scene: Scene, start: Pose, **options: Any) -> StepReply:
        return self._step(Load(session=session, scene=scene, start=start, **options))

    def act(self, session: str, seq: int, action: str, *, pictures: bool = True) -> StepReply:
        return self._step(Act(session=session, seq=seq, action=action, pictures=pictures))

    def set_phase(self, session: str, seq: int, phase: str) -> StepReply:
        return self._step(SetPhase(session=session, seq=seq, phase=phase))

    def restore(self, session: str, seq: int, snapshot: bytes) -> StepReply:
        return self._step(Restore(session=session, seq=seq, snapshot=snapshot))

    def views(self, session: str, poses: Sequence[Pose]) -> tuple[Frame, ...]:
        return tuple(frame for reply in self._seen(session, poses, pictures=True) for frame in reply.frames)

    def visible(self, session: str, poses: Sequence[Pose]) -> tuple[dict[str, int], ...]:
        return tuple(counted for reply in self._seen(session, poses, pictures=False) for counted in reply.visible)

    def _seen(self, session: str, poses: Sequence[Pose], *, pictures: bool) -> list[ViewsReply]:
        parts = [tuple(poses[first : first + MAX_VIEWS]) for first in range(0, len(poses), MAX_VIEWS)]
        return [self._ask(Views(session=session, poses=part, frames=pictures, visible=not pictures)) for part in parts]

    def _step(self, request: Request) -> StepReply:
        reply = self._ask(request)
        assert isinstance(reply, StepReply)
        return reply

    def _ask(self, request: Request) -> Any:
        with self._lock:
            reply = self._host.handle(request)
        if isinstance(reply, ErrorReply):
            raise _ERRORS[reply.code](reply.message)
        return reply
