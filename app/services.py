"""What exists once per process: store, frames, worker pool, episode engine. Made in the server's lifespan, never in a script thread."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from annotation.authoring.stage import Stage
from app.address import PublicAddress
from app.forwarded import Network
from app.guard import RateLimiter
from app.limits import DEFAULT, Limits
from app.uploads import Uploads
from data import soundness
from data.frames import FrameStore
from data.home import Home
from data.probe import WriteProbe
from data.store import Store, StoreError
from sim_bridge.backends.recorded.backend import FOLDER
from sim_bridge.pool import Pool
from sim_bridge.remote import Remote
from study import taken_back
from study.access import STAFF_IDLE_HOURS
from study.episode import EpisodeEngine
from study.simulators import PER_AGENT

log = logging.getLogger("vantage.app")


@dataclass(frozen=True)
class Settings:
    """How one server was started."""

    backend: str = "mujoco"
    """Simulator backend of the local workers; tasks for which no study names one are played on it."""
    others: tuple[str, ...] = ()
    """Further simulators with local workers."""
    workers: int = 1
    """Local worker processes, of each simulator."""
    remotes: tuple[Remote, ...] = ()
    """Workers that run elsewhere."""
    test_hook: bool = False
    """Expose timings to the page: only for tests and measurements."""
    agent_sessions: int = PER_AGENT
    """How many simulator sessions one model agent's key may have at a time."""
    secure_cookie: bool = False
    """Set when people reach the app over https."""
    staff_idle_hours: float = STAFF_IDLE_HOURS
    """Access as staff ends in a browser that nobody has used for so long."""
    limits: Limits = DEFAULT
    """How long and how much a client may take."""
    public: PublicAddress | None = None
    """Where people reach the app, when that is not the address it listens on."""
    trusted_proxies: tuple[Network, ...] = ()
    """Whose ``X-Forwarded-…`` headers are believed."""
    entry: Path | None = None
    """Another Streamlit script instead of ours: only for measurements."""


@dataclass
class Services:
    """The process's singletons."""

    home: Home
    settings: Settings
    store: Store
    frames: FrameStore
    pool: Pool
    engine: EpisodeEngine
    uploads: Uploads
    """Files in Streamlit's memory."""
    acting: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(16, "act"))
    """Threads for requests that answer in the time of a frame."""
    opening: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(48, "open"))
    """Threads for requests that may wait in the line for a simulator."""
    reading: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(8, "read"))
    """Threads for everything else: entry, frames of the past, staff requests."""
    agents_acting: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(4, "agent"))
    """Threads of model agents, who never take those of people: no more of their steps than these stand before a person's at a simulator."""
    agents_opening: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(16, "agent-open"))
    """Threads of model agents that may wait in the line for a simulator."""
    act_limit: RateLimiter = field(default_factory=lambda: RateLimiter(per_s=30, burst=120))
    other_limit: RateLimiter = field(default_factory=lambda: RateLimiter(per_s=10, burst=60))
    entry_limit: RateLimiter = field(default_factory=lambda: RateLimiter(per_s=5, burst=200))
    alive_limit: RateLimiter = field(default_factory=lambda: RateLimiter(per_s=1 / 60, burst=1))
    """How often a sign of life of the same browser is written down."""

    @cached_property
    def stage(self) -> Stage:
        """Where drafts of tasks stand while their authors look at them."""
        return Stage(self.pool)

    @cached_property
    def probe(self) -> WriteProbe:
        """Whether anything can be written now."""
        return WriteProbe(self.home)

    @classmethod
    def start(cls, home: Home, settings: Settings) -> Services:
        """Open the store, look whether it is whole where that is cheap, and start the workers.

        Raises:
            StoreError: it cannot be opened, or is damaged.
        """
        store = Store.open(home)
        if home.db.stat().st_size <= soundness.CHEAP_BYTES:
            if wrong := soundness.database(home, quick=True):
                raise StoreError(f"{wrong}. Nothing was started: restore a backup, or name another database with --db.")
        else:
            log.info("%s is large, so it was not looked through; `vantage doctor` does", home.db)
        frames = FrameStore(home.frames)
        pool = Pool(
            backend=settings.backend,
            others=settings.others,
            workers=settings.workers,
            addresses=settings.remotes,
            log_dir=home.log,
            env={FOLDER: str(home.recordings)},
        )
        pool.start()
        return cls(
            home=home,
            settings=settings,
            store=store,
            frames=frames,
            pool=pool,
            engine=EpisodeEngine(store, frames, pool, per_agent=settings.agent_sessions),
            uploads=Uploads(settings.limits.uploads_of_one, settings.limits.uploads_together),
        )

    def stop(self) -> None:
        """End every worker process and thread this server started."""
        for executor in (self.opening, self.acting, self.reading, self.agents_acting, self.agents_opening):
            executor.shutdown(wait=False, cancel_futures=True)
        # The workers end at once: every step they acknowledged is on disk, and a session is rebuilt from there.
        self.pool.stop()

    def carry(self) -> None:
        """Tell the folders of backups who took their data back since."""
        taken_back.carry(self.store)

    def sweep(self) -> None:
        """Give back simulators of episodes nobody has touched for a while."""
        given_back = self.engine.sweep()
        if given_back:
            log.info("gave back %d idle simulator session(s)", given_back)


SWEEP_EVERY_S = 60.0
"""How often idle simulators are looked for, and backups told who took their data back."""

_current: Services | None = None


def install(services: Services | None) -> None:
    """Make `services` the ones of this process."""
    global _current
    _current = services


def current() -> Services:
    """The services of this process.

    Raises:
        RuntimeError: asked outside a running server.
    """
    if _current is None:
        raise RuntimeError("The server's services are not running: start the app with `vantage serve`.")
    return _current
