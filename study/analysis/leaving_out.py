"""Which trials declared rules leave out. Every figure exists with and without them (`science.md` 17)."""

from __future__ import annotations

REJECTED = "rejected"
"""A researcher did not accept the answer, with a reason in the log."""


def rules_of(state: str) -> tuple[str, ...]:
    """The rules that leave a trial out; empty: none."""
    return (REJECTED,) if state == "rejected" else ()
