"""The pages of the app, in the order of the menu; the first that a role has is where its link lands. Another page: a module and a line."""

from __future__ import annotations

import importlib

from app.pages.page import Page
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
