"""A simulator for generators and checks: scenes played over the bridge, so that this process never loads it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from data.task import SIM_SEED, Ask, Task
from sim_bridge.client import Calls
from sim_bridge.encoding import decode_frame
from sim_bridge.errors import BridgeError
from sim_bridge.pool import Pool
from sim_bridge.protocol import StateReply, StepReply
from sim_bridge.spec import Frame, ObjectState, Pose, Scene

_numbers = itertools.count(1)


class Trial:
    """One scene being played.

    Attributes:
        first: the reply to loading.
        last: the newest reply.
    """

    def __init__(self, calls: Calls, scene: Scene, start: Pose, actions: Sequence[str]) -> None:
        self._calls, self._session, self._seq = calls, f"lab-{next(_numbers)}", 0
        # Without a list of actions every step counts what is visible.
        self.first = self.last = calls.load(self._session, scene, start, actions=actions, seed=SIM_SEED)

    def act(self, action: str, pictures: bool = True) -> StepReply:
        """Execute one canonical action; without `pictures` in a third of the time."""
        self._seq += 1
        self.last = self._calls.act(self._session, self._seq, action, pictures=pictures)
        return self.last

    def phase(self, name: str) -> StepReply:
        """Go on to a phase of the scene."""
        self._seq += 1
        self.last = self._calls.set_phase(self._session, self._seq, name)
        return self.last

    def state(self, audit: bool = False) -> StateReply:
        """Objects and relations now; with the flags of an `audit` in about a second."""
        return self._calls.state(self._session, audit=audit)

    def audited(self) -> StateReply:
        """The same, and what is wrong with the scene, as far as the simulator looks for that."""
        return self._calls.state(self._session, audit="audit" in self._calls.hello.capabilities)

    def objects(self) -> dict[str, ObjectState]:
        """handle → object as it is now."""
        return {o.handle: o for o in self.state().objects}

    def frames(self, poses: Sequence[Pose]) -> tuple[Frame, ...]:
        """Pictures from other cameras."""
        return self._calls.views(self._session, poses)

    def visible(self, poses: Sequence[Pose]) -> tuple[dict[str, int], ...]:
        """Pixels of every object in the view from each camera (handle → pixels, those with none left out)."""
        return self._calls.visible(self._session, poses)

    def snapshot(self) -> bytes:
        """The session as it is now, to come back to by `restore`."""
        return self._calls.snapshot(self._session)

    def restore(self, snapshot: bytes) -> StepReply:
        """Come back to a snapshot of this trial; the reply has the view from there."""
        self._seq += 1
        self.last = self._calls.restore(self._session, self._seq, snapshot)
        return self.last

    def close(self) -> None:
        """End the session."""
        self._calls.close_session(self._session)


class Lab:
    """Opens trials on one bridge connection.

    Args:
        calls: the connection.
        another: connects to a simulator that takes the place of one that was lost; None: there is none.
    """

    def __init__(self, calls: Calls, another: Callable[[], Calls] | None = None) -> None:
        self.calls, self._another = calls, another

    def renew(self) -> bool:
        """After the simulator was lost (`WorkerLost`): go on with another. False: there is none, now and later."""
        if self._another is None:
            return False
        try:
            self.calls = self._another()
        except BridgeError:
            self._another = None
            return False
        return True

    @contextmanager
    def open(self, scene: Scene, start: Pose, *, actions: Sequence[str] = ()) -> Iterator[Trial]:
        """A scene, loaded and settled; closed at the end."""
        trial = Trial(self.calls, scene, start, actions)
        try:
            yield trial
        finally:
            trial.close()


@contextmanager
def laboratory(backend: str = "mujoco") -> Iterator[Lab]:
    """A lab with a worker process of its own."""
    with Pool(backend=backend, workers=1) as pool:

        def another() -> Calls:
            pool.report_lost("lab")
            return pool.acquire("lab", wait_s=60.0)

        yield Lab(pool.acquire("lab", wait_s=60.0), another)


@dataclass(frozen=True)
class Step:
    """One step of a played trajectory; step 0 is the start view."""

    action: str
    ok: bool
    reason: str
    visible: dict[str, int]
    """handle → pixels in the view."""
    clipped: bool
    camera: Pose
    picture: Frame | None
    """None where the trajectory was played without pictures."""
    frames: int
    """Pictures of the step, the observation included."""
    state: StateReply | None
    """Objects and relations after it; kept for the first and last step of every phase and after every physical action, and while
    something walks."""

    @property
    def frame(self) -> Frame:
        """The view.

        Raises:
            ValueError: the trajectory was played without pictures.
        """
        if self.picture is None:
            raise ValueError(f"step {self.action!r} has no picture: play with pictures")
        return self.picture


@dataclass(frozen=True)
class Playing:
    """A task's ground-truth trajectory as it went in a fresh session."""

    task: Task
    steps: tuple[Step, ...]

    @property
    def ask(self) -> Ask:
        """What the task asks.

        Raises:
            ValueError: it does not say.
        """
        if self.task.question.ask is None:
            raise ValueError(f"question.ask: {self.task.task_id} does not say what it asks")
        return self.task.question.ask

    @property
    def first(self) -> Step:
        return self.steps[0]

    @property
    def last(self) -> Step:
        return self.steps[-1]

    def states(self) -> list[StateReply]:
        """Every state that was kept, in order."""
        return [s.state for s in self.steps if s.state is not None]

    def object(self, handle: str, state: StateReply | None = None) -> ObjectState:
        """One object in a state (default: the last one kept)."""
        where = state or self.states()[-1]
        return next(o for o in where.objects if o.handle == handle)


def play(lab: Lab, task: Task, pictures: bool = True, audit: bool = False, audit_end: bool = False) -> Playing:
    """Play the ground-truth trajectory; with phases, each has its own part (`Task.gt_phase_starts`).

    Without `pictures` only the first view of every phase is drawn; pixels are counted all the same. With `audit` the first and the last
    state have its flags, with `audit_end` the last one alone.
    """
    end = len(task.gt_trajectory)
    starts = task.gt_phase_starts or (end,) * len(task.scene.phases[1:])
    parts = [task.gt_trajectory[a:b] for a, b in itertools.pairwise((0, *starts, end))]
    with lab.open(task.scene, task.start) as trial:
        steps = [_step("", trial.first, trial.state(audit))]
        for i, part in enumerate(parts):
            if i > 0:
                name = task.scene.phases[i].name
                reply = trial.phase(name)
                steps.append(_step(f"phase:{name}", reply, trial.state()))
            for n, action in enumerate(part):
                reply = trial.act(action, pictures)
                keep = _walking(steps[-1].state) or n == len(part) - 1 or not action.startswith(("move_", "turn_"))
                steps.append(_step(action, reply, trial.state() if keep else None))
        if audit or audit_end:
            steps[-1] = replace(steps[-1], state=trial.state(audit=True))
    return Playing(task, tuple(steps))


def _walking(state: StateReply | None) -> bool:
    return state is not None and any(o.flags.get("walking", False) for o in state.objects)


def _step(action: str, reply: StepReply, state: StateReply | None) -> Step:
    seen = reply.observation
    return Step(
        action,
        reply.ok,
        reply.reason,
        dict(seen.visible),
        seen.clipped,
        seen.camera,
        seen.frames[-1] if seen.frames else None,
        len(seen.frames),
        state,
    )


def pixels(frame: Frame) -> NDArray[np.float64]:
    """The picture, shape (H, W, 3), 0..255."""
    return decode_frame(frame).astype(float)


def difference(a: Frame, b: Frame) -> float:
    """Mean absolute difference of two pictures of one size, per channel, 0..255."""
    return float(np.abs(pixels(a) - pixels(b)).mean())
