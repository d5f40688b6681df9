"""One participant for whoever runs the study: where their time went, what they reported, which files hold their data, and taking their data
out when they ask for it."""

from __future__ import annotations

from html import escape

import streamlit as st

from app import identity, rights
from app.pages import researcher_acting, said
from app.pages.parts import plain_text, when
from app.services import Services
from data.plurals import number_of
from study import erasure, participants, released, reports, roster
from study.access import Grant
from study.spans import KINDS
from study.time_spent import in_words, time_of, words

IN_WORDS = {
    "shown": "a page of ours on the screen",
    "thinking": "thinking at a picture",
    "waiting": "waiting for us",
    "away": "away",
}
"""Part of somebody's time → what it is called."""


def draw(services: Services, grant: Grant, one: roster.Person) -> None:
    """Below the list, of whoever is chosen there."""
    st.header(plain_text(one.who), anchor=False)
    spent = time_of(services.store, one.participant_id)
    parts = in_words(spent)
    told = ", ".join(f"{parts[kind]} {IN_WORDS[kind]}" for kind in reversed(KINDS))
    until = "end" if one.state in _ENDED else "last sign of life"
    st.html(f"<p>{escape(words(spent.wall_ms))} from coming in to the {until}: {escape(told)}.</p>")
    for report in reports.reports_of(services.store, one.participant_id):
        st.html(f"<p style='margin:.4rem 0 0'><b>{escape(when(report.at))}, {escape(report.where)}</b></p>")
        st.text(report.text)
    researcher_acting.draw(services, grant, one.participant_id)
    _releases(services, one.participant_id)
    _taking_out(services, grant, one)


_ENDED = ("finished", "stopped", "screened_out", "full", "failed", "withdrawn", "declined")


def _releases(services: Services, participant_id: str) -> None:
    """Files that hold their data."""
    found = released.holding(services.store, participant_id)
    if not found:
        return
    st.html("<p style='margin:.8rem 0 0'><b>Written out before, with their data</b></p>")
    for release in found:
        there = "" if release.still_there else " (not on this server any more)"
        st.html(
            f"<p style='margin:0'>{escape(when(release.at))} · {escape(release.forms)}, of "
            f"{number_of(release.people, 'person', 'people')}{there}</p>"
        )


def _taking_out(services: Services, grant: Grant, one: roster.Person) -> None:
    """Their data are taken out on request; asked again, since it cannot be undone. Not in a dialogue: the list is drawn again meanwhile."""
    asked = st.session_state.get("taking_out") == one.participant_id
    if not asked:
        if st.button("They want their data back…", key="take-out", type="tertiary"):
            st.session_state["taking_out"] = one.participant_id
            st.rerun()
        return
    st.warning(
        "Withdrawn data are kept and used nowhere. Erased data are gone for good: steps, answers, questionnaires, reports, their id, and "
        "frames that nobody else saw. What is due to them stays in the ledger. Neither can be undone."
    )
    keep, withdraw, erase = st.columns(3)
    if keep.button("Leave it", key="take-out-no", width="stretch"):
        st.session_state.pop("taking_out")
        st.rerun()
    can = "withdraw" in participants.PARTICIPANT[participants.get_participant(services.store, one.participant_id).state]
    if withdraw.button("Withdraw their data", key="take-out-withdraw", width="stretch", disabled=not can):
        _allowed(services, grant)
        participants.withdraw(services.store, services.engine, one.participant_id, actor=grant.staff_id or "")
        _done(f"{one.who}: withdrawn.")
    if erase.button("Erase their data for good", key="take-out-erase", type="primary", width="stretch"):
        _allowed(services, grant)
        for episode_id in participants.episodes_of(services.store, one.participant_id):
            services.engine.release(episode_id)
        done = erasure.erase(services.store, services.frames, one.participant_id, reason="asked for; from the page")
        again = f" {number_of(len(done.released), 'file')} that were written before hold their data: see below." if done.released else ""
        _done(
            f"{one.who}: erased {number_of(done.episodes, 'episode')}, {number_of(done.steps, 'step')}, {number_of(done.events, 'event')} "
            f"and {number_of(done.frames, 'frame')}.{again}"
        )


def _allowed(services: Services, grant: Grant) -> None:
    rights.in_study(services.store, identity.page_cookie(), "researcher", grant.study_id)


def _done(words: str) -> None:
    st.session_state.pop("taking_out", None)
    said.done(researcher_acting.TOLD, words)
    st.rerun()
