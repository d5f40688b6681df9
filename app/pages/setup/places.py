"""Set-up: how many people meet each task, how many tasks each of them does, and in how many categories."""

from __future__ import annotations

import streamlit as st

from app.pages.setup.section import Asked, Section, Setup, ask, submitted

ASKED = (
    Asked("per_task", "People per task and paradigm", least=1, most=1000, empty="as many as come"),
    Asked("trials", "Tasks per person and session", least=1, most=1000),
    Asked("sessions", "Sessions per person", least=1, most=50),
    Asked("min_hours_between_sessions", "Hours between one session and the next", least=0.1, most=2000, empty="none: at once"),
    Asked("min_categories", "Least number of categories per person", least=1, most=100, empty="six, or as many as there are"),
    Asked("hold_minutes", "Minutes until a task that was left is given to others", least=1, most=100_000, empty="never"),
)


def draw(setup: Setup) -> None:
    """Places, tasks, sessions, categories."""
    st.write("A place is one person at one task in one paradigm. Nobody meets a task twice, nor its twin, in whatever paradigm.")
    found = ask(setup, setup.study, ASKED, "places")
    if submitted(setup):
        setup.save(**found, then="protocol")


SECTION = Section("places", "Places and sessions", draw, asks={"": ASKED})
