"""A form on a sheet does its work once, however fast somebody clicks; what is refused stays as typed, what is done leaves it empty."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest


def _script(done: list[str]) -> None:
    """A page with such a form."""
    import streamlit as st

    from app.pages.parts import sheet

    paper = sheet("gift")
    with st.form(paper.key):
        words = st.text_input("What")
        if st.form_submit_button("Give"):
            if words == "nothing":
                st.error("Give something.")
            else:
                done.append(words)
                paper.used()
                st.rerun()


@pytest.fixture
def page() -> Any:
    done: list[str] = []
    test = AppTest.from_function(_script, kwargs={"done": done}, default_timeout=60).run()
    return test, done


def test_a_second_click_before_the_page_is_drawn_anew_does_nothing(page: Any) -> None:
    test, done = page
    test.text_input[0].input("a cup")
    test.button[0].click()
    clicked = test._tree.get_widget_states()
    test._run(clicked)
    test._run(clicked)
    assert done == ["a cup"]
    assert test.text_input[0].value == ""


def test_what_is_refused_stays_and_can_be_sent_again(page: Any) -> None:
    test, done = page
    test.text_input[0].input("nothing")
    test.button[0].click().run()
    assert [box.value for box in test.error] == ["Give something."] and test.text_input[0].value == "nothing"
    test.text_input[0].input("a lamp")
    test.button[0].click().run()
    assert done == ["a lamp"] and test.text_input[0].value == "" and not test.error
