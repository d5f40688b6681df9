"""Set-up: the pictures that paradigms show without a simulator, and the job that renders those that are missing."""

from __future__ import annotations

import streamlit as st

from app import identity, rights
from app.commands import study_frames
from app.pages.parts import plain_text
from app.pages.setup.section import Section, Setup
from data import jobs
from data.plurals import number_of
from study.paradigms import paradigm
from study.rendering import pictures

RUNNING = ("queued", "running")


def draw(setup: Setup) -> None:
    """What is there and what is missing, per paradigm; a button, or how far it is."""
    found = pictures(setup.services.store, setup.study)
    if not found:
        st.write("None of its paradigms needs pictures made beforehand: what it shows is simulated, or words alone.")
        return
    st.write(
        "Some paradigms show pictures that are rendered once and are then the same for everybody. People can come in as soon as all of "
        "them are there."
    )
    for part in found:
        name, every = paradigm(part.paradigm).called, part.ready + len(part.missing)
        practice = f", {part.practice:,} of them to practise on" if part.practice else ""
        there = plain_text(f"{name}: {part.ready:,} of {number_of(every, 'set')} of pictures are there{practice}")
        st.progress(part.ready / every if every else 1.0, text=there)
    newest = _newest(setup)
    if newest is not None and newest.state in RUNNING:
        _going_on(setup)
        return
    if newest is not None and newest.message:
        st.info(plain_text(newest.message))
    if any(part.missing for part in found) and st.button("Render what is missing", type="primary"):
        _start(setup)
        st.rerun()


def _start(setup: Setup) -> None:
    services = setup.services
    rights.in_study(services.store, identity.page_cookie(), "researcher", setup.study.study_id)
    settings = services.settings
    study_frames.start(
        services.store,
        setup.study.study_id,
        owner=setup.grant.staff_id or "",
        backends=(settings.backend, *settings.others),
        workers=min(settings.workers, 2),
        remotes=settings.remotes,
    )


def _newest(setup: Setup) -> jobs.Job | None:
    """The newest rendering for this study."""
    recent = [job for job in jobs.recent(setup.services.store, limit=30) if job.kind == study_frames.KIND]
    return next((job for job in recent if setup.study.study_id in jobs.argv(setup.services.store, job.job_id)), None)


@st.fragment(run_every="2s")
def _going_on(setup: Setup) -> None:
    """The bar of a rendering that goes on; its end is told by a run of the whole page."""
    newest = _newest(setup)
    if newest is None or newest.state not in RUNNING:
        st.rerun()
    text = f"{newest.done:,} of {number_of(newest.total, 'set')} of pictures" if newest.total else "The simulator is starting …"
    st.progress(min(newest.done / (newest.total or 1), 1.0), text=plain_text(text))
    if st.button("Stop it"):
        jobs.cancel(setup.services.store, newest.job_id, actor=setup.grant.staff_id or "")
        st.rerun()


SECTION = Section("pictures", "Pictures", draw)
