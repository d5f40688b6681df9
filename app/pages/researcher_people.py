"""The people who take part, for whoever runs the study: where each stands, when they were last heard of, and the way to their episodes."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from app import identity, rights
from app.pages import researcher_acting, researcher_person, said, tables
from app.pages.page import Page
from app.pages.parts import begin, kind_of_run, list_key, local, plain_text
from app.pages.researcher import EPISODES
from app.services import Services, current
from data.plurals import number_of
from study import participants, roster
from study.access import Grant

REFRESH = "10s"
"""How often the list is read again."""
STATES = {
    "entered": "opened the link",
    "welcomed": "asked for consent",
    "consented": "before the tasks",
    "practised": "at the tasks",
    "finished": "finished",
    "stopped": "ended early",
    "screened_out": "screened out",
    "full": "found no place left",
    "failed": "stopped by a fault of ours",
    "declined": "declined",
    "withdrawn": "took their data back",
}
"""State of a participant → as the list calls it."""


def _allowed(grant: Grant) -> Services:
    services = current()
    rights.in_study(services.store, identity.page_cookie(), "researcher", grant.study_id)
    return services


def page(grant: Grant) -> None:
    """Counts that add up, and the live list."""
    begin("Vantage: participants", layout="wide")
    _allowed(grant)
    st.title("Participants", anchor=False)
    _live(grant)
    st.caption("How people come in: see Episodes, “Let people in”. On the command line: `vantage participants`.")


@st.fragment(run_every=REFRESH)
def _live(grant: Grant) -> None:
    services = _allowed(grant)
    mode = kind_of_run(services.store, grant.study_id)
    counts = roster.by_state(services.store, grant.study_id, mode=mode)
    if not counts:
        st.info("Nobody has come yet. Make a participant link on the page Episodes.")
        return
    told = ", ".join(f"{counts[state]:d} {STATES[state]}" for state in participants.PARTICIPANT if state in counts)
    st.html(f"<p>{sum(counts.values())} in all: {told}.</p>")
    left, right, _ = st.columns([1, 1, 2])
    who = left.text_input("Who", placeholder="P012", max_chars=12, on_change=_first_page, key="people_who")
    states = ["", *STATES]
    state = right.selectbox("State", states, format_func=lambda name: STATES.get(name, "all"), on_change=_first_page, key="people_state")
    page = st.session_state.get("people_page", 1)
    found = roster.people(services.store, grant.study_id, who=who, state=state, mode=mode, number=page)
    if not found.total:
        st.info("Nobody fits. Empty a field above to see more.")
        return
    _table(found)
    if found.pages > 1:
        back, middle, on = st.columns([1, 3, 1], vertical_alignment="center")
        middle.html(f"<p style='text-align:center'>Page {found.number} of {found.pages}, {number_of(found.total, 'person', 'people')}</p>")
        back.button("Later", disabled=found.number == 1, on_click=partial(_turn, found.number - 1), width="stretch")
        on.button("Earlier", disabled=found.number == found.pages, on_click=partial(_turn, found.number + 1), width="stretch")
    chosen = st.session_state.get("person")
    one = next((person for person in found.rows if person.participant_id == chosen), None)
    if one is None:
        said.show(researcher_acting.TOLD)  # of somebody who is not in the list any more
        return
    if st.button(plain_text(f"Show the episodes of {one.who}"), type="primary"):
        st.session_state["episodes_who"], st.session_state["episodes_page"] = one.who, 1
        st.switch_page(EPISODES.to())
    researcher_person.draw(services, grant, one)


def _table(found: roster.People) -> None:
    rows = found.rows
    table = pd.DataFrame(
        {
            "Who": [row.who for row in rows],
            "State": [STATES[row.state] for row in rows],
            "Since": [local(row.since) for row in rows],
            "Last sign of life": [local(row.seen_at) for row in rows],
            "Task now": [("practice: " if row.practising else "") + row.task if row.task else "" for row in rows],
            "Done": [row.done for row in rows],
            "Of": [row.total for row in rows],
            "Practice done": [row.practised for row in rows],
            "Reports": [row.reports for row in rows],
            "Times away": [row.away for row in rows],
            "Browser": [row.browser for row in rows],
            "Study": [row.study for row in rows],
        }
    )
    st.caption("Select a row to see that person’s episodes. Times are by your clock.")
    # Another list is another element, so that a row number never speaks of another list than the one that was drawn.
    key = f"people-{list_key(row.participant_id for row in rows)}"
    picked = partial(_select, key, [row.participant_id for row in rows])
    time = st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")
    wide = {"Since": time, "Last sign of life": time, "Browser": st.column_config.TextColumn(width="medium")}
    tables.grid(table, hide_index=True, on_select=picked, selection_mode="single-row", key=key, column_config=wide)


def _select(key: str, people: list[str]) -> None:
    said.forget()
    picked = st.session_state[key].selection.rows
    st.session_state["person"] = people[picked[0]] if picked and picked[0] < len(people) else None


def _first_page() -> None:
    st.session_state["people_page"] = 1


def _turn(number: int) -> None:
    st.session_state["people_page"] = number


PARTICIPANTS = Page("Participants", "participants", roles=rights.LEADS, draw=lambda visit: page(visit.grant), group="Study")
PAGES = (PARTICIPANTS,)
