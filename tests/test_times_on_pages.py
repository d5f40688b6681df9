"""Times on pages: stored in UTC, told by the clock of whoever reads."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from app.pages import parts


@pytest.mark.parametrize(
    ("zone", "told"),
    [
        ("Europe/Berlin", "2026-07-01 01:05"),
        ("America/New_York", "2026-06-30 19:05"),
        ("Asia/Kolkata", "2026-07-01 04:35"),
        ("UTC", "2026-06-30 23:05 UTC"),
        (None, "2026-06-30 23:05 UTC"),
        ("Nowhere/Atall", "2026-06-30 23:05 UTC"),
        ("../etc/passwd", "2026-06-30 23:05 UTC"),
    ],
)
def test_a_stored_time_is_told_by_the_readers_clock(monkeypatch: pytest.MonkeyPatch, zone: str | None, told: str) -> None:
    monkeypatch.setattr(parts, "st", SimpleNamespace(context=SimpleNamespace(timezone=zone)))
    assert parts.when("2026-06-30T23:05:59.123Z") == told
    assert parts.when(None) == parts.when("") == ""
