"""Set-up: how people go back to whoever sent them, by outcome, and what they get."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from app.pages.setup.section import Asked, Section, Setup, ask, submitted
from study.returning import OUTCOMES
from study.studies import Recruitment

WAY = (
    Asked("code", "Completion code"),
    Asked("link", "Return link", empty="https://app.prolific.com/submissions/complete?cc={code}"),
    Asked("how", "The link is", {"shown": "shown as a button", "redirect": "gone to by itself"}),
)
RECRUITED = (
    Asked("source", "Platform"),
    Asked("external_study", "The platform’s id of this study"),
    Asked("person_param", "Address parameter of the person"),
    Asked("study_param", "Address parameter of the study"),
    Asked("session_param", "Address parameter of the visit"),
    Asked("other_browser", "A known person on another browser", {"take_over": "goes on there", "refuse": "is sent back"}),
)

OTHERWISE = (Asked("personal", "Each person’s code ends in signs of their own"),)
HOSTS = Asked("hosts", "Hosts to which a return link may lead", help="Host names, with commas between them.")
WHO = {
    "done": "has finished", "screened_out": "was screened out", "full": "found no place left", "no_consent": "did not agree",
    "stopped": "ended early", "technical": "was stopped by a fault of ours",
}  # fmt: skip


def draw(setup: Setup) -> None:
    """Recruitment, codes and links."""
    returns = setup.study.returns
    st.write("A code is shown only after the last answer is saved and read again. Each outcome has a code of its own, or none.")
    found: dict[str, Any] = {}
    for outcome in OUTCOMES:
        st.html(f"<p style='margin:.6rem 0 -.4rem'><b>Who {WHO[outcome.name]}</b></p>")
        found[outcome.name] = ask(setup, returns.of(outcome.name), WAY, f"returns-{outcome.name}", columns=3)
    found |= ask(setup, returns, OTHERWISE, "returns")
    hosts = st.text_input(HOSTS.label, **setup.hold("hosts", ", ".join(returns.hosts)), help=HOSTS.help)
    found["hosts"] = [host for part in hosts.split(",") if (host := part.strip().lower())]
    st.subheader("The platform that sends people", anchor=False)
    sent = st.checkbox("People come from a recruitment platform", **setup.hold("sent", setup.study.recruitment is not None))
    recruitment = ask(setup, setup.study.recruitment or Recruitment(), RECRUITED, "recruited", columns=3)
    if submitted(setup):
        setup.save(returns=found, recruitment=recruitment if sent else None, then="pay")


def _asks() -> dict[str, tuple[Asked, ...]]:
    found = {f"returns.{name}": tuple(replace(one, label=f"{one.label}, who {who}") for one in WAY) for name, who in WHO.items()}
    return {**found, "returns": (*OTHERWISE, HOSTS), "recruitment": RECRUITED}


SECTION = Section("returns", "Codes and recruitment", draw, asks=_asks())
