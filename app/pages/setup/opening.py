"""Set-up: what the study still lacks, what changed since it was published, and publishing, opening, closing, copying, putting away."""

from __future__ import annotations

import re

import streamlit as st

from app import rights
from app.pages import qa_parts
from app.pages.parts import plain_text, when
from app.pages.setup.section import Section, Setup
from study import admission, versions
from study.states import STUDY
from study.studies import Study, get_study

EVENTS = {
    "pilot": ("Begin the pilot", "People come in; what they do counts as the pilot, apart from the study."),
    "open": ("Open the study", "People come in, and what they do is the study."),
    "close": ("Close the study", "Nobody new comes in; who has begun can go on."),
}
"""What a study's state can be told → the button, and what it does."""


def draw(setup: Setup) -> None:
    """What stands in the way, and the ways on."""
    store, study = setup.services.store, setup.study
    stopping = [concern for concern in setup.concerns if concern.stops]
    if stopping:
        st.subheader("Before people can come in", anchor=False)
        st.html("".join(f"<p style='margin:.2rem 0'>○ {_shown(concern.says)}</p>" for concern in stopping))
    else:
        st.success("Nothing is missing: people can be let in.")
    published = get_study(store, study.study_id)
    edited = versions.is_edited(store, study.study_id)
    if study.version and edited:
        _next_version(setup)
    _ways_on(setup, blocked=bool(stopping), edited=bool(study.version) and edited)
    if study.version:
        st.subheader("Versions", anchor=False)
        found = versions.versions(store, study.study_id)
        rows = [[row.version, when(row.published_at), row.people, row.sha256[:16], row.note] for row in found]
        st.html(qa_parts.table(["Version", "Published", "People", "SHA-256 begins", "Note"], rows, numbers=[0, 2]))
        if study.version > 1:
            before = get_study(store, study.study_id, study.version - 1)
            with st.expander(f"What version {int(study.version)} changed"):
                _table(before, published)
    st.subheader("Copy, or put away", anchor=False)
    _copy(setup)


def _shown(sentence: str) -> str:
    """A sentence with its commands as such."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", qa_parts.escape(sentence))


def _table(before: Study, after: Study) -> None:
    rows = [[one.field, one.before or "–", one.after or "–"] for one in versions.differences(before, after)]
    st.html(qa_parts.table(["Setting", "Was", "Is"], rows))


def _next_version(setup: Setup) -> None:
    """What differs from the published version, and publishing it."""
    study = setup.study
    number = int(study.version) + 1
    st.subheader(f"Version {number}, not published yet", anchor=False)
    st.write(
        f"Version {number - 1} goes on as it is: whoever takes part notices nothing. Who comes after you publish takes part in version "
        f"{number}."
    )
    _table(get_study(setup.services.store, study.study_id), study)
    with st.form("setup-publish", border=False):
        note = st.text_input("Why it changes", max_chars=300, placeholder="for the list of versions and the paper")
        left, _ = st.columns([1, 2])
        if left.form_submit_button(f"Publish version {number}", type="primary", width="stretch"):
            setup.do(
                lambda actor: admission.publish_study(setup.services.store, study.study_id, actor=actor, note=note.strip()),
                f"Version {number} is published.",
            )


def _ways_on(setup: Setup, *, blocked: bool, edited: bool) -> None:
    """The buttons that change the study's state."""
    study = setup.study
    st.subheader(plain_text(f"It is {study.state}"), anchor=False)
    st.write(plain_text(f"{admission.STATES_IN_WORDS[study.state].capitalize()}."))
    if edited:
        st.caption("Opening it lets people into the published version; publish what you changed first if they should meet that.")
    ways = [event for event in EVENTS if event in STUDY[study.state]]
    for event, column in zip(ways, st.columns(3), strict=False):
        label, told = EVENTS[event]
        off = blocked and event != "close"
        if column.button(plain_text(label), key=f"setup-{event}", disabled=off, help=plain_text(told), width="stretch"):
            setup.do(
                lambda actor, event=event: admission.move_study(setup.services.store, study.study_id, event, actor=actor),  # type: ignore[misc]
                "Done.",
            )


def _copy(setup: Setup) -> None:
    """A copy, and the archive."""
    store, study = setup.services.store, setup.study
    if rights.founds(setup.grant):
        with st.form("setup-clone", border=False):
            name = st.text_input("Name of the copy", max_chars=200, placeholder=f"{study.name}, again")
            left, _ = st.columns([1, 2])
            if left.form_submit_button("Make a copy", width="stretch"):
                setup.do(lambda actor: _cloned(setup, name.strip() or f"{study.name}, again", actor), "This is the copy: a draft.", "name")
    if study.state in ("draft", "closed") and st.button("Put it away", help="No list has it and nobody comes in; everything is kept."):
        setup.do(lambda actor: admission.archive(store, study.study_id, actor=actor), f"{study.name} is put away.", "name")


def _cloned(setup: Setup, name: str, actor: str) -> None:
    copy = versions.clone(setup.services.store, setup.study.study_id, name, actor=actor)
    st.session_state["setup_study"] = copy.study_id


SECTION = Section("opening", "Check and open", draw)
