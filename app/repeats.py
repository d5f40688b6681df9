"""A fault that somebody can cause at will fills no log: its traceback is written a few times, then only that it came again."""

from __future__ import annotations

import logging
import time

TIMES = 3
"""How often the traceback of one fault is written in a row."""
FORGET_S = 3600.0
"""After this long without it a fault is news again (seconds)."""
MOST = 500
"""Faults that are remembered."""


class OnceInFull(logging.Filter):
    """Leaves the traceback out of a record whose fault (logger, kind of error, line) has been written in full `TIMES` times already."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[tuple[str, str, str, int], tuple[int, float]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every record; take the traceback out of one whose fault has been written in full often enough."""
        if not record.exc_info or record.exc_info[0] is None:
            return True
        kind, _, trace = record.exc_info
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = (trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace is not None else ("", 0)
        fault, now = (record.name, kind.__qualname__, *where), time.monotonic()
        times, last = self._seen.pop(fault, (0, now))
        times = 0 if now - last > FORGET_S else times
        self._seen[fault] = (times + 1, now)
        while len(self._seen) > MOST:
            del self._seen[next(iter(self._seen))]
        if times >= TIMES:
            record.msg, record.args = f"{record.getMessage()} [{kind.__qualname__} again, {times + 1} times; written in full before]", None
            record.exc_info = record.exc_text = None
        return True
