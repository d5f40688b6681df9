"""What a measure gives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """One figure, with what has to stand beside it."""

    value: float | None
    """None: it cannot be said; then `reason` says why."""
    n: int
    """Answers that it is of."""
    method: str
    """How value and interval were computed, in words."""
    interval: tuple[float, float] | None = None
    """Lower and upper bound, 95 % unless the method says otherwise; None: none can be given, or none was asked for."""
    reason: str = ""
    """Why there is no value, or no interval."""
    n_missing: int = 0
    """Answers that were not given."""
    n_excluded: int = 0
    """Answers that a declared rule left out."""
