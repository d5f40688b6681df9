"""A researcher's page of a study's results: one figure at a time with its rows and its definition. It checks the role itself."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any, get_args
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from app import identity, results_api, rights, staff_api
from app.components import FIGURE, figure
from app.pages import job_panel, tables
from app.pages.page import Page
from app.pages.parts import begin, chosen_study, kind_of_run, plain_text, sheet, when
from app.services import Services, current
from data.plurals import number_of
from study.access import Grant
from study.analysis.figures import FIGURES
from study.analysis.figures.figure import Choice, Table
from study.analysis.report.about import TRUTHS
from study.analysis.results import Result, beside, row_of
from study.analysis.trials import Trials, Truth, paradigms_of

JOB = "report"
"""Kind of the job that writes a report."""
TITLES = {one.name: one.title for one in FIGURES}
SCALE = {"share": 100.0, "points": 100.0, "number": 1.0}
FORMAT = {"share": "%.1f %%", "points": "%+.1f", "number": "%.3f"}
"""Unit of a table → how its values are told."""


def _allowed(grant: Grant, study_id: str | None = None) -> Services:
    """The services, after checking the role on the server."""
    services = current()
    rights.in_study(services.store, identity.page_cookie(), "researcher", study_id or grant.study_id)
    return services


def page(grant: Grant) -> None:
    """Choose what is looked at, see one figure, take it along."""
    begin("Vantage: results", layout="wide")
    services = _allowed(grant)
    st.title("Results", anchor=False)
    study_id = chosen_study(services.store, grant, "results-study")
    if study_id is None:
        st.info("There is no study yet. Make one under **Set-up**, let people answer, and their results stand here.")
        return
    services = _allowed(grant, study_id)
    mode = kind_of_run(services.store, study_id)
    trials = results_api.trials_of(services, study_id, mode)
    if not trials.rows:
        st.info(plain_text(_nothing(trials)))
        return
    name, choice = _choice(trials)
    with st.spinner("Computing the figure"):
        found = results_api.made(trials, choice, name)
    _figure(trials, choice, found)
    _reports(grant, study_id, mode, choice)


def _nothing(trials: Trials) -> str:
    if trials.unfinished:
        return (
            f"{number_of(trials.unfinished, 'task is', 'tasks are')} under way and none has ended yet. Results stand here from the "
            "first answer on."
        )
    return "Nobody has ended a task of this study yet. Results stand here from the first answer on; practice is not counted."


def _choice(trials: Trials) -> tuple[str, Choice]:
    """Which figure, and what of the trials is looked at."""
    ways = paradigms_of(trials.rows)
    left = sum(1 for row in trials.rows if row.excluded)
    first, second, third, fourth = st.columns([4, 4, 3, 3], vertical_alignment="bottom")
    with first:
        name = _which()
    only = second.multiselect(
        "Paradigms", ways, format_func=lambda way: way.replace("_", " "), placeholder="All", key="results-paradigms", disabled=len(ways) < 2
    )
    truth: Truth = third.selectbox("An answer is right", get_args(Truth), format_func=TRUTHS.__getitem__, key="results-truth")
    also = fourth.toggle(
        "With what rules leave out", key="results-excluded", disabled=not left,
        help=f"{left:d} trials are left out by declared rules. Every figure is there with and without them; the report has both.",
    )  # fmt: skip
    return name, Choice(paradigms=tuple(way for way in ways if way in only), truth=truth, with_excluded=bool(also and left))


def _which() -> str:
    """The figure that is shown: the address names it, so that it can be passed on."""
    linked = st.query_params.get("figure")
    names = list(TITLES)
    at = names.index(linked) if linked in TITLES else 0
    name: str = st.selectbox("Figure", names, index=at, format_func=TITLES.__getitem__, key="results-figure")
    if name != linked:
        st.query_params["figure"] = name
    return name


def _figure(trials: Trials, choice: Choice, found: Result) -> None:
    st.header(plain_text(found.figure.title), anchor=False)
    st.write(plain_text(found.figure.definition))
    figure(found.figure.name, title=found.figure.title, plot=found.plot, key=f"plot-{found.figure.name}")
    st.html("<ul style='margin:0;padding-left:1.2rem'>" + "".join(f"<li>{escape(note)}</li>" for note in beside(found)) + "</ul>")
    for table in found.tables:
        if table.title:
            st.subheader(plain_text(table.title), anchor=False)
        if table.lines:
            told, columns = as_frame(table)
            tables.grid(told, hide_index=True, placeholder="–", column_config=columns, key=f"rows-{table.name}")
        else:
            st.caption("There is no row.")
        address = escape(_address(trials, choice, found.figure.name, table), quote=True)
        st.html(f"<p style='margin:0'><a href='{address}' download>Save these rows as CSV</a></p>")


def _address(trials: Trials, choice: Choice, name: str, table: Table) -> str:
    told: list[tuple[str, Any]] = [("figure", name), ("mode", trials.mode), ("truth", choice.truth), ("seed", choice.seed)]
    told += [("excluded", "1")] if choice.with_excluded else []
    told += [("paradigm", way) for way in choice.paradigms]
    return f"api/staff/results/{trials.study_id}/{table.name}?{urlencode(told)}"


def as_frame(table: Table) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A table for the page: its cells, unrounded, shares in percent; and how each column is told."""
    scale, form = SCALE[table.unit], FORMAT[table.unit]
    rows = [row_of(table, line) for line in table.lines]
    cells: dict[str, list[Any]] = {}
    columns: dict[str, Any] = {}

    def number(heading: str, values: Sequence[float | None], how: str, by: float) -> None:
        cells[heading] = [None if value is None else by * value for value in values]
        columns[heading] = st.column_config.NumberColumn(format=how)

    for key, heading in table.columns.items():
        values = [row[key] for row in rows]
        known = [value for value in values if value is not None]
        if known and all(isinstance(value, float) for value in known):
            unit = table.units.get(key, "number")
            number(heading, values, FORMAT[unit], SCALE[unit])
        elif known and all(isinstance(value, int) for value in known):
            cells[heading] = values
        else:
            cells[heading] = [None if value is None else str(value).replace("_", " ") for value in values]
    number(table.heading, [row["value"] for row in rows], form, scale)
    number("95 % from", [row["low"] for row in rows], form, scale)
    number("95 % to", [row["high"] for row in rows], form, scale)
    for heading, key in (("n", "n"), ("Not given", "n_missing"), ("Left out", "n_excluded")):
        cells[heading] = [row[key] for row in rows]
    if any(row["reason"] for row in rows):
        cells["Why not"] = [row["reason"] or None for row in rows]
    return pd.DataFrame(cells), columns


def _reports(grant: Grant, study_id: str, mode: str, choice: Choice) -> None:
    st.header("Report", anchor=False)
    st.write("All figures in one page that works without a network, with tables, every number as JSON, plans and deviations.")
    press = sheet("results-report")
    if st.button("Make a report", type="primary", key=press.key):
        services = _allowed(grant, study_id)
        out = services.home.root / "exports" / secrets.token_hex(8) / "vantage-report"
        command = ["report", "--out", str(out), "--zip"]
        command += ["--study", study_id, "--mode", mode, "--truth", choice.truth]
        command += [part for way in choice.paradigms for part in ("--paradigm", way)]
        job_panel.start(services.store, JOB, command, owner=grant.staff_id or "")
        press.used()
        st.rerun()
    _made(grant)


@st.fragment(run_every=job_panel.EVERY)
def _made(grant: Grant) -> None:
    """The reports that were made."""
    services = _allowed(grant)
    for job in job_panel.of_kind(services.store, JOB, owner=grant.staff_id or "")[:5]:
        title = f"Report of {when(job.created_at)}"
        link = f"<p style='margin:0'>{escape(title)} · <a href='api/staff/export/{job.job_id}' download>Download</a></p>"
        far, done = "computing and drawing", partial(st.html, link)
        job_panel.show(services.store, job, title=title, far=far, actor=grant.staff_id or "", done=done)


PAGES = (
    Page(
        "Results",
        "results",
        roles=rights.LEADS,
        draw=lambda visit: page(visit.grant),
        group="Study",
        routes=(*results_api.ROUTES, *staff_api.ROUTES),
        components=(FIGURE,),
    ),
)
