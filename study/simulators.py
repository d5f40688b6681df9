"""The simulator sessions behind episodes: disposable, and always rebuilt from the database.

A session stands exactly at its episode's last committed step, or it is thrown away: whenever something failed after an action reached
the simulator, the session is dropped, and the next use builds a new one from the last snapshot, else from the list of actions.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypedDict, TypeVar

from data.store import Store, dumps
from data.task import SIM_SEED, Task
from sim_bridge import errors as bridge
from sim_bridge.placement import AWAY
from sim_bridge.protocol import HelloReply, StepReply
from sim_bridge.spec import Frame, Pose, Scene
from study.backends import needs_of
from study.errors import BadAction, BridgeDown, NoRoom, SceneUnplayable, TooMany
from study.records import SnapshotRecord
from study.standing import Standing
from study.steps import Step, steps_of
from study.wording import say

IDLE_RELEASE_S = 900.0
"""A session unused this long (seconds) is given back; the episode resumes when it goes on."""
AHEAD_RELEASE_S = 180.0
"""A session that was made ready for a task which nobody has opened is given back after so long (seconds)."""
IDLE_EVICT_S = 10.0
"""When no simulator is free, a session unused this long (seconds) makes room."""
PER_AGENT = 4
"""How many sessions one model agent may have at a time, unless the server is told otherwise."""
POSE_TOLERANCE = 1e-6
"""Largest difference (metres, quaternion components) between a stored and a resumed camera pose."""

OnWait = Callable[[int], None]
"""Called with the place in the line (1 = next) while no simulator is free; with `sim_bridge.pool.AWAY` while none of the episode's kind is
there."""
T = TypeVar("T")
log = logging.getLogger("vantage.study")


class Client(Protocol):
    """What is used of `sim_bridge.client.Client`."""

    @property
    def hello(self) -> HelloReply: ...

    def load(
        self,
        session: str,
        scene: Scene,
        start: Pose,
        *,
        actions: Sequence[str] = ...,
        seed: int = ...,
        seq: int = ...,
        replay: Sequence[str] = ...,
        snapshot: bytes | None = ...,
    ) -> StepReply: ...

    def act(self, session: str, seq: int, action: str, *, pictures: bool = ...) -> StepReply: ...

    def views(self, session: str, poses: Sequence[Pose]) -> Sequence[Frame]: ...

    def visible(self, session: str, poses: Sequence[Pose]) -> Sequence[dict[str, int]]: ...

    def set_phase(self, session: str, seq: int, phase: str) -> StepReply: ...

    def restore(self, session: str, seq: int, snapshot: bytes) -> StepReply: ...


class Pool(Protocol):
    """What is used of `sim_bridge.pool.Pool`."""

    spare: Callable[[], bool] | None

    def acquire(
        self,
        session: str,
        *,
        backend: str = ...,
        needs: Sequence[str] = ...,
        like: Mapping[str, str] | None = ...,
        wait_s: float = ...,
        on_wait: OnWait | None = ...,
        last: bool = ...,
        spare: Callable[[], bool] | None = ...,
    ) -> Client: ...

    def release(self, session: str) -> None: ...

    def report_lost(self, session: str) -> None: ...


@dataclass
class Live:
    """The session behind one (episode, epoch) of this process."""

    episode_id: str
    epoch: int
    lock: threading.RLock = field(default_factory=threading.RLock)
    """Held while the session is used; acts of one episode happen one after another."""
    session: str | None = None
    client: Client | None = None
    seq: int = -1
    """The step the session stands at."""
    loaded: StepReply | None = None
    """What loading returned: the observation at the step it was loaded for."""
    snapshot: bytes | None = None
    """The session's state at `seq`, where the simulator gave it."""
    used: float = field(default_factory=time.monotonic)
    abandoned: bool = False
    """A later epoch took over while the session was in use."""
    away: bool = False
    """It waits for a simulator of its kind, and there is none: the log has it."""
    agent: str = ""
    """The model agent that has the session or waits for one; empty: nobody, or a person, script or environment."""

    @property
    def untouched(self) -> bool:
        """Whether it belongs to a task that nobody has opened yet."""
        return self.epoch == 0 and not self.abandoned


class Simulators:
    """Sessions of all episodes of this process. Thread-safe.

    People come before model agents: they are next in the line, a model's session that is not in use this moment makes room for a waiting
    person, and one agent has at most `per_agent` sessions. What a model loses is built again when it goes on.
    """

    def __init__(self, store: Store, pool: Pool, wait_s: float, per_agent: int = PER_AGENT) -> None:
        self.store, self.pool, self.wait_s, self.per_agent = store, pool, wait_s, per_agent
        self._people_waiting = 0
        self._lives: dict[str, Live] = {}
        self._guard = threading.Lock()
        self._program = secrets.token_hex(4)
        """Keeps the sessions of two programs that serve the same episode apart."""
        pool.spare = self.spare

    def spare(self, backend: str = "") -> bool:
        """Have a session that is unused for a while make room for whoever waits; returns whether one did.

        Args:
            backend: only one on this simulator; empty: on any.
        """
        return any(self._release_idle(live, IDLE_EVICT_S) for live in self._by_idleness(backend))

    @contextmanager
    def using(self, episode_id: str, epoch: int) -> Iterator[Live]:
        """The live record of (episode, epoch), locked; one of an earlier epoch lets its session go as soon as it is not in use."""
        with self._guard:
            live = self._lives.get(episode_id)
            old = None
            if live is not None and live.untouched and live.epoch < epoch:
                # Made ready ahead: its scene is loaded and nothing has happened in it, so whoever opens the task goes on with it.
                live.epoch = epoch
            elif live is None or live.epoch < epoch:
                old, live = live, Live(episode_id, epoch)
                self._lives[episode_id] = live
            elif live.epoch > epoch:
                # a late request of an earlier epoch: it gets a record of its own, which is dropped with the refusal
                live = Live(episode_id, epoch, abandoned=True)
        if old is not None:
            self._abandon(old)
        try:
            with live.lock:
                try:
                    yield live
                finally:
                    live.used = time.monotonic()
                    if live.agent and self._people_waiting:
                        self.drop(live)
        finally:
            # after the lock is free again: whoever abandons it meanwhile either gets the lock or is seen here
            if live.abandoned:
                self._abandon(live)

    def supersede(self, episode_id: str, epoch: int) -> None:
        """Let a session of an epoch before `epoch` go as soon as it is not in use."""
        with self._guard:
            live = self._lives.get(episode_id)
            old = self._lives.pop(episode_id) if live is not None and live.epoch < epoch else None
        if old is not None:
            self._abandon(old)

    def release(self, episode_id: str) -> None:
        """Give the episode's session back; it resumes when the episode goes on."""
        with self._guard:
            live = self._lives.pop(episode_id, None)
        if live is not None:
            self._abandon(live)

    def sweep(self, idle_s: float = IDLE_RELEASE_S) -> int:
        """Give back sessions that have been idle for `idle_s` seconds; returns how many."""
        return sum(self._release_idle(live, min(idle_s, AHEAD_RELEASE_S) if live.untouched else idle_s) for live in self._by_idleness())

    def close(self) -> None:
        """Give every session back."""
        for live in self._by_idleness():
            self.release(live.episode_id)

    def run(self, live: Live, here: Standing, call: Callable[[Client, str], T], on_wait: OnWait | None) -> T:
        """Run `call` on a session that stands at the episode's last step; a lost one is replaced once.

        Args:
            live: the locked live record.
            here: the episode as it stands.
            call: gets the client and the session's name.
            on_wait: called while no simulator is free.

        Raises:
            NoRoom, BridgeDown: no simulator now; nothing happened to the episode.
            SceneUnplayable: the scene cannot be built.
            BadAction: the simulator knows no such action.
        """
        problem: Exception | None = None
        for _ in range(2):
            try:
                client, session = self._ready(live, here, on_wait)
                return call(client, session)
            except bridge.Busy as error:
                self.drop(live)
                raise NoRoom(say("refused.no_room"), error.place) from error
            except bridge.NoWorker as error:
                self.drop(live)
                log.warning("%s waits: %s", live.episode_id, error)
                raise BridgeDown(say("refused.bridge_down")) from error
            except bridge.ActionError as error:
                raise BadAction(str(error)) from error
            except (bridge.SceneError, bridge.BadRequest) as error:
                self.drop(live)
                said = str(error).rstrip(".")
                raise SceneUnplayable(
                    f"This task cannot be played here: {said}. Please report it; you can go on with another task."
                ) from error
            except bridge.BridgeError as error:
                problem = error
                log.warning("session of %s lost: %s", live.episode_id, error)
                self.drop(live, lost=isinstance(error, bridge.WorkerLost))
            except BaseException:
                self.drop(live)
                raise
        raise BridgeDown(say("refused.bridge_down")) from problem

    def load_ahead(self, live: Live, here: Standing) -> bool:
        """Load the scene of a task that nobody has opened, on a simulator that is free at once; nobody else's is taken.

        Returns:
            Whether it is loaded.

        Raises:
            BridgeError: the simulator cannot do it.
        """
        if live.session is not None:
            return True
        session = f"{live.episode_id}.{live.epoch}.{self._program}"
        try:
            client = self.pool.acquire(session, wait_s=0.0, last=True, **where(here))
        except (bridge.Busy, bridge.NoWorker):
            return False
        live.session, live.client = session, client
        try:
            self._load(live, here, client, session)
        except BaseException:
            self.drop(live)
            raise
        return True

    def undo(self, live: Live, seq: int, last: Step) -> None:
        """Bring the session back from an action executed as step `seq` to the stored step `last`; where that fails it is thrown away, and
        the next use builds it again without that action."""
        try:
            if live.client is not None and live.session is not None and live.snapshot is not None:
                reply = live.client.restore(live.session, turn(seq) + 1, live.snapshot)
                if not difference(last, reply, live.client.hello.deterministic):
                    return
        except bridge.BridgeError as error:
            log.warning("session of %s could not be set back: %s", live.episode_id, error)
            self.drop(live, lost=isinstance(error, bridge.WorkerLost))
            return
        self.drop(live)

    def drop(self, live: Live, lost: bool = False) -> None:
        """Throw the session away. `lost`: the pool should look after its worker."""
        session = live.session
        live.session, live.client, live.loaded, live.snapshot, live.seq, live.agent = None, None, None, None, -1, ""
        if session is None:
            return
        if lost:
            self.pool.report_lost(session)
        else:
            self.pool.release(session)

    def _by_idleness(self, backend: str = "") -> list[Live]:
        with self._guard:
            return sorted((live for live in self._lives.values() if live.session and _on(live, backend)), key=lambda live: live.used)

    def _release_idle(self, live: Live, idle_s: float) -> bool:
        if time.monotonic() - live.used < idle_s or not live.lock.acquire(blocking=False):
            return False
        try:
            held = live.session is not None
            self.drop(live)
            return held
        finally:
            live.lock.release()

    def _abandon(self, live: Live) -> None:
        live.abandoned = True
        if live.lock.acquire(blocking=False):
            try:
                self.drop(live)
            finally:
                live.lock.release()

    def _ready(self, live: Live, here: Standing, on_wait: OnWait | None) -> tuple[Client, str]:
        if live.session is not None and live.client is not None:
            if live.seq == here.record.last_seq:
                return live.client, live.session
            self.drop(live)
        session = f"{live.episode_id}.{live.epoch}.{self._program}"
        client = self._acquire(live, here, session, on_wait)
        live.session, live.client = session, client
        self._load(live, here, client, session)
        return client, session

    def _load(self, live: Live, here: Standing, client: Client, session: str) -> None:
        """Bring a new session to where its episode stands."""
        task = here.task
        if here.record.last_seq < 0:
            able = offerable(task, client.hello.capabilities)
            live.loaded = client.load(session, task.scene, task.start, actions=able, seed=SIM_SEED, seq=0)
        else:
            live.loaded = self._resume(live, here, client, session)
        live.seq, live.snapshot = here.record.last_seq, live.loaded.snapshot

    def _acquire(self, live: Live, here: Standing, session: str, on_wait: OnWait | None) -> Client:
        self.sweep()
        model, at = here.record.agent_kind == "model", where(here)
        if model:
            self._count_in(live, f"{here.record.study_id}/{here.record.agent_name}")
        try:
            try:
                return self._met(live, self.pool.acquire(session, wait_s=0.0, last=model, **at))
            except (bridge.Busy, bridge.NoWorker):
                pass
            tell = partial(self._waits, live, here, on_wait)
            spare = partial(self.spare if model else self._make_room, at["backend"])
            if model:
                found = self.pool.acquire(session, wait_s=self.wait_s, on_wait=tell, last=True, spare=spare, **at)
                return self._met(live, found)
            with self._guard:
                self._people_waiting += 1
            try:
                return self._met(live, self.pool.acquire(session, wait_s=self.wait_s, on_wait=tell, spare=spare, **at))
            finally:
                with self._guard:
                    self._people_waiting -= 1
        except BaseException as problem:
            live.agent = ""
            if isinstance(problem, bridge.WorkerLost):
                self._waits(live, here, None, AWAY)
            raise

    def _waits(self, live: Live, here: Standing, on_wait: OnWait | None, place: int) -> None:
        """Tell the place in the line; that there is no simulator of the episode's kind goes into the log, once:
        nobody's time runs. A model has no time that could run, and its beginning leaves nothing where it fails."""
        if place == AWAY and not live.away and here.record.agent_kind != "model":
            live.away = True
            self._log("simulator_away", live, {"backend": where(here)["backend"]})
        if on_wait is not None:
            on_wait(place)

    def _met(self, live: Live, client: Client) -> Client:
        """The client; that the simulator is back goes into the log."""
        if live.away:
            live.away = False
            self._log("simulator_back", live, {"backend": client.hello.backend})
        return client

    def _log(self, kind: str, live: Live, data: dict[str, str]) -> None:
        with self.store.atomic():
            self.store.event(kind, {"epoch": live.epoch, **data}, episode_id=live.episode_id)

    def _make_room(self, backend: str = "") -> bool:
        """As `spare`, for a person: also any session of a model that is not in use this moment makes room."""
        return self.spare(backend) or any(self._release_idle(live, 0.0) for live in self._by_idleness(backend) if live.agent)

    def _count_in(self, live: Live, agent: str) -> None:
        """Count a session of a model agent before it is asked for; the agent's own that has been unused for a while makes room.

        Raises:
            TooMany: it has as many as it may, all in use.
        """
        while True:
            with self._guard:
                held = [other for other in self._lives.values() if other is not live and other.agent == agent]
                if len(held) < self.per_agent:
                    live.agent = agent
                    return
            idle = sorted((other for other in held if other.session), key=lambda other: other.used)
            if not any(self._release_idle(other, IDLE_EVICT_S) for other in idle):
                raise TooMany(
                    f"This agent has {self.per_agent} episodes going on, which is the most. End one, or wait: an episode that nothing is "
                    f"sent to for {IDLE_EVICT_S:g} s makes room and goes on later."
                )

    def _resume(self, live: Live, here: Standing, client: Client, session: str) -> StepReply:
        """Bring a new session to the last step and compare what it shows with what is stored."""
        task, last_seq = here.task, here.record.last_seq
        steps = steps_of(self.store, live.episode_id)
        fingerprint = fingerprint_of(client.hello)
        kept = self.store.row("SELECT * FROM snapshots WHERE episode_id = ?", SnapshotRecord, [live.episode_id])
        ways: list[tuple[str, int, bytes | None]] = [("replay", 0, None)]
        if kept is not None and kept.fingerprint == fingerprint and kept.seq <= last_seq:
            ways.insert(0, ("snapshot", kept.seq, kept.data))
        for way, since, snapshot in ways:
            try:
                reply = client.load(
                    session,
                    task.scene,
                    task.start,
                    actions=offerable(task, client.hello.capabilities),
                    seed=SIM_SEED,
                    seq=turn(last_seq),
                    replay=tuple(s.sim_action for s in steps if s.seq > since and s.sim_action),
                    snapshot=snapshot,
                )
            except bridge.BadRequest:
                if snapshot is None:
                    raise
                log.warning("snapshot of %s is not usable; replaying its actions", live.episode_id)
                continue
            used, differs = way, difference(steps[-1], reply, client.hello.deterministic)
            if not differs:
                break
        moved = here.record.fingerprint != fingerprint
        data = {
            "epoch": live.epoch,
            "seq": last_seq,
            "by": used,
            "verified": not differs,
            "difference": differs,
            "other_backend": moved,
        }
        with self.store.atomic():
            self.store.event("resumed", data, episode_id=live.episode_id)
            if differs or not client.hello.deterministic:
                flag(self.store, live.episode_id, "resume_differs" if differs else "resumed_unverified")
            if moved:
                flag(self.store, live.episode_id, "other_backend")
        return reply


class Where(TypedDict):
    """On which simulator an episode is played, as `Pool.acquire` takes it."""

    backend: str
    needs: tuple[str, ...]
    like: dict[str, str] | None


def where(here: Standing) -> Where:
    """The simulator of an episode: that on which it was begun; before its first view, the one that its protocol names for its task."""
    record = here.record
    begun = record.last_seq >= 0
    return {
        "backend": (record.backend if begun else "") or here.protocol.backend_of(here.task),
        "needs": needs_of(here.task),
        "like": json.loads(record.fingerprint) if begun else None,
    }


def _on(live: Live, backend: str) -> bool:
    return not backend or live.client is None or live.client.hello.backend == backend


def turn(seq: int) -> int:
    """The bridge's sequence number for the action of step `seq`; the one after it is free, to undo that action."""
    return 2 * seq


def fingerprint_of(hello: HelloReply) -> str:
    """`fingerprint_text` of a simulator that has said who it is."""
    return fingerprint_text(hello.fingerprint)


def fingerprint_text(told: Mapping[str, str]) -> str:
    """Everything that may change pixels, as kept with episodes and snapshots: JSON with sorted names."""
    return dumps(dict(sorted(told.items())))


def offerable(task: Task, capabilities: Sequence[str]) -> tuple[str, ...]:
    """The task's actions that this simulator can do: what the release offers beyond them helps, but is not needed.

    Raises:
        SceneUnplayable: an action or phenomenon is missing that the task needs.
    """
    missing = [need for need in needs_of(task) if need not in capabilities]
    if missing:
        raise SceneUnplayable(
            f"This task needs what this simulator cannot do ({', '.join(missing)}). Please report it; you can go on with another task."
        )
    return tuple(name for name in task.actions if name in capabilities)


def difference(step: Step, reply: StepReply, deterministic: bool) -> str:
    """How a resumed view differs from the stored step; empty when it does not. Without determinism only the pose can be compared."""
    if deterministic and reply.observation.frames and reply.observation.frames[-1].pixel_hash != step.pixel_hash:
        return "pixels"
    stored, now_at = step.pose_after, reply.observation.camera
    pairs = zip((*stored.position_m, *stored.quaternion_xyzw), (*now_at.position_m, *now_at.quaternion_xyzw), strict=True)
    return "pose" if any(abs(a - b) > POSE_TOLERANCE for a, b in pairs) else ""


def flag(store: Store, episode_id: str, word: str) -> None:
    """Mark an episode for whoever analyses it; each word once."""
    with store.atomic() as db:
        row = store.one("SELECT flags FROM episodes WHERE episode_id = ?", [episode_id])
        flags = json.loads(row["flags"]) if row else []
        if row and word not in flags:
            db.execute("UPDATE episodes SET flags = ? WHERE episode_id = ?", [dumps([*flags, word]), episode_id])
