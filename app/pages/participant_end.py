"""The last page of a participant: what came of it, the debriefing, the code and the way back, and taking their data back."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from urllib.parse import urlsplit

import streamlit as st

from app.components import leaving
from app.pages.parts import plain, plain_text
from app.services import Services
from data.store import StoreError
from study import outcomes, participants
from study.outcomes import Ending, NotKept
from study.place import Place
from study.studies import Study

TITLES: Mapping[str, str] = {
    "thanks": "Thank you",
    "declined": "You did not take part",
    "stopped": "You have stopped",
    "screened_out": "You cannot take part",
    "failed": "We are sorry",
    "withdrawn": "Your data are taken back",
}
"""Stage → heading of its page."""
TOLD: Mapping[str, str] = {
    "thanks": "You have done all tasks. Everything is saved; you can close this window.",
    "declined": "No task was shown and no answer recorded; only that you came here and declined is kept. You can close this window.",
    "stopped": "What you did so far is kept. You can close this window.",
    "screened_out": "This study is for people with other answers than yours. Thank you for your time; you can close this window.",
    "failed": "A fault of ours kept you from going on. What you did so far is kept. You can close this window.",
    "withdrawn": "They will not be used. You can close this window.",
}
"""Stage → what is said there, where the study says nothing of its own."""
CHANGED_MIND = "I have changed my mind"
ABOUT = "About this study"
CODE_IS = "Your completion code"
CODE_HOW = "Copy it, and enter it where you found this study."
BACK = "Go back to {host}"
SOON = "You are taken there in {seconds} seconds. Everything is saved."
STAY = "Stay here"
TRIED = "You are trying this study out: people who take part read their code here, and find their way back."
NOT_YET = "We are making sure that everything is saved, and could not yet. Nothing is lost: please wait a moment, and try again."
TRY_AGAIN = "Try again"
REDIRECT_S = 8
"""Seconds until the page goes back by itself: long enough to read where, and to stay."""
TAKE_BACK = "Take my data back…"
REALLY = "Take your data back?"
REALLY_TOLD = "Nothing that you did in this study will be used. This cannot be undone."
REALLY_KEEP, REALLY_YES = "Keep them", "Take my data back"


def page(services: Services, study: Study, participant_id: str, where: Place) -> None:
    """The page of an end (`app.pages.participant.ENDS`)."""
    st.title(TITLES[where.stage], anchor=False)
    own = study.thanks if where.stage == "thanks" else ""
    plain(own or TOLD[where.stage])
    if where.stage == "stopped" and study.stopping.strip():
        plain(study.stopping)
    _way_back(services, participant_id)
    if where.stage == "declined":
        if st.button(CHANGED_MIND):
            participants.advance(services.store, participant_id, "welcome")
            st.rerun()
    elif where.stage != "withdrawn":
        _taking_back(services, participant_id)


def _way_back(services: Services, participant_id: str) -> None:
    """Debriefing, code and return link, once it is certain that everything is on disk."""
    try:
        ending = outcomes.conclude(services.store, participant_id)
    except (NotKept, StoreError):
        st.warning(NOT_YET)
        if st.button(TRY_AGAIN, type="primary"):
            st.rerun()
        return
    if ending.debriefing.strip():
        st.header(ABOUT, anchor=False)
        plain(ending.debriefing)
    if ending.tried:
        st.info(TRIED)
    if ending.code:
        st.html(f"<p style='margin:1rem 0 .3rem'><b>{escape(CODE_IS)}</b></p>")
        st.code(ending.code, language=None)
        if not ending.link:
            st.caption(plain_text(CODE_HOW))
    if ending.link:
        _button(ending)


def _button(ending: Ending) -> None:
    seconds = REDIRECT_S if ending.redirect else 0
    label = BACK.format(host=urlsplit(ending.link).hostname or "")
    leaving(ending.link, label=label, soon=SOON.format(seconds=seconds), stay=STAY, after_s=seconds, key="leaving")


def _taking_back(services: Services, participant_id: str) -> None:
    """The quiet way to withdraw; it is asked again, since it cannot be undone."""
    if st.button(TAKE_BACK, key="withdraw", type="tertiary"):
        _really_taking_back(services, participant_id)


@st.dialog(REALLY)
def _really_taking_back(services: Services, participant_id: str) -> None:
    st.write(REALLY_TOLD)
    left, right = st.columns(2)
    if left.button(REALLY_KEEP, width="stretch"):
        st.rerun()
    if right.button(REALLY_YES, key="really", type="primary", width="stretch"):
        participants.withdraw(services.store, services.engine, participant_id)
        st.rerun()
