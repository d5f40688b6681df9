"""Moments of robot episodes, one at a time: keep or drop by keys; the counts; and for researchers sampling and thresholds."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Any

import streamlit as st
from pydantic import ValidationError

from annotation.qa import moments
from annotation.qa.moments import DROP_REASONS, GAP, Funnel, Moment
from annotation.qa.projects import Project
from annotation.qa.scenes.clarity import REASONS as RULES
from annotation.qa.scenes.clarity import Thresholds
from annotation.qa.work import kept_back
from app import identity, qa_images, qa_moments_api, rights
from app.components.reviewing import SIFTER, sifter
from app.pages import job_panel, qa_parts
from app.pages.page import Page
from app.pages.parts import begin, plain_text, sheet, when
from app.services import Services
from data.plurals import number_of
from data.store import Store
from sim_bridge.errors import Refusal
from study.access import Grant

ROLES = ("author", "researcher")
LEAD = "researcher"
KEY = "sifter"
JOB = "qa-sample"
"""Kind of the job that samples moments."""
LISTS = {"candidate": "Waiting", "filtered": "Held back by the rules", "kept": "Kept", "dropped": "Dropped"}
ARMS = {"": "Both arms", "dual": "Dual arm", "single": "Single arm"}
BOUNDS = {
    "sharpness": (
        "Least sharpness",
        "Variance of the Laplacian at 320 pixels width; a blurred picture has a few units, a sharp one a hundred or more.",
    ),
    "dark": ("Largest dark share", "Share of pixels without detail for want of light, 0 to 1."),
    "blown": ("Largest overexposed share", "Share of overexposed pixels, 0 to 1."),
    "skew_s": ("Largest time between views, s", "Views that lie further apart do not show the same moment."),
    "duplicate": ("Least difference, grey levels", "A moment that differs less from another of its episode is a duplicate."),
}
"""Threshold → its name and what it means."""


def page(grant: Grant) -> None:
    """One moment, and what surrounds it."""
    begin("Vantage: moments", layout="wide")
    services = qa_parts.allowed(grant, *ROLES)
    store = services.store
    st.html(qa_parts.STYLE)
    project = qa_parts.chosen_project(store, grant, *ROLES)
    if project is None:
        st.title("Moments", anchor=False)
        st.info(
            "There is no project of robot questions here yet. "
            + (
                "Make one on the page Questions."
                if rights.counts_as(grant, LEAD)
                else "Ask the researcher who invited you, and come back later."
            )
        )
        return
    found = moments.funnel(store, project.project_id)
    shown, arm = _choice(found)
    moment = _current(store, project, grant, shown, arm)
    if moment is None:
        _empty(found, shown, grant)
    else:
        _sift(store, project, moment)
    _funnel(found)
    if rights.counts_as(grant, LEAD):
        with st.expander("Sample moments", expanded=not found.sampled):
            _sample(services, grant, project)
        with st.expander("Thresholds of the rules"):
            _thresholds(grant, project)
    _triage(project, found)


def _choice(found: Funnel) -> tuple[str, str]:
    """Which moments are shown: their state and arm."""
    counts = {
        "candidate": found.waiting,
        "filtered": sum(found.filtered.values()),
        "kept": sum(found.kept.values()),
        "dropped": sum(found.dropped.values()),
    }
    left, right = st.columns([4, 1])
    with left:
        state = st.segmented_control(
            "Show",
            list(LISTS),
            default="candidate",
            required=True,
            format_func=lambda name: f"{LISTS[name]} ({counts[name]:d})",
            label_visibility="collapsed",
            key="moments_shown",
        )
    with right:
        arm = st.selectbox("Arm", list(ARMS), format_func=ARMS.__getitem__, label_visibility="collapsed", key="moments_arm")
    return str(state or "candidate"), str(arm or "")


def _current(store: Store, project: Project, grant: Grant, state: str, arm: str) -> Moment | None:
    """The moment to show: the one gone back to, the next candidate, or the next of the chosen list."""
    back = _back(store, project)
    left_out: set[str] = set()

    def hidden(moment: Moment) -> bool:
        left_out.update(rights.kept_moments(store, identity.page_cookie(), [moment]))
        return moment.moment_id in left_out

    if back is not None and not hidden(back):
        return back
    if state == "candidate":
        shown = moments.next_moment(store, project.project_id, actor=qa_parts.person(grant), arm=arm or None, hidden=hidden)
    else:
        found = moments.moments(store, project.project_id, state=state, arm=arm or None)
        left_out |= rights.kept_moments(store, identity.page_cookie(), found)
        passed = st.session_state.setdefault("moments_passed", set())
        shown = next((moment for moment in found if moment.moment_id not in passed | left_out), None)
    if left_out:
        st.caption(qa_parts.KEPT_BACK)
    return shown


def _back(store: Store, project: Project) -> Moment | None:
    """The moment that was gone back to, of this project."""
    try:
        found = moments.get_moment(store, str(st.session_state.get("moment_back", "")))
    except Refusal:
        return None
    return found if found.project_id == project.project_id else None


def _empty(found: Funnel, state: str, grant: Grant) -> None:
    st.title("Moments", anchor=False)
    lead = rights.counts_as(grant, LEAD)
    if not found.episodes:
        st.info(
            "No robot episodes are imported yet. On the command line: `vantage qa import FOLDER`."
            if lead
            else "There are no moments yet: ask the researcher."
        )
    elif not found.sampled:
        st.info(
            "No moments are sampled yet. Open “Sample moments” below."
            if lead
            else "There are no moments yet: ask the researcher to sample some."
        )
    elif state == "candidate":
        st.success(
            "All moments are decided."
            + (" Sample more below, or look through the other lists." if lead else " Look through the other lists, or make questions.")
        )
    else:
        st.info("You are through this list.")
        if st.button("From the beginning"):
            st.session_state["moments_passed"] = set()
            st.rerun()


def _sift(store: Store, project: Project, moment: Moment) -> None:
    last = st.session_state.get("moment_last")
    stand = {
        "kept": "It is kept.",
        "dropped": f"It is dropped ({DROP_REASONS.get(moment.reason, moment.reason)})",
    }
    again = stand.get(moment.state, "")
    at = "" if moment.timestamp_s is None else f", {moment.timestamp_s:.2f} s"
    title = f"{moment.task or 'Task not named'} · {moment.source} · {moment.episode} · frame {moment.frame_index}{at}"
    facts = [{"label": again, "value": "", "bad": False}] if again else []
    if moment.filter:
        facts.append(
            {"label": f"{RULES.get(moment.filter.get('reason', ''), '')} {moment.filter.get('sentence', '')}", "value": "", "bad": True}
        )
    facts += _moment_facts(moment, project.thresholds)
    data = {
        "moment": moment.moment_id,
        "title": title,
        "views": [_view(moment, view, project.thresholds) for view in moment.views],
        "facts": facts,
        "reasons": list(DROP_REASONS.items()),
        "next": _ahead(store, project, moment),
        "last": last or "",
        "undo": "Take the last back" if last else "",
    }
    sifter(data, key=KEY, on_moved=_moved)


def _view(moment: Moment, view: Any, limits: Thresholds) -> dict[str, Any]:
    figures = moment.metrics.get("views", {}).get(view.view, {})
    facts = []
    if figures:
        facts = [
            {
                "label": "sharpness",
                "value": f"{figures['sharpness']:.0f} (≥ {limits.sharpness:g})",
                "bad": figures["sharpness"] < limits.sharpness,
            },
            {"label": "dark", "value": f"{figures['dark']:.0%} (≤ {limits.dark:.0%})", "bad": figures["dark"] > limits.dark},
            {"label": "overexposed", "value": f"{figures['blown']:.0%} (≤ {limits.blown:.0%})", "bad": figures["blown"] > limits.blown},
        ]
    url = f"api/qa/moment/{moment.moment_id}/{view.view}"
    return {"name": view.view, "url": url, "width": view.width, "height": view.height, "facts": facts}


def _moment_facts(moment: Moment, limits: Thresholds) -> list[dict[str, Any]]:
    facts = []
    skew, nearest = moment.metrics.get("skew_s"), moment.metrics.get("nearest")
    if skew is not None:
        facts.append({"label": "views apart", "value": f"{skew:.3f} s (≤ {limits.skew_s:g} s)", "bad": skew > limits.skew_s})
    if nearest is not None:
        facts.append(
            {"label": "difference to the nearest", "value": f"{nearest:.1f} (≥ {limits.duplicate:g})", "bad": nearest < limits.duplicate}
        )
    if subtasks := moment.triage.get("subtasks"):
        facts.append({"label": "a model thinks of", "value": ", ".join(qa_parts.subtask_name(slug) for slug in subtasks), "bad": False})
    return facts


def _ahead(store: Store, project: Project, moment: Moment) -> list[str]:
    """Addresses of the pictures that come next in the order of the sampling."""
    views = moments.ahead(store, project.project_id, moment)
    kept = kept_back.moments_kept_back(store, rights.person(store, identity.page_cookie()), views.items())
    return [f"api/qa/moment/{moment_id}/{view.view}" for moment_id, shown in views.items() if moment_id not in kept for view in shown]


def _moved() -> None:
    """Something was stored: which moment this tab decided last, and which it goes back to."""
    told = st.session_state[KEY].moved or {}
    moment_id = str(told.get("moment"))
    if told.get("did") == "undo":
        st.session_state.pop("moment_last", None)
        st.session_state["moment_back"] = moment_id
        return
    st.session_state["moment_last"] = moment_id
    st.session_state.pop("moment_back", None)
    st.session_state.setdefault("moments_passed", set()).add(moment_id)


# around it


def _funnel(found: Funnel) -> None:
    st.header("From episodes to items", anchor=False)
    stages = "".join(f"<div><b>{n}</b>{escape(name)}</div>" for name, n in found.stages)
    st.html(f'<div class="qa"><div class="funnel">{stages}</div></div>')
    groups = (("Held back", found.filtered, RULES), ("Dropped", found.dropped, DROP_REASONS), ("Kept", found.kept, moments.KEEP_REASONS))
    told = [
        f"{title}: " + ", ".join(f"{words.get(reason, reason).rstrip('.')} ({n})" for reason, n in counts.items())
        for title, counts, words in groups
        if counts
    ]
    for text in told:
        st.html(qa_parts.line(text))
    effort = found.effort.get("moments")
    if effort and effort.median_s is not None:
        st.html(
            qa_parts.line(f"Effort: {effort.done} decisions, {effort.median_s:.1f} s at the median, {effort.seconds / 60:.0f} min in all.")
        )


def _sample(services: Services, grant: Grant, project: Project) -> None:
    st.write("Sampling goes round over tasks and episodes, so that all are represented evenly. Moments of one episode keep their distance.")
    form = sheet("qa-sample")
    with st.form(form.key, border=False):
        left, middle, right = st.columns(3)
        per = left.number_input("New moments of each episode (1 to 1000)", 1, 1000, 3)
        gap = middle.number_input("Least distance, frames", 1, 100_000, GAP, help="Published: 10 frames.")
        seed = right.number_input("Seed", 0, 2**31 - 1, project.seed, help="The same seed on the same episodes gives the same moments.")
        if st.form_submit_button("Sample", type="primary"):
            store = qa_parts.allowed(grant, LEAD).store
            command = ["qa", "sample", "--project", project.project_id]
            command += ["--per-episode", str(int(per)), "--gap", str(int(gap)), "--seed", str(int(seed))]
            job_panel.start(store, JOB, command, owner=qa_parts.person(grant))
            form.used()
            st.session_state["moments_sampling"] = True
            st.rerun()
    _progress(grant)


@st.fragment(run_every=job_panel.EVERY)
def _progress(grant: Grant) -> None:
    store = qa_parts.allowed(grant, LEAD).store
    made = job_panel.of_kind(store, JOB, owner=qa_parts.person(grant))
    if not made:
        return
    job = made[0]
    at = when(job.created_at)
    if not job.goes_on and st.session_state.pop("moments_sampling", False):
        st.rerun()
    if job.state == "failed" and job.message.startswith("thresholds"):
        # the command's last line where it found nothing to do
        st.info(f"{at}: no new moments. The episodes have no room for more at this distance; ask for a smaller one.")
        return
    far, done = f"{job.done:d} of {job.total or '…'} moments", partial(st.html, qa_parts.line(f"{at}: the sampling is done."))
    job_panel.show(store, job, title=f"{at}: sampling", far=far, actor=qa_parts.person(grant), done=done)


def _thresholds(grant: Grant, project: Project) -> None:
    st.write(
        "The rules hold back what breaks a threshold; a person may take it all the same. A change judges every undecided moment again."
    )
    with st.form("qa-thresholds", border=False):
        now = project.thresholds.model_dump()
        columns = st.columns(5)
        given = {
            name: columns[n].number_input(
                BOUNDS[name][0],
                min_value=0.0,
                value=float(now[name]),
                step=0.05 if name in ("dark", "blown", "skew_s") else 1.0,
                help=BOUNDS[name][1],
            )
            for n, name in enumerate(BOUNDS)
        }
        if st.form_submit_button("Change the thresholds"):
            try:
                wanted = Thresholds.model_validate(given)
            except ValidationError as error:
                first = error.errors()[0]
                st.error(f"{BOUNDS[str(first['loc'][0])][0]}: {plain_text(first['msg'])}.")
                return
            store = qa_parts.allowed(grant, LEAD).store
            moments.hold_to(store, project.project_id, wanted, actor=qa_parts.person(grant))
            st.rerun()


def _triage(project: Project, found: Funnel) -> None:
    if project.triage is None:
        text = (
            "Triage by a model is off. On the command line: vantage qa triage --url ADDRESS --model NAME; "
            "it only says which subtasks a moment could serve."
        )
    else:
        text = (
            f"Triage by a model is on: {project.triage.model} at {project.triage.url}, "
            f"{number_of(found.triaged, 'moment has', 'moments have')} its opinion."
        )
    st.html(qa_parts.line(text))


PAGES = (
    Page(
        "Moments",
        "moments",
        roles=ROLES,
        draw=lambda visit: page(visit.grant),
        group="Robot questions",
        routes=(*qa_images.ROUTES, *qa_moments_api.ROUTES),
        components=(SIFTER,),
    ),
)
