"""Answers in words: one text after the other, and which answer it gives. Whoever codes sees the question and the text, and nothing else."""

from __future__ import annotations

from html import escape
from typing import Any

import streamlit as st

from annotation import coding as queue
from annotation.reviewing import votes
from annotation.reviewing.errors import NothingToReview
from annotation.reviewing.kinds.answers_in_words import CODE, KIND, THIRD
from annotation.reviewing.rows import Review
from app.pages import qa_parts
from app.pages.page import Page
from app.pages.parts import begin, chosen_study, plain_text
from app.services import Services
from sim_bridge.errors import Refusal
from study.access import Grant
from study.studies import Study, get_study

ROLE = "annotator"
WRITTEN = "(written)"
"""The choice by which an answer is written that stands in no list."""
WRITE = {"count": "How many? A whole number.", "number": "Which number?"}
"""Form of the question → what to write."""


def page(grant: Grant) -> None:
    """The next text."""
    begin("Vantage: answers in words")
    services = qa_parts.allowed(grant, ROLE)
    st.title("Answers in words", anchor=False)
    study_id = chosen_study(services.store, grant, "words_study")
    if study_id is None:
        st.info("There is no study here yet. Ask the researcher who invited you, and come back later.")
        return
    study, who = get_study(services.store, study_id), qa_parts.person(grant)
    try:
        review = queue.next_text(services.store, study.study_id, who)
    except NothingToReview:
        _nothing(services, study, who)
        return
    _one(services, grant, review, votes.release(services.store, KIND, review.review_id, who, CODE))


def _nothing(services: Services, study: Study, who: str) -> None:
    done = votes.completed_by(services.store, KIND, study.study_id, who)
    st.write(
        "Nothing waits for you now. Answers come here when somebody gives one in words that the program cannot read as it stands; two "
        "people say what it means, and a third where they differ."
    )
    if done:
        st.write(f"You have coded {done:d} answer{'s' if done != 1 else ''} of this study so far: thank you.")
    if st.button("Look again", type="primary"):
        st.rerun()


def _one(services: Services, grant: Grant, review: Review, told: dict[str, Any]) -> None:
    """One text, with what it can be coded as."""
    st.html(
        f"<p style='margin:0;color:#5b6673'>The question</p><p style='font-size:1.1rem;margin:.1rem 0'>{escape(told['question'])}</p>"
        + (f"<p style='margin:.1rem 0'>{escape(told['note'])}</p>" if told["note"] else "")
        + "<p style='margin:1rem 0 0;color:#5b6673'>The answer</p><blockquote style='font-size:1.3rem;margin:.2rem 0 1rem;"
        "padding:.4rem .9rem;border-left:4px solid #1f6feb;white-space:pre-wrap;overflow-wrap:anywhere'>"
        f"{escape(told['text'])}</blockquote>"
    )
    if review.slot == THIRD:
        both = " or ".join(f"“{_label(code)}”" for code in told["codes"])
        st.write(plain_text(f"Two people differ on it: {both}. What you say holds."))
    axis = KIND.stage(CODE).asked(services.store, review).axis(CODE)
    listed = [choice.vote for choice in axis.choices]
    labels = {choice.vote: choice.label for choice in axis.choices}
    offered = len(listed) - len(KIND.stage(CODE).axis(CODE).choices)
    written = [] if offered else [WRITTEN]
    with st.form(f"code-{review.review_id}", border=False):
        chosen = st.radio(
            "Which answer does it give?",
            [*written, *listed],
            format_func=lambda vote: "It gives this answer, which you write below" if vote == WRITTEN else plain_text(labels[vote]),
            index=None,
            key=f"code-choice-{review.review_id}",
        )
        words = ""
        if written:
            hint = WRITE.get(told["form"], "In the fewest words that say it; an order from first to last, with > between.")
            words = st.text_input("The answer that it gives", max_chars=400, help=hint, key=f"code-words-{review.review_id}")
        if st.form_submit_button("Save and go on", type="primary", shortcut="Enter"):
            _save(services, grant, review, words if chosen == WRITTEN else chosen)
    st.caption("Say what the words mean, not whether they are right. Who wrote them, a person or a program, is not shown.")


def _label(code: str) -> str:
    """A code as people read it."""
    fixed = {choice.vote: choice.label for choice in KIND.stage(CODE).axis(CODE).choices}
    return fixed.get(code, code)


def _save(services: Services, grant: Grant, review: Review, code: str | None) -> None:
    if not code or not code.strip():
        st.error("Choose first what it means, or write it: then it is saved.")
        return
    qa_parts.allowed(grant, ROLE)
    try:
        queue.give_code(services.store, review.review_id, qa_parts.person(grant), code)
    except Refusal as refusal:
        st.error(plain_text(refusal.for_people))
        return
    st.rerun()


PAGES = (Page("Answers in words", "answers", roles=(ROLE,), draw=lambda visit: page(visit.grant), group="Study"),)
