"""Store, frames, simulators and engine together, for commands that run beside (or without) the app."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from data.frames import FrameStore
from data.home import Home
from data.store import Store
from sim_bridge.backends.recorded.backend import FOLDER
from sim_bridge.pool import Pool
from sim_bridge.remote import Remote
from study.episode import EpisodeEngine


@dataclass(frozen=True)
class Runtime:
    """What a command works with."""

    home: Home
    store: Store
    frames: FrameStore
    pool: Pool
    engine: EpisodeEngine


@contextmanager
def running(
    home: Home,
    *,
    backend: str = "mujoco",
    others: Sequence[str] = (),
    workers: int = 1,
    addresses: Sequence[str | Remote] = (),
    token: str | None = None,
    wait_s: float = 120.0,
) -> Iterator[Runtime]:
    """Open the store of `home` and start simulators; everything started here ends with the block.

    Args:
        home: where data lives.
        backend: simulator of the local workers, and of tasks for which no other is named.
        others: further simulators with local workers.
        workers: local worker processes, of each simulator.
        addresses: workers that run elsewhere.
        token: their token.
        wait_s: how long to wait for a simulator (the first start may build caches).
    """
    store = Store.open(home)
    frames = FrameStore(home.frames)
    env = {FOLDER: str(home.recordings)}
    pool = Pool(backend=backend, others=others, workers=workers, addresses=tuple(addresses), token=token, log_dir=home.log, env=env)
    pool.start()
    engine = EpisodeEngine(store, frames, pool, wait_s=wait_s)
    try:
        yield Runtime(home, store, frames, pool, engine)
    finally:
        engine.close()
        pool.stop()
        store.close()
