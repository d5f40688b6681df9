"""Small pieces that several pages draw."""

from __future__ import annotations

from html import escape
from typing import Any, Literal
from urllib.parse import urljoin

import pandas as pd
import streamlit as st

from app.services import current
from app.theme import page_css
from data.spreadsheets import csv_cell


def begin(title: str, *, layout: Literal["centered", "wide"] = "centered", bare: bool = False) -> None:
    """Page title, layout and style; first call of every page."""
    st.set_page_config(page_title=title, layout=layout, initial_sidebar_state="collapsed")
    st.html(page_css(bare=bare))


def plain(text: str) -> None:
    """Text written by a researcher: plain words, blank lines part paragraphs; no markup is interpreted."""
    paragraphs = [part.strip() for part in text.split("\n\n") if part.strip()]
    st.html("".join(f"<p style='font-size:1.06rem;line-height:1.6;margin:0 0 .9rem'>{escape(part)}</p>" for part in paragraphs))


def grid(table: pd.DataFrame, **options: Any) -> Any:
    """``st.dataframe`` of a table: the one way to show one, since its toolbar offers the cells as a file for spreadsheets. No word in it
    can be a formula there, as in the exports.

    Args:
        table: the cells.
        options: of ``st.dataframe``.

    Returns:
        What ``st.dataframe`` gives: the selection.
    """
    safe = {name: [csv_cell(cell) if isinstance(cell, str) else cell for cell in table[name]] for name in table.columns}
    return st.dataframe(table.assign(**safe), **options)


def base_address() -> str:
    """Where people reach the app: as it was told, else as this person did."""
    # Pages stand directly below the app's address.
    return str(current().settings.public or urljoin(st.context.url or "", ".").rstrip("/"))
