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
    Asked("stopped", "Who ends early is paid", PART_IN_WORDS),
    Asked("technical", "Whom our technique kept from going on is paid", PART_IN_WORDS),
    Asked("screened_out", "Who is screened out, or finds no place, is paid", PART_IN_WORDS),
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
