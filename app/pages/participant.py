"""A participant's way: welcome → consent → practice → tasks → thanks. What comes next is always read from the database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

import streamlit as st

from annotation.qa.evaluating.evaluation import check_taker
from app import entry_pages, forms_api, identity, place_api, play_api, qa_play_api, rights
from app.components import FORM, LEAVING, PLAY, QUESTION, TOP, play, question, top
from app.pages import participant_end, participant_forms, participant_help, participant_seats, participant_stop
from app.pages.page import Page
from app.pages.parts import begin, plain, plain_text
from app.services import Services, current
from study import arrivals, participants
from study.access import Grant
from study.briefing import welcome_of
from study.errors import NotAllowed
from study.place import Place
from study.studies import Study
from study.wording import say, speaking


def page(grant: Grant, *, several: bool) -> None:
    """Where the participant stands now."""
    services = current()
    # Checked again here: what the navigation offered is no control.
    try:
        checked = rights.still(services.store, identity.page_cookie(), grant, "participant")
    except NotAllowed:
        begin("Vantage")
        st.error(say("end.access_ended"))
        return
    person = checked.participant_id or ""
    study = participants.study_of(services.store, participants.get_participant(services.store, person))
    with speaking(study.language):
        _stands(services, study, checked, several=several)


def _stands(services: Services, study: Study, checked: Grant, *, several: bool) -> None:
    person = checked.participant_id or ""
    try:
        check_taker(services.store, study, person, identity.page_cookie())
    except NotAllowed as refusal:
        begin(study.name)
        st.title(say("end.cannot"), anchor=False)
        st.write(plain_text(refusal.for_people))
        _switch(several)
        return
    where = participants.place(services.store, services.engine, person)
    if where.stage in ("practice", "task"):
        COMPONENTS[where.component or ""](services, study, person, where)
        return
    if where.stage in WHOLE:
        WHOLE[where.stage](services, study, person, where)
        return
    begin(study.name)
    top(f"{where.stage} {where.done}", key="top")
    if where.note and where.stage not in (*participant_seats.STAGES, "full"):
        st.info(plain_text(where.note))
    STAGES[where.stage](services, study, person, where)
    participant_help.draw(services, study, person, where.stage)
    if where.stage in participant_stop.STAGES:
        participant_stop.draw(services, study, person)
    if where.stage in ENDS:
        _next_person(services, study, checked)
    _switch(several)


ENDS = participant_end.STAGES
"""Stages after which the computer may go to somebody else."""


def _next_person(services: Services, study: Study, grant: Grant) -> None:
    """Where several people use this computer one after the other: the way to the next person's page."""
    ref = arrivals.next_at(services.store, grant)
    if ref is None:
        return
    link = f"<p><a class='next-person' href='enter/{escape(ref)}/next'>{escape(say('entry.next_person'))}</a></p>"
    if arrivals.is_shared(services.store, study, grant):
        st.html(link)
        return
    with st.expander(say("entry.next_person_asked")):
        st.write(say("entry.next_person_means"))
        st.html(link)


def _switch(several: bool) -> None:
    """Where this browser has other roles, a way to them."""
    if not several:
        return
    st.divider()
    if st.button(say("end.switch"), type="tertiary", key="switch-role"):
        st.session_state.pop("grant", None)
        st.query_params.clear()
        st.rerun()


def _ask(services: Services, study: Study, person: str, where: Place) -> None:
    """One question about pictures."""
    assert where.episode_id is not None
    practice = where.stage == "practice"
    counted = say("task.question_title", number=where.done + 1, total=where.total)
    title = say("task.question_practice_title") if practice else counted
    begin(say("task.practice") if practice else title, layout="wide", bare=True)
    if where.note:
        st.info(plain_text(where.note))
    last = not practice and where.done + 1 >= where.total
    label = say("task.question_begin" if practice else "task.finish" if last else "task.question_next")
    question(where.episode_id, title=title, next_label=label, key="question", stop=participant_forms.stopping(study))


def _play(services: Services, study: Study, person: str, where: Place) -> None:
    assert where.episode_id is not None
    practice = where.stage == "practice"
    title = say("task.practice_title") if practice else say("task.title", number=where.done + 1, total=where.total)
    if where.part:
        number, _, total = where.part.partition("/")
        title = say("tutorial.title", number=number, total=total)
    begin(say("task.practice") if practice else title, layout="wide", bare=True)
    if where.note:
        st.info(plain_text(where.note))
    last = not practice and where.done + 1 >= where.total
    label = say("tutorial.begin" if where.part else "task.begin" if practice else "task.finish" if last else "task.next")
    upcoming = where.done + (1 if practice else 2)
    play(
        where.episode_id,
        title=title,
        next_label=label,
        following="" if last or where.part else say("task.title", number=upcoming, total=where.total),
        pause="" if last or where.part else say("task.pause"),
        stop=participant_forms.stopping(study),
        practice=say("task.practice_told") if practice and not where.part else "",
        example=bool(where.part),
        progress=participant_forms.progress(services, person),
        # One place on the page for all tasks, so that it is never empty between two of them.
        key="play",
        test=services.settings.test_hook,
    )


COMPONENTS: Mapping[str, Callable[[Services, Study, str, Place], None]] = {"play": _play, "question": _ask}
"""What draws each page component that a paradigm names (`study.paradigms.paradigm.Paradigm.component`)."""


def _go(services: Services, participant_id: str, event: str) -> None:
    participants.advance(services.store, participant_id, event)
    st.rerun()


def _welcome(services: Services, study: Study, participant_id: str, where: Place) -> None:
    st.title(plain_text(study.name), anchor=False)
    plain(welcome_of(study))
    plain(entry_pages.needs(study.protocol))
    left, right, _ = st.columns([1, 1, 2])
    if left.button(say("consent.continue"), key="continue", type="primary", width="stretch"):
        _go(services, participant_id, "welcome")
    if right.button(say("consent.no_thanks"), key="no-thanks", width="stretch"):
        participants.stop(services.store, services.engine, participant_id)
        st.rerun()


def _consent(services: Services, study: Study, participant_id: str, where: Place) -> None:
    st.title(say("consent.title"), anchor=False)
    plain(study.consent or say("consent.text"))
    small, sheet = entry_pages.small_window(study.protocol)
    st.html(sheet + small)
    with st.container(key=entry_pages.ENOUGH):
        agreed = st.checkbox(say("consent.agree"), key="agree")
        take_part = st.button(say("consent.take_part"), key="take-part", type="primary")
    if take_part:
        if agreed:
            _go(services, participant_id, "consent")
        st.error(say("consent.tick_first"))
    if st.button(say("consent.no_thanks"), key="no-thanks"):
        _go(services, participant_id, "decline")


STAGES: Mapping[str, Callable[[Services, Study, str, Place], None]] = {
    "welcome": _welcome,
    "consent": _consent,
    "break": participant_forms.rest,
    "message": participant_forms.message,
    "instructions": participant_forms.instruct,
    **participant_seats.STAGES,
    **dict.fromkeys(participant_end.STAGES, participant_end.page),
}
"""What draws each place of a participant where there is no task."""

WHOLE: Mapping[str, Callable[[Services, Study, str, Place], None]] = {"form": participant_forms.ask}
"""What draws each place that has the window to itself."""

PAGES = (
    Page(
        "Vantage",
        "study",
        roles=("participant",),
        draw=lambda visit: page(visit.grant, several=visit.several),
        routes=(*place_api.ROUTES, *play_api.ROUTES, *qa_play_api.ROUTES, *forms_api.ROUTES),
        components=(PLAY, QUESTION, LEAVING, FORM, TOP),
    ),
)
