"""A job that a section of the set-up has done beside the app: how far it is, and what came of it."""

from __future__ import annotations

import streamlit as st

from app.pages.parts import plain_text
from app.pages.setup.section import Setup
from data import jobs

RUNNING = ("queued", "running")


def newest(setup: Setup, kind: str) -> jobs.Job | None:
    """The newest job of a kind of this study; None: there was none lately."""
    recent = [job for job in jobs.recent(setup.services.store, limit=30) if job.kind == kind]
    return next((job for job in recent if setup.study.study_id in jobs.argv(setup.services.store, job.job_id)), None)


def done(setup: Setup, kind: str) -> jobs.Job | None:
    """Draw how far the newest job of a kind is, or why it failed; the job where it is done, None otherwise."""
    job = newest(setup, kind)
    if job is None:
        return None
    if job.state in RUNNING:
        _bar(setup, kind)
        return None
    if job.state != "done":
        st.error(plain_text(job.message or f"It is {job.state}."))
        return None
    return job


@st.fragment(run_every="2s")
def _bar(setup: Setup, kind: str) -> None:
    """The bar of a job that goes on; its end is told by a run of the whole page."""
    job = newest(setup, kind)
    if job is None or job.state not in RUNNING:
        st.rerun()
    st.progress(min(job.done / (job.total or 1), 1.0), text=plain_text(job.message or "It begins …"))
    if st.button("Stop it", key=f"stop-{kind}"):
        jobs.cancel(setup.services.store, job.job_id, actor=setup.grant.staff_id or "")
        st.rerun()
