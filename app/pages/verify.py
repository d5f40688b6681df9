"""Verify tasks: one after the other, first by their first view alone, then with all the evidence; and step into the simulator to try."""

from __future__ import annotations

from typing import Any

import streamlit as st

from annotation.reviewing.kinds.tasks import KIND, REST
from annotation.reviewing.votes import MAX_COMMENT, MAX_REASON
from annotation.verifying import queue, takeover
from annotation.verifying.errors import Closed, Edited, Ended, Expired, Paused
from annotation.verifying.verifications import Verification
from app import identity, rights, verify_api
from app.components import PLAY, play
from app.components.verifying import VERIFY, verify
from app.pages.page import Page
from app.pages.parts import begin
from app.services import Services, current
from data.store import Store
from study.access import Grant

KEY = "verify"
STEPPED_IN = "verify_episode"
"""Session state: the episode in which this tab has stepped in."""
ENDED = tuple(error.code for error in (Ended, Expired, Edited, Paused, Closed))


def page(grant: Grant) -> None:
    """What comes next, or the simulator that the person stepped into."""
    begin("Vantage: verify tasks", layout="wide")
    services = current()
    checked = rights.still(services.store, identity.page_cookie(), grant, *rights.VERIFIERS)
    verification = _verification(services, checked)
    if verification is None:
        st.title("Verify tasks", anchor=False)
        st.info("No tasks are under verification here yet. Ask the researcher who invited you, and come back later.")
        return
    episode = st.session_state.get(STEPPED_IN)
    if episode and takeover.whose(services.store, episode) == checked.staff_id:
        _inside(services, checked, episode)
        return
    key = f"{KEY}-{verification.verification_id}"
    verify(_data(verification), key=key, on_stepped_in=lambda: _stepped_in(key))


def _verification(services: Services, grant: Grant) -> Verification | None:
    """The only open one, or the one chosen."""
    found = [one for one in rights.verifications_of(services.store, grant) if one.state == "open"]
    if len(found) < 2:
        return found[0] if found else None
    names = {one.verification_id: one.name for one in found}
    chosen = st.selectbox("Verification", list(names), format_func=names.__getitem__, key="verify_which")
    return next(one for one in found if one.verification_id == chosen)


def _data(verification: Verification) -> dict[str, Any]:
    axes = [
        {"name": axis.name, "label": axis.label, "ask": axis.ask, "reasons": [list(pair) for pair in axis.reasons.items()]}
        for axis in KIND.stage(REST).axes
    ]
    return {
        "verification": verification.verification_id,
        "axes": axes,
        "reason": MAX_REASON,
        "comment": MAX_COMMENT,
        "ended": ENDED,
    }


def _stepped_in(key: str) -> None:
    """The person wants to try something themselves: the page shows the episode that was begun for it."""
    st.session_state[STEPPED_IN] = str(st.session_state[key].stepin or "")


def _inside(services: Services, grant: Grant, episode: str) -> None:
    """The simulator, with the way back."""
    if st.button("Back to the task", type="primary", shortcut="Escape", help="What you had chosen is kept."):
        takeover.end(services.engine, episode, grant.staff_id or "")
        st.session_state.pop(STEPPED_IN, None)
        st.rerun()
    st.caption("Try what you like: nothing here counts. The trajectory was done up to the view where you were.")
    done = play(episode, title="Stepped in", next_label="Back to the task", key=f"inside-{episode}", staff=True)
    if done.done:
        st.session_state.pop(STEPPED_IN, None)
        st.rerun()


def waits(store: Store, grant: Grant) -> bool:
    """Whether a task waits for this person to verify it."""
    return any(queue.waits(store, one, grant.staff_id or "") for one in rights.verifications_of(store, grant))


PAGES = (
    Page(
        "Verify tasks",
        "verify",
        roles=rights.VERIFIERS,
        draw=lambda visit: page(visit.grant),
        group="Study",
        waits=waits,
        routes=(*verify_api.ROUTES,),
        components=(VERIFY, PLAY),
    ),
)
