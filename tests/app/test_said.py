"""What a page says of the last deed stands until the next one, on its page and about its thing alone, and a double click is one press."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.pages import said


def _script(look: dict[str, str], deeds: list[str]) -> None:
    """A page with three deeds, and a field that draws it again."""
    import streamlit as st

    from app.pages import said
    from app.pages.parts import plain_text
    from sim_bridge.errors import Refusal

    said.here(look["page"], look["grant"])
    said.show("top", look["about"])
    said.show("link")
    if words := said.noted("own"):
        st.info(plain_text(words))
    st.checkbox("Again")
    if st.button("Note"):
        said.note("own", "Kept")
        st.rerun()

    def refuse() -> None:
        raise Refusal("No *more* of it.")

    if st.button("Do"):
        said.tried(lambda: deeds.append("do"), "top", "Done *so*.", deed="do")
    if st.button("Link"):
        said.done("link", "Ada is invited.", link="https://x.example/secret", of_link="Copy it.")
        st.rerun()
    if st.button("Refuse the link"):
        said.refused("link", "No name.")
        st.rerun()
    if st.button("Refuse"):
        said.tried(refuse, "top", "Never.")
    if st.button("Sign out") and not said.astray():
        deeds.append("out")


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(said, "BREATH_S", 0.0)
    look, deeds = {"page": "one", "grant": "g", "about": "a"}, list[str]()
    test = AppTest.from_function(_script, kwargs={"look": look, "deeds": deeds}, default_timeout=60).run()
    return test, look, deeds


def _press(test: AppTest, label: str) -> None:
    next(button for button in test.button if button.label == label).click()
    test.run()
    assert not test.exception, test.exception


def _shown(test: AppTest) -> list[str]:
    return [element.value for found in (test.error, test.success, test.code) for element in found]


DONE, INVITED, LINK = r"Done \*so\*.", "Ada is invited.", "https://x.example/secret"


def test_it_stands_however_often_the_page_is_drawn_and_until_the_next_deed(page: Any) -> None:
    test, _, _ = page
    _press(test, "Do")
    test.checkbox[0].check().run()
    assert _shown(test.run()) == [DONE]
    _press(test, "Link")
    assert _shown(test.run()) == [INVITED, LINK]
    _press(test, "Do")
    assert _shown(test.run()) == [DONE, INVITED, LINK], "a link stays until another one is made"


def test_a_refusal_takes_what_was_done_away_but_no_link(page: Any) -> None:
    test, _, _ = page
    _press(test, "Do")
    _press(test, "Refuse")
    assert r"No \*more\* of it." in _shown(test)
    assert DONE not in _shown(test.run())
    _press(test, "Link")
    _press(test, "Refuse the link")
    assert _shown(test.run()) == ["No name.", INVITED, LINK]
    _press(test, "Do")
    assert "No name." not in _shown(test)


def _turn_page(look: dict[str, str]) -> None:
    look["page"] = "two"


def _change_role(look: dict[str, str]) -> None:
    look["grant"] = "h"


@pytest.mark.parametrize("leave", [_turn_page, _change_role])
def test_it_ends_with_the_page_and_with_the_role(page: Any, leave: Callable[[dict[str, str]], None]) -> None:
    test, look, _ = page
    _press(test, "Link")
    _press(test, "Do")
    before = dict(look)
    leave(look)
    assert _shown(test.run()) == []
    look |= before
    assert _shown(test.run()) == []


def test_a_note_stands_as_long_as_what_is_said(page: Any) -> None:
    test, look, _ = page
    _press(test, "Note")
    assert [element.value for element in test.run().info] == ["Kept"]
    _press(test, "Do")
    assert not test.info
    _press(test, "Note")
    _turn_page(look)
    assert not test.run().info


def test_it_is_said_of_one_thing_alone(page: Any) -> None:
    test, look, _ = page
    _press(test, "Do")
    look["about"] = "b"
    assert _shown(test.run()) == []
    look["about"] = "a"
    assert _shown(test.run()) == []


def test_a_double_click_is_one_press_and_a_later_press_another(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    test, _, deeds = page
    monkeypatch.setattr(said, "BREATH_S", 60.0)
    _press(test, "Do")
    _press(test, "Do")
    assert deeds == ["do"] and _shown(test) == [DONE]
    monkeypatch.setattr(said, "BREATH_S", 0.0)
    _press(test, "Do")
    assert deeds == ["do", "do"]


@pytest.mark.parametrize("deed", ["Do", "Link"])
def test_the_second_press_of_a_double_click_signs_nobody_out(page: Any, monkeypatch: pytest.MonkeyPatch, deed: str) -> None:
    test, _, deeds = page
    monkeypatch.setattr(said, "BREATH_S", 60.0)
    _press(test, deed)
    _press(test, "Sign out")  # it came to lie under the pointer
    assert "out" not in deeds
    monkeypatch.setattr(said, "BREATH_S", 0.0)
    _press(test, "Sign out")
    assert deeds[-1] == "out"
