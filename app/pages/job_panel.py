"""How a page shows work that a job does beside the app: the one panel of jobs.

Every page that has something made calls `start`, and draws what became of it by `show` in a fragment that runs again by itself:

    @st.fragment(run_every=EVERY)
    def _made(grant):
        for job in of_kind(store, KIND, owner=person(grant)):
            show(store, job, title=…, far=…, actor=person(grant), done=lambda job=job: …)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from app.pages.parts import plain_text
from data import jobs
from data.store import Store

EVERY = "2s"
"""How often a page looks how far a job is."""
LATELY = 30
"""So many jobs at most are shown on a page."""
ENDED = {"failed": "It failed", "cancelled": "It was cancelled"}
"""State of a job that has not made what it should → how that is said."""


def start(store: Store, kind: str, words: Sequence[str], *, owner: str) -> str:
    """Have a command of Vantage done beside the app.

    Args:
        store: the database, which the command gets as ``--db``.
        kind: by which pages find the job again.
        words: the command's words and options.
        owner: who has it done.

    Returns:
        The job's id.

    Raises:
        StoreError: it cannot be started.
    """
    job_id = jobs.create(store, kind, jobs.command(*words, "--db", str(store.home.db)), owner=owner)
    jobs.start(store, job_id)
    return job_id


def of_kind(store: Store, kind: str, *, owner: str | None = None, of: str | None = None) -> list[jobs.Job]:
    """The latest jobs of a kind, newest first; `owner`: only theirs; `of`: only those whose command names this id."""
    return jobs.recent(store, owner=owner, kind=kind, of=of, limit=LATELY)


def show(store: Store, job: jobs.Job, *, title: str, far: str, actor: str, done: Callable[[], object]) -> None:
    """Draw a job: how far it is and a button that cancels it, why there is nothing, or what came of it. Belongs into a fragment.

    Args:
        store: the database.
        job: the job as it stands.
        title: what it makes.
        far: how far it is, in words, for a job that goes on.
        actor: who looks, and cancels.
        done: draws what came of a job that is done.
    """
    if job.goes_on:
        st.progress(min(job.done / (job.total or 1), 1.0), text=plain_text(f"{title}: {far}"))
        if st.button("Cancel", key=f"cancel-{job.job_id}"):
            jobs.cancel(store, job.job_id, actor=actor)
            st.rerun()
    elif job.state == "done":
        done()
    else:
        said = "" if job.message == jobs.CANCELLED else f" {job.message}"
        st.warning(plain_text(f"{title}: {ENDED[job.state]}.{said}"))
