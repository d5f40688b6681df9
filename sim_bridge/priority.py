"""Ordinary scheduling for threads that a library made real-time."""

from __future__ import annotations

import os
from pathlib import Path

THREADS = Path("/proc/self/task")


def ordinary() -> None:
    """Give every real-time thread of this process the ordinary scheduling again.

    The AV1 encoder SVT-AV1, where root runs it, makes its own threads and the calling one real-time (SCHED_FIFO, priority 99). They and
    every process they start would stay so, and one busy loop among them starves the machine. To be called after frames were given to
    an encoder, and after it was closed. Elsewhere than on Linux nothing is done.
    """
    if not THREADS.is_dir():
        return
    for thread in THREADS.iterdir():
        try:
            if os.sched_getscheduler(int(thread.name)) in (os.SCHED_FIFO, os.SCHED_RR):
                os.sched_setscheduler(int(thread.name), os.SCHED_OTHER, os.sched_param(0))
        except ProcessLookupError:
            # it ended in the meantime
            continue
