"""A researcher's page that sets a study up, section by section. It checks the role itself."""

from __future__ import annotations

from html import escape

import streamlit as st

from app import identity, rights
from app.pages import qa_parts
from app.pages.page import Page
from app.pages.parts import begin, plain_text
from app.pages.setup import SECTIONS
from app.pages.setup.section import Setup
from app.services import Services, current
from study.access import EVERY_STUDY, Grant
from study.admission import STATES_IN_WORDS
from study.readiness import concerns
from study.studies import Study, being_edited, create_study, list_studies
from study.versions import is_edited

NEW = "a new study"


def page(grant: Grant) -> None:
    """The study, its sections at the left, and one of them."""
    begin("Vantage: set-up", layout="wide")
    services = _allowed(grant)
    st.html(qa_parts.STYLE)
    st.title("Set-up", anchor=False)
    study = _study(services, grant)
    if study is None:
        _found(services, grant)
        return
    _said()
    _head(services, study)
    left, right = st.columns([1, 3], gap="large")
    setup = Setup(services, grant, study, concerns(services.store, study))
    with left:
        chosen = _menu(setup)
    with right:
        section = next(section for section in SECTIONS if section.name == chosen)
        st.header(plain_text(section.title), anchor=False)
        for concern in setup.concerns:
            if concern.about in (section.name, *section.also):
                st.warning(plain_text(concern.says))
        section.draw(setup)


def _allowed(grant: Grant) -> Services:
    services = current()
    rights.in_study(services.store, identity.page_cookie(), "researcher", grant.study_id)
    return services


def _study(services: Services, grant: Grant) -> Study | None:
    """The study to set up: the grant's, or the chosen one; None: a new one is to be made."""
    if grant.study_id != EVERY_STUDY:
        return being_edited(services.store, grant.study_id)
    names = {study.study_id: study.name for study in list_studies(services.store) if study.qa_project is None}
    ids = [*names, NEW]
    wanted = st.session_state.pop("setup_study", None) or st.query_params.get("study")
    if wanted in ids:
        st.session_state["setup_picked"] = wanted
    elif st.session_state.get("setup_picked") not in ids:
        st.session_state["setup_picked"] = ids[-2] if len(ids) > 1 else NEW
    left, _ = st.columns([1, 1])
    shown = names | {NEW: "Make a new study"}
    picked = left.selectbox("Study", ids, format_func=shown.__getitem__, key="setup_picked", on_change=_first)
    if picked == NEW:
        st.query_params.pop("study", None)
        return None
    st.query_params["study"] = picked
    return being_edited(services.store, picked)


def _first() -> None:
    st.query_params.pop("study", None)
    st.session_state.pop("setup_section", None)


def _found(services: Services, grant: Grant) -> None:
    """Make a new study."""
    _said()
    with st.form("setup-new", border=False):
        name = st.text_input("Name of the study", max_chars=200, help="Participants read it on the first page.")
        people = st.number_input("People who are to take part", 1, 100_000, None, placeholder="not planned yet")
        if st.form_submit_button("Make the study", type="primary"):
            if not name.strip():
                st.error("Give the study a name first.")
                return
            rights.in_study(services.store, identity.page_cookie(), "researcher", EVERY_STUDY)
            made = create_study(services.store, name.strip(), planned_people=None if people is None else int(people))
            st.session_state["setup_study"], st.session_state["setup_section"] = made.study_id, "tasks"
            st.rerun()


def _said() -> None:
    """What the last press did, or why it did not, once."""
    refused, done = st.session_state.pop("setup_said", ("", ""))
    if refused:
        st.error(plain_text(refused))
    if done:
        st.success(plain_text(done))


def _head(services: Services, study: Study) -> None:
    """What is being edited, in a line."""
    if not study.version:
        what = "a draft, never published"
    elif is_edited(services.store, study.study_id):
        what = f"version {study.version} is {study.state}; what you change here is the next version, which is not published yet"
    else:
        what = f"version {study.version} is {study.state}; a change makes the next version, and nobody who takes part notices"
    st.html(f"<p><b>{escape(study.name)}</b> · {escape(what)}. {escape(STATES_IN_WORDS[study.state].capitalize())}.</p>")


def _menu(setup: Setup) -> str:
    """The sections; those in which something is missing are marked."""
    names = [section.name for section in SECTIONS]
    stopping = {concern.about for concern in setup.concerns if concern.stops}
    marked = {section.name for section in SECTIONS if stopping & {section.name, *section.also}}
    wanted = st.session_state.pop("setup_section", None)
    if wanted in names:
        st.session_state["setup_menu"] = wanted
    titles = {section.name: f"{n}. {section.title}{' ○' if section.name in marked else ''}" for n, section in enumerate(SECTIONS, 1)}
    chosen: str = st.radio(
        "Sections", names, format_func=lambda name: plain_text(titles[name]), key="setup_menu", label_visibility="collapsed"
    )
    if marked:
        st.caption("○ something is missing before people can come in")
    return chosen


SETUP = Page("Set-up", "setup", roles=rights.LEADS, draw=lambda visit: page(visit.grant), group="Study")
PAGES = (SETUP,)
