"""Set-up: the analysis and exclusion plan, locked by its hash before the data are seen."""

from __future__ import annotations

import streamlit as st

from app.pages import tables
from app.pages.parts import when
from app.pages.setup.section import Asked, Section, Setup, ask, submitted
from study import plans

EXCLUSIONS = (
    Asked("attention_missed", "Left out: people who missed so many attention checks", least=1, most=50, empty="no such rule"),
    Asked("comprehension_failed", "Left out: people who did not pass a comprehension check"),
    Asked("checks_missed", "Left out: people who did not pass a check of screen or eyes"),
    Asked("stopped", "Left out: people who ended early"),
    Asked("clipped", "Left out: tasks in which the camera was inside a wall or a thing"),
)


def draw(setup: Setup) -> None:
    """The rules by which answers are left out of figures, the locks there are, and another one."""
    st.write(
        "Answers that these rules leave out are kept, and every figure exists with and without them. The rules hold for people who come "
        "after they were published."
    )
    rules = ask(setup, setup.study.exclusions, EXCLUSIONS, "exclusions")
    if submitted(setup):
        setup.save(exclusions=rules, then="plan")
    st.subheader("The plan, locked", anchor=False)
    _locks(setup)


def _locks(setup: Setup) -> None:
    st.write(
        "Who is left out by which rule, and what is computed. A lock never changes: a changed plan is locked beside the one before, and "
        "reports say so. Nobody is left out for being fast, still or of another opinion."
    )
    found = plans.plans(setup.services.store, setup.study.study_id)
    if found:
        rows = [
            [plan.n, when(plan.locked_at), "before it went live" if plan.beforehand else f"while {plan.state}", plan.sha256[:16], plan.name]
            for plan in found
        ]
        st.html(tables.table(["Plan", "Locked", "When", "SHA-256 begins", "Name"], rows, numbers=[0]))
        if found[-1].text:
            with st.expander("Read the newest"):
                st.code(found[-1].text, language=None, wrap_lines=True)
    else:
        st.info("No plan is locked yet. It can be done later too, and then counts as made while data were there.")
    text = st.text_area("The plan", height=220, placeholder="Paste the text.", **setup.hold("plan", ""))
    name = st.text_input("What it is called", placeholder="analysis plan, first version", **setup.hold("name", ""))
    if len(name) > 120:
        setup.wrong.append("What it is called: write 120 characters at most.")
    if setup.press("Lock it", primary=True):
        setup.do(
            lambda actor: plans.lock_plan(setup.services.store, setup.study.study_id, text.encode(), name=name.strip(), actor=actor),
            "The plan is locked.", by="Lock it",
        )  # fmt: skip
    st.caption("A file is locked by the command `vantage study lock STUDY FILE`.")


SECTION = Section("plan", "Analysis plan", draw, asks={"exclusions": EXCLUSIONS})
