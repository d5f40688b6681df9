"""Set-up: what the study still lacks, what changed since it was published, and publishing, opening, closing, copying, putting away."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from app import identity, rights
from app.address import invitation_link, recruitment_address
from app.pages import said, tables
from app.pages.parts import base_address, plain_text, when
from app.pages.setup.section import Section, Setup
from study import access, admission, drafting, versions
from study.readiness import Concern
from study.states import STUDY
from study.studies import Study, get_study

STATES = {"draft": "It is a draft", "pilot": "It is a pilot", "live": "It is live", "closed": "It is closed"}
COPY_IT = "Copy it now: only a fingerprint of it is kept. Each browser in which it is opened is a participant."
LINK, DISCARD, COPY, AWAY = "Make a participant link", "Discard what is not published", "Make a copy", "Put it away"
EVENTS = {
    "pilot": ("Begin the pilot", "People come in; what they do counts as the pilot, apart from the study."),
    "open": ("Open the study", "People come in, and what they do is the study."),
    "close": ("Close the study", "Nobody new comes in; people who have begun can go on."),
}
"""What a study's state can be told → the button, and what it does."""


def draw(setup: Setup) -> None:
    """What stands in the way, and the ways on."""
    store, study = setup.services.store, setup.study
    stopping = [concern for concern in setup.concerns if concern.stops]
    if stopping:
        st.subheader("Before people can come in", anchor=False)
        _listed(stopping, "○")
    else:
        st.success("Nothing is missing: people can be let in.")
    if known := [concern for concern in setup.concerns if not concern.stops]:
        st.subheader("What one should know", anchor=False)
        _listed(known, "•")
    published = get_study(store, study.study_id)
    edited = versions.is_edited(store, study.study_id)
    if study.version and edited:
        _next_version(setup)
    _ways_on(setup, blocked=bool(stopping), edited=bool(study.version) and edited)
    _let_in(setup)
    if study.version:
        st.subheader("Versions", anchor=False)
        found = versions.versions(store, study.study_id)
        rows = [[row.version, when(row.published_at), row.people, row.sha256[:16], row.note] for row in found]
        st.html(tables.table(["Version", "Published", "People", "SHA-256 begins", "Note"], rows, numbers=[0, 2]))
        if study.version > 1:
            before = get_study(store, study.study_id, study.version - 1)
            with st.expander(f"What version {int(study.version)} changed"):
                _table(setup, before, published)
    st.subheader("Copy, or put away", anchor=False)
    _copy(setup)


def _listed(concerns: Sequence[Concern], mark: str) -> None:
    st.html("".join(f"<p style='margin:.2rem 0'>{mark} {escape(concern.says)}</p>" for concern in concerns))


def _table(setup: Setup, before: Study, after: Study) -> None:
    rows = [[setup.labels.get(one.field, one.field), one.before or "–", one.after or "–"] for one in versions.differences(before, after)]
    st.html(tables.table(["Setting", "Was", "Is"], rows))


def _next_version(setup: Setup) -> None:
    """What differs from the published version, and publishing it."""
    study = setup.study
    number = int(study.version) + 1
    st.subheader(f"Version {number}, not published yet", anchor=False)
    st.write(
        f"Version {number - 1} goes on as it is: people who take part notice nothing. People who come after you publish take part in "
        f"version {number}."
    )
    _table(setup, get_study(setup.services.store, study.study_id), study)
    note = st.text_input("Why it changes", placeholder="for the list of versions and the paper", **setup.hold("note", ""))
    publish = f"Publish version {number}"
    if setup.press(publish, primary=True):
        setup.do(
            lambda actor: admission.publish_study(setup.services.store, study.study_id, actor=actor, note=note.strip()),
            f"Version {number} is published.", by=publish,
        )  # fmt: skip
    if setup.press(DISCARD, ask=f"All that the table above lists goes back to what it was in version {number - 1}."):
        setup.do(
            lambda actor: versions.discard(setup.services.store, study.study_id, actor=actor),
            f"The study is as version {number - 1} has it.", by=DISCARD,
        )  # fmt: skip


def _ways_on(setup: Setup, *, blocked: bool, edited: bool) -> None:
    """The buttons that change the study's state."""
    study = setup.study
    st.subheader(plain_text(STATES[study.state]), anchor=False)
    st.write(plain_text(f"{admission.STATES_IN_WORDS[study.state].capitalize()}."))
    # a draft that is not wanted any more is put away
    ways = [event for event in EVENTS if event in STUDY[study.state] and (study.state, event) != ("draft", "close")]
    if edited and set(ways) - {"close"}:
        st.caption("Opening it lets people into the published version; publish what you changed first if they should meet that.")
    for event in ways:
        label, told = EVENTS[event]
        off = blocked and event != "close"
        if setup.press(label, disabled=off, help=plain_text(told), ask=told if event == "close" else ""):
            setup.do(
                lambda actor, event=event: admission.move_study(setup.services.store, study.study_id, event, actor=actor),  # type: ignore[misc]
                "Done.", by=label,
            )  # fmt: skip


def _let_in(setup: Setup) -> None:
    """The links by which people come in."""
    services, study = setup.services, setup.study
    st.subheader("How people come in", anchor=False)
    if study.state == "draft":
        st.write("A participant link lets you try the study out before it is opened; what is done then is kept apart.")
    if (published := get_study(services.store, study.study_id)).recruitment is not None:
        st.write("For the recruitment platform, as the address of the study. The platform fills in what stands in braces.")
        st.code(recruitment_address(base_address(), published.recruitment), language=None, wrap_lines=True)
        if not published.recruitment.external_study:
            st.info("Nobody comes in by it yet: the platform’s id of this study has to be filled in, in Codes and recruitment.")
    if setup.press(LINK) and not said.twice(LINK):
        rights.in_study(services.store, identity.page_cookie(), "researcher", study.study_id)
        token = access.create_invite(
            services.store, "participant", study.study_id, label="from the page", kiosk=study.kiosk, actor=setup.grant.staff_id or ""
        )
        said.done(LINK, about=study.study_id, link=invitation_link(base_address(), token), of_link=COPY_IT, deed=LINK)
    said.show(LINK, study.study_id)


def _copy(setup: Setup) -> None:
    """A copy, and the archive."""
    store, study = setup.services.store, setup.study
    if rights.founds(setup.grant):
        again = drafting.free_name(store, f"{study.name}, again")
        name = st.text_input("Name of the copy", placeholder=again, **setup.hold("copy", "")).strip() or again
        if setup.press(COPY):
            setup.do(
                lambda actor: _cloned(setup, name, actor),
                "This is the copy: a draft. Codes, the platform’s id and the ethics record’s number are its own.",
                "name",
                by=COPY,
            )
    if study.state in ("draft", "closed") and setup.press(
        AWAY, ask="No list has it then, and nobody comes in. Everything is kept, and below the choice of studies it can be taken back."
    ):
        setup.do(lambda actor: admission.archive(store, study.study_id, actor=actor), f"{study.name} is put away.", "name", by=AWAY)


def _cloned(setup: Setup, name: str, actor: str) -> None:
    copy = versions.clone(setup.services.store, setup.study.study_id, name, actor=actor)
    st.session_state["setup_study"] = copy.study_id


SECTION = Section("opening", "Check and open", draw)
