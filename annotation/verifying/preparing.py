"""Making the evidence of the tasks of a verification: once, by a simulator, kept whole or not at all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from annotation.reviewing.kinds.tasks import ANY_KIND
from annotation.verifying import items
from annotation.verifying.evidence import Evidence
from annotation.verifying.playing import Played, play
from data.frames import FrameStore
from data.store import Store, now
from data.task import Task
from sim_bridge.errors import BridgeError, Busy, WorkerLost
from sim_bridge.lost import given_up, once_more
from sim_bridge.pool import Pool
from study import frozen, trajectories
from study.backends import needs_of
from study.errors import StudyError
from study.frozen import FrozenOtherwise
from study.simulators import fingerprint_of

GONE = (Busy, WorkerLost)
"""What says nothing of a task: there is no simulator now."""


class Unmade(msgspec.Struct, frozen=True):
    """A task whose evidence cannot be made here; people judge it without."""

    task_hash: str
    why: str


class _Hash(msgspec.Struct, frozen=True):
    task_hash: str


def missing(store: Store, verification_id: str) -> list[str]:
    """Content hashes of the tasks of a verification for which nobody has tried to make evidence, controls and exercises with them."""
    rows = store.rows(
        f"SELECT DISTINCT i.task_hash FROM verification_items i JOIN reviewed t ON t.kind IN {ANY_KIND} AND t.subject = i.subject "
        "AND t.state <> 'replaced' WHERE i.verification_id = ? "
        "AND NOT EXISTS (SELECT 1 FROM task_evidence e WHERE e.task_hash = i.task_hash) ORDER BY i.rowid",
        _Hash, [verification_id],
    )  # fmt: skip
    return [row.task_hash for row in rows]


def prepare(
    store: Store,
    frames: FrameStore,
    pool: Pool,
    verification_id: str,
    *,
    unplayable: Callable[[Task], Sequence[str]] = lambda task: (),
    at_once: int = 1,
    wait_s: float = 120.0,
    actor: str = "",
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Unmade]:
    """Make the evidence that a verification lacks, and give each task out as soon as its own is kept: whoever is stopped goes on with what
    is missing.

    Args:
        store: the database.
        frames: its frame folder.
        pool: simulators.
        verification_id: the verification.
        unplayable: what a task needs that these simulators lack; empty: nothing.
        at_once: how many simulators work at a time.
        wait_s: how long to wait for a simulator.
        actor: who has it made.
        progress: called with (done, of how many) after each.

    Returns:
        The tasks that no simulator here can play, with the reason; they are given out too.

    Raises:
        UnknownVerification: there is none.
        StorageFull, StoreError: no room.
    """
    items.renew_all(store, verification_id, actor=actor)
    wanted = missing(store, verification_id)
    guard, count = threading.Lock(), 0

    def one(task_hash: str) -> Unmade | None:
        nonlocal count
        unmade = make(store, frames, pool, task_hash, unplayable=unplayable, wait_s=wait_s, actor=actor)
        with guard:
            count += 1
            items.submit(store, verification_id, only=task_hash, actor=actor)
            progress(count, len(wanted))
        return unmade

    with ThreadPoolExecutor(max_workers=at_once) as threads:
        found = [unmade for unmade in threads.map(one, wanted) if unmade is not None]
    items.submit(store, verification_id, actor=actor)
    return found


def make(
    store: Store, frames: FrameStore, pool: Pool, task_hash: str, *, unplayable: Callable[[Task], Sequence[str]], wait_s: float, actor: str
) -> Unmade | None:  # fmt: skip
    """Make one task's evidence and keep it; None: it is made."""
    task = trajectories.known(store, store.get_task(task_hash))
    if lacks := list(unplayable(task)):
        return _without(store, task_hash, f"No simulator here can play this task: {'; '.join(lacks)}.")
    session = f"evidence-{task_hash[:16]}"

    def made() -> tuple[Played, str]:
        client = pool.acquire(session, needs=needs_of(task), wait_s=wait_s, last=True)
        return play(client, session, task), fingerprint_of(client.hello)

    try:
        played, fingerprint = once_more(made, lambda: given_up(pool, session))
    except GONE as error:
        # kept nowhere: the next run tries it again
        return Unmade(task_hash, f"No simulator was there for it: {str(error).rstrip('.')}. Have it prepared again.")
    except (BridgeError, StudyError) as error:
        return _without(store, task_hash, f"The simulator could not play it: {str(error).rstrip('.')}.")
    finally:
        pool.release(session)
    try:
        keep(store, frames, task_hash, played, fingerprint=fingerprint, actor=actor)
    except FrozenOtherwise as error:
        return _without(store, task_hash, str(error))
    return None


def keep(store: Store, frames: FrameStore, task_hash: str, played: Played, *, fingerprint: str, actor: str) -> None:
    """Keep a task's evidence and its pictures, in one transaction."""
    with store.atomic():
        frozen.keep(store, frames, task_hash, frozen.EVIDENCE, played.pictures, fingerprint=fingerprint, actor=actor)
        _keep(store, task_hash, played.evidence, fingerprint)


def _without(store: Store, task_hash: str, why: str) -> Unmade:
    """Keep that there is no evidence, and why."""
    _keep(store, task_hash, Evidence((), None, (why,)), "")
    return Unmade(task_hash, why)


def _keep(store: Store, task_hash: str, evidence: Evidence, fingerprint: str) -> None:
    with store.atomic() as db:
        db.execute(
            "INSERT INTO task_evidence (task_hash, document, fingerprint, made_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [task_hash, msgspec.json.encode(evidence).decode(), fingerprint, now()],
        )
