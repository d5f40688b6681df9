"""A researcher's page that makes exports: choices, progress, and the archives that were made. It checks the role itself."""

from __future__ import annotations

from functools import partial
from html import escape

import streamlit as st

from app import identity, rights, staff_api
from app.pages import job_panel
from app.pages.page import Page
from app.pages.parts import begin, kind_of_run, plain_text, sheet, when
from app.services import Services, current
from app.staff_api import export_command
from data import jobs
from data.plurals import number_of
from study.access import EVERY_STUDY, Grant
from study.exports import FORMATS
from study.exports.choice import ALL_RESULTS, PICTURES, USUAL, Choice, Estimate, Pictures, chosen_people, estimate, in_bytes
from study.studies import get_study

JOB = "export"
"""Kind of the job that writes an archive."""
IN_WORDS = {"webp": "As they are stored (WebP)", "png": "PNG, as in the released results", "none": "None"}
"""How pictures are written → how it is said."""
COUNTED = {
    "episodes": ("episode", "episodes"),
    "participants": ("participant", "participants"),
    "steps": ("step", "steps"),
    "answers": ("answer", "answers"),
    "results": ("result file", "result files"),
    "images": ("picture", "pictures"),
    "trajectory_steps": ("trajectory step", "trajectory steps"),
    "problems": ("picture missing", "pictures missing"),
}
"""What is told of an archive → its words, for one and for more."""
SHOWN = 10
"""Archives that are shown, the newest first."""


def _allowed(grant: Grant) -> Services:
    """The services, after checking the role on the server."""
    services = current()
    rights.in_study(services.store, identity.page_cookie(), "researcher", grant.study_id)
    return services


def export(grant: Grant) -> None:
    """Choices, how large it will be, and the archives that were made."""
    begin("Vantage: export")
    services = _allowed(grant)
    st.title("Study export", anchor=False)
    st.write("One archive of what you choose. Recruitment ids and data of people who withdrew stay out.")
    titles = {form.name: form.title for form in FORMATS}
    usual = [form.name for form in FORMATS if form.by_default]
    forms = st.multiselect("Forms", list(titles), default=usual, format_func=titles.__getitem__, key="export-forms")
    st.caption("\n".join(f"- {plain_text(form.title)}: {plain_text(form.text)}" for form in FORMATS))
    pictures: Pictures = st.radio("Pictures", PICTURES, format_func=IN_WORDS.__getitem__, horizontal=True, key="export-pictures")
    finished = not st.checkbox("Tasks without a final answer, too", value=not USUAL.finished, key="export-unfinished")
    practice = st.checkbox("Practice, too", value=USUAL.practice, key="export-practice")
    every = st.checkbox(
        "Result files of these, too",
        value=ALL_RESULTS,
        disabled=finished and not practice,
        help="Otherwise practice and tasks without a final answer are in the tables, which say so, and have no result file.",
        key="export-results",
    )
    study_id = None if grant.study_id == EVERY_STUDY else grant.study_id
    mode = kind_of_run(services.store, grant.study_id)
    people = {person.participant_id: person for person in chosen_people(services.store, study_id, (mode,))}
    several = len({person.study for person in people.values()}) > 1
    only = st.multiselect(
        "Participants",
        list(people),
        format_func=lambda one: f"{people[one].name} · {people[one].study}" if several else people[one].name,
        placeholder="Everybody, and models",
        key="export-people",
    )
    choice = Choice(study_id=study_id, participants=tuple(only) or None, finished=finished, practice=practice, modes=(mode,))
    found = estimate(services.store, choice)
    copies = sum(form.pictures for form in FORMATS if form.name in forms)
    size = _size(found, in_bytes(found.size(pictures, copies)))
    st.write(plain_text(size) if found.episodes else "No episode fits this choice.")
    press = sheet("export")
    if st.button("Make an export", type="primary", disabled=not forms or not found.episodes, key=press.key):
        _allowed(grant)
        options = ["--images", pictures, *(["--finished"] if finished else []), *([] if practice else ["--no-practice"])]
        options += ["--unfinished"] if every else []
        options += ["--mode", mode]
        options += [part for one in only for part in ("--participant", one)]
        command = export_command(services, grant.study_id, forms, options)
        job_panel.start(services.store, JOB, command, owner=grant.staff_id or "")
        press.used()
        st.rerun()
    _exports(grant)
    st.caption("On the command line: `vantage export --out FOLDER`.")


def _size(found: Estimate, size: str) -> str:
    return (
        f"{number_of(found.episodes, 'episode')} of {number_of(found.people, 'person', 'people')}, {number_of(found.steps, 'step')}: "
        f"about {size}."
    )


@st.fragment(run_every=job_panel.EVERY)
def _exports(grant: Grant) -> None:
    services = _allowed(grant)
    st.header("Archives", anchor=False)
    made = job_panel.of_kind(services.store, JOB, owner=grant.staff_id or "")
    if not made:
        st.info("No export has been made yet.")
    for job in made[:SHOWN]:
        title = f"{_study_of(services, job)} · {when(job.created_at)}"
        so_far = f"{job.done:d} of {number_of(job.total, 'episode')}" if job.total else "counting the episodes"
        far = so_far + (f", {job.message}" if job.message else "")
        job_panel.show(services.store, job, title=title, far=far, actor=grant.staff_id or "", done=partial(_archive, job, title))


def _archive(job: jobs.Job, title: str) -> None:
    """The way to an archive, and what is in it."""
    link = f"<a href='api/staff/export/{job.job_id}' download>Download the archive</a>"
    st.html(
        f"<p style='margin:0'><b>{escape(title)}</b> · {link}</p>"
        f"<p style='margin:0;opacity:.8'>{escape(_what(job))}</p>" + (f"<p>{escape(job.message)}</p>" if job.message else ""),
    )


def _study_of(services: Services, job: jobs.Job) -> str:
    """Name of the study that an archive is of."""
    command = jobs.argv(services.store, job.job_id)
    return get_study(services.store, command[command.index("--study") + 1]).name if "--study" in command else "All studies"


def _what(job: jobs.Job) -> str:
    """Size and counts of an archive, as far as it told them."""
    counts = job.result.get("counts", {})
    told = [number_of(counts[name], one, more) for name, (one, more) in COUNTED.items() if counts.get(name)]
    return ", ".join([in_bytes(job.result["bytes"]), *told]) if "bytes" in job.result else "Its size was not kept."


EXPORT = Page(
    "Study export",
    "export",
    roles=rights.LEADS,
    draw=lambda visit: export(visit.grant),
    group="Study",
    routes=tuple(staff_api.ROUTES),
)
PAGES = (EXPORT,)
