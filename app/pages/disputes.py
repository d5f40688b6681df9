"""Disputed golds of a study, for whoever leads it: what raised each, where it stands, what settling it changes, and both scorings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape

import streamlit as st

from annotation import disputes as queue
from annotation.disputes import Finding, Line
from annotation.reviewing.kinds.gold_disputes import KIND
from app import rights
from app.pages import qa_parts, said, tables
from app.pages.page import Page
from app.pages.parts import begin, chosen_study, kept_for_all, plain_text, when
from data.store import Store
from data.task import Answer, Task
from sim_bridge.errors import Refusal
from study import disputes, scoring
from study.access import Grant
from study.disputes import Scoring
from study.studies import get_study
from study.words import answer_in_words

ROLE = "researcher"
SAID = "disputes"
"""Where the page says what was done."""
_WHO = {"human": "people", "model": "models"}


def page(grant: Grant) -> None:
    """The disputes of one study."""
    begin("Vantage: disputed golds", layout="wide")
    services = qa_parts.allowed(grant, ROLE)
    store = services.store
    st.html(qa_parts.STYLE)
    st.title("Disputed golds", anchor=False)
    study_id = chosen_study(store, grant, "disputes_study")
    if study_id is None:
        st.info("There is no study here yet. Make one on the page Set-up.")
        return
    said.show(SAID, study_id)
    study = get_study(store, study_id)
    st.write(
        plain_text(
            "Where people who could look for themselves give another answer than the gold, the gold is doubted, not the people. Somebody "
            "who took no part and has seen neither gold nor answers judges it on the page Adjudicate. In this study a dispute is raised by "
            f"itself where at least {study.disputes.least} people, and {study.disputes.share:.0%} of them, give the same other answer."
        )
    )
    stand = store.last_event()
    _waiting_to_be_raised(store, grant, study_id, stand)
    found = queue.listed(store, study_id)
    if not found:
        st.info("No gold answer is disputed in this study.")
    for line in found:
        _dispute(store, grant, line)
    _by_hand(store, grant, study_id, stand)


def _waiting_to_be_raised(store: Store, grant: Grant, study_id: str, stand: int) -> None:
    """What the rule finds and nobody has taken into the queue yet."""
    found = kept_for_all(f"disputes by rule {study_id}", stand, lambda: disputes.by_rule(store, study_id))
    if not found:
        return
    tasks = ", ".join(store.get_task(task_hash).task_id for task_hash in found)
    st.warning(plain_text(f"The rule finds {len(found)} more: {tasks}. They are judged as soon as somebody adjudicates, or from now on."))
    if st.button("Have them judged now"):
        said.tried(partial(queue.take_in, store, study_id, actor=qa_parts.person(grant)), SAID, "They wait to be judged.", deed=SAID)


def _dispute(store: Store, grant: Grant, line: Line) -> None:
    """One dispute with what was found, and what can be done."""
    dispute, task = line.dispute, store.get_task(line.dispute.task_hash)
    with st.container(border=True):
        words = KIND.words[line.state]
        by = "by the study’s rule" if not dispute.raised_by else f"by {_name(store, dispute.raised_by)}"
        st.html(
            f'<div class="qa"><p class="muted" style="margin:0"><span style="color:{words.colour}" aria-hidden="true">●</span> '
            f"<strong>{escape(words.label)}</strong> · {escape(line.task_id)} · {escape(task.category)}, {escape(task.subcategory)} · "
            f"raised {escape(when(dispute.raised_at))} {escape(by)}</p>"
            f'<p style="margin:.2rem 0;font-size:1.06rem">{escape(task.question.text)}</p>'
            f"<p style='margin:.2rem 0'>Gold: <strong>{escape(_answers(task))}</strong>"
            f"{' · it follows from physics, so only a defect that shows overturns it' if disputes.derived(task) else ''}</p>"
            f"<p style='margin:.2rem 0'>{escape(dispute.why)} {escape(line.told)}</p></div>"
        )
        finding = queue.found(store, dispute.subject)
        if finding is not None:
            _finding(store, task, finding)
        if rows := disputes.both_scorings(store, dispute.subject):
            new = store.get_task(dispute.new_hash or "")
            st.write(plain_text(f"New gold: {_answers(new)}. {new.gold.derivation[:1].upper()}{new.gold.derivation[1:]}"))
            _table(rows)
        if "settle" in KIND.states[line.state]:
            _settle(store, grant, line, task, finding)
        if "again" in KIND.states[line.state]:
            _again(store, grant, line)


def _name(store: Store, staff_id: str) -> str:
    found: str = qa_parts.names(store, {staff_id}).get(staff_id, staff_id)
    return found


def _answers(task: Task) -> str:
    return " or ".join(answer_in_words(answer) for answer in task.gold.accepted)


def _in_words(task: Task, answer: str) -> str:
    """An answer as it is kept, as people read it."""
    value = scoring.read_strictly(task, answer)
    return answer if value is None else answer_in_words(value)


def _finding(store: Store, task: Task, finding: Finding) -> None:
    sure = "" if finding.confidence is None else f", {finding.confidence} % sure"
    found = "that it cannot be told" if finding.answer is None else f"“{_in_words(task, finding.answer)}”{sure}"
    defect = f" A defect: {' '.join(finding.defects)}" if finding.defects else " No defect shows."
    comment = f" “{finding.comment}”" if finding.comment else ""
    st.write(plain_text(f"{_name(store, finding.who)} finds {found}.{defect}{comment}"))


def _table(rows: Sequence[Scoring]) -> None:
    head = ["Who", "Paradigm", "Answers", "Right by the old gold", "Right by the new gold", "Become right", "Become wrong"]
    cells = [
        [
            _WHO.get(one.agent_kind, one.agent_kind),
            one.paradigm.replace("_", " "),
            one.answers,
            one.right_before,
            one.right_after,
            one.become_right,
            one.become_wrong,
        ]
        for one in rows
    ]
    st.html(tables.table(head, cells, numbers=range(2, 7)))


def _settle(store: Store, grant: Grant, line: Line, task: Task, finding: Finding | None) -> None:
    """The new gold: first what it changes, then the button that makes it."""
    subject = line.dispute.subject
    st.subheader("Settle it", anchor=False)
    st.caption("The old version stays; the new one supersedes it, answers are scored by both, and exports have both scorings.")
    accepted = _new_gold(task, finding, subject)
    why = st.text_input("What shows that the old gold does not hold", max_chars=400, key=f"settle-why-{subject}")
    if not accepted:
        st.info("Choose the right answer; then you see what it changes.")
        return
    try:
        rows = disputes.what_changes(store, subject, accepted)
    except Refusal as refusal:
        st.error(plain_text(refusal.for_people))
        return
    won, lost = sum(one.become_right for one in rows), sum(one.become_wrong for one in rows)
    other = disputes.elsewhere(store, line.dispute)
    told = f"Old gold: {_answers(task)}. New gold: {' or '.join(map(answer_in_words, accepted))}. "
    told += f"Answers in this study: {sum(one.answers for one in rows)}; {won} become right, {lost} become wrong."
    if other:
        told += f" {other} more, in other studies, pilots and dry runs, are scored by both as well."
    st.write(plain_text(told))
    _table(rows)
    if st.button("Make the new version", type="primary", key=f"settle-{subject}"):
        act = partial(queue.settle, store, subject, accepted, why=why, actor=qa_parts.person(grant))
        said.tried(act, SAID, f"{line.task_id} has a new version; its answers are scored by both golds.", deed=SAID)


def _new_gold(task: Task, finding: Finding | None, subject: str) -> list[Answer]:
    """The answers that are to be right; what was found is set already."""
    options, answer = list(task.question.options), finding.answer if finding else None
    if options and task.question.form in ("choice", "yes_no", "count"):
        found: list[Answer] = list(
            st.multiselect(
                "New gold", options, default=[answer] if answer in options else [], format_func=plain_text, key=f"settle-gold-{subject}",
                placeholder="Choose",
            )
        )  # fmt: skip
        return found
    written = st.text_input("New gold", value=answer or "", max_chars=400, key=f"settle-gold-{subject}", help="In the question’s own form.")
    return [written] if written.strip() else []


def _again(store: Store, grant: Grant, line: Line) -> None:
    subject = line.dispute.subject
    with st.popover("Have it judged again"), st.form(f"again-{subject}", border=False):
        why = st.text_input("Why", max_chars=300, help="Somebody who has not seen it judges it. What was found stays.")
        if st.form_submit_button("Judge again", type="primary"):
            act = partial(queue.again, store, subject, why, actor=qa_parts.person(grant))
            said.tried(act, SAID, f"{line.task_id} is judged again.", deed=SAID)


def _by_hand(store: Store, grant: Grant, study_id: str, stand: int) -> None:
    """A dispute that nobody but the lead has seen."""
    st.header("Dispute a gold", anchor=False)
    found = kept_for_all(f"disputes by hand {study_id}", stand, lambda: disputes.can_be_raised(store, study_id))
    if not found:
        ways = " or ".join(way.replace("_", " ") for way in disputes.WAYS)
        st.caption(
            plain_text(
                f"No task can be disputed: nobody in {ways} gives another answer than a gold. "
                "People who see given views alone are meant to err, so their answers dispute nothing."
            )
        )
        return
    told = {one.task_hash: f"{store.get_task(one.task_hash).task_id} ({one.otherwise} of {one.of} answer otherwise)" for one in found}
    with st.form("dispute", border=False):
        task_hash = st.selectbox("Task", list(told), format_func=told.__getitem__, index=None, placeholder="Choose")
        why = st.text_input("Why its gold is doubted", max_chars=400, help="Whoever judges does not see it.")
        if st.form_submit_button("Have it judged"):
            if task_hash is None:
                st.error("Choose the task first.")
            else:
                act = partial(queue.raise_one, store, study_id, task_hash, why, actor=qa_parts.person(grant))
                said.tried(act, SAID, "It waits for somebody who took no part.", deed=SAID)


PAGES = (Page("Disputed golds", "disputes", roles=rights.LEADS, draw=lambda visit: page(visit.grant), group="Study"),)
