"""Set-up: the protocol of a showing, the same for people and models."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app.pages.setup.section import Asked, Section, Setup, ask, submitted
from study.objects import RULES

SEEING = (
    Asked("budget", "Views per task, the first included", least=5, most=50, empty="as the task says (30)"),
    Asked("history", "Which earlier pictures may be looked at", {"none": "none", "last5": "the last five", "all": "all"}),
    Asked("enlarge", "Pictures may be enlarged"),
    Asked("clipping", "When the camera would enter a wall", {"flag": "it does, and the picture is flagged", "forbid": "it stays"}),
)
ANSWERING = (
    Asked("answer_form", "Answers are", {"options": "chosen among options", "free_text": "written in words"}),
    Asked("shuffle_options", "Options in a random order"),
    Asked("confidence_required", "An answer needs a confidence"),
)
LIMITS = (
    Asked("time_limit_s", "Seconds per task", least=1, most=86_400, empty="no limit"),
    Asked("window_width", "Window width that is needed, pixels", least=0, most=4000),
    Asked("window_height", "Window height that is needed, pixels", least=0, most=4000),
    Asked("small_window", "A smaller window is", {"told": "told, and taken", "refused": "refused before the consent"}),
)
PROBES = {"every": "after every step", "some": "after every n steps", "end": "only with the final answer"}


def draw(setup: Setup) -> None:
    """What is seen, how it is answered, what is asked on the way, and limits."""
    protocol = setup.study.protocol
    st.write("It is the same for people and models that are compared.")
    with st.form("setup-protocol", border=False):
        st.subheader("What is seen", anchor=False)
        found = ask(setup, protocol, SEEING, "protocol")
        rules = {rule.name: rule for rule in RULES}
        found["objects"] = st.selectbox("How objects are named in actions", list(rules), index=list(rules).index(protocol.objects))
        st.subheader("How it is answered", anchor=False)
        found |= ask(setup, protocol, ANSWERING, "protocol")
        st.subheader("What is asked on the way", anchor=False)
        found |= _probes(setup)
        st.subheader("Limits", anchor=False)
        found |= ask(setup, protocol, LIMITS, "protocol")
        if submitted():
            setup.save(protocol=found, then="texts")


def _probes(setup: Setup) -> dict[str, Any]:
    """When people can say what they believe so far."""
    asked = st.checkbox(
        "What somebody believes so far can be noted at every step", value=setup.study.protocol.belief_bar,
        help="Otherwise belief and confidence are asked with the final answer alone.",
    )  # fmt: skip
    return {"belief_bar": asked}


SECTION = Section("protocol", "Protocol", draw)
