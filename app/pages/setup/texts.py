"""Set-up: what participants read."""

from __future__ import annotations

import streamlit as st

from app.pages.setup.section import Asked, Section, Setup, ask, submitted

ASKED = (
    Asked("welcome", "Welcome", lines=5, help="The first page. A blank line parts paragraphs."),
    Asked("instructions", "Instructions before the tasks", lines=5, empty="As the program says it: explore freely, answer when sure."),
    Asked("consent", "Consent", lines=8, help="What is recorded, by whom, for how long, and whom to ask."),
    Asked("consent_version", "Version of the consent text"),
    Asked("contact", "Whom participants may ask", empty="a name and an address"),
    Asked("stopping", "What stopping early means for the payment", lines=3),
    Asked("thanks", "The last page, below “Thank you”", lines=4),
    Asked("debriefing", "Debriefing", lines=5),
)


def draw(setup: Setup) -> None:
    """The texts."""
    st.write("Plain text; a blank line parts paragraphs. No hint at what makes tasks hard, and no word of the answers.")
    found = ask(setup, setup.study, ASKED, "texts")
    if submitted(setup):
        setup.save(**found, then="forms")


SECTION = Section("texts", "Texts and consent", draw, also=("consent",), asks={"": ASKED})
