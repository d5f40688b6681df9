"""The sections of the page Set-up, in the order in which a study is set up. Another one: a module with a ``SECTION``, and a line."""

from __future__ import annotations

from app.pages.setup import (
    before,
    ethics,
    name,
    opening,
    paradigms,
    pay,
    pictures,
    places,
    plan,
    protocol,
    questionnaires,
    returns,
    simulators,
    size,
    tasks,
    texts,
)
from app.pages.setup.section import Section

SECTIONS: tuple[Section, ...] = (
    name.SECTION,
    tasks.SECTION,
    paradigms.SECTION,
    simulators.SECTION,
    pictures.SECTION,
    places.SECTION,
    protocol.SECTION,
    texts.SECTION,
    questionnaires.SECTION,
    before.SECTION,
    returns.SECTION,
    pay.SECTION,
    ethics.SECTION,
    plan.SECTION,
    size.SECTION,
    opening.SECTION,
)
"""Every section."""
