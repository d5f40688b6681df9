"""Work whose simulator is lost goes on with another."""

from __future__ import annotations

import pytest

from sim_bridge.errors import NoWorker, SceneError, WorkerLost
from sim_bridge.lost import once_more


def done(*results: Exception | str, others: int = 9) -> tuple[str, int]:
    """What comes of work that goes so each time, and how often another simulator was asked for."""
    left, asked = list(results), 0

    def work() -> str:
        result = left.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    def renew() -> bool:
        nonlocal asked
        asked += 1
        return asked <= others

    try:
        told = once_more(work, renew)
    except (WorkerLost, SceneError) as error:
        told = type(error).__name__
    assert not left, "all was needed"
    return told, asked


def test_it_is_done_once_more_with_another() -> None:
    assert done("done") == ("done", 0)
    assert done(WorkerLost("died"), "done") == ("done", 1)


def test_what_costs_two_is_given_up_and_a_third_is_there_for_the_rest() -> None:
    assert done(WorkerLost("died"), WorkerLost("died")) == ("WorkerLost", 2)


def test_without_another_it_is_not_done_again() -> None:
    assert done(WorkerLost("died"), others=0) == ("WorkerLost", 1)


@pytest.mark.parametrize("error", [NoWorker("none came"), SceneError("a wall is missing")])
def test_what_another_would_not_help_is_said_at_once(error: Exception) -> None:
    assert done(error) == (type(error).__name__, 0)
