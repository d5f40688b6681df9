"""Heavy work in subprocesses: how it ends is noted, whatever happens."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from data import jobs
from data.store import Store, StoreError


def until_over(store: Store, job_id: str) -> jobs.Job:
    for _ in range(200):
        job = jobs.get(store, job_id)
        if job.state not in ("queued", "running"):
            return job
        time.sleep(0.05)
    raise AssertionError(job)


REPORTING = (
    "from data import jobs; from data.store import Store; s = Store.open(); "
    "jobs.report(s, jobs.current(), 3, 7, 'half'); jobs.set_result(s, jobs.current(), {'made': 'x'})"
)


def test_a_job_reports_progress_and_its_result(store: Store) -> None:
    job_id = jobs.create(store, "export", [sys.executable, "-c", REPORTING], owner="staff_1")
    assert jobs.get(store, job_id).state == "queued"
    jobs.start(store, job_id)
    job = until_over(store, job_id)
    assert (job.state, job.done, job.total, job.result) == ("done", 3, 7, {"made": "x"})
    assert [j.job_id for j in jobs.recent(store, owner="staff_1")] == [job_id]
    assert jobs.recent(store, owner="other") == []
    with pytest.raises(StoreError, match="is done"):
        jobs.start(store, job_id)


def test_a_failed_job_says_its_last_words_and_can_be_started_again(store: Store) -> None:
    job_id = jobs.create(store, "x", [sys.executable, "-c", "import sys; print('The disk is full.', file=sys.stderr); sys.exit(2)"])
    jobs.start(store, job_id)
    job = until_over(store, job_id)
    assert (job.state, job.message) == ("failed", "The disk is full.")
    jobs.start(store, job_id)
    assert until_over(store, job_id).state == "failed"


def test_a_cancelled_job_ends(store: Store) -> None:
    job_id = jobs.create(store, "x", [sys.executable, "-c", "import time; time.sleep(60)"])
    jobs.start(store, job_id)
    jobs.cancel(store, job_id)
    jobs.cancel(store, job_id)
    assert until_over(store, job_id).state == "cancelled"


DYING_SLOWLY = (
    "import pathlib, signal, sys, time; flag = pathlib.Path(sys.argv[1]); first = not flag.exists(); "
    "signal.signal(signal.SIGTERM, lambda *_: (time.sleep(0.3), sys.exit(9))); flag.touch(); time.sleep(60 if first else 1)"
)


def test_how_a_cancelled_run_ends_says_nothing_of_the_one_that_was_started_after_it(store: Store, tmp_path: Path) -> None:
    flag = tmp_path / "begun"
    job_id = jobs.create(store, "x", [sys.executable, "-c", DYING_SLOWLY, str(flag)])
    jobs.start(store, job_id)
    while not flag.exists():
        time.sleep(0.01)
    jobs.cancel(store, job_id)
    jobs.start(store, job_id)  # the first is still dying
    assert until_over(store, job_id).state == "done"


def test_a_job_that_vanished_is_not_running_for_ever(store: Store) -> None:
    job_id = jobs.create(store, "x", ["true"])
    with store.atomic() as db:
        db.execute("UPDATE jobs SET state = 'running', pid = 2147483646 WHERE job_id = ?", [job_id])
    job = jobs.get(store, job_id)
    assert (job.state, "Start it again" in job.message) == ("failed", True)


def test_a_program_that_is_not_there_is_said(store: Store) -> None:
    job_id = jobs.create(store, "x", ["/nowhere/to/be/found"])
    with pytest.raises(StoreError, match="Could not start"):
        jobs.start(store, job_id)
    assert jobs.get(store, job_id).state == "failed"
