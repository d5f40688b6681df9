"""What a page of the app declares. The list of pages is `app.pages.registry`; menu, routes and components follow from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st
from starlette.routing import Route

from app import rights
from app.components import Component
from app.streamlit_seam.types import StreamlitPage
from data.store import Store
from study.access import Grant

FIRST = "first_page"
"""Under which name a tab keeps the address of the first page of its menu."""


@dataclass(frozen=True)
class Visit:
    """Who opened a page: the grant that the menu was made for (the page checks it again), and whether this browser has others."""

    grant: Grant
    several: bool


@dataclass(frozen=True)
class Page:
    """One page: a module that holds it, and one line in `app.pages.registry`."""

    title: str
    """In the menu and on the browser's tab."""
    path: str
    """Its address below the app's."""
    roles: tuple[str, ...]
    """Who has it: grants that count as one of these."""
    draw: Callable[[Visit], None]
    """Draws it. It asks `app.rights` itself: the menu is no control."""
    group: str = ""
    """Under which word the menu has it, where a menu has pages of several."""
    routes: tuple[Route, ...] = ()
    """What its browser side asks the server; pages may share some."""
    components: tuple[Component, ...] = ()
    """The browser components that it mounts."""
    waits: Callable[[Store, Grant], bool] | None = None
    """Whether something waits here for the bearer of a grant: their link lands on the first such page that they have."""
    uploads: bool = False
    """It has an uploader: only who has such a page may send files to the server."""

    def open_to(self, grant: Grant) -> bool:
        """Whether the menu of this grant has it."""
        return rights.counts_as(grant, *self.roles)

    def to(self) -> StreamlitPage:
        """Something for ``st.switch_page`` and links; only its address counts. The first page of a menu is at the start address: by way of
        its own, which leads there, the browser's way back would end at it."""
        first = st.session_state.get(FIRST) == self.path
        return st.Page(_nowhere, title=self.title, url_path="" if first else self.path, default=first)


def _nowhere() -> None:
    """The callable of a page that is only switched to: the menu's own one of the same address draws."""
