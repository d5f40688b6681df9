"""The last page of a participant: what came of it, the debriefing, the code and the way back, and taking their data back."""

from __future__ import annotations

from html import escape
from urllib.parse import urlsplit

import streamlit as st

from app.components import leaving
from app.pages.parts import plain
from app.services import Services
from data.store import StoreError
from study import outcomes, participants
from study.intervening import ended_by_staff
from study.outcomes import Ending, NotKept
from study.place import Place
from study.studies import Study
from study.wording import say, speaking, spoken

STAGES = ("thanks", "declined", "stopped", "screened_out", "full", "failed", "withdrawn")
"""The ends; what is said at each, where the study says nothing of its own, stands in the catalogue under its name."""
AGAIN = {"declined": ("welcome", "consent.reconsider"), "full": ("look_again", "end.look_again")}
"""Ends that need not be the last → what leads on, and the words of its button."""
REDIRECT_S = 8
"""Seconds until the page goes back by itself: long enough to read where, and to stay."""


def page(services: Services, study: Study, participant_id: str, where: Place) -> None:
    """The page of an end (`app.pages.participant.ENDS`)."""
    by_staff = where.stage == "stopped" and ended_by_staff(services.store, participant_id)
    st.title(say("end.ended") if by_staff else say(f"end.{where.stage}"), anchor=False)
    try:
        ending = outcomes.conclude(services.store, participant_id)
    except (NotKept, StoreError):
        st.warning(say("end.not_yet"))
        if st.button(say("end.try_again"), key="try-again", type="primary"):
            st.rerun()
        return
    own = study.thanks if where.stage == "thanks" else ""
    close = "" if ending.code or ending.link else f" {say('end.close')}"
    plain(own or (say("end.ended_told") if by_staff else say(f"end.{where.stage}_told")) + close)
    if where.stage == "stopped" and study.stopping.strip():
        plain(study.stopping)
    _way_back(ending)
    if where.stage in AGAIN:
        event, label = AGAIN[where.stage]
        if st.button(say(label), key="reconsider"):
            participants.advance(services.store, participant_id, event)
            st.rerun()
    if where.stage == "declined":
        return
    if where.stage != "withdrawn":
        _taking_back(services, study, participant_id)


def _way_back(ending: Ending) -> None:
    """Debriefing, code and return link."""
    if ending.debriefing.strip():
        st.header(say("end.about"), anchor=False)
        plain(ending.debriefing)
    if ending.tried:
        st.info(say("end.tried"))
    if ending.code:
        st.html(f"<p style='margin:1rem 0 .3rem'><b>{escape(say('end.code'))}</b></p>")
        st.code(ending.code, language=None)
        if not ending.link:
            st.caption(say("end.code_how"))
    if ending.link:
        _button(ending)


def _button(ending: Ending) -> None:
    seconds = REDIRECT_S if ending.redirect else 0
    label = say("end.back", host=urlsplit(ending.link).hostname or "")
    leaving(ending.link, label=label, soon=say("end.soon", seconds=seconds), stay=say("end.stay"), after_s=seconds, key="leaving")


def _taking_back(services: Services, study: Study, participant_id: str) -> None:
    """The quiet way to withdraw; it is asked again, since it cannot be undone."""
    if st.button(say("end.take_back"), key="withdraw", type="tertiary"):
        until = "" if study.ethics is None else study.ethics.withdrawal_until.strip()
        st.dialog(say("end.take_back_asked"))(_really_taking_back)(services, participant_id, spoken(), until)


def _really_taking_back(services: Services, participant_id: str, language: str, until: str) -> None:
    # A dialogue runs again without its page, which has said in what language.
    with speaking(language):
        _asked_again(services, participant_id, until)


def _asked_again(services: Services, participant_id: str, until: str) -> None:
    st.write(say("end.take_back_means"))
    if until:
        plain(until)
    left, right = st.columns(2)
    if left.button(say("end.take_back_keep"), key="keep", type="primary", width="stretch"):
        st.rerun()
    if right.button(say("end.take_back_do"), key="really", width="stretch"):
        participants.withdraw(services.store, services.engine, participant_id)
        st.rerun()
