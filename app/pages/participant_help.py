"""At the foot of every page of a participant but the tasks' own: whom to ask, and a way to report a problem."""

from __future__ import annotations

import streamlit as st

from app.pages.parts import plain, plain_text
from app.services import Services
from study import reports
from study.errors import BadAnswer
from study.studies import Study
from study.wording import say


def draw(services: Services, study: Study, participant_id: str, stage: str) -> None:
    """Draw it."""
    with st.expander(say("help.title")):
        if study.contact.strip():
            st.write(say("help.ask"))
            plain(study.contact.strip())
        with st.form(f"report-{stage}", clear_on_submit=True, border=False):
            text = st.text_area(say("help.what"), max_chars=2000, key=f"report-text-{stage}")
            sent = st.form_submit_button(say("help.send"))
        if sent:
            try:
                reports.report(services.store, participant_id, stage, text)
            except BadAnswer as refusal:
                st.error(plain_text(refusal.for_people))
                return
            st.success(say("help.saved"))
