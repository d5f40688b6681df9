"""Where a participant waits for a place, or is between two sessions."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.pages.parts import plain, plain_text, when
from app.services import Services
from study import line, participants, seats
from study.place import Place
from study.studies import Study
from study.wording import say, speaking

SOON = 5
"""Who has at most so many people before them is looked after every few seconds; the others less often."""
ASKED_S = (5, 20)
"""How often it is looked whether a place has come free, seconds: at the head of the line, and behind it."""


def waiting(services: Services, study: Study, participant_id: str, where: Place) -> None:
    """A dated place in the line; the page goes on by itself."""
    st.title(say("seat.waiting_title"), anchor=False)
    stands = line.of(services.store, participant_id)
    first = stands is None or stands.number <= SOON

    @st.fragment(run_every=ASKED_S[0 if first else 1])
    def look() -> None:
        with speaking(study.language):
            if participants.place(services.store, services.engine, participant_id).stage != "waiting":
                st.rerun()
            now = line.of(services.store, participant_id)
            text = where.note if now is None else say("seat.waiting", number=now.number, since=when(now.since))
            st.html(f"<div role='status'><p>{escape(text)}</p></div>")

    look()


def between(services: Services, study: Study, participant_id: str, where: Place) -> None:
    """One session is done; the next can be begun, or later."""
    found = seats.draft(services.store, study, participants.get_participant(services.store, participant_id))
    st.title(plain_text(say("seat.between_title", number=found.session - 1, total=study.sessions)), anchor=False)
    opens = seats.opens_at(study, found)
    if where.part == "later" and opens is not None:
        plain(plain_text(say("seat.later", at=when(opens))))
        return
    plain(where.note)
    if st.button(say("seat.begin"), key="begin-session", type="primary"):
        participants.begin_session(services.store, services.engine, participant_id)
        st.rerun()


STAGES = {"waiting": waiting, "between": between}
"""Stage → what draws it; each tells the note of its place itself."""
