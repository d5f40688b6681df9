"""Set-up: the pictures that paradigms show without a simulator, and the job that renders those that are missing."""

from __future__ import annotations

import streamlit as st

from app import identity, rights
from app.commands import study_frames
from app.pages.parts import plain_text
from app.pages.setup import work
from app.pages.setup.section import Section, Setup
from data import jobs
from data.plurals import number_of
from study.paradigms import paradigm
from study.rendering import pictures


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
    work.done(setup, study_frames.KIND, title="Rendering", far=_far)
    newest = work.newest(setup, study_frames.KIND)
    if newest is not None and newest.goes_on:
        return
    if newest is not None and newest.state == "done" and newest.message:
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


def _far(job: jobs.Job) -> str:
    return f"{job.done:,} of {number_of(job.total, 'set')} of pictures" if job.total else "the simulator is starting …"


SECTION = Section("pictures", "Pictures", draw)
