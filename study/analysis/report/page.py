"""The report as one HTML page that works without a network: Plotly's script stands in it once."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from plotly.offline import get_plotlyjs

from study.analysis.figures.figure import Table
from study.analysis.report.about import Section
from study.analysis.results import Result, as_csv, beside, cells

HERE = Path(__file__).parent


def page(title: str, sections: Sequence[Section], shown: Sequence[Result], others: Sequence[Result], differ: str) -> str:
    """The page.

    Args:
        title: of the study.
        sections: what it is of.
        shown: the figures, without what declared rules leave out.
        others: the same with it.
        differ: a sentence about the two.
    """
    style = (HERE / "report.css").read_text(encoding="utf-8") + (HERE / "drawing.css").read_text(encoding="utf-8")
    script = (HERE / "drawing.js").read_text(encoding="utf-8") + (HERE / "report.js").read_text(encoding="utf-8")
    plots = {one.figure.name: {"title": one.figure.title, "plot": one.plot} for one in shown}
    links = "".join(f"<li><a href='#{escape(one.figure.name)}'>{escape(one.figure.title)}</a></li>" for one in shown)
    body = "".join(_figure(one, other) for one, other in zip(shown, others, strict=True))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}: results</title>
<style>
{style}
</style>
</head>
<body>
<main>
<h1>{escape(title)}: results</h1>
{"".join(map(_section, sections))}
<h2>Figures</h2>
<p>{escape(differ)}</p>
<nav aria-label="Figures"><ul>{links}</ul></nav>
{body}
</main>
<script type="application/json" id="plots">{_inert(plots)}</script>
<script>{get_plotlyjs()}</script>
<script type="module">
{script}
</script>
</body>
</html>
"""


def _inert(value: Any) -> str:
    """JSON that ends no element."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def _section(section: Section) -> str:
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in section.facts)
    told = "".join(f"<p>{escape(sentence)}</p>" for sentence in section.sentences)
    return f"<section class='about'><h2>{escape(section.title)}</h2>{told}{f'<dl>{facts}</dl>' if facts else ''}</section>"


def _figure(shown: Result, other: Result) -> str:
    figure, name = shown.figure, escape(shown.figure.name)
    notes = "".join(f"<li>{escape(note)}</li>" for note in beside(shown))
    rows = "".join(table_html(table, figure.title) for table in shown.tables)
    also = "".join(table_html(table, f"{figure.title}, with what declared rules leave out") for table in other.tables)
    files = " · ".join(_file(table) for table in shown.tables)
    return f"""<section class="figure" id="{name}">
<h2>{escape(figure.title)}</h2>
<p>{escape(figure.definition)}</p>
<div class="plot" data-plot="{name}" role="img" aria-label="{escape(figure.title, quote=True)}. The table below has its numbers."></div>
<p class="saves"><button type="button" data-save="png" data-of="{name}">Save as PNG</button>
<button type="button" data-save="svg" data-of="{name}">Save as SVG</button> {files}</p>
<ul class="beside">{notes}</ul>
<details open><summary>Rows</summary>{rows}</details>
<details><summary>Rows with what declared rules leave out</summary>{also}</details>
</section>
"""


def _file(table: Table) -> str:
    inside = base64.b64encode(as_csv(table).encode()).decode()
    name = escape(table.name)
    return f"<a download='{name}.csv' href='data:text/csv;charset=utf-8;base64,{inside}'>{name}.csv</a>"


def table_html(table: Table, caption: str) -> str:
    """A table's rows as an HTML table; names stand left, numbers right."""
    head, rows = cells(table)
    names = len(table.lines[0].of) if table.lines else 0
    top = "".join(f"<th scope='col'{'' if n < names else ' class=n'}>{escape(text)}</th>" for n, text in enumerate(head))
    body = "".join(
        "<tr>" + "".join(f"<td{'' if n < names else ' class=n'}>{escape(cell)}</td>" for n, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    title = f"{caption}: {table.title}" if table.title else caption
    inner = f"<caption>{escape(title)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody>"
    return f"<div class='scroll' tabindex='0' role='group' aria-label='{escape(title, quote=True)}'><table>{inner}</table></div>"
