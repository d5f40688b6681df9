"""Set-up: what is asked beside the tasks."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.pages.parts import plain_text
from app.pages.setup.section import Section, Setup, submitted
from data.plurals import number_of
from study.forms.form import MOMENTS, Form
from study.forms.ready import READY


def draw(setup: Setup) -> None:
    """A tick for each ready form, and for those that the study brought itself."""
    own = {form.name: form for form in setup.study.forms}
    offered = {**{form.name: form for form in READY}, **own}
    st.write("Ready questionnaires, in the order in which people meet them. A settings file may hold others (`vantage study edit`).")
    ticked: list[Form] = []
    for moment in MOMENTS:
        there = [form for form in offered.values() if form.when == moment.name]
        if there:
            st.html(f"<p style='margin:.6rem 0 0'><b>{escape(moment.meaning.capitalize())}</b></p>")
        for form in there:
            asks = number_of(len(form.items), "question")
            if st.checkbox(plain_text(f"{form.title} ({asks})"), **setup.hold(form.name, form.name in own)):
                ticked.append(own.get(form.name, form))
    if submitted(setup):
        setup.save(forms=[form.model_dump(mode="json") for form in ticked], then="before")
    for form in offered.values():
        with st.expander(plain_text(f"Read “{form.title}”")):
            st.html("".join(f"<p style='margin:.2rem 0'>{n}. {escape(item.text)}</p>" for n, item in enumerate(form.items, 1)))


SECTION = Section("forms", "Questionnaires", draw)
