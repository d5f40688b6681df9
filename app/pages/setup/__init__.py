"""The sections of the page Set-up, in the order in which a study is set up. Another one: a module with a ``SECTION``, and a line."""

from __future__ import annotations

import importlib

from app.pages.setup.section import Section

MODULES: tuple[str, ...] = (
    "name",
    "tasks",
    "paradigms",
    "places",
    "protocol",
    "texts",
    "returns",
    "questionnaires",
    "ethics",
    "plan",
    "size",
    "opening",
)
"""The registry: modules of this package."""


def _declared(module: str) -> Section:
    found: Section = importlib.import_module(f"{__name__}.{module}").SECTION
    return found


SECTIONS: tuple[Section, ...] = tuple(_declared(module) for module in MODULES)
"""Every section."""
