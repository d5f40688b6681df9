"""How pages show tables: two ways, each with one helper.

`table` is for what is read as a whole, as a part of the page: counts, a comparison, what changes. It takes the page's letters and width,
wraps its words, and can be read out and copied like any text.

`grid` is for rows of data, of which there may be thousands: who, which episodes, which steps. It scrolls by itself, sorts, searches,
selects a row, and gives its cells as a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from data.spreadsheets import csv_cell


def grid(table: pd.DataFrame, **options: Any) -> Any:
    """Draw rows of data: ``st.dataframe``, whose toolbar offers the cells as a file for spreadsheets. No word in it can be a formula there,
    as in the exports.

    Args:
        table: the cells.
        options: of ``st.dataframe``.

    Returns:
        What ``st.dataframe`` gives: the selection.
    """
    safe = {name: [csv_cell(cell) if isinstance(cell, str) else cell for cell in table[name]] for name in table.columns}
    return st.dataframe(table.assign(**safe), **options)


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    numbers: Sequence[int] = (),
    html: bool = False,
    last: bool = False,
    foot: int = 0,
) -> str:
    """Markup of a table that is read as a whole, as part of the page.

    Args:
        head: column names.
        rows: cells; None is shown as an empty one.
        numbers: columns that hold numbers.
        html: the cells are markup already.
        last: the last row is a sum.
        foot: so many last rows are there for comparison.
    """
    body = list(rows)
    sums = len(body) - 1 if last else len(body)

    def cell(tag: str, value: Any, column: int) -> str:
        text = "" if value is None else str(value)
        shown = text if html and tag == "td" else escape(text)
        scope = ' scope="col"' if tag == "th" else ""
        mark = ' class="n"' if column in numbers else ""
        return f"<{tag}{scope}{mark}>{shown}</{tag}>"

    def row(n: int, values: Sequence[Any]) -> str:
        mark = ' class="sum"' if n >= sums else ' class="foot"' if n >= len(body) - foot else ""
        return f"<tr{mark}>" + "".join(cell("td", value, k) for k, value in enumerate(values)) + "</tr>"

    top = "<tr>" + "".join(cell("th", value, k) for k, value in enumerate(head)) + "</tr>"
    filled = "".join(row(n, values) for n, values in enumerate(body))
    return f'<div class="told"><table><thead>{top}</thead><tbody>{filled}</tbody></table></div>'
