"""Work that goes on when its simulator is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from sim_bridge.errors import NoWorker, WorkerLost

T = TypeVar("T")


class Places(Protocol):
    """A pool of simulators."""

    def report_lost(self, session: str) -> None:
        """The worker of a session was lost."""


def once_more(work: Callable[[], T], renew: Callable[[], bool]) -> T:
    """Do a piece of work; where the simulator is lost with it, do it once more with another.

    What costs two simulators is not tried with a third, which is there for the rest.

    Args:
        work: a piece that can be done again from its beginning.
        renew: has another simulator take the place of the one that was lost. False: there is none.

    Raises:
        WorkerLost: it was lost again, or there is no other; `NoWorker`, at once, where `work` waited for one in vain.
    """
    try:
        return work()
    except NoWorker:
        raise
    except WorkerLost:
        if not renew():
            raise
    try:
        return work()
    except NoWorker:
        raise
    except WorkerLost:
        renew()
        raise


def given_up(pool: Places, session: str) -> bool:
    """`renew` for a session of a pool: its place is given up, and whoever acquires it next gets another. True."""
    pool.report_lost(session)
    return True
