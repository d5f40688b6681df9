"""The lead's page of a verification: how far it is, who judges how well, what was kept and why not, and what needs another look."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from annotation import adjudicating
from annotation.reviewing.kinds.tasks import AXES, KIND, REST
from annotation.verifying import agreement, items, listing, pausing, progress, tables
from annotation.verifying.agreement import KEEP, AxisAgreement, Person
from annotation.verifying.listing import Decided
from annotation.verifying.verifications import Verification
from app import rights
from app.pages import qa_parts, said
from app.pages.page import Page
from app.pages.parts import begin, kept_for_all, plain_text, when
from app.pages.tables import table
from app.services import Services
from data.plurals import number_of
from data.store import Store
from study.access import Grant
from study.measures.record import Measure

ROLE = "researcher"
LABELS = {axis.name: axis.label for axis in KIND.stage(REST).axes} | {KEEP: "All three"}
"""Axis → its name on the page."""
LISTS = {
    "rejected": KIND.words["rejected"].label,
    "contested": "Kept, but contested",
    "again": "Second looks",
    "retained": KIND.words["retained"].label,
    "reasons": "Disputed reasons",
}
"""Which tasks the list shows."""
SAID = "verification"
"""Where the page says what was done."""
NONE_YET = "No task is decided yet: a task is decided when all its people have judged it."


def page(grant: Grant) -> None:
    """One verification, one part at a time."""
    begin("Vantage: verification", layout="wide")
    services = qa_parts.allowed(grant, ROLE)
    st.html(qa_parts.STYLE)
    verification = _chosen(services.store, grant)
    if verification is None:
        st.title("Verification", anchor=False)
        st.write(
            "Three people, who do not see each other's votes, say of every task whether it is correct, answerable, and not trivial. Make a "
            "verification on the command line: `vantage verify start NAME --study STUDY`, then `vantage verify prepare`."
        )
        return
    st.title(plain_text(verification.name), anchor=False)
    parts: dict[str, Callable[[Services, Grant, Verification], None]] = {
        "Progress": _progress,
        "People": _people,
        "Table 4": _table4,
        "Agreement": _agreement,
        "Tasks": _tasks,
    }
    asked = st.query_params.get("part", "")
    first = asked if asked in parts else "Progress"
    chosen = st.segmented_control(
        "Part", list(parts), format_func=plain_text, default=first, required=True, label_visibility="collapsed", key="verification_part"
    )
    st.query_params["part"] = chosen or first
    said.show(SAID, f"{verification.verification_id}/{chosen or first}")
    parts[chosen or first](services, grant, verification)


def _chosen(store: Store, grant: Grant) -> Verification | None:
    """The verification to show: the only one, or the one that is chosen; None: there is none."""
    found = {one.verification_id: one for one in rights.led_verifications(store, grant)}
    if len(found) < 2:
        return next(iter(found.values()), None)
    chosen = st.selectbox("Verification", list(found), format_func=lambda which: plain_text(found[which].name), key="verification")
    return found.get(chosen)


# progress


def _progress(services: Services, grant: Grant, verification: Verification) -> None:
    store, which = services.store, verification.verification_id
    found = kept_for_all(f"verification progress {which}", store.last_event(), lambda: progress.progress(store, which))
    slots = verification.protocol.slots
    numbers = (
        ("Tasks", f"{found.tasks:,}"),
        ("Retained", f"{found.states.get('retained', 0):,}"),
        ("Rejected", f"{found.states.get('rejected', 0):,}"),
        ("In verification", f"{found.states.get('in_verification', 0):,}"),
        ("Open now", f"{found.open:,}"),
    )
    for column, (label, value) in zip(st.columns(len(numbers)), numbers, strict=True):
        column.metric(plain_text(label), value)
    wanted = found.tasks * slots
    share = found.votes / wanted if wanted else 0.0
    votes = f"{found.votes:,} of {number_of(wanted, 'verdict is', 'verdicts are')} in."
    st.html(
        f'<div class="qa"><p>{votes} <span class="bar" role="img" aria-label="{share:.0%} done">'
        f'<i style="width:{100 * share:.0f}%"></i></span></p></div>'
    )
    protocol = verification.protocol
    told = [
        f"{number_of(slots, 'person', 'people')} for each task, a majority on each axis",
        f"{number_of(found.controls, 'hidden control')}, {protocol.control_share:.0%} of what each person gets"
        if found.controls
        else "no controls yet",
        f"{number_of(found.exercises, 'exercise')}, the first {protocol.training} before anything counts"
        if found.exercises
        else "no exercises",
        f"given back after {number_of(protocol.hold_minutes, 'minute')}",
        f"begun {when(verification.created_at)}",
        verification.state,
    ]
    st.html(qa_parts.line(" · ".join(told)))
    if found.unsent:
        wait = number_of(found.unsent, "task waits for its evidence and is", "tasks wait for their evidence and are")
        st.warning(f"{wait} given to nobody yet. It is made by: " + plain_text(f"vantage verify prepare {which}"))
    if verification.state == "open" and found.tasks and not found.controls:
        st.info("Without hidden controls nobody's accuracy is known. Add the ready ones: " + plain_text(f"vantage verify controls {which}"))


# people


def _people(services: Services, grant: Grant, verification: Verification) -> None:
    store, which = services.store, verification.verification_id
    found = kept_for_all(f"verification people {which}", store.last_event(), lambda: agreement.people(store, which))
    paused = {one.staff_id: one for one in pausing.paused(store, which)}
    if not found and not paused:
        st.info("Nobody has judged yet. People who review or annotate find the tasks on their page.")
        return
    names = qa_parts.names(store, {person.staff_id for person in found} | set(paused))
    rows = []
    for person in sorted(found, key=lambda person: names[person.staff_id].casefold()):
        known = person.on_controls[KEEP]
        cells = [names[person.staff_id], person.verdicts, person.controls, _with_interval(known)]
        cells += [_number(person.estimated.get(axis)) for axis in AXES]
        rows.append([*cells, "paused" if person.paused else ""])
    head = ["Person", "Verdicts", "Controls", "Controls judged as known (95 %)", *(f"{LABELS[axis]}, estimated" for axis in AXES), ""]
    st.html(table(head, rows, numbers=range(1, 7)))
    st.html(
        qa_parts.line(
            "Controls: share of hidden controls of which all that is known was judged right, with Wilson’s interval. Estimated: how often "
            "the votes of each person are right on an axis, from all votes, the controls held at what they are (one-coin Dawid–Skene); "
            "what a task is stays its majority. Under ten verdicts it says little."
        )
    )
    _pause(store, grant, verification, found, paused, names)


def _pause(
    store: Store, grant: Grant, verification: Verification, found: Sequence[Person], paused: dict[str, pausing.PausedPerson],
    names: dict[str, str],
) -> None:  # fmt: skip
    which, actor = verification.verification_id, qa_parts.person(grant)
    working = [person.staff_id for person in found if person.staff_id not in paused]
    if working:
        st.subheader("Pause somebody", anchor=False)
        with st.form("verification-pause", border=False):
            who = st.selectbox("Who", working, format_func=lambda one: plain_text(names[one]), index=None, placeholder="Choose")
            why = st.text_input("Why", max_chars=300, help="For whoever leads; the person is told only that they are paused.")
            if st.form_submit_button("Pause") and not said.twice(SAID):
                if who is None:
                    st.error("Choose who is paused.")
                else:
                    act = partial(pausing.pause, store, which, who, why, actor=actor)
                    said.tried(act, SAID, f"{names[who]} is paused: what they had open is free.", deed=SAID)
        st.caption("What somebody has open is given to others. Verdicts that they gave stay; tables show figures with and without them.")
    if paused:
        st.subheader("Paused", anchor=False)
    for staff_id, one in paused.items():
        left, right = st.columns([5, 1], vertical_alignment="center")
        left.write(plain_text(f"{names[staff_id]}, since {when(one.at)}: {one.why}"))
        if right.button("Let go on", key=f"resume-{staff_id}", width="stretch"):
            said.tried(partial(pausing.resume, store, which, staff_id, actor=actor), SAID, f"{names[staff_id]} goes on.", deed=SAID)


# figures


def _without(store: Store, verification: Verification) -> frozenset[str]:
    """Whose verdicts are left out: the paused, where that is chosen."""
    paused = [one.staff_id for one in pausing.paused(store, verification.verification_id)]
    if not paused:
        return frozenset()
    label = f"Without what {len(paused)} paused {'people' if len(paused) > 1 else 'person'} judged"
    return frozenset(paused) if st.toggle(label, key="verification_without") else frozenset()


def _table4(services: Services, grant: Grant, verification: Verification) -> None:
    store, which = services.store, verification.verification_id
    without = _without(store, verification)
    name = f"verification table {which} {sorted(without)}"
    rows = kept_for_all(name, store.last_event(), lambda: tables.table4(store, which, without=without))
    if not rows[-1].n:
        st.info(NONE_YET)
        return
    cells = []
    for row in rows:
        own = [f"{_percent(row.passed[column])} <small>({_percent(row.votes[column])})</small>" for column in tables.COLUMNS]
        cells.append([escape(row.category), f"{row.n:,}", *own, *(f"{row.published[column]:.1f}" for column in tables.COLUMNS)])
    labels = [LABELS[column] for column in tables.COLUMNS]
    head = ["Category", "n", *(f"{label}, %" for label in labels), *(f"{label}, published" for label in labels)]
    st.html(table(head, cells, numbers=range(1, 10), html=True, last=True))
    left_out = (
        f" {number_of(rows[-1].left_out, 'task is', 'tasks are')} left out because somebody who is paused had judged them."
        if without
        else ""
    )
    st.html(
        qa_parts.line(
            "Share of tasks that pass by the majority of their people, and in brackets the share of single votes that pass; all three: of "
            "tasks that pass on each axis. n counts decided tasks; hidden controls and exercises are in none of it. The last row is the "
            "plain mean of the categories. Published: ESI-Bench, Table 4, which states neither n nor agreement." + left_out
        )
    )


def _agreement(services: Services, grant: Grant, verification: Verification) -> None:
    store, which = services.store, verification.verification_id
    without = _without(store, verification)
    name = f"verification agreement {which} {sorted(without)}"
    found = kept_for_all(name, store.last_event(), lambda: agreement.agreement_of(store, which, without=without))
    if not found[0].figures.raw.n:
        st.info(NONE_YET)
        return
    categories = list(dict.fromkeys(one.category for one in found))
    chosen = st.selectbox(
        "Category", categories, format_func=lambda name: "All categories" if name == agreement.ALL else name, key="agreement_category"
    )
    rows = [_agreement_row(one) for one in found if one.category == chosen]
    head = ["Axis", "Tasks", "Votes that pass", "Raw agreement", "Krippendorff’s α", "Fleiss’ κ", "Gwet’s AC1"]
    st.html(table(head, rows, numbers=range(1, 7)))
    reasons = dict.fromkeys(
        f"{LABELS[one.axis]}: {figure.reason}."
        for one in found
        if one.category == chosen
        for figure in (one.figures.alpha,)
        if figure.reason
    )
    st.html(
        qa_parts.line(
            "In brackets 95 % intervals: tasks drawn anew 2,000 times, the people as they are. Where almost all votes pass, α and κ are "
            "low although people agree, so the figures belong together. With three votes of pass or fail a task's raw agreement is 1 or ⅓. "
            + " ".join(reasons)
        )
    )


def _agreement_row(one: AxisAgreement) -> list[Any]:
    figures = (one.figures.raw, one.figures.alpha, one.figures.fleiss, one.figures.ac1)
    told = [_with_interval(figure, share=False) for figure in figures]
    return [LABELS[one.axis], f"{one.figures.raw.n:,}", qa_parts.percent(one.passed.value), *told]


def _with_interval(measure: Measure, *, share: bool = True) -> str:
    if measure.value is None:
        return "–"

    def shown(value: float) -> str:
        return f"{100 * value:.0f} %" if share else f"{value:.2f}"

    if measure.interval is None:
        return shown(measure.value)
    low, high = measure.interval
    return f"{shown(measure.value)} ({shown(low)} to {shown(high)})"


def _number(measure: Measure | None) -> str:
    if measure is None or measure.value is None:
        return "–"
    return f"{100 * measure.value:.0f} %"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


# tasks


def _tasks(services: Services, grant: Grant, verification: Verification) -> None:
    store, which = services.store, verification.verification_id
    kind = st.segmented_control("Which", list(LISTS), format_func=LISTS.__getitem__, default="rejected", required=True, key="verified_list")
    if kind == "reasons":
        _reasons(store, which)
        return
    if kind == "contested":
        differ = [one.subject for one in progress.contested(store, which)]
        total, pages = len(differ), -(-len(differ) // listing.PAGE)
        first = (min(max(1, pages), st.session_state.get("verified_page_contested", 1)) - 1) * listing.PAGE
        found = listing.of_subjects(store, which, differ[first : first + listing.PAGE])
        about = "Most of their people would not have kept these, each for an axis of their own; by the rule of the majority they stand."
    elif kind == "again":
        found = listing.second_looks(store, which)
        total, pages = len(found), 1
        about = "Being verified again by people who have not seen them; every earlier vote stays."
    else:
        total = listing.count(store, which, kind or "rejected")
        pages = -(-total // listing.PAGE)
        page_number = min(max(1, pages), st.session_state.get(f"verified_page_{kind}", 1))
        found = listing.in_state(store, which, kind or "rejected", page=page_number)
        about = "Passed all three axes." if kind == "retained" else "Failed on at least one axis by the majority."
    if not found:
        st.info(f"Nothing is here: no task is “{LISTS[kind or 'rejected'].lower()}”.")
        return
    st.html(qa_parts.line(f"{number_of(total, 'task')}. {about}"))
    names = qa_parts.names(store, {said.reviewer for one in found for said in one.against})
    for one in found:
        _task(store, grant, verification, one, names)
    if pages > 1:
        st.number_input(f"Page (1 to {pages:d})", 1, pages, key=f"verified_page_{kind}", width=160)


def _reasons(store: Store, which: str) -> None:
    """Rejections whose people name different reasons, with what somebody who took no part found."""
    found = adjudicating.disagreements(store, which)
    if not found:
        st.info("No reasons are disputed: where two people reject a task on one axis, they share a reason.")
        return
    st.html(qa_parts.line("Two people reject these on one axis and share no reason. Which hold is no vote: the rejection stands."))
    rows = [[one.task.task_id, one.task.question.text, LABELS[one.axis], " / ".join(one.given), one.holds or one.stands] for one in found]
    st.html(table(["Task", "Question", "Axis", "What people say against it", "What holds"], rows))


def _task(store: Store, grant: Grant, verification: Verification, one: Decided, names: dict[str, str]) -> None:
    """One task with its votes, the reasons against it, and the way to a second look."""
    with st.container(border=True):
        words = KIND.words[one.state]
        votes = " · ".join(
            f"{LABELS[axis]} {one.passes[axis]} of {one.verdicts}" + (" <strong>fails</strong>" if axis in one.failed else "")
            for axis in AXES
        )
        against = "".join(
            f"<li><strong>{escape(LABELS[each.axis])}</strong>: {escape(' '.join(each.sentences))}"
            f"{f' “{escape(each.comment)}”' if each.comment else ''} <span class='muted'>{escape(names[each.reviewer])}</span></li>"
            for each in one.against
        )
        st.html(
            f'<div class="qa"><p class="muted" style="margin:0"><span style="color:{words.colour}" aria-hidden="true">●</span> '
            f"<strong>{escape(words.label)}</strong> · {escape(one.task_id)} · {escape(one.category)}, {escape(one.subcategory)}"
            f"{f' · round {one.round}' if one.round > 1 else ''}</p>"
            f'<p style="margin:.2rem 0;font-size:1.06rem">{escape(one.question)}</p><p style="margin:.2rem 0">{votes}</p>'
            + (f'<ul style="margin:.3rem 0">{against}</ul>' if against else "")
            + (f'<p class="muted">Asked for again: {escape(one.why)}</p>' if one.why else "")
            + "</div>"
        )
        if "again" in KIND.states[one.state] and verification.state == "open":
            with st.popover("Have it verified again"), st.form(f"again-{one.subject}", border=False):
                why = st.text_input("Why", max_chars=300, help="People who have not seen it judge it. Every vote that was given stays.")
                if st.form_submit_button("Verify again", type="primary"):
                    act = partial(items.again, store, one.subject, why, actor=qa_parts.person(grant))
                    said.tried(act, SAID, f"{one.task_id} is verified again.", deed=SAID)


PAGES = (Page("Verification", "verification", roles=rights.LEADS, draw=lambda visit: page(visit.grant), group="Study"),)
