"""A job that a section of the set-up has done beside the app: how far it is, and what came of it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from app.pages import job_panel
from app.pages.setup.section import Setup
from data import jobs


def newest(setup: Setup, kind: str) -> jobs.Job | None:
    """The newest job of a kind of this study; None: there was none lately."""
    return next(iter(job_panel.of_kind(setup.services.store, kind, of=setup.study.study_id)), None)


def done(setup: Setup, kind: str, *, title: str, far: Callable[[jobs.Job], str]) -> jobs.Job | None:
    """Draw how far the newest job of a kind is, or why there is nothing of it.

    Args:
        setup: the study, and who sets it up.
        kind: of the job.
        title: what it makes.
        far: how far it is, in words.

    Returns:
        The job where it is done, None otherwise.
    """
    job = newest(setup, kind)
    if job is not None and job.goes_on:
        _going_on(setup, kind, title, far)
    elif job is not None:
        _show(setup, job, title, far)
    return job if job is not None and job.state == "done" else None


@st.fragment(run_every=job_panel.EVERY)
def _going_on(setup: Setup, kind: str, title: str, far: Callable[[jobs.Job], str]) -> None:
    """A job that goes on; its end is told by a run of the whole page."""
    job = newest(setup, kind)
    if job is None or not job.goes_on:
        st.rerun()
    _show(setup, job, title, far)


def _show(setup: Setup, job: jobs.Job, title: str, far: Callable[[jobs.Job], str]) -> None:
    job_panel.show(setup.services.store, job, title=title, far=far(job), actor=setup.grant.staff_id or "", done=lambda: None)
