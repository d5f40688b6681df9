"""What leaves a project: balanced letters and colours, derived sets, and the export as a job of its own."""

from __future__ import annotations

import secrets
from collections import Counter
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from annotation.qa import derive
from annotation.qa.drawn.marks_style import STYLE
from annotation.qa.items import Item
from annotation.qa.projects import Project
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work import balance as balancing
from annotation.qa.work import pool
from app.pages import job_panel, qa_parts, said, tables
from app.pages.parts import kept_for_all, sheet, when
from app.services import Services
from data import jobs
from data.plurals import number_of
from study.access import Grant

ROLE = "researcher"
SAID = "qa-balance"
"""Where it is said why nothing was balanced."""
JOB = "qa-export"
"""Kind of the job that writes an export."""


def _accepted(services: Services, project: Project) -> list[Item]:
    def read() -> list[Item]:
        return [stored.item for stored in pool.items(services.store, project.project_id, state="accepted") if not stored.trial]

    return kept_for_all(f"accepted {project.project_id}", pool.stand(services.store, project.project_id), read)


# balance


def balance(services: Services, grant: Grant, project: Project) -> None:
    """What balancing would do, and the button that does it."""
    items = _accepted(services, project)
    if not items:
        st.info("No item is accepted yet: there is nothing to balance.")
        return
    st.write(
        "Balancing gives every subtask the letters A–E and the colours of its right answers equally often (within one), so that nobody "
        "can guess by them. Options move with their letters, marks are recoloured, and the texts name the new colours. Every item that "
        "moves gets a new version; the seed is recorded."
    )
    left, right, _ = st.columns([1, 2, 3], vertical_alignment="bottom")
    seed = int(left.number_input("Seed", 0, 2**31 - 1, project.seed, key="qa-balance-seed"))
    again = right.checkbox("Also move what is balanced already", key="qa-balance-again")
    stand = (*pool.stand(services.store, project.project_id), seed, again)
    moves = kept_for_all(f"balance {project.project_id}", stand, lambda: balancing.plan(items, seed, again=again))
    moved = {move.item.item_id: move.item for move in moves}
    before, after = balancing.report(items), balancing.report(moved.get(item.item_id, item) for item in items)
    lines = []
    for slug, row in before["subtasks"].items():
        then = after["subtasks"][slug]
        lines.append([
            f"<b>{escape(qa_parts.subtask_name(slug))}</b><br>{number_of(row['items'], 'item')}"
            f"{'' if row['within_one'] else '<br>not even'}",
            _letters(row["letters"]), _letters(then["letters"]), _colours(row["colours"]), _colours(then["colours"]),
        ])  # fmt: skip
    st.html(tables.table(["Subtask", "Letters now", "Letters after", "Colours now", "Colours after"], lines, html=True))
    if moves:
        if st.button(f"Balance: move {len(moves)} item{'s' if len(moves) > 1 else ''}", type="primary"):
            qa_parts.guarded(
                lambda: balancing.apply(
                    qa_parts.allowed(grant, ROLE).store, project.project_id, qa_parts.person(grant), seed=seed, again=again
                ),
                SAID,
                project.project_id,
                deed=SAID,
            )
            st.rerun()
        said.show(SAID, project.project_id)
    else:
        st.success("Letters and colours are within one of uniform in every subtask: nothing has to move.")
    if done := balancing.done(services.store, project.project_id):
        names = qa_parts.names(services.store, [one.actor for one in done])
        st.header("Balanced before", anchor=False)
        rows = [[when(one.at), names[one.actor], one.data.seed, one.data.moved] for one in done]
        st.html(tables.table(["When", "Who", "Seed", "Items moved"], rows, numbers=[2, 3]))


def _columns(counts: dict[str, int], colour: Any) -> str:
    most = max(counts.values(), default=0) or 1
    bars = "".join(
        f"<span>{n}<i style='height:{max(2, round(30 * n / most))}px{colour(name)}'></i>{escape(name[:3])}</span>"
        for name, n in counts.items()
    )
    told = ", ".join(f"{name} {n}" for name, n in counts.items())
    return f"<div class='columns' role='img' aria-label='{escape(told)}'>{bars}</div>"


def _letters(counts: dict[str, int]) -> str:
    return _columns(counts, lambda name: "")


def _colours(counts: dict[str, int]) -> str:
    return _columns(counts, lambda name: f";background:{STYLE.colours[name]}") if counts else ""


# derived sets and export


def _derived(items: list[Item]) -> dict[derive.Kind, dict[str, int]]:
    """Kind of set → subtask → items that it would hold."""
    kinds: tuple[derive.Kind, ...] = ("single", "flip", "reject")
    return {kind: dict(derive.derive(items, kind).counts()) for kind in kinds}


def export(services: Services, grant: Grant, project: Project) -> None:
    """What a set would hold, and the export."""
    items = _accepted(services, project)
    st.header("Derived sets", anchor=False)
    if items:
        stand = pool.stand(services.store, project.project_id)
        counts = kept_for_all(f"derived {project.project_id}", stand, lambda: _derived(items))
        own = Counter(item.subtask for item in items)
        rows = [[subtask.name, own[slug], *(count.get(slug, 0) for count in counts.values())] for slug, subtask in SUBTASKS.items()]
        total = ["All", len(items), *(sum(count.values()) for count in counts.values())]
        st.html(
            tables.table(["Subtask", "Accepted", "Single view", "Upside down", "Rejection"], [*rows, total], numbers=range(1, 5), last=True)
        )
        st.html(qa_parts.line("On the command line: vantage qa derive single --out FOLDER (also flip, reject)."))
    else:
        st.info("No item is accepted yet, so every set is empty.")
    st.header("Export", anchor=False)
    st.write(
        "One archive: every accepted item in a folder of its own, as the public evaluation scripts read it (QA.json beside clean and drawn "
        "images and the marks), tables of all items with their state (JSONL and Parquet), COCO boxes, and a data card by which the Hugging "
        "Face library loads it."
    )
    press = sheet("qa-export")
    if st.button("Make an export", type="primary", key=press.key):
        store = qa_parts.allowed(grant, ROLE).store
        out = services.home.root / "exports" / secrets.token_hex(8) / "robot-questions"
        command = ["qa", "export", "--project", project.project_id, "--out", str(out), "--zip"]
        job_panel.start(store, JOB, command, owner=qa_parts.person(grant))
        press.used()
        st.rerun()
    _exports(grant)
    st.html(qa_parts.line("On the command line: vantage qa export --out FOLDER; vantage qa check FOLDER looks at it."))


@st.fragment(run_every=job_panel.EVERY)
def _exports(grant: Grant) -> None:
    store = qa_parts.allowed(grant, ROLE).store
    made = job_panel.of_kind(store, JOB, owner=qa_parts.person(grant))
    if not made:
        st.html(qa_parts.line("No export has been made yet."))
    for job in made[:8]:
        far = f"{job.done:d} of {job.total or '…'} items"
        job_panel.show(store, job, title=when(job.created_at), far=far, actor=qa_parts.person(grant), done=partial(_archive, job))


def _archive(job: jobs.Job) -> None:
    """The way to an archive, and what it had to leave out."""
    st.html(f"<p>{escape(when(job.created_at))}: <a href='api/staff/export/{job.job_id}' download>Download the archive</a></p>")
    if job.message:
        st.html(qa_parts.line(job.message))
