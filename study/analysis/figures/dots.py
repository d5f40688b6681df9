"""Drawings of a list: a row for each group, in it a sign with its interval for each paradigm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as go

from study.analysis.figures.figure import Line, Table
from study.analysis.figures.style import GREY, MARGIN_PX, ROW_PX, bars, blank, empty, in_words, of_paradigm, told

NOTHING = "There is no answer to draw yet."
MANY, CLOSE_PX = 40, 10
"""Intervals in one drawing beyond which they stand closer, each in so many pixels, so that the drawing can be seen at a glance."""
PERCENT = {"range": [-0.02, 1.02], "tickformat": ".0%", "dtick": 0.2}
BESIDE = {
    "chance": ("chance", {"symbol": "line-ns-open", "size": 12, "color": GREY, "line": {"width": 2}}),
    "published": ("published", {"symbol": "diamond-open", "size": 9, "color": GREY, "line": {"width": 1.6}}),
}
"""What stands beside a value → its name in the legend, and its sign."""


def draw(axis: str, *, group: str = "category", scale: dict[str, Any] | None = None) -> Callable[[Sequence[Table]], Any]:
    """How a table with a row for each paradigm and group is drawn.

    Args:
        axis: the title of the axis of values.
        group: key of `Line.of` that names a row.
        scale: settings of that axis; None: percent.
    """

    def drawing(tables: Sequence[Table]) -> Any:
        lines = [line for line in tables[0].lines if line.measure.value is not None]
        if not lines:
            return empty(NOTHING)
        made = blank()
        groups = list(dict.fromkeys(str(line.of[group]) for line in tables[0].lines))
        ways = list(dict.fromkeys(str(line.of["paradigm"]) for line in lines))
        step = 0.72 / len(ways)
        close = len(groups) * len(ways) > MANY
        for key in BESIDE:
            _beside(made, key, [(_at(line, group, groups, ways, step), line.beside.get(key)) for line in lines])
        for way in ways:
            of = [line for line in lines if line.of["paradigm"] == way]
            colour, sign = of_paradigm(way)
            made.add_scatter(
                x=[line.measure.value for line in of],
                y=[_at(line, group, groups, ways, step) for line in of],
                mode="markers",
                name=in_words(way),
                marker={"symbol": sign, "size": 7 if close else 10, "color": colour},
                error_x=bars(of) | {"color": colour},
                text=[f"<b>{line.of[group]}</b><br>{in_words(way)}: {told(line, percent=scale is None)}" for line in of],
                hovertemplate="%{text}<extra></extra>",
            )
        made.update_layout(height=MARGIN_PX + len(groups) * max((CLOSE_PX if close else ROW_PX) * len(ways), CLOSE_PX * 2 if close else 34))
        made.update_xaxes(title_text=axis, **(PERCENT if scale is None else scale))
        made.update_yaxes(range=[len(groups) - 0.5, -0.5], tickvals=list(range(len(groups))), ticktext=groups, showgrid=False)
        for between in range(1, len(groups)):
            made.add_hline(y=between - 0.5, line={"color": GREY, "width": 0.5}, opacity=0.5)
        return made

    return drawing


def _at(line: Line, group: str, groups: list[str], ways: list[str], step: float) -> float:
    """Where a line stands: its group's row, in it its paradigm's place."""
    return groups.index(str(line.of[group])) + (ways.index(str(line.of["paradigm"])) - (len(ways) - 1) / 2) * step


def _beside(made: go.Figure, key: str, points: Sequence[tuple[float, Any]]) -> None:
    known = [(y, value) for y, value in points if isinstance(value, float)]
    if known:
        name, marker = BESIDE[key]
        made.add_scatter(
            x=[value for _, value in known],
            y=[y for y, _ in known],
            mode="markers",
            marker=marker,
            name=name,
            hovertemplate=f"{name} %{{x:.1%}}<extra></extra>",
        )
