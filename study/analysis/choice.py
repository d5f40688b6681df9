"""What of a study is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from study.analysis.trials import Truth


@dataclass(frozen=True)
class Choice:
    """What of a study is looked at; page, report and recomputation share it, and every figure says it."""

    paradigms: tuple[str, ...] = ()
    """Only these; empty: all."""
    truth: Truth = "strict"
    with_excluded: bool = False
    """Whether trials count that declared rules leave out."""
    seed: int = 0
    """Of every resampling and permutation."""
