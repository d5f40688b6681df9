"""Set-up: what surrounds the tasks: checks of screen and eyes, worked examples, breaks."""

from __future__ import annotations

import streamlit as st

from app.pages.parts import plain_text
from app.pages.setup.section import Asked, Section, Setup, ask, submitted
from study.paradigms import paradigm
from study.tutorial import passing
from study.tutorial.plan import planned
from study.tutorial.settings import Tutorial

ASKED = {"never": "not asked", "needed": "asked where the tasks need it", "always": "always asked"}
FOLLOWS = {"go_on": "nothing: it is kept", "warn": "they are told, and may go on", "screen_out": "their part ends"}
CHECKS = (
    Asked("contrast", "Screen contrast", ASKED),
    Asked("colours", "Colour vision", ASKED),
    Asked("follows", "If somebody does not pass", FOLLOWS),
)
EXAMPLES = (Asked("attempts", "How often each is given", least=1, most=10),)
BREAKS = (
    Asked("every_tasks", "Tasks between two breaks", least=1, most=500, empty="none"),
    Asked("every_minutes", "Minutes between two breaks", least=1, most=600, empty="none"),
    Asked("text", "Words of the break", lines=3, empty="Our own words"),
)


def draw(setup: Setup) -> None:
    """Checks, examples and breaks."""
    study = setup.study
    st.write("What is needed is decided by the tasks when the study is published: dim scenes, and words or marks that name colours.")
    checks = ask(setup, study.checks, CHECKS, "checks", columns=3)
    st.subheader("Worked examples", anchor=False)
    wanted = st.checkbox("Worked examples before the first task", **setup.hold("wanted", study.tutorial is not None))
    tutorial = ask(setup, study.tutorial or Tutorial(), EXAMPLES, "tutorial", columns=3)
    anew = bool(study.tutorial and study.tutorial.examples) and st.checkbox(
        "Choose the examples anew when the next version is published", **setup.hold("anew", False)
    )
    st.subheader("Breaks", anchor=False)
    breaks = ask(setup, study.breaks, BREAKS, "breaks")
    if submitted(setup):
        tutorial |= {"examples": []} if anew else {}
        setup.save(checks=checks, tutorial=tutorial if wanted else None, breaks=breaks, then="returns")
    if study.tutorial is not None:
        _examples(setup)


def _examples(setup: Setup) -> None:
    """What people will practise, and what no example shows."""
    store, study = setup.services.store, setup.study
    for number, one in enumerate(passing.examples_of(store, study), start=1):
        st.write(plain_text(f"Example {number}: {store.get_task(one.task).question.text} ({paradigm(one.paradigm).called})"))
    plan = planned(map(store.get_task, study.tasks), study.ways)
    if left := [*plan.unpractised, *plan.without]:
        st.info(plain_text(f"No example that comes with the program practises: {', '.join(left)}."))


SECTION = Section(
    "before", "Checks, examples, breaks", draw, asks={"checks": CHECKS, "tutorial": EXAMPLES, "breaks": BREAKS},
)  # fmt: skip
