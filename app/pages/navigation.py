"""Which pages this browser has: built from its grants on every run, so that a change of role works at once."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from app import identity, rights
from app.pages import landing, participant, qa_author, qa_lead, qa_moments, qa_review, researcher
from app.services import current
from study.access import Grant


def chosen(grants: list[Grant]) -> Grant | None:
    """The grant to show: named in the address, chosen before in this tab, or the only one."""
    by_id = {grant.grant_id: grant for grant in grants}
    for wanted in (st.query_params.get("as"), st.session_state.get("grant")):
        if wanted in by_id:
            st.session_state["grant"] = wanted
            return by_id[wanted]
    return grants[0] if len(grants) == 1 else None


def main() -> None:
    """Draw the current page."""
    services = current()
    cookie = identity.page_cookie()
    grants = rights.held(services.store, cookie)
    grant = chosen(grants)
    several = len(grants) > 1
    if not grants:
        pages = [st.Page(landing.welcome, title="Vantage", default=True)]
    elif grant is None:
        pages = [st.Page(lambda: landing.pick(grants), title="Vantage", url_path="start", default=True)]
    elif grant.role == "participant":
        pages = [st.Page(lambda: participant.page(grant, several=several), title="Vantage", url_path="study", default=True)]
    elif grant.role in rights.LEADS:
        pages = _lead(grant, several=several)
    else:
        pages = _writer(grant)
    st.navigation(pages, position="top" if grant and len(pages) > 1 else "hidden").run()
    if grant is not None and grant.role in rights.WRITERS:
        landing.leave(grant, several=several)


def _lead(grant: Grant, *, several: bool) -> list[StreamlitPage]:
    viewer = st.Page(lambda: researcher.episode(grant), title="Episode", url_path="episode")
    return [
        st.Page(lambda: researcher.overview(grant, viewer, several=several), title="Episodes", url_path="episodes", default=True),
        viewer,
        st.Page(lambda: researcher.export(grant), title="Export", url_path="export"),
        st.Page(lambda: qa_lead.page(grant), title="Questions", url_path="questions"),
        st.Page(lambda: qa_moments.page(grant), title="Moments", url_path="moments"),
        st.Page(lambda: qa_author.home(grant), title="Make questions", url_path="make"),
        st.Page(lambda: qa_author.editor(grant), title="Editor", url_path="editor"),
    ]


def _writer(grant: Grant) -> list[StreamlitPage]:
    """Pages of those who make questions (author), judge them (reviewer) or both; the first is where their link lands."""
    pages = []
    if rights.counts_as(grant, "author"):
        pages += [
            st.Page(lambda: qa_author.home(grant), title="Make questions", url_path="make", default=True),
            st.Page(lambda: qa_author.editor(grant), title="Editor", url_path="editor"),
        ]
    if rights.counts_as(grant, "reviewer"):
        pages.append(st.Page(lambda: qa_review.page(grant), title="Review", url_path="review", default=not pages))
    if rights.counts_as(grant, "author"):
        pages.append(st.Page(lambda: qa_moments.page(grant), title="Moments", url_path="moments"))
    return pages
