"""Which pages this browser has: built from its grants on every run, so that a change of role works at once."""

from __future__ import annotations

import streamlit as st

from app import identity
from app.pages import landing, participant, researcher
from app.services import current
from study import access
from study.access import Grant

STAFF_ROLES = ("researcher", "owner")
"""Roles that have pages beside the participant's."""


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
    grants = [grant for grant in access.grants(services.store, cookie) if grant.role == "participant" or grant.role in STAFF_ROLES]
    grant = chosen(grants)
    several = len(grants) > 1
    if not grants:
        pages = [st.Page(landing.welcome, title="Vantage", default=True)]
    elif grant is None:
        pages = [st.Page(lambda: landing.pick(grants), title="Vantage", url_path="start", default=True)]
    elif grant.role == "participant":
        pages = [st.Page(lambda: participant.page(grant, several=several), title="Vantage", url_path="study", default=True)]
    else:
        viewer = st.Page(lambda: researcher.episode(grant), title="Episode", url_path="episode")
        pages = [
            st.Page(lambda: researcher.overview(grant, viewer, several=several), title="Episodes", url_path="episodes", default=True),
            viewer,
            st.Page(lambda: researcher.export(grant), title="Export", url_path="export"),
        ]
    st.navigation(pages, position="top" if grant and grant.role in STAFF_ROLES else "hidden").run()
