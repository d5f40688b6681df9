"""A clock that a dry run sets: days of coming, pausing and leaving pass within minutes, and what is stale then is really stale."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from data import store


class Clock:
    """The time of one dry run. It begins now and is moved on by hand."""

    def __init__(self) -> None:
        self.began = self.at = datetime.now(UTC)

    def move_to(self, seconds: float) -> None:
        """So many seconds after the beginning; never back."""
        self.at = max(self.at, self.began + timedelta(seconds=seconds))

    @property
    def hours(self) -> float:
        """Since the beginning."""
        return (self.at - self.began).total_seconds() / 3600

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Within the block the store tells this time. It is the whole process's: nothing else may run in it."""
        with store.told_by(lambda: self.at):
            yield
