"""What a researcher can do about one participant while a study runs: more time, places back, a message, an end, a rejection."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import get_args

import streamlit as st

from app import identity, rights
from app.pages import said
from app.pages.parts import Sheet, plain_text, sheet, when
from app.services import Services
from data.plurals import number_of
from sim_bridge.errors import Refusal
from study import intervening, messages, participants
from study.access import Grant
from study.rejections import BY_NAME, REASONS, rejection
from study.returning import IN_WORDS
from study.words import person as person_name

TOLD = "acting"
"""Where a page says what was done about somebody."""


def draw(services: Services, grant: Grant, participant_id: str) -> None:
    """What stands of somebody now, the choice of what to do, and below it what was done."""
    person = participants.get_participant(services.store, participant_id)
    who = person_name(person.number)
    _stands(services, participant_id)
    st.html("<p style='margin:.8rem 0 0'><b>Do something about this person</b></p>")
    key = _choice(participant_id).key
    chosen = st.pills("What to do", list(WAYS), format_func=CALLED.__getitem__, key=key, label_visibility="collapsed")
    if chosen is not None:
        _form(services, grant, participant_id, who, chosen)
    said.show(TOLD)


def _choice(participant_id: str) -> Sheet:
    """The choice of what to do: another one once something is done, in which nothing is chosen. The browser would keep the old one lit."""
    return sheet(f"acting-{participant_id}")


def _stands(services: Services, participant_id: str) -> None:
    """Places, messages and a rejection, as they stand."""
    store = services.store
    study = participants.study_of(store, participants.get_participant(store, participant_id))
    lines = []
    if (held := intervening.lease(store, study, participant_id)) is not None:
        until = "until the study ends" if held.until is None else f"until {when(held.until)} if nothing is heard of them"
        lines.append(f"Has {number_of(held.held, 'task')} and {number_of(held.reserved, 'more place')} reserved, kept {until}.")
    if (refused := rejection(store, participant_id)) is not None:
        lines.append(f"Rejected {when(refused.at)}: {refused.words}. Their data stay and are marked.")
    for one in messages.messages(store, participant_id):
        read = f"read {when(one.read_at)}" if one.read_at else "not read yet"
        lines.append(f"Written {when(one.at)} ({read}): “{one.text}”")
    st.html("".join(f"<p style='margin:.2rem 0'>{escape(line)}</p>" for line in lines) or "<p style='margin:.2rem 0'>Holds no places.</p>")


def _extend(services: Services, participant_id: str, who: str, actor: str) -> str | None:
    st.caption("Their places are kept for longer, also if nothing is heard of them. Seconds per question are the same for all, and stay.")
    minutes = int(st.number_input("Minutes more", 1, intervening.MOST_MINUTES, 30, step=5, key="acting-minutes"))
    why = _why()
    if not st.form_submit_button("Give more time", type="primary"):
        return None
    until = intervening.extend(services.store, participant_id, minutes, why=why, actor=actor)
    return f"{who}: their places are kept until {when(until)}."


def _return(services: Services, participant_id: str, who: str, actor: str) -> str | None:
    st.caption(
        "The task that they hold and what is reserved are offered to others. They may come back by their link, and are given what is free "
        "then. If they must not come back, end their part."
    )
    why = _why()
    if not st.form_submit_button("Give their places back", type="primary"):
        return None
    freed = intervening.give_back(services.store, services.engine, participant_id, why=why, actor=actor)
    return f"{who}: {number_of(freed, 'place is', 'places are')} free again."


def _write(services: Services, participant_id: str, who: str, actor: str) -> str | None:
    st.caption("One sentence. They read it between two tasks and cannot answer; the study’s contact stands beside it. Write nothing about "
               "tasks: what people are told about them is the same for all.")  # fmt: skip
    text = st.text_area("Message", max_chars=messages.LONGEST, key="acting-text", height=80)
    if not st.form_submit_button("Send", type="primary"):
        return None
    messages.send(services.store, participant_id, text, actor=actor)
    return f"{who} reads it between two tasks. When they have, it stands below."


def _end(services: Services, participant_id: str, who: str, actor: str) -> str | None:
    st.caption("What they did is kept and counts; they are told that it ended, and paid by the study’s rule for the outcome.")
    endings = list(get_args(intervening.EndedAs))
    outcome = st.selectbox("What came of their taking part", endings, format_func=IN_WORDS.__getitem__, key="acting-outcome")
    why = _why()
    if not st.form_submit_button("End their part", type="primary"):
        return None
    intervening.end(services.store, services.engine, participant_id, outcome, why=why, actor=actor)
    return f"{who}: ended. What they did is kept."


def _reject(services: Services, participant_id: str, who: str, actor: str) -> str | None:
    st.caption(
        "Their data stay, marked, and their places are free again; if they are still working, their part ends. What is due to them "
        "stays due. Nobody is rejected for being fast, still or stubborn. This cannot be undone."
    )
    names = [reason.name for reason in REASONS]
    reason = st.selectbox("Reason", names, None, format_func=_reason, placeholder="Choose the reason", key="acting-reason")
    why = _why()
    sure = st.checkbox("Their data are not to count", key="acting-sure")
    if not st.form_submit_button("Reject", type="primary"):
        return None
    if reason is None or not sure:
        raise intervening.Refused("Choose the reason, and tick that their data are not to count.")
    done = intervening.reject(services.store, services.engine, participant_id, reason, why=why, actor=actor)
    return f"{who}: rejected ({done.words})."


def _reason(name: str) -> str:
    return BY_NAME[name].words


def _why() -> str:
    return str(st.text_input("Why", max_chars=intervening.LONGEST_WHY, key="acting-why", help="The log keeps it. Write no names."))


WAYS: dict[str, Callable[[Services, str, str, str], str | None]] = {
    "extend": _extend,
    "return": _return,
    "write": _write,
    "end": _end,
    "reject": _reject,
}
"""What can be done → the form that asks for what it needs; it returns what was done, or None where nothing was sent."""
CALLED = {
    "extend": "More time",
    "return": "Give places back",
    "write": "Write to them",
    "end": "End their part",
    "reject": "Reject their data",
}
"""What can be done → as the choice calls it."""


def _form(services: Services, grant: Grant, participant_id: str, who: str, chosen: str) -> None:
    refused = f"refused-{chosen}-{participant_id}"
    form = sheet(f"acting-{chosen}-{participant_id}")
    with st.form(form.key):
        try:
            # asked again at every run: the form is no control
            study = participants.get_participant(services.store, participant_id).study_id
            rights.in_study(services.store, identity.page_cookie(), "researcher", study)
            done = WAYS[chosen](services, participant_id, who, grant.staff_id or "")
        except Refusal as refusal:
            st.session_state[refused] = refusal.for_people
            done = None
        if done is None and (why := st.session_state.get(refused)):
            # the page is read again within seconds: what was refused stands until it is sent again
            st.error(plain_text(why))
    if done is not None:
        said.done(TOLD, done)
        form.used()
        st.session_state.pop(refused, None)
        _choice(participant_id).used()
        st.rerun()
