"""At the foot of every page of a participant but the tasks' own: whom to ask, and a way to report a problem."""

from __future__ import annotations

import streamlit as st

from app.pages.parts import plain, plain_text, sheet
from app.services import Services
from study import reports
from study.errors import BadAnswer
from study.studies import Study
from study.wording import say

_SAVED = "report_saved"


def draw(services: Services, study: Study, participant_id: str, stage: str) -> None:
    """Draw it."""
    with st.expander(say("help.title")):
        if study.contact.strip():
            st.write(say("help.ask"))
            plain(study.contact.strip())
        form = sheet(f"report-{stage}")
        with st.form(form.key, border=False):
            text = st.text_area(say("help.what"), max_chars=2000, key=f"{form.key}-text")
            sent = st.form_submit_button(say("help.send"))
        if sent:
            st.session_state.pop(_SAVED, None)
            try:
                reports.report(services.store, participant_id, stage, text)
            except BadAnswer as refusal:
                st.error(plain_text(refusal.for_people))
                return
            form.used()
            st.session_state[_SAVED] = stage
            st.rerun()
        if st.session_state.get(_SAVED) == stage:  # said until the next is sent: a second click draws the page once more
            st.success(say("help.saved"))
