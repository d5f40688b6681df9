"""The lead's page of a project of robot questions: where everything stands, its people, its items, and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from html import escape
from typing import Any

import streamlit as st

from annotation.qa import moments, projects
from annotation.qa.errors import QaError
from annotation.qa.moments.records import BREAK_S
from annotation.qa.projects import Project, Quota
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work import agreement, hours, pool
from annotation.reviewing.kinds.robot_questions import KIND
from app import identity, qa_images, qa_list_api, rights, staff_api
from app.components.authoring import ITEMLIST
from app.components.reviewing import LOOK
from app.pages import qa_author, qa_lead_items, qa_lead_out, qa_lead_results, qa_parts, tables
from app.pages.page import Page
from app.pages.parts import begin, kept_for_all, plain_text
from app.services import Services
from data.store import Store
from study import access
from study.access import EVERY_STUDY, Grant
from study.studies import list_studies

ROLE = "researcher"
MOST_NAMED = 50
"""Starved items that are named; the others are counted."""
REVIEWERS = ("reviewer", "annotator")
"""Roles of those who are given items to review."""


def page(grant: Grant) -> None:
    """The project, one part at a time."""
    begin("Vantage: questions", layout="wide")
    services = qa_parts.allowed(grant, ROLE)
    st.html(qa_parts.STYLE)
    qa_author.go_on()
    project = qa_parts.chosen_project(services.store, grant, ROLE)
    if project is None:
        st.title("Questions about robot episodes", anchor=False)
        st.write(
            "There is no project yet. A project is one benchmark in the making: moments, items, and the people who make and judge them."
        )
        _new_project(services, grant)
        return
    st.title(plain_text(project.name), anchor=False)
    parts: dict[str, Callable[[Services, Grant, Project], None]] = {
        "Overview": _overview,
        "Items": qa_lead_items.part,
        "People": _people,
        "Balance": qa_lead_out.balance,
        "Export": qa_lead_out.export,
        "Results": qa_lead_results.part,
        "New project": _another,
    }
    asked = st.query_params.get("part", "")
    first = asked if asked in parts else "Overview"
    chosen = st.segmented_control(
        "Part", list(parts), format_func=plain_text, default=first, required=True, label_visibility="collapsed", key="qa_part"
    )
    # A part has an address, so that a reload or a link leads to it.
    st.query_params["part"] = chosen or first
    parts[chosen or first](services, grant, project)


def _another(services: Services, grant: Grant, project: Project) -> None:
    _new_project(services, grant)


# a new project


def _new_project(services: Services, grant: Grant) -> None:
    st.header("New project", anchor=False)
    with st.form("qa-new-project"):
        name = st.text_input("Name", max_chars=80)
        study_id = _study_choice(services.store, grant)
        left, middle, right = st.columns(3)
        k = left.number_input(
            "Reviewers per item (1 to 9)", 1, 9, 2, help="How many people, each alone, must find an item clean. Any flag sends it back."
        )
        batch = middle.number_input(
            "Trial items (0 to 20)", 0, 20, 2, help="How many items of a new author must be accepted before others count. 0: no training."
        )
        hold = right.number_input(
            "Minutes for a review (1 to 1440)", 1, 1440, 120, help="A review that is not finished by then is given to somebody else."
        )
        none = left.number_input(
            "“None” share, % (0 to 100)",
            0,
            100,
            25,
            help="Share of Cross-View Matching items whose right option is that no box is correct (published: 25 %).",
        )
        seed = middle.number_input("Seed", 0, 2**31 - 1, 1, help="Decides how letters and colours are balanced; kept with the project.")
        st.markdown("**Accepted items wanted of each subtask** (0: none can be made)")
        columns = st.columns(4)
        targets = {
            slug: columns[n % 4].number_input(SUBTASKS[slug].name, 0, 10_000, 100, key=f"quota-{slug}") for n, slug in enumerate(SUBTASKS)
        }
        if st.form_submit_button("Make the project", type="primary"):
            fields = {
                "reviewers_per_item": int(k),
                "trial_batch": int(batch),
                "hold_minutes": int(hold),
                "none_share": none / 100,
                "seed": int(seed),
            }
            quotas = [Quota.model_validate({"subtask": slug, "target": int(n)}).model_dump() for slug, n in targets.items()]
            _make(grant, name.strip(), study_id, fields | {"quotas": quotas})


def _study_choice(store: Store, grant: Grant) -> str:
    """The study whose people work on the project."""
    if grant.study_id != EVERY_STUDY:
        return grant.study_id
    studies = {study.study_id: study.name for study in list_studies(store)}
    return st.selectbox("Study whose people work on it", list(studies), format_func=studies.__getitem__) if studies else ""


def _make(grant: Grant, name: str, study_id: str, fields: dict[str, Any]) -> None:
    services = qa_parts.allowed(grant, ROLE)
    if not name:
        st.error("Give the project a name.")
        return
    if any(project.name == name for project in rights.projects_of(services.store, grant, ROLE)):
        st.error(plain_text(f"There is a project {name!r} already: choose another name."))
        return
    if not study_id:
        st.error("There is no study yet, so nobody could work on it: make a study first.")
        return
    try:
        made = projects.create_project(services.store, name, actor=qa_parts.person(grant), study_id=study_id, **fields)
    except QaError as error:
        st.error(plain_text(str(error)))
        return
    st.session_state["qa_project"] = made.project_id
    st.session_state.pop("qa-project-picker", None)
    st.session_state.pop("qa_part", None)
    st.query_params["part"] = "Overview"
    st.rerun()


# where everything stands


def _overview(services: Services, grant: Grant, project: Project) -> None:
    store = services.store
    _settings(project)
    found = moments.funnel(store, project.project_id)
    st.header("From episodes to items", anchor=False)
    stages = "".join(f"<div><b>{n}</b>{escape(name)}</div>" for name, n in found.stages)
    st.html(f'<div class="qa"><div class="funnel">{stages}</div></div>')
    if not found.episodes:
        st.info(
            "No robot episodes are imported yet. On the command line: `vantage qa import FOLDER`; then sample moments on the page Moments."
        )
    effort = {stage: asdict(one) for stage, one in found.effort.items() if one.done}
    if effort:
        told = [f"{stage}: {one['done']} done, median {_seconds(one['median_s'])}" for stage, one in effort.items()]
        st.html(qa_parts.line("Effort · " + " · ".join(told)))
    st.header("Items", anchor=False)
    counts = pool.counts(store, project.project_id)
    rows = [[subtask.name, *(counts.get(slug, {}).get(state, 0) or "" for state in KIND.states)] for slug, subtask in SUBTASKS.items()]
    total = ["All", *(sum(counts.get(slug, {}).get(state, 0) for slug in SUBTASKS) for state in KIND.states)]
    head = ["Subtask", *(said.heading for said in KIND.words.values())]
    st.html(tables.table(head, [*rows, total], numbers=range(1, len(KIND.words) + 1), last=True))
    _quotas(store, project)
    _starved(store, project)
    if st.button("Check the pool against its own rules", help="Versions, states, reviews and quotas, item by item."):
        with st.spinner("Looking at every item …"):
            problems = agreement.audit(store, project.project_id)
        if problems:
            st.error(f"{len(problems)} contradictions: {plain_text(' '.join(problems[:8]))}")
        else:
            st.success("The pool is consistent: nothing contradicts anything else.")


def _seconds(value: float | None) -> str:
    return "not known" if value is None else f"{value:.0f} s" if value < 90 else f"{value / 60:.0f} min"


def _settings(project: Project) -> None:
    reviewers = f"{project.reviewers_per_item} reviewer{'s' if project.reviewers_per_item > 1 else ''} per item"
    trial = f"{project.trial_batch} trial items for new authors" if project.trial_batch else "no trial batch"
    st.html(qa_parts.line(f"{reviewers} · {trial} · None share {project.none_share:.0%} · seed {project.seed} · {project.state}"))


def _quotas(store: Store, project: Project) -> None:
    found = projects.places(store, project)
    if not found:
        return
    st.header("Quotas", anchor=False)
    lines = []
    for place in found:
        name = qa_parts.subtask_name(place.subtask) + (" (None is right)" if place.cell else "")
        done = min(100, 100 * place.accepted / place.target) if place.target else 100
        bar = f'<span class="bar"><i style="width:{done:.0f}%"></i></span>'
        source = "" if place.source == "*" else f" · {place.source}"
        lines.append([escape(name + source), bar, place.accepted, place.under_way, place.target, place.left])
    head = ["Subtask", "", "Accepted", "Under way", "Wanted", "Places left"]
    st.html(tables.table(head, lines, numbers=range(2, 6), html=True))


def _starved(store: Store, project: Project) -> None:
    found = pool.starved(store, project.project_id, reviewers(store, project))
    if not found:
        return
    st.warning(
        f"{len(found)} item{'s' if len(found) > 1 else ''} in review cannot get the reviews needed: too many reviewers wrote them or have "
        "seen their answer. Invite another reviewer, or discard them under Items."
    )
    names = [f"{qa_parts.subtask_name(slug)} {number}" for slug, number in pool.numbers(store, found[:MOST_NAMED])]
    st.html(qa_parts.line("Starved: " + ", ".join(names) + (f" and {len(found) - len(names)} more" if len(found) > len(names) else "")))


def reviewers(store: Store, project: Project) -> list[str]:
    """Staff who may be given items of the project to review."""
    return access.holders(store, REVIEWERS, project.study_id)


# people


def _people(services: Services, grant: Grant, project: Project) -> None:
    store = services.store
    made = pool.made(store, project.project_id)
    found = agreement.rates(store, project.project_id)
    people = {some.author for some in made} | set(found["reviewers"]) | set(reviewers(store, project))
    names = qa_parts.names(store, people)
    if not people:
        st.info("Nobody works on this project yet. Send the annotator link that `vantage run` prints.")
        return
    st.header("Who made and who judged", anchor=False)
    rows = []
    for who in sorted(people, key=names.__getitem__):
        own = [some for some in made if some.author == who]
        counted = sum(some.n for some in own if not some.trial)
        accepted = sum(some.n for some in own if not some.trial and some.state == "accepted")
        standing = projects.training(store, project, who)
        trial = "" if not own else "passed" if standing.passed else f"{standing.accepted} of {standing.needed} accepted"
        author, reviewer = found["authors"].get(who, {}), found["reviewers"].get(who, {})
        as_author = [
            names[who],
            counted or "",
            accepted or "",
            trial,
            *(qa_parts.percent(author.get(k)) for k in ("answer_match", "flag_rate")),
        ]
        as_reviewer = [reviewer.get("reviews", ""), *(qa_parts.percent(reviewer.get(k)) for k in ("answer_match", "flag_rate"))]
        rows.append([*as_author, *as_reviewer])
    head = ["Person", "Items made", "Accepted", "Training", "Their items answered as meant", "Their items flagged"]
    st.html(tables.table([*head, "Reviews", "Answers as the author’s", "Flags given"], rows, numbers=[1, 2, 4, 5, 6, 7, 8]))
    _hours(store, project, names)
    _agreement(found)
    _trials(store, project, names)


def _hours(store: Store, project: Project, names: dict[str, str]) -> None:
    """Who spent how long on what."""
    spent = kept_for_all(f"hours {project.project_id}", store.last_event(), lambda: hours.hours(store, project.project_id))
    st.header("Hours", anchor=False)
    if not spent:
        st.html(qa_parts.line("No time is known yet."))
        return
    known = names | qa_parts.names(store, {one.person for one in spent} - set(names))
    of: dict[str, dict[str, float]] = {}
    for one in spent:
        of.setdefault(one.person, {})[one.stage] = one.hours
    rows = [[known[who], *(_hour(own.get(stage)) for stage in hours.STAGES), _hour(sum(own.values()))] for who, own in of.items()]
    rows.sort(key=lambda cells: str(cells[0]).casefold())
    total = [sum(own.get(stage, 0.0) for own in of.values()) for stage in hours.STAGES]
    rows.append(["All", *(_hour(value) for value in total), _hour(sum(total))])
    st.html(tables.table(["Person", "Choosing moments", "Writing", "Reviewing", "Together"], rows, numbers=range(1, 5), last=True))
    st.html(qa_parts.line(f"Time between two steps at the same thing; a pause of more than {BREAK_S / 60:.0f} minutes does not count."))


def _hour(value: float | None) -> str:
    """Hours and minutes: ``2:05``."""
    if not value:
        return ""
    minutes = max(1, round(60 * value))
    return f"{minutes // 60}:{minutes % 60:02d}"


def _agreement(found: dict[str, Any]) -> None:
    st.header("Agreement of the reviewers", anchor=False)
    lines = [(qa_parts.subtask_name(slug), row) for slug, row in found["subtasks"].items()] + [("All", found["all"])]
    if not found["all"]["reviews"]:
        st.html(qa_parts.line("Nothing has been answered yet."))
        return
    shares = ("answer_match", "answer_match_accepted", "answer_agreement")
    rows = []
    for name, row in lines:
        alpha = "" if row["answer_alpha"] is None else f"{row['answer_alpha']:.2f}"
        rows.append([name, row["reviews"], *(qa_parts.percent(row[key]) for key in shares), alpha, qa_parts.percent(row["flag_rate"])])
    head = ["Subtask", "Answers", "As the author’s", "… in the accepting round", "Equal pairs", "Krippendorff’s α", "Flagged"]
    st.html(tables.table(head, rows, numbers=range(1, 7), last=True))
    if found["flags"]:
        told = [f"{pool.REASONS[reason]} {n}" for reason, n in sorted(found["flags"].items(), key=lambda pair: -pair[1])]
        st.html(qa_parts.line("Reasons of flags · " + " · ".join(told)))


def _trials(store: Store, project: Project, names: dict[str, str]) -> None:
    """Trial items, one by one, with what reviewers told their authors."""
    trials = pool.trials(store, project.project_id)
    judging = rights.to_judge(store, identity.page_cookie(), trials)
    trials = [item_id for item_id in trials if item_id not in judging]
    if not trials:
        return
    st.header("Trial items", anchor=False)
    lines = []
    for item_id in trials:
        stored = pool.get(store, item_id)
        said = [f"“{review.comment}”" for review in pool.feedback(store, item_id) if review.comment.strip()]
        author = qa_parts.names(store, [stored.author])[stored.author] if stored.author not in names else names[stored.author]
        name = f"{qa_parts.subtask_name(stored.item.subtask)} {stored.number}"
        lines.append([author, name, KIND.words[stored.state].label, " ".join(said)])
    st.html(tables.table(["Author", "Item", "State", "Feedback"], lines))


PAGES = (
    Page(
        "Questions",
        "questions",
        roles=rights.LEADS,
        draw=lambda visit: page(visit.grant),
        group="Robot questions",
        routes=(*qa_images.ROUTES, *qa_list_api.ROUTES, *staff_api.ROUTES),
        components=(LOOK, ITEMLIST),
        uploads=True,
    ),
)
