"""Answers of models and people beside each other: import, the published tables, the plot, and why wrong answers are wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from annotation.qa import derive
from annotation.qa.errors import QaError
from annotation.qa.evaluating import evaluation, results
from annotation.qa.evaluating.results import CODES
from annotation.qa.projects import Project
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work import pool
from app import identity, rights
from app.address import invitation_link
from app.pages import qa_parts, said, tables
from app.pages.parts import Sheet, base_address, kept_for_all, plain_text, sheet
from app.services import Services
from data.plurals import number_of
from data.store import Store, StoreError
from study.access import Grant
from study.errors import StudyError
from study.ethics import DEMONSTRATION, EthicsRecord

ROLE = "researcher"
LINK = "qa-people-link"
"""Where the page shows the link of a study that was just made."""
COPY_IT = "Each browser that comes in by it is a new participant. Copy it now: only a fingerprint of it is kept."
IMPORT = "qa-import"
"""What the page notes of an import: the project, and what came of it."""
SAID = "qa-code"
"""Where it says why a code was not kept."""
HUMAN = 0.91
"""Published accuracy of people, over all subtasks (arXiv 2510.19400)."""
BEST_MODEL = 0.564
"""Published accuracy of the best model, over all subtasks (same)."""
CHANCE = 0.197
"""Published accuracy of guessing (same)."""
SETS = {"single": "Single view", "flip": "Upside down", "reject": "Rejection"}


def part(services: Services, grant: Grant, project: Project) -> None:
    """Import, tables, plot, codes."""
    store = services.store
    _upload(grant, project)
    _people(grant, project)
    name = f"results {project.project_id}"
    table = kept_for_all(name, results.stand(store, project.project_id), lambda: evaluation.human_table(store, project.project_id))
    rows = [row | {"run": row["study"], "model": "people"} for row in table["people"]] + table["models"]
    if not rows:
        st.info("There are no results yet: import those of a model, or let people answer.")
        return
    if words := stale_words(table["stale"]["people"], table["stale"]["models"]):
        st.warning(plain_text(words))
    st.header("Accuracy", anchor=False)
    st.html(_accuracy(rows))
    st.html(
        qa_parts.line(
            "Percent right of all items asked; what cannot be read is no answer and counts as wrong. "
            "Published figures are those of the published benchmark, not of these items."
        )
    )
    _plot(rows)
    _codes(store, grant, project)


def stale_words(people: int, models: int) -> str:
    """How many answers are to items that have changed since, people's and models' apart; empty where there is none."""
    answers = "answer" if (people or models) == 1 else "answers"
    told = [f"{n:d} {{}} of {whose}" for n, whose in ((people, "people"), (models, "models")) if n]
    if not told:
        return ""
    who = " and ".join([told[0].format(answers), *(one.replace("{} ", "") for one in told[1:])])
    verb, noun, they = ("is", "an item that has", "it is") if people + models == 1 else ("are", "items that have", "they are")
    return f"{who} {verb} to {noun} changed since; {they} counted."


def _accuracy(rows: Sequence[Mapping[str, Any]]) -> str:
    def cell(score: Mapping[str, Any] | None) -> str:
        return "" if not score or score["accuracy"] is None else f"{100 * score['accuracy']:.1f}"

    lines = []
    for row in rows:
        subtasks = [cell(row["subtasks"].get(slug)) for slug in SUBTASKS]
        whole = [cell(row["all"]), _interval(row["all"]), cell(row["spatial"]), cell(row["robotic"])]
        counts = [row["all"]["n"], row["all"]["no_answer"] or ""]
        lines.append([row["run"], row["model"], row["variant"] or "full", *whole, *subtasks, *counts])
    blank = [""] * (5 + len(SUBTASKS))
    for name, value in (("People, published", HUMAN), ("Best model, published", BEST_MODEL), ("Guessing", CHANCE)):
        lines.append([name, "", "", f"{100 * value:.1f}", *blank])
    head = [
        "Run",
        "Model",
        "Set",
        "All",
        "95 %",
        "Spatial",
        "Robotic",
        *(subtask.name for subtask in SUBTASKS.values()),
        "Items",
        "No answer",
    ]
    return tables.table(head, lines, numbers=range(3, 17), foot=3)


def _interval(score: Mapping[str, Any]) -> str:
    return "" if score["low"] is None else f"{100 * score['low']:.0f}–{100 * score['high']:.0f}"


def _plot(rows: Sequence[Mapping[str, Any]]) -> None:
    points = results.scatter(rows)
    if not points:
        return
    st.header("Spatial against robotic", anchor=False)
    # The mode bar loads nothing and sends nothing, but says "produced with Plotly" and offers what nobody needs here.
    st.plotly_chart(figure(points), width="content", config={"displayModeBar": False})
    st.html(qa_parts.line("Dashed: equal in both. Dotted: guessing."))


def figure(points: Sequence[Mapping[str, Any]]) -> go.Figure:
    """Accuracy in spatial against robotic subtasks.

    Args:
        points: of `results.scatter`; accuracies from 0 to 1.
    """
    made = go.Figure()
    for who, symbol, colour in (("model", "circle", "#1f5fbf"), ("people", "diamond", "#b3541e")):
        of = [point for point in points if (point["model"] == "people") is (who == "people")]
        made.add_scatter(
            x=[point["spatial"] for point in of],
            y=[point["robotic"] for point in of],
            text=[point["run"] for point in of],
            customdata=[(point["model"], point["variant"] or "full", point["n"]) for point in of],
            hovertemplate="%{text}: %{customdata[0]}, %{customdata[1]}<br>spatial %{x:.1%}, robotic %{y:.1%}, "
            "%{customdata[2]} items<extra></extra>",
            mode="markers+text",
            textposition="middle right",
            marker={"symbol": symbol, "size": 12, "color": colour, "opacity": 0.9},
            name=who,
            showlegend=bool(of),
        )
    made.add_shape(type="line", x0=0, y0=0, x1=1, y1=1, line={"dash": "dash", "color": "#8a8f98"}, layer="below")
    made.add_vline(x=CHANCE, line={"dash": "dot", "color": "#8a8f98"}, layer="below")
    made.add_hline(y=CHANCE, line={"dash": "dot", "color": "#8a8f98"}, layer="below")
    axis = {"range": [0, 1.03], "tickformat": ".0%"}
    made.update_layout(
        width=520,
        height=380,
        margin={"l": 60, "r": 20, "t": 20, "b": 50},
        xaxis={"title": "Accuracy, spatial subtasks", **axis},
        yaxis={"title": "Accuracy, robotic subtasks", **axis},
    )
    return made


# import


def _upload(grant: Grant, project: Project) -> None:
    with st.expander("Import results of a model"):
        st.write(
            "A .zip of the result tree (QA.json files, each with one key per run: model, choice, explanation), or a .jsonl or .csv table "
            "with item_id, model and answer or raw. An answer that cannot be read is kept as no answer, never as A."
        )
        form = sheet("qa-results")
        with st.form(form.key, border=False):
            endings = ["zip", *(ending[1:] for ending in (*results.LINES, *results.TABLES))]
            file = st.file_uploader("File", type=endings, key=f"{form.key}-file")
            run = st.text_input("Name of the run (for tables without a column run)", max_chars=80)
            if st.form_submit_button("Import") and not said.twice(IMPORT):
                if file is None:
                    st.error("Choose a file first.")
                else:
                    _import(grant, project, file.name, file.getvalue(), run.strip() or None, form)
        of, report = said.noted(IMPORT) or ("", None)
        if report is not None and of == project.project_id:
            _imported(report)


def _import(grant: Grant, project: Project, name: str, data: bytes, run: str | None, form: Sheet) -> None:
    store = qa_parts.allowed(grant, ROLE).store
    try:
        report = results.import_upload(store, project.project_id, name, data, actor=qa_parts.person(grant), run=run)
    except (QaError, StoreError) as error:
        st.error(f"{plain_text(name)}: {plain_text(error.for_people)}")
        return
    form.used()
    said.note(IMPORT, (project.project_id, report))
    said.acted(IMPORT)


def _imported(report: results.ResultsImport) -> None:
    """What came of an import."""
    unread = f", {report.no_answer:d} of them no answer" if report.no_answer else ""
    st.success(f"{number_of(report.imported, 'answer')} imported{unread}; {report.replaced:d} replaced earlier ones.")
    for note in report.notes:
        st.warning(plain_text(note))
    if report.refused:
        st.warning(f"{number_of(len(report.refused), 'was', 'were')} refused.")
        st.html(tables.table(["Where", "Why"], report.refused[:50]))


# people


def _people(grant: Grant, project: Project) -> None:
    """A study in which people answer the accepted items."""
    with st.expander("Let people answer"):
        st.write(
            "People take part as in every study: welcome, consent, questions, thanks. Whoever made or reviewed an item is "
            "refused in the browser in which they worked."
        )
        form = sheet("qa-people")
        with st.form(form.key, border=False):
            name = st.text_input("Name of the study; participants see it", max_chars=80)
            left, middle, right = st.columns(3)
            sample = left.number_input("Items per participant (0: all)", 0, 10_000, 0, help="As many of each subtask, give or take one.")
            limit = middle.number_input("Seconds per item (0: no limit)", 0, 86_400, 0, help="The last choice then counts.")
            variant = right.selectbox("Set", ["", *derive.KINDS], format_func=lambda kind: SETS.get(kind, "The items as they are"))
            references = st.checkbox("Looking things up is allowed", value=True)
            shown = st.checkbox("It is shown or tried out, and nothing in it is research: open it at once")
            if st.form_submit_button("Make the study") and not said.twice(LINK):
                chosen = {
                    "sample": int(sample) or None,
                    "time_limit_s": float(limit) or None,
                    "derived": variant or None,
                    "references": references,
                } | ({"ethics": EthicsRecord(basis=DEMONSTRATION)} if shown else {"state": "draft"})
                _make_study(grant, project, name.strip(), chosen, form)
        made = said.show(LINK, project.project_id)
        if made and made.known:
            st.info(plain_text(" ".join(made.known)))


def _make_study(grant: Grant, project: Project, name: str, chosen: dict[str, Any], form: Sheet) -> None:
    store = qa_parts.allowed(grant, ROLE).store
    if not name:
        st.error("Give the study a name.")
        return
    try:
        study, token = evaluation.invite_people(store, project.project_id, name, seed=project.seed, actor=qa_parts.person(grant), **chosen)
    except StudyError as error:
        st.error(plain_text(str(error)))
        return
    form.used()
    told = evaluation.until_it_is_open(study)
    said.done(
        LINK, about=project.project_id, link=invitation_link(base_address(), token), of_link=COPY_IT, known=(told,) if told else (),
        deed=LINK,
    )  # fmt: skip


# why wrong answers are wrong


def _codes(store: Store, grant: Grant, project: Project) -> None:
    st.header("Why wrong answers are wrong", anchor=False)
    found = results.coded(store, project.project_id)
    if found["answers"]:
        lines = [[run, *(f"{counts[code]:g}" if code in counts else "" for code in CODES)] for run, counts in found["runs"].items()]
        st.html(tables.table(["Run", *(code.capitalize() for code in CODES)], lines, numbers=range(1, len(CODES) + 1)))
        alpha = "" if found["alpha"] is None else f", Krippendorff’s α {found['alpha']:.2f}"
        equal = f"; of those, equal pairs {qa_parts.percent(found['agreement'])}{alpha}" if found["twice"] else ""
        st.html(qa_parts.line(f"{number_of(found['answers'], 'answer')} coded, {found['twice']} by two or more{equal}."))
    waiting = results.to_code(store, project.project_id, qa_parts.person(grant))
    kept = rights.asks_to_judge(store, identity.page_cookie(), {row["item_id"] for row in waiting})
    waiting = [row for row in waiting if row["item_id"] not in kept]
    if not waiting:
        st.html(qa_parts.line("No wrong answer waits for your code."))
        return
    if st.toggle(f"Code wrong answers ({number_of(len(waiting), 'waits', 'wait')} for you)", key="qa-coding"):
        _code_one(store, grant, waiting[0])


def _code_one(store: Store, grant: Grant, row: Mapping[str, Any]) -> None:
    """One wrong answer, without its run, its model or what others said."""
    try:
        item = pool.get(store, row["item_id"].removesuffix(f".{row['variant']}")).item
    except QaError as error:
        st.error(plain_text(str(error)))
        return
    st.html(qa_parts.question_html(item.question))
    qa_parts.pictures(item, key=f"code-look-{row['result_id']}")
    st.html(qa_parts.options_html(item, chosen=row["answer"] if not row["variant"] else None))
    st.html(
        qa_parts.line(
            f"Given: {row['answer'] or 'no answer'} · right: {row['gold']}" + (f" · derived set {row['variant']}" if row["variant"] else "")
        )
    )
    st.html(f'<div class="qa"><pre aria-label="What was answered">{escape(row["raw"] or "(nothing)")}</pre></div>')
    with st.form(f"qa-code-{row['result_id']}", border=False):
        code = st.radio("Code", list(CODES), index=None, format_func=lambda c: plain_text(f"{c.capitalize()}: {CODES[c]}"))
        note = st.text_input("Note", max_chars=500)
        pressed = st.form_submit_button("Save the code") and not said.twice(SAID)
        said.show(SAID, row["result_id"])
        if pressed:
            if code is None:
                said.refused(SAID, "Choose a code first.", about=row["result_id"])
            else:
                qa_parts.guarded(
                    lambda: results.code_error(
                        qa_parts.allowed(grant, ROLE).store, row["result_id"], qa_parts.person(grant), code, note.strip()
                    ),
                    SAID,
                    row["result_id"],
                    deed=SAID,
                )
            st.rerun()
