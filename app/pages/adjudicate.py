"""Adjudicate: disputed gold answers and disputed reasons, one after the other, by somebody who took no part; and step in to try."""

from __future__ import annotations

import streamlit as st

from annotation.reviewing.votes import MAX_COMMENT, MAX_REASON
from annotation.verifying import takeover
from annotation.verifying.errors import Ended
from app import adjudicate_api, identity, rights
from app.components import PLAY, play
from app.components.adjudicating import ADJUDICATE, adjudicate
from app.pages.page import Page
from app.pages.parts import begin, chosen_study
from app.services import current
from study.access import Grant

STEPPED_IN = "adjudicate_episode"
"""Session state: the episode in which this tab has stepped in."""


def page(grant: Grant) -> None:
    """What comes next, or the simulator that the person stepped into."""
    begin("Vantage: adjudicate", layout="wide")
    services = current()
    checked = rights.still(services.store, identity.page_cookie(), grant, rights.ADJUDICATOR)
    episode = st.session_state.get(STEPPED_IN)
    if episode and takeover.whose(services.store, episode) == checked.staff_id:
        _inside(checked, episode)
        return
    study = chosen_study(services.store, checked, "adjudicate_study") or ""
    data = {"study": study, "reason": MAX_REASON, "comment": MAX_COMMENT, "ended": [Ended.code]}
    key = f"adjudicate-{study}"
    adjudicate(data, key=key, on_stepped_in=lambda: _stepped_in(key))


def _stepped_in(key: str) -> None:
    """The person wants to try something themselves: the page shows the episode that was begun for it."""
    st.session_state[STEPPED_IN] = str(st.session_state[key].stepin or "")


def _inside(grant: Grant, episode: str) -> None:
    """The simulator, with the way back."""
    engine = current().engine
    if st.button("Back to the question", type="primary", shortcut="Escape", help="What you had chosen is kept."):
        takeover.end(engine, episode, grant.staff_id or "")
        st.session_state.pop(STEPPED_IN, None)
        st.rerun()
    st.caption("Try what you like: nothing here counts, not even an answer.")
    done = play(episode, title="Stepped in", next_label="Back to the question", key=f"inside-{episode}", staff=True)
    if done.done:
        st.session_state.pop(STEPPED_IN, None)
        st.rerun()


PAGES = (
    Page(
        "Adjudicate",
        "adjudicate",
        roles=(rights.ADJUDICATOR,),
        draw=lambda visit: page(visit.grant),
        group="Study",
        routes=(*adjudicate_api.ROUTES,),
        components=(ADJUDICATE, PLAY),
    ),
)
