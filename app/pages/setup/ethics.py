"""Set-up: the ethics record, without which no people come in."""

from __future__ import annotations

import streamlit as st

from app.pages.setup.section import Asked, Section, Setup, ask, submitted
from study.ethics import EthicsRecord

BASES = {
    "approval": "a board approved it",
    "determination": "it was found to need no approval",
    "demonstration": "it is a demonstration: no data for research",
}
ASKED = (
    Asked("basis", "Why it may be done", BASES),
    Asked("decided_by", "Who decided", empty="the board or office"),
    Asked("number", "Number of the decision"),
    Asked("decided_on", "Day of the decision", empty="2026-03-31"),
    Asked("minimum_age", "Age from which people may take part, years", least=0, most=120),
    Asked("retention", "What is kept, by whom, where and until when", lines=3),
    Asked("risks", "Risks", lines=2, empty="“None beyond everyday use of a computer” is an answer."),
    Asked("withdrawal_until", "Until when people can take their data back, and how"),
)


def draw(setup: Setup) -> None:
    """The record."""
    st.write("A pilot and the study itself let nobody in before this record is whole. A demonstration needs its first line alone.")
    found = ask(setup, setup.study.ethics or EthicsRecord(), ASKED, "ethics")
    if submitted(setup):
        setup.save(ethics=found, then="plan")


SECTION = Section("ethics", "Ethics record", draw, asks={"ethics": ASKED})
