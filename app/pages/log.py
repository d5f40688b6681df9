"""The log, for whoever runs a study: what was done, when and by whom, the newest first. It only grows; nothing on the page changes it."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from functools import partial

import pandas as pd
import streamlit as st

from app import identity, rights
from app.pages import tables
from app.pages.page import Page
from app.pages.parts import begin, local, told_apart, zone
from app.services import Services, current
from data.store import written
from study import audit_log
from study.access import EVERY_STUDY, Grant
from study.studies import list_studies

SIDES: dict[audit_log.Side, str] = {"": "everybody", "staff": "staff", "people": "participants", "programs": "programs"}
"""Whose doings are shown → what the choice calls them."""


def _allowed(grant: Grant) -> Services:
    services = current()
    rights.in_study(services.store, identity.page_cookie(), "researcher", grant.study_id)
    return services


def page(grant: Grant) -> None:
    """Filters, the events, and the way to earlier ones."""
    begin("Vantage: log", layout="wide")
    store = _allowed(grant).store
    st.title("Log", anchor=False)
    st.html("<p>What was done, by whom and when. The log only grows. What was answered, voted or is right is not told here.</p>")
    study_id, kind, side, who, since, until = _filters(grant)
    befores: list[int] = st.session_state.setdefault("log_befores", [])
    before = befores[-1] if befores else None
    size = audit_log.PAGE_SIZE
    found = audit_log.entries(
        store, study_id, kind=kind, side=side, who=who, since=since, until=until, before=before, size=size + 1
    )  # fmt: skip
    shown = found[:size]
    if not shown:
        st.info("Nothing that was done fits. Empty a field above to see more.")
        return
    _table(shown)
    back, middle, on = st.columns([1, 3, 1], vertical_alignment="center")
    middle.html(f"<p style='text-align:center'>Events {shown[-1].seq} to {shown[0].seq}</p>")
    back.button("Later", disabled=not befores, on_click=_back, width="stretch")
    on.button("Earlier", disabled=len(found) <= size, on_click=partial(befores.append, shown[-1].seq), width="stretch")


def _filters(grant: Grant) -> tuple[str, str, audit_log.Side, str, str, str]:
    """(study, kind, whose doings, participant, from, until) that were asked for; times as they are stored."""
    store, study_id = current().store, grant.study_id
    columns = st.columns([2, 2, 1.3, 1.1, 1.5, 1.5])
    if study_id == EVERY_STUDY:
        names = {EVERY_STUDY: "all", **told_apart(list_studies(store))}
        study_id = columns[0].selectbox("Study", list(names), format_func=names.__getitem__, on_change=_first, key="log_study")
    kinds = ["", *sorted(audit_log.kinds(store), key=_words)]
    kind = columns[1].selectbox("What", kinds, format_func=_words, on_change=_first, key="log_kind")
    side = columns[2].selectbox("By", list(SIDES), format_func=SIDES.__getitem__, on_change=_first, key="log_side")
    who = columns[3].text_input("Participant", placeholder="P012", max_chars=12, on_change=_first, key="log_who")
    first = columns[4].date_input("From", None, on_change=_first, key="log_from")
    last = columns[5].date_input("To", None, on_change=_first, key="log_to")
    until = _begins(last + timedelta(days=1)) if isinstance(last, date) else ""
    return study_id, kind, side, who, _begins(first) if isinstance(first, date) else "", until


def _words(kind: str) -> str:
    return audit_log.WORDS.get(kind, kind.replace("_", " ")) if kind else "everything"


def _begins(day: date) -> str:
    """When a day begins by this person's clock, as times are stored."""
    return written(datetime.combine(day, time(), zone()))


def _table(rows: list[audit_log.Entry]) -> None:
    table = pd.DataFrame(
        {
            "When": [local(row.at) for row in rows],
            "By": [row.by for row in rows],
            "What": [row.what for row in rows],
            "Details": [row.told for row in rows],
            "Participant": [row.who for row in rows],
            "Study": [row.study for row in rows],
            "About": [row.about for row in rows],
            "No.": [row.seq for row in rows],
        }
    )
    st.caption("Times are by your clock.")
    tables.grid(table, hide_index=True, column_config={"When": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss")})


def _first() -> None:
    st.session_state["log_befores"] = []


def _back() -> None:
    st.session_state["log_befores"].pop()


PAGES = (Page("Log", "log", roles=rights.LEADS, draw=lambda visit: page(visit.grant), group="Study"),)
