"""What a participant meets beside tasks: questionnaires, breaks, and how far they are."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app.components import questionnaire
from app.pages.parts import begin, plain, plain_text
from app.services import Services
from study import breaks, messages, participants
from study.briefing import instructions_of
from study.forms import answers
from study.place import Place
from study.stations import instructions
from study.stations.forms import occasion
from study.studies import Study
from study.wording import say


def stopping(study: Study) -> dict[str, Any]:
    """What the study says to whoever is about to stop, and whom they may ask."""
    return {"payment": study.stopping, "hold_minutes": study.hold_minutes, "contact": study.contact.strip()}


def progress(services: Services, participant_id: str) -> dict[str, Any]:
    """How far somebody is in the whole session, for a component."""
    done, every = participants.progress(services.store, services.engine, participant_id)
    return {"done": done, "all": every, "words": say("break.progress", done=done, total=every)}


def _goes_on(word: str, key: str) -> bool:
    """The button under words that may be longer than the window: it stays in view, as the sheet of pages says."""
    with st.container(key=f"goes-on-{key}"):
        return st.button(say(word), key=key, type="primary")


def rest(services: Services, study: Study, participant_id: str, where: Place) -> None:
    """A break between tasks."""
    breaks.begin(services.store, participant_id, where.done)
    st.title(say("break.title"), anchor=False)
    words = study.breaks.text or say("break.told", done=where.done, total=where.total * study.sessions)
    plain(words)
    done, every = participants.progress(services.store, services.engine, participant_id)
    st.progress(done / every, text=plain_text(say("break.progress", done=done, total=every)))
    if _goes_on("break.go_on", "break-over"):
        breaks.end(services.store, participant_id, where.done)
        st.rerun()


def message(services: Services, study: Study, participant_id: str, where: Place) -> None:
    """A researcher's message; going on is the receipt."""
    found = next((one for one in messages.messages(services.store, participant_id) if one.message_id == where.part), None)
    st.title(say("message.title"), anchor=False)
    plain("" if found is None else found.text)
    if study.contact.strip():
        st.write(say("message.no_answer"))
        plain(study.contact.strip())
    if _goes_on("message.read", f"read-{where.part}"):
        messages.has_read(services.store, participant_id, where.part)
        st.rerun()


def instruct(services: Services, study: Study, participant_id: str, where: Place) -> None:
    """The instructions."""
    st.title(say("instructions.title"), anchor=False)
    plain(instructions_of(study))
    if _goes_on("instructions.go_on", "instructions-read"):
        instructions.go_on(services.store, participant_id)
        st.rerun()


def ask(services: Services, study: Study, participant_id: str, where: Place) -> None:
    """One questionnaire."""
    form = next(form for form in study.every_form if form.name == where.part)
    begin(form.title, bare=True)
    showing = answers.show(services.store, participant_id, form, occasion(where.done, form.when))
    questionnaire(
        showing.showing_id,
        title=study.name,
        next_label=say("form.continue"),
        key="form",
        stop=stopping(study),
        progress=progress(services, participant_id),
    )
