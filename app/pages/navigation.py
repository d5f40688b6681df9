"""Which pages this browser has: built from its grants on every run, so that a change of role works at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from app import identity, rights
from app.pages import landing, said
from app.pages.page import FIRST, Visit
from app.pages.registry import ADDRESSES, pages_of
from app.services import current
from app.streamlit_seam.types import StreamlitPage
from data.store import Store
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
    # A whole run of the page is something that its person did; what refreshes itself runs as a fragment and does not come here.
    identity.alive(cookie, services)
    grants = rights.held(services.store, cookie)
    grant = chosen(grants)
    several = len(grants) > 1
    if not grants:
        pages, elsewhere = {"": [st.Page(_out(services.store, cookie), title="Vantage", default=True)]}, _out(services.store, cookie)
    elif grant is None:
        pages, elsewhere = {"": [st.Page(lambda: landing.pick(grants), title="Vantage", default=True)]}, lambda: landing.pick(grants)
    else:
        pages, elsewhere = _menu(Visit(grant, several)), landing.not_here
    many = sum(page.visibility == "visible" for group in pages.values() for page in group) > 1
    shown = st.navigation(_and_all_others(pages, elsewhere), position="top" if many else "hidden")
    said.here(shown.url_path, "" if grant is None else grant.grant_id)
    with said.held():
        shown.run()
    if grant is not None and grant.role in rights.WRITERS:
        landing.leave(grant, several=several)


def _out(store: Store, cookie: str | None) -> Callable[[], None]:
    """What a browser without access sees: why, where it had some."""
    if rights.away(store, cookie):
        return landing.away
    # A tab that was open keeps the cookie with which it came, and a new right gives its browser another.
    return landing.reload if "grant" in st.session_state else landing.welcome


def _and_all_others(pages: dict[str, list[StreamlitPage]], elsewhere: Callable[[], None]) -> dict[str, list[StreamlitPage]]:
    """`pages`, and under every other address of the app, in no menu, `elsewhere`: Streamlit would tell of its "main page" there."""
    taken = {page.url_path for group in pages.values() for page in group}
    hidden = [
        st.Page(elsewhere, title="Vantage", url_path=path, visibility="hidden")
        for path in (address.removeprefix("/") for address in ADDRESSES)
        if path not in taken
    ]
    first, *_ = pages
    return {**pages, first: [*pages[first], *hidden]}


def _menu(visit: Visit) -> dict[str, list[StreamlitPage]]:
    """The pages of a grant, in groups where there are several; its link lands on the first."""
    mine = pages_of(visit.grant)
    st.session_state[FIRST] = mine[0].path if mine else ""
    grouped = len({page.group for page in mine}) > 1
    menu: dict[str, list[StreamlitPage]] = {}
    for number, page in enumerate(mine):
        # Streamlit knows the first page by the start address alone; under its own it leads there.
        path = page.path if number else ""
        drawn = st.Page(partial(page.draw, visit), title=page.title, url_path=path, default=not number)
        menu.setdefault(page.group if grouped else "", []).append(drawn)
        if not number:
            to_it = partial(_lead_to, drawn)
            menu[page.group if grouped else ""].append(st.Page(to_it, title=page.title, url_path=page.path, visibility="hidden"))
    return menu


def _lead_to(page: StreamlitPage) -> None:
    """To the page, with what the address asks for."""
    st.switch_page(page, query_params=st.query_params.to_dict())
