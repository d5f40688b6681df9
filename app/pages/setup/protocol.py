"""Set-up: the protocol of a showing, the same for people and models."""

from __future__ import annotations

import streamlit as st

from app.pages.setup.section import Asked, Section, Setup, ask, submitted
from study.objects import RULES

CLIPPING = {
    "task": "as the task says (in own houses it stays)",
    "flag": "it does, and the picture is flagged",
    "forbid": "it stays",
}
SEEING = (
    Asked("budget", "Views per task, the first included", least=5, most=50, empty="as the task says (30)"),
    Asked("history", "Which earlier pictures may be looked at", {"none": "none", "last5": "the last five", "all": "all"}),
    Asked("enlarge", "Pictures may be enlarged"),
    Asked("clipping", "When the camera would enter a wall", CLIPPING),
)
OBJECTS = Asked("objects", "How objects are named in actions")
ANSWERING = (
    Asked("answer_form", "Answers are", {"options": "chosen among options", "free_text": "written in words"}),
    Asked("shuffle_options", "Options in a random order"),
    Asked("confidence_required", "An answer needs a confidence"),
)
LIMITS = (
    Asked(
        "time_limit_s",
        "Seconds per task",
        least=1,
        most=86_400,
        empty="no limit",
        help="People’s time at the task by the server’s clock, without waiting for us. Then what they chose last is the answer.",
    ),
    Asked("window_width", "Window width that is needed, pixels", least=0, most=4000),
    Asked("window_height", "Window height that is needed, pixels", least=0, most=4000),
    Asked("small_window", "A smaller window is", {"told": "told, and taken", "refused": "refused before the consent"}),
)
SESSION = (
    Asked(
        "session_minutes",
        "Minutes at tasks per session",
        least=1,
        most=1440,
        empty="no limit",
        help="Without breaks, forms and waiting. Then the session ends; what was answered counts, the open task goes to somebody else. "
        "The least number of categories comes first; people who are slower than that finish with fewer, and the check of the study says "
        "whether that can happen.",
    ),
)
PROBES = (
    Asked(
        "belief_bar",
        "What somebody believes so far is noted on the way",
        help="Otherwise they come with the final answer alone.",
    ),
    Asked("probe_every", "At every so many views (1: each)", least=1, most=50),
)
ARM = (Asked("no_probe_percent", "People who are not asked on the way, drawn, %", least=0, most=90),)


def draw(setup: Setup) -> None:
    """What is seen, how it is answered, what is asked on the way, and limits."""
    protocol = setup.study.protocol
    st.write("It is the same for people and models that are compared.")
    st.subheader("What is seen", anchor=False)
    found = ask(setup, protocol, SEEING, "protocol")
    found["objects"] = st.selectbox(OBJECTS.label, [rule.name for rule in RULES], **setup.hold("objects", protocol.objects))
    st.subheader("How it is answered", anchor=False)
    found |= ask(setup, protocol, ANSWERING, "protocol")
    st.subheader("What is asked on the way", anchor=False)
    found |= ask(setup, protocol, PROBES, "protocol")
    arm = ask(setup, setup.study, ARM, "protocol")
    st.subheader("Limits", anchor=False)
    found |= ask(setup, protocol, LIMITS, "protocol")
    session = ask(setup, setup.study, SESSION, "protocol")
    if submitted(setup):
        setup.save(protocol=found, **arm, **session, then="texts")


SECTION = Section(
    "protocol", "Protocol", draw, asks={"protocol": (*SEEING, OBJECTS, *ANSWERING, *PROBES, *LIMITS), "": (*ARM, *SESSION)},
)  # fmt: skip
