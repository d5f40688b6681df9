"""The look that all figures share: one Plotly template, and one colour and one sign for each paradigm.

Colours lie at least 3.2 : 1 from white and from the dark page, and as far from each other as eight can under the three kinds of
colour-blindness; since eight colours are never told apart for certain, each also has a sign of its own. Text has no colour here: whoever
draws gives it that of the page (`drawing.js`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from study.analysis.figures.figure import Line
from study.paradigms import PARADIGMS

COLOURS = ("#006cd9", "#df7000", "#cc0099", "#bf7c95", "#8585cc", "#009f50", "#307955", "#d22020")
SIGNS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "hexagon", "pentagon", "cross")
GREY = "#7d7d7d"
"""Of what is no data of the study: chance, published figures, lines of reference."""
GRID = "rgba(125,125,125,.24)"
FONT = "'Source Sans', 'Source Sans 3', system-ui, sans-serif"
ROW_PX, MARGIN_PX = 17, 96
"""Height of one mark in a list of categories, and of what stands above and below it."""

_AXIS = {
    "gridcolor": GRID,
    "linecolor": GREY,
    "zeroline": False,
    "ticks": "",
    "automargin": True,
    "ticklabelstandoff": 6,
    "title": {"standoff": 10, "font": {"size": 14}},
}
TEMPLATE = go.layout.Template(
    layout={
        "font": {"family": FONT, "size": 14},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "colorway": list(COLOURS),
        "margin": {"l": 10, "r": 16, "t": 44, "b": 48},
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom", "title": {"text": ""}},
        "hovermode": "closest",
        "hoverlabel": {"align": "left", "font": {"family": FONT, "size": 13}},
        "xaxis": _AXIS,
        "yaxis": _AXIS,
        "bargap": 0.18,
    }
)


def blank() -> go.Figure:
    """A figure in the common look."""
    return go.Figure(layout={"template": TEMPLATE})


def empty(why: str) -> go.Figure:
    """In place of a drawing: why there is none."""
    made = blank()
    made.add_annotation(text=why, x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False, font={"size": 15})
    made.update_layout(height=150, xaxis={"visible": False}, yaxis={"visible": False}, margin={"t": 8, "b": 8})
    return made


def of_paradigm(name: str) -> tuple[str, str]:
    """(colour, sign) of a paradigm: the same in every figure, whichever others are beside it."""
    place = next((n for n, way in enumerate(PARADIGMS) if way.name == name), 0) % len(COLOURS)
    return COLOURS[place], SIGNS[place]


def in_words(name: str) -> str:
    """A name of a table's as a legend or a heading calls it."""
    return name.replace("_", " ")


def bars(lines: Sequence[Line], by: float = 1.0) -> dict[str, Any]:
    """The intervals of some lines as Plotly's error bars; where one has none there is no bar."""
    up, down = [], []
    for line in lines:
        value, interval = line.measure.value, line.measure.interval
        known = value is not None and interval is not None
        up.append(by * (interval[1] - value) if known and interval and value is not None else 0.0)
        down.append(by * (value - interval[0]) if known and interval and value is not None else 0.0)
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "thickness": 1.6, "width": 0}


def told(line: Line, *, percent: bool = True) -> str:
    """A line's value, interval and n for the box that a pointer opens."""
    found = line.measure
    if found.value is None:
        return found.reason
    scale, unit, digits = (100, " %", 1) if percent else (1, "", 3)
    text = f"{scale * found.value:.{digits}f}{unit}"
    if found.interval is not None:
        text += f" [{scale * found.interval[0]:.{digits}f}, {scale * found.interval[1]:.{digits}f}]"
    return f"{text}, n = {found.n}"
