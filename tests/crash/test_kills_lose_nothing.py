"""A short run of the crash benchmark: SIGKILL at random moments loses and changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.crash import held, run_crash


@pytest.mark.crash
def test_kills_of_app_and_workers_lose_nothing(tmp_path: Path) -> None:
    result = run_crash(6, backend="toy", seed=3, folder=tmp_path)
    assert held(result, 6), result
    assert result["kills"] == {"app": 3, "worker": 3}
    assert result["resumed"] > 0
