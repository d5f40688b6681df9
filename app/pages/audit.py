"""Whether a set of tasks is sound: what the audit's checks find in it, with examples and a fix each. The checks run as a job."""

from __future__ import annotations

import secrets
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from annotation.auditing.report import BALANCE_HEAD, BALANCE_WORDS, balance_lines, where_in_words
from app import identity, rights, staff_api
from app.pages import job_panel, tables
from app.pages.page import Page
from app.pages.parts import begin, plain_text, sheet, when
from app.services import Services, current
from data import jobs
from data.plurals import number_of
from study.access import EVERY_STUDY, Grant
from study.studies import get_study, list_studies

JOB = "audit"
"""Kind of the job that runs the checks."""
IN_WORDS = {"error": "Error", "warning": "Warning", "note": "Note"}
MEANS = {
    "error": "the item's score means nothing, or something else than it says",
    "warning": "it can be gained by a shortcut, or measures less than it says",
    "note": "worth knowing when figures are read",
}
"""Severity → what it says of a row."""
COLOURS = {"error": "#a1260d", "warning": "#7a4b00", "note": "#44505e"}
"""Severity → its colour; each has a contrast of 7 to 1 with white."""
STUDY, PROJECT, DATASET = "--study", "--project", "--dataset"
WHAT = {STUDY: "study", PROJECT: "robot questions", DATASET: "data set"}
"""Option of ``vantage audit`` → what it names, in words."""


def page(grant: Grant) -> None:
    """Choose a set, run the checks, read what they found."""
    begin("Vantage: audit")
    services = _allowed(grant)
    st.title("Audit", anchor=False)
    st.write(
        "Small checks look through a whole set of tasks and say what is wrong with it: copies, golds that can be guessed without looking, "
        "rules that a task breaks. They change nothing."
    )
    sets = _sets(services, grant)
    if not sets:
        st.info("There is no set of tasks here yet. Make a study or import a data set first.")
        return
    at = st.selectbox("Set of tasks", range(len(sets)), format_func=lambda n: sets[n][2], key="audit-set")
    render = st.checkbox(
        "With the checks that render", key="audit-render",
        help="They play every own task in the simulator: some seconds for each; how long is left is told.",
    )  # fmt: skip
    press = sheet("audit-run")
    if st.button("Run the audit", type="primary", key=press.key):
        _allowed(grant)
        option, name, _ = sets[at]
        out = services.home.root / "exports" / secrets.token_hex(8) / "findings.jsonl"
        command = ["audit", option, name, "--out", str(out), *(["--render"] if render else [])]
        job_panel.start(services.store, JOB, command, owner=grant.staff_id or "")
        press.used()
        st.rerun()
    _made(grant)


def _allowed(grant: Grant) -> Services:
    """The services, after checking the role on the server."""
    services = current()
    rights.in_study(services.store, identity.page_cookie(), "researcher", grant.study_id)
    return services


def _sets(services: Services, grant: Grant) -> list[tuple[str, str, str]]:
    """What may be audited: (option of the command, its id, what is shown)."""
    store = services.store
    studies = list_studies(store) if grant.study_id == EVERY_STUDY else [get_study(store, grant.study_id)]
    found = [(STUDY, study.study_id, f"Study: {study.name}") for study in studies]
    found += [(PROJECT, p.project_id, f"Robot questions: {p.name}") for p in rights.projects_of(store, grant, "researcher")]
    if grant.study_id == EVERY_STUDY:
        of_sets = store.task_counts("dataset")
        found += [(DATASET, name, f"Data set: {name} ({number_of(count, 'task')})") for name, count in of_sets.items()]
    return found


@st.fragment(run_every=job_panel.EVERY)
def _made(grant: Grant) -> None:
    """The audits that were run: progress, then the newest report."""
    services = _allowed(grant)
    made = job_panel.of_kind(services.store, JOB, owner=grant.staff_id or "")
    if not made:
        st.caption("No audit has been run yet.")
        return
    chosen = made[0]
    if len(made) > 1:
        titles = [f"{when(job.created_at)} · {_set_of(services, job)}" for job in made]
        chosen = made[st.selectbox("Report", range(len(made)), format_func=titles.__getitem__, key="audit-report")]
    title = f"{_set_of(services, chosen)}, {when(chosen.created_at)}"
    far, done = chosen.message or "reading the tasks", partial(_report, services, chosen, title)
    job_panel.show(services.store, chosen, title=title, far=far, actor=grant.staff_id or "", done=done)


def _set_of(services: Services, job: jobs.Job) -> str:
    """What an audit looked at."""
    command = jobs.argv(services.store, job.job_id)
    for option, what in WHAT.items():
        if option in command:
            name = command[command.index(option) + 1]
            return get_study(services.store, name).name if option == STUDY else f"{what} {name}"
    return "a set"


def _report(services: Services, job: jobs.Job, title: str) -> None:
    found: list[dict[str, Any]] = job.result.get("checks", [])
    with_rows = [check for check in found if check["rows"]]
    clean = len(found) - len(with_rows)
    st.header(plain_text(title), anchor=False)
    st.write(
        f"{number_of(job.result.get('rows', 0), 'task')}. {len(with_rows)} of {number_of(len(found), 'check')} found something, {clean} "
        "found nothing."
    )
    # what somebody may still be given to judge stays closed to them here too: evidence names golds
    kept = _kept_back(services, [example["row_id"] for check in with_rows for example in check["examples"]])
    for severity, word in IN_WORDS.items():
        for check in (c for c in with_rows if c["severity"] == severity):
            with st.expander(
                plain_text(f"{word}: {_words(check['id'])}, {number_of(check['rows'], 'task')}"), expanded=severity == "error"
            ):
                st.html(_told(check, kept, job.result.get("subcategories", {}).get(check["id"], [])))
    _balance(job.result.get("balance", []))
    for skipped in job.result.get("not_run", []):
        st.caption(plain_text(f"Not run: {_words(skipped['id'])}. {skipped['why']}"))
    _download(services, job)


def _balance(found: list[dict[str, Any]]) -> None:
    """Table 6 of the set."""
    if not found:
        return
    with st.expander("Balance and diversity"):
        st.html(tables.table(BALANCE_HEAD, balance_lines(found), numbers=range(1, len(BALANCE_HEAD)), last=True))
        st.caption(BALANCE_WORDS)


def _words(check_id: str) -> str:
    return check_id.replace("-", " ")


def _told(check: dict[str, Any], kept: set[str], where: list[list[Any]]) -> str:
    """One check's findings as HTML."""
    severity = check["severity"]
    lines = "".join(
        f"<li style='margin:.3rem 0'><b>{escape(example['row_id'])}</b>: {escape(example['evidence'])}</li>"
        for example in check["examples"]
        if example["row_id"] not in kept
    )
    return (
        f"<p style='margin:0;color:{COLOURS[severity]}'>{IN_WORDS[severity]}: {escape(MEANS[severity])}.</p>"
        + (f"<p style='margin:.6rem 0 0'>Where: {escape(where_in_words(where))}</p>" if where else "")
        + f"<p style='margin:.6rem 0 0'>For example</p><ul style='margin:.2rem 0 .6rem'>{lines or '<li>kept back from you</li>'}</ul>"
        f"<p style='margin:0'><b>What to do:</b> {escape(check['fix'])}</p>"
    )


def _kept_back(services: Services, task_ids: list[str]) -> set[str]:
    return rights.asks_to_judge(services.store, identity.page_cookie(), task_ids)


def _download(services: Services, job: jobs.Job) -> None:
    """The way to the list of all findings."""
    if staff_api.findings_path(jobs.argv(services.store, job.job_id)).is_file():
        st.html(f"<p><a href='api/staff/findings/{job.job_id}' download>Download all findings (JSON lines)</a></p>")
    else:
        st.caption("The list of all findings is no longer kept: run the audit again to have it.")


PAGES = (Page("Audit", "audit", roles=rights.LEADS, draw=lambda visit: page(visit.grant), group="Study", routes=tuple(staff_api.ROUTES)),)
"""For the menu."""
