"""The pages of the app, in the order of the menu; a link lands on the first that its role has, or the first where something waits.
Another page: a module and a line."""

from __future__ import annotations

import importlib

from app.pages.page import Page
from data.store import Store
from study.access import Grant

MODULES: tuple[str, ...] = (
    "participant",
    "researcher",
    "researcher_episode",
    "researcher_setup",
    "researcher_watch",
    "researcher_people",
    "researcher_payments",
    "results",
    "researcher_export",
    "people",
    "qa_lead",
    "qa_author",
    "qa_review",
    "qa_moments",
    "answers_in_words",
    "verification",
    "disputes",
    "trajectories",
    "record",
    "author_task",
    "verify",
    "adjudicate",
    "audit",
    "log",
)
"""The registry: modules of `app.pages`, each with its ``PAGES``."""

PAGES: tuple[Page, ...] = tuple(page for name in MODULES for page in importlib.import_module(f"app.pages.{name}").PAGES)
"""Every page."""

START = "start"
"""Address of the page on which somebody with several roles picks one."""
ADDRESSES: tuple[str, ...] = ("/", f"/{START}", *(f"/{page.path}" for page in PAGES))
"""Every address under which a browser may ask for a page."""


def pages_of(grant: Grant) -> list[Page]:
    """The pages in the menu of a grant."""
    return [page for page in PAGES if page.open_to(grant)]


def lands(store: Store, grant: Grant) -> str:
    """Where the link of a grant lands, as an address below the app's; empty: its first page."""
    mine = pages_of(grant)
    found = next((page for page in mine if page.waits is not None and page.waits(store, grant)), mine[0])
    return "" if found is mine[0] else found.path
