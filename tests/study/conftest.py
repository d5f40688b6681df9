"""Small tasks and an in-process simulator (the toy backend behind the real host) for tests of the study room."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from data.frames import FrameStore
from data.store import Store
from data.task import Gold, Provenance, Question, Task
from sim_bridge import errors as bridge
from sim_bridge.backends.toy import ToyBackend
from sim_bridge.host import Host
from sim_bridge.protocol import Act, Close, ErrorReply, Hello, Load, Restore, SetPhase, State, Views
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene
from study.episode import EpisodeEngine
from tests.homes import fresh_store

_ERRORS = {cls.code: cls for cls in vars(bridge).values() if isinstance(cls, type) and issubclass(cls, bridge.BridgeError)}


class InlineClient:
    """A client whose worker lives in this process. `faults` are raised before ("lost") or after ("late") a call is executed."""

    def __init__(self, pool: InlinePool) -> None:
        self.pool, self.host, self.dead = pool, pool.host, False
        self.hello = self._ask(Hello())

    def _ask(self, request: Any) -> Any:
        if self.dead:
            raise bridge.WorkerLost("the worker is gone")
        kind = type(request).__name__.lower()
        fault = self.pool.faults.pop(0)[1] if self.pool.faults and self.pool.faults[0][0] == kind else None
        if fault == "lost":
            self._die()
        with self.pool.lock:
            self.pool.calls.append((kind, getattr(request, "action", ""), getattr(request, "seq", -1)))
            reply = self.host.handle(request)
        if fault == "late":
            self._die()
        if callable(fault):
            fault()
        if isinstance(reply, ErrorReply):
            raise _ERRORS[reply.code](reply.message)
        return reply

    def _die(self) -> None:
        self.dead = True
        raise bridge.WorkerLost("the worker died")

    def load(self, session: str, scene: Scene, start: Pose, **options: Any) -> Any:
        return self._ask(Load(session=session, scene=scene, start=start, **options))

    def act(self, session: str, seq: int, action: str, *, pictures: bool = True) -> Any:
        return self._ask(Act(session=session, seq=seq, action=action, pictures=pictures))

    def views(self, session: str, poses: Sequence[Pose]) -> Any:
        return self._ask(Views(session=session, poses=tuple(poses))).frames

    def visible(self, session: str, poses: Sequence[Pose]) -> Any:
        return self._ask(Views(session=session, poses=tuple(poses), frames=False, visible=True)).visible

    def set_phase(self, session: str, seq: int, phase: str) -> Any:
        return self._ask(SetPhase(session=session, seq=seq, phase=phase))

    def state(self, session: str, *, audit: bool = False) -> Any:
        return self._ask(State(session=session, audit=audit))

    def restore(self, session: str, seq: int, snapshot: bytes) -> Any:
        return self._ask(Restore(session=session, seq=seq, snapshot=snapshot))

    def close_session(self, session: str) -> Any:
        return self._ask(Close(session=session))


class InlinePool:
    """One worker in this process; a lost one is replaced by a new host."""

    def __init__(self, room: int = 64) -> None:
        self.room, self.lock = room, threading.Lock()
        self.faults: list[tuple[str, Any]] = []
        self.calls: list[tuple[str, str, int]] = []
        self.held: dict[str, InlineClient] = {}
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        """For what simulator each session was acquired, and what it needs."""
        self.down = False
        self.renew()

    def renew(self) -> None:
        self.host = Host(ToyBackend(), max_sessions=64)

    spare: Callable[[], bool] | None = None

    def acquire(
        self,
        session: str,
        *,
        backend: str = "",
        needs: Sequence[str] = (),
        like: Any = None,
        wait_s: float = 0.0,
        on_wait: Callable[[int], None] | None = None,
        last: bool = False,
        spare: Callable[[], bool] | None = None,
    ) -> InlineClient:
        self.asked.append((backend, tuple(needs)))
        if self.down:
            raise bridge.WorkerLost("no worker can be started")
        if len(self.held) >= self.room and not (spare and spare()):
            if on_wait:
                on_wait(1)
            raise bridge.Busy("all in use", 1)
        self.held[session] = InlineClient(self)
        return self.held[session]

    def release(self, session: str) -> None:
        client = self.held.pop(session, None)
        if client is not None and not client.dead:
            client.close_session(session)

    def report_lost(self, session: str) -> None:
        self.held.pop(session, None)
        self.renew()

    @property
    def acts(self) -> list[str]:
        """Actions that were executed, in order (without replays)."""
        return [action for kind, action, _ in self.calls if kind == "act"]


def build_task(task_id: str = "toy-001", **changes: Any) -> Task:
    """A size question in a small room; `changes` replace fields."""
    objects = (
        Object("object_1", "bowl", Pose((-0.8, 1.5, 0.0)), origin="base", size_m=(0.4, 0.4, 0.4)),
        Object("object_2", "lamp", Pose((0.8, 1.5, 0.0)), origin="base", size_m=(0.3, 0.3, 0.6)),
        Object("object_3", "cup", Pose((0.0, -2.5, 0.0)), origin="base", size_m=(0.3, 0.3, 0.3)),
    )
    fields: dict[str, Any] = {
        "task_id": task_id,
        "category": "Metric Comparison",
        "subcategory": "Dimensional Size",
        "question": Question(
            text="Which cup is larger: the one near the bowl, or the one near the lamp?",
            form="choice",
            options=("near the bowl", "near the lamp"),
        ),
        "gold": Gold(accepted=("near the lamp",), chance=0.5),
        "scene": Scene(camera=Camera(64, 48), room=Room(), objects=objects),
        "start": Pose((0.0, -0.5, 1.0), (0.7071067811865476, 0.0, 0.0, 0.7071067811865476)),
        "names": {"object_1": "bowl", "object_2": "lamp"},
        "provenance": Provenance(dataset="vantage"),
    }
    return Task(**(fields | changes))


def two_parts(shares: tuple[float, float] = (0.5, 0.5)) -> Scene:
    """A scene with a part before and a part after."""
    scene = build_task().scene
    return Scene(
        camera=scene.camera,
        room=scene.room,
        objects=scene.objects,
        phases=(Phase("before", budget_share=shares[0]), Phase("after", hidden=("object_1",), budget_share=shares[1])),
    )


@pytest.fixture
def make_task() -> Callable[..., Task]:
    return build_task


@pytest.fixture
def two_part_scene() -> Callable[..., Scene]:
    return two_parts


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = fresh_store(tmp_path)
    yield store
    store.close()


@pytest.fixture
def frames(store: Store) -> FrameStore:
    return FrameStore(store.home.frames)


@pytest.fixture
def pool() -> InlinePool:
    return InlinePool()


@pytest.fixture
def engine(store: Store, frames: FrameStore, pool: InlinePool) -> EpisodeEngine:
    return EpisodeEngine(store, frames, pool, wait_s=0.0)


@pytest.fixture
def restart(store: Store, frames: FrameStore) -> Callable[[], tuple[EpisodeEngine, InlinePool]]:
    """A new engine with a new simulator on the same data, as after a restart of the program."""

    def make() -> tuple[EpisodeEngine, InlinePool]:
        pool = InlinePool()
        return EpisodeEngine(store, frames, pool, wait_s=0.0), pool

    return make


@pytest.fixture
def begin(store: Store, engine: EpisodeEngine) -> Callable[..., Any]:
    """Put a task, create an episode of it, open it."""

    def make(task: Task | None = None, tab: str = "a", **options: Any) -> Any:
        task = task or build_task()
        store.put_task(task)
        return engine.open(engine.create(task.content_hash, **options), tab=tab)

    return make
