"""Rendering the frozen views that a study's paradigms need: what is there, what is missing, and the work itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from data.frames import FrameStore
from data.store import Store
from data.task import Task
from sim_bridge.errors import BridgeError
from sim_bridge.lost import given_up, once_more
from study import frozen, ground_truth, trajectories, walking
from study.backends import backend_of, needs_of
from study.errors import StudyError
from study.frozen import Rendered
from study.simulators import Client, Pool, fingerprint_of
from study.studies import Study
from study.tutorial import passing


@dataclass(frozen=True)
class FrozenSet:
    """One kind of set: how its views come about."""

    name: str
    meaning: str
    """A clause for people."""
    render: Callable[[Store, Client, str, Task], list[Rendered]]
    """(database, simulator, name for the session, task) → the views in order. Raises `sim_bridge.errors.Refusal` where there are none."""


SETS: tuple[FrozenSet, ...] = (
    FrozenSet(frozen.GROUND_TRUTH, "the pictures along the ground-truth trajectory", ground_truth.render),
    FrozenSet(frozen.RANDOM_WALK, "30 views along a random walk", lambda _, client, session, task: walking.render(client, session, task)),
)
"""Every kind of set; `study.paradigms.paradigm.Paradigm.frozen` names one."""
_BY_NAME: Mapping[str, FrozenSet] = {made.name: made for made in SETS}


class Pictures(BaseModel):
    """How far the pictures of one paradigm of a study are there."""

    model_config = ConfigDict(frozen=True)

    paradigm: str
    frozen: str
    """Name of the set."""
    practice: int = 0
    """How many of the sets are to practise on: of worked examples, or of the practice task."""
    ready: int
    """Tasks whose set is kept."""
    missing: tuple[str, ...]
    """Content hashes of those whose set is not."""


class Refused(BaseModel):
    """A task whose set could not be rendered."""

    model_config = ConfigDict(frozen=True)

    task_hash: str
    frozen: str
    why: str


def pictures(store: Store, study: Study, paradigms: Sequence[str] = ()) -> list[Pictures]:
    """What is there of what the study's paradigms show.

    Args:
        store: the database.
        study: the study.
        paradigms: only these of its paradigms; empty: all.
    """
    found = []
    for way in study.ways:
        name = way.frozen or way.stand_in
        if not name or (paradigms and way.name not in paradigms):
            continue
        tasks = study.tasks if way.frozen else ()
        wanted = [content_hash for content_hash in tasks if not way.unfit(trajectories.known(store, store.get_task(content_hash)))]
        if study.practice_task is not None and way is study.ways[0]:
            wanted.append(study.practice_task)
        wanted += [one.task for one in passing.examples_of(store, study) if one.paradigm == way.name and one.task not in wanted]
        there = frozen.there(store, name, wanted)
        missing = tuple(content_hash for content_hash in wanted if content_hash not in there)
        practice = len(set(wanted) - set(tasks))
        found.append(Pictures(paradigm=way.name, frozen=name, practice=practice, ready=len(wanted) - len(missing), missing=missing))
    return found


def render(
    store: Store,
    frames: FrameStore,
    pool: Pool,
    wanted: Sequence[tuple[str, str]],
    *,
    backends: Sequence[str] = (),
    at_once: int = 1,
    wait_s: float = 120.0,
    actor: str = "",
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Refused]:
    """Render sets and keep each as soon as it is whole: whoever is stopped goes on with those that are missing.

    Args:
        store: the database.
        frames: its frame folder.
        pool: simulators.
        wanted: (content hash, name of the set) each; those that are kept already are passed over.
        backends: which simulator renders the tasks of a source (`study.protocol.Protocol.backends`).
        at_once: how many simulators work at a time.
        wait_s: how long to wait for a simulator.
        actor: who has them rendered.
        progress: called with (done, of how many) after each.

    Returns:
        Those that could not be rendered, with the reason.

    Raises:
        StorageFull, StoreError: no room.
    """
    guard, count = threading.Lock(), 0

    def one(what: tuple[str, str]) -> Refused | None:
        nonlocal count
        refused = _one(store, frames, pool, *what, backends=backends, wait_s=wait_s, actor=actor)
        with guard:
            count += 1
            progress(count, len(wanted))
        return refused

    with ThreadPoolExecutor(max_workers=at_once) as threads:
        return [refused for refused in threads.map(one, wanted) if refused is not None]


def _one(
    store: Store, frames: FrameStore, pool: Pool, task_hash: str, name: str, *, backends: Sequence[str], wait_s: float, actor: str
) -> Refused | None:
    if frozen.there(store, name, [task_hash]):
        return None
    session, task = f"views-{name}-{task_hash[:16]}", store.get_task(task_hash)

    def rendered() -> tuple[list[Rendered], Client]:
        client = pool.acquire(session, backend=backend_of(backends, task), needs=needs_of(task), wait_s=wait_s, last=True)
        return _BY_NAME[name].render(store, client, session, task), client

    try:
        views, client = once_more(rendered, lambda: given_up(pool, session))
    except (BridgeError, StudyError) as error:
        return Refused(task_hash=task_hash, frozen=name, why=str(error))
    finally:
        pool.release(session)
    frozen.keep(store, frames, task_hash, name, views, fingerprint=fingerprint_of(client.hello), actor=actor)
    return None
