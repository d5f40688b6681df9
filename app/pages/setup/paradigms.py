"""Set-up: in which paradigms the tasks are met, how many of them fit each, and which do not and why."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.pages import tables
from app.pages.parts import plain_text
from app.pages.setup.section import Section, Setup, submitted
from data.plurals import number_of
from study.fits import Fit, fits
from study.paradigms import PARADIGMS, paradigm

SHOWN = 200
"""Tasks that do not fit, listed at most."""


def draw(setup: Setup) -> None:
    """A tick for each paradigm, with how many tasks fit."""
    study = setup.study
    st.write(
        "Each task has places in each of the paradigms that you tick and that can show it; nobody meets one task in two of them. A place "
        "that cannot exist is not made."
    )
    with st.spinner("Looking which tasks fit…"):
        found = {one.paradigm: one for one in fits(setup.services.store, study.tasks, PARADIGMS, study.language)}
    own = {way.name for way in study.ways}
    ticked = [way.name for way in PARADIGMS if _ticked(setup, found[way.name], way.name in own, len(study.tasks))]
    if not ticked:
        setup.wrong.append("Tick at least one paradigm: a study without one shows its tasks to nobody.")
    if submitted(setup):
        setup.save(paradigms=ticked, then="pictures" if any(paradigm(name).frozen for name in ticked) else "places")
    if none := [plain_text(paradigm(one.paradigm).called) for one in found.values() if study.tasks and not one.fit]:
        st.caption(f"None of these tasks fits: {', '.join(none)}.")
    for fit in found.values():
        if fit.unfit and fit.fit:
            _unfit(fit)


def _ticked(setup: Setup, fit: Fit, own: bool, tasks: int) -> bool:
    """The line of one paradigm; whether it is ticked. What fits none of the tasks has no line, unless the study has it already."""
    if tasks and not fit.fit and not own:
        return False
    way = paradigm(fit.paradigm)
    ticked: bool = st.checkbox(plain_text(way.called), **setup.hold(way.name, own))
    told = f"{len(fit.fit)} of {number_of(tasks, 'task fits', 'tasks fit')}." if tasks else "No tasks are chosen yet."
    st.html(f"<p style='margin:-.6rem 0 .2rem 1.8rem'>{escape(way.meaning)}. <b>{told}</b></p>")
    return ticked


def _unfit(fit: Fit) -> None:
    with st.expander(f"{plain_text(paradigm(fit.paradigm).called)}: {number_of(len(fit.unfit), 'task does', 'tasks do')} not fit"):
        st.html(tables.table(["Task", "Why"], [[task.task_id, task.why] for task in fit.unfit[:SHOWN]]))
        if len(fit.unfit) > SHOWN:
            st.caption("`vantage study fits` lists all of them.")


SECTION = Section("paradigms", "Paradigms", draw)
