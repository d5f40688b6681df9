"""Where the time of a step goes, measured where it is spent: backends wrap rendering in `measure("render")`, the encoder wraps its parts,
and the host takes the sums for `StepReply.timing_ms`. One simulator thread, so one dictionary."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

_spent_ms: dict[str, float] = {}


@contextmanager
def measure(part: str) -> Iterator[None]:
    """Add the time inside the block to `part` (render, hash, encode), milliseconds."""
    start = time.perf_counter()
    try:
        yield
    finally:
        _spent_ms[part] = _spent_ms.get(part, 0.0) + (time.perf_counter() - start) * 1e3


def take() -> dict[str, float]:
    """Milliseconds per part since the last call; starts again from zero."""
    taken = dict(_spent_ms)
    _spent_ms.clear()
    return taken
