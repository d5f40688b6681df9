"""A researcher's page that sets a study up, section by section. It checks the role itself."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import streamlit as st

from app import components, identity, rights
from app.pages import qa_parts, said
from app.pages.page import Page
from app.pages.parts import begin, plain_text, told_apart, when
from app.pages.setup import SECTIONS, typed
from app.pages.setup.section import LEFT, SAID, Asked, Setup, ask, labels
from app.services import Services, current
from data.plurals import number_of
from study import drafting
from study.access import EVERY_STUDY, Grant
from study.admission import STATES_IN_WORDS, archive, studies
from study.readiness import concerns
from study.studies import Study, being_edited, create_study, get_study
from study.versions import is_edited

NEW = "a new study"
NEW_STUDY = (
    Asked("name", "Name of the study", help="Participants read it on the first page."),
    Asked("planned_people", "People who are to take part", least=1, most=100_000, empty="not planned yet"),
)
LABELS = labels(SECTIONS)
"""Setting → what its field is called."""


def page(grant: Grant) -> None:
    """The study, its sections at the left, and one of them."""
    begin("Vantage: set-up", layout="wide")
    services = _allowed(grant)
    st.html(qa_parts.STYLE)
    st.title("Set-up", anchor=False)
    study = _study(services, grant)
    if study is None:
        _said()
        _found(services, grant)
        return
    _head(services, study)
    left, right = st.columns([1, 3], gap="large")
    setup = Setup(services, grant, study, concerns(services.store, study), labels=LABELS)
    with left:
        chosen = _menu(setup)
    with right:
        section = next(section for section in SECTIONS if section.name == chosen)
        setup = replace(setup, section=section.name, title=section.title)
        _said(setup)
        st.header(plain_text(section.title), anchor=False)
        for concern in setup.concerns:
            if concern.about in (section.name, *section.also):
                st.warning(plain_text(concern.says))
        section.draw(setup)
        components.top(f"{study.study_id}/{section.name}", key="setup-top")


def _allowed(grant: Grant) -> Services:
    services = current()
    rights.in_study(services.store, identity.page_cookie(), "researcher", grant.study_id)
    return services


def _study(services: Services, grant: Grant) -> Study | None:
    """The study to set up: the grant's, or the chosen one; None: a new one is to be made."""
    if grant.study_id != EVERY_STUDY:
        return being_edited(services.store, grant.study_id)
    names = told_apart([line for line in studies(services.store) if not get_study(services.store, line.study_id).qa_project])
    ids = [*names, NEW]
    wanted = st.session_state.pop("setup_study", None) or st.query_params.get("study")
    if wanted in ids:
        st.session_state["setup_picked"] = wanted
    elif st.session_state.get("setup_picked") not in ids:
        st.session_state["setup_picked"] = ids[-2] if len(ids) > 1 else NEW
    left, _ = st.columns([1, 1])
    shown = names | {NEW: "Make a new study"}
    picked = left.selectbox("Study", ids, format_func=shown.__getitem__, key="setup_picked", on_change=_first)
    _away(services, grant)
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
    setup = Setup(services, grant, Study(study_id="", name=""), (), "new", LABELS)
    found = ask(setup, setup.study, NEW_STUDY, "new")
    make = "Make the study"
    if setup.press(make, primary=True):
        rights.in_study(services.store, identity.page_cookie(), "researcher", EVERY_STUDY)
        setup.do(lambda actor: _made(services, **found), "It is made, as a draft.", "tasks", by=make)
    if rights.projects_of(services.store, grant, "researcher"):
        st.caption(
            "A study in which people answer questions about robot episodes is made of a project's accepted items: page Questions, part "
            "Results, “Let people answer”. It stands among the studies here afterwards and is set up like any other."
        )


def _made(services: Services, name: str, planned_people: int | None) -> None:
    made = create_study(services.store, drafting.check_name(services.store, name), planned_people=planned_people)
    st.session_state["setup_study"] = made.study_id


def _away(services: Services, grant: Grant) -> None:
    """The studies that are put away, each with the way back."""
    away = [line for line in studies(services.store, archived=True) if line.archived_at]
    if not away:
        return
    with st.expander(f"{len(away)} put away"):
        for line in away:
            left, right = st.columns([3, 1], vertical_alignment="center")
            left.write(
                plain_text(
                    f"{line.name or 'Without a name'}, put away {when(line.archived_at)}, {number_of(line.participants, 'participant')}"
                )
            )
            if right.button("Take it back", key=f"back-{line.study_id}", width="stretch"):
                rights.in_study(services.store, identity.page_cookie(), "researcher", line.study_id)
                archive(services.store, line.study_id, actor=grant.staff_id or "", back=True)
                st.session_state["setup_study"] = line.study_id
                st.session_state[LEFT] = ""
                said.done(SAID, f"{line.name} is in the lists again, closed.")
                st.rerun()


def _said(setup: Setup | None = None) -> None:
    """What the last press did, and what the study lacks since then in the section that was left."""
    made = said.show(SAID, "" if setup is None else f"{setup.study.study_id}/{setup.section}")
    if made is None or setup is None or (left := st.session_state.get(LEFT, "")) == setup.section:
        return
    for section in SECTIONS:
        for concern in setup.concerns if section.name == left else ():
            if concern.about in (section.name, *section.also) and concern.says not in made.known:
                st.warning(plain_text(f"{section.title}: {concern.says}"))


def _head(services: Services, study: Study) -> None:
    """What is being edited, in a line."""
    if not study.version:
        what = "a draft, never published" if study.state == "draft" else "never published"
    elif is_edited(services.store, study.study_id):
        what = f"version {study.version} is {study.state}; what you change here is the next version, which is not published yet"
    else:
        what = f"version {study.version} is {study.state}; a change makes the next version, and nobody who takes part notices"
    state = escape(STATES_IN_WORDS[study.state].capitalize())
    name = escape(study.name or "Without a name")
    st.html(f"<p style='overflow-wrap:anywhere'><b>{name}</b> · {escape(what)}. {state}.</p>")


def _menu(setup: Setup) -> str:
    """The sections; those in which something is missing are marked."""
    names = [section.name for section in SECTIONS]
    stopping = {concern.about for concern in setup.concerns if concern.stops}
    marked = {section.name for section in SECTIONS if stopping & {section.name, *section.also}}
    wanted = st.session_state.pop("setup_section", None) or st.session_state.get("setup_menu")
    # said anew each time: with other marks it is another element, which would show none as chosen
    st.session_state["setup_menu"] = wanted if wanted in names else names[0]
    unsaved = typed.unsaved(setup.study.study_id)
    marks = {name: f"{' ○' if name in marked else ''}{' ✎' if name in unsaved else ''}" for name in names}
    titles = {section.name: f"{n}. {section.title}{marks[section.name]}" for n, section in enumerate(SECTIONS, 1)}
    chosen: str = st.radio(
        "Sections", names, format_func=lambda name: plain_text(titles[name]), key="setup_menu", label_visibility="collapsed"
    )
    if marked:
        st.caption("○ something is missing before people can come in")
    if unsaved:
        st.caption("✎ something is typed there that is not saved yet")
    return chosen


SETUP = Page("Set-up", "setup", roles=rights.LEADS, draw=lambda visit: page(visit.grant), group="Study", components=(components.TOP,))
PAGES = (SETUP,)
