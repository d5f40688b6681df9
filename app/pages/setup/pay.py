"""Set-up: what people are paid."""

from __future__ import annotations

import streamlit as st

from app.pages.setup.section import Asked, Section, Setup, ask, submitted
from study.paying import PART_IN_WORDS

ASKED = (
    Asked("currency", "Currency", empty="EUR; empty: nobody is paid"),
    Asked("per_session", "For a finished session"),
    Asked("per_hour", "Or for an hour, as measured"),
    Asked("minimum_per_hour", "Warn below, an hour"),
    Asked("stopped", "People who end early are paid", PART_IN_WORDS),
    Asked("technical", "People who were stopped by a fault of ours are paid", PART_IN_WORDS),
    Asked("screened_out", "People who are screened out or find no place are paid", PART_IN_WORDS),
    Asked("amount", "The fixed amount, where one of these says so"),
)


def draw(setup: Setup) -> None:
    """The rules of payment."""
    st.write("Waiting for us is paid time; being away is not. The page of payments shows what was really paid for an hour.")
    found = ask(setup, setup.study.pay, ASKED, "pay")
    if submitted(setup):
        found["currency"] = found["currency"].upper()
        setup.save(pay=found, then="ethics")


SECTION = Section("pay", "Pay", draw, asks={"pay": ASKED})
