"""Stopping on the pages between tasks: what it means is read before, as on the tasks' own pages."""

from __future__ import annotations

import streamlit as st

from app.pages.parts import plain
from app.services import Services
from study import participants
from study.studies import Study
from study.wording import say, speaking

STAGES = ("instructions", "break", "message", "waiting", "between")
"""Where somebody is on their way, and no component has the window to itself."""


def draw(services: Services, study: Study, participant_id: str) -> None:
    """The quiet button; what it opens asks again."""
    if st.button(say("stop.button"), key="stop", type="tertiary"):
        st.dialog(say("stop.asked"))(_asked)(services, study, participant_id)


def _asked(services: Services, study: Study, participant_id: str) -> None:
    # A dialogue runs again without its page, which has said in what language.
    with speaking(study.language):
        st.write(say("stop.any_time"))
        st.write(say("stop.break"))
        plain(study.stopping.strip() or say("stop.payment"))
        if study.contact.strip():
            plain(say("stop.ask", contact=study.contact.strip()))
        if st.button(say("stop.stay"), key="stay", type="primary"):
            st.rerun()
        st.write(say("stop.leave_means"))
        if st.button(say("stop.leave"), key="leave"):
            participants.stop(services.store, services.engine, participant_id)
            st.rerun()
        st.write(say("stop.take_back_later"))
