"""The places of a study as a heat map: categories in paradigms, and the tasks of one category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from app.pages import tables
from app.pages.parts import kept_for_all, plain_text
from data.store import Store
from study import filling
from study.filling import Cell
from study.studies import Study

MEASURES: Mapping[str, str] = {"completed": "Completed", "live": "Live", "free": "Free", "missing": "Missing"}
"""What is counted → as the choice calls it."""
COLOURS = ((0.0, "#f4f6f9"), (1.0, "#8fb4f2"))
"""Light all through, so that the same dark words can be read on each, on a dark page too."""
WORDS = "#1a1f29"


def draw(store: Store, study: Study, mode: str) -> None:
    """The map, and what it says in numbers."""
    stand = (filling.stand(store), study.version, study.per_task)
    cells = kept_for_all(f"places {study.study_id} {mode}", stand, partial(filling.by_category, store, study, mode=mode))
    if not cells:
        st.info("There are no places yet: they are made when the study is opened, or as people come.")
        return
    totals = {name: sum(getattr(cell, name) for cell in cells) for name in MEASURES}
    st.html(f"<p>{totals['completed']:,} completed, {totals['live']:,} live, {totals['free']:,} free, {totals['missing']:,} missing.</p>")
    left, right = st.columns(2)
    measure = left.segmented_control("Count", list(MEASURES), format_func=MEASURES.__getitem__, default="completed", required=True,
                                     key="watch-measure")  # fmt: skip
    categories = ["", *dict.fromkeys(cell.name for cell in cells)]
    category = right.selectbox("Category", categories, format_func=lambda name: name or "all of them", key="watch-category")
    if category:
        count = max((cell.tasks for cell in cells if cell.name == category), default=0)
        pages = max(1, -(-count // filling.TASKS_AT_ONCE))
        number = int(st.number_input("Page of tasks", 1, pages, 1, key=f"watch-tasks-{category}")) if pages > 1 else 1
        cells = filling.by_task(store, study, category, mode=mode, skip=(number - 1) * filling.TASKS_AT_ONCE)
    st.plotly_chart(figure(cells, measure or "completed"), config={"displayModeBar": False}, key="watch-map")
    st.caption(plain_text("In each cell: the places counted, of all that the study wants there. The darker, the larger their share."))
    with st.expander("The same as a table", key="watch-map-table"):
        tables.grid(_table(cells, category), hide_index=True, key="watch-map-cells")


def figure(cells: Sequence[Cell], measure: str) -> go.Figure:
    """A heat map of places.

    Args:
        cells: of `study.filling`.
        measure: a key of `MEASURES`.
    """
    names = list(dict.fromkeys(cell.name for cell in cells))[::-1]
    ways = list(dict.fromkeys(sorted(cell.paradigm for cell in cells)))
    known = {(cell.name, cell.paradigm): cell for cell in cells}
    rows = [[known.get((name, way)) for way in ways] for name in names]
    made = go.Figure(
        go.Heatmap(
            x=[way.replace("_", " ") for way in ways],
            y=names,
            z=[[None if cell is None or not cell.wanted else getattr(cell, measure) / cell.wanted for cell in row] for row in rows],
            text=[["" if cell is None else f"{getattr(cell, measure)} of {cell.wanted}" for cell in row] for row in rows],
            customdata=[["" if cell is None else cell.words for cell in row] for row in rows],
            texttemplate="%{text}",
            textfont={"color": WORDS, "size": 13},
            hovertemplate="%{y}, %{x}: %{customdata}<extra></extra>",
            colorscale=COLOURS,
            zmin=0,
            zmax=1,
            showscale=False,
            xgap=2,
            ygap=2,
        )
    )
    made.update_layout(height=90 + 34 * len(names), margin={"l": 8, "r": 8, "t": 30, "b": 8}, uirevision=measure)
    made.update_xaxes(side="top", fixedrange=True)
    made.update_yaxes(automargin=True, fixedrange=True, type="category")
    return made


def _table(cells: Sequence[Cell], category: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Task" if category else "Category": [cell.name for cell in cells],
            "Paradigm": [cell.paradigm for cell in cells],
            **{words: [getattr(cell, name) for cell in cells] for name, words in MEASURES.items()},
            "Wanted": [cell.wanted for cell in cells],
        }
    )
