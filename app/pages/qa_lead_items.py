"""The lead's list of items, and one of them with everything that happened to it."""

from __future__ import annotations

import json
from html import escape
from typing import Any

import streamlit as st

from annotation.qa.errors import UnknownItem
from annotation.qa.items import Item
from annotation.qa.projects import Project
from annotation.qa.truth import check_truth
from annotation.qa.work import listing, pool
from annotation.qa.work.pool import Stored
from annotation.reviewing.kind import VOID
from annotation.reviewing.kinds.robot_questions import KIND
from app import identity, rights
from app.components import cubes
from app.pages import qa_author, qa_list, qa_parts, qa_talk, said, tables
from app.pages.parts import plain_text, when
from app.services import Services
from data.store import Store
from study.access import Grant

ROLE = "researcher"
SAID = "qa-lead-item"
"""Where it is said why an item was not moved."""


def part(services: Services, grant: Grant, project: Project) -> None:
    """The list, or the item that was chosen from it."""
    store = services.store
    opened = st.query_params.get("item", "")
    try:
        stored = pool.get(store, opened) if opened else None
    except UnknownItem:
        stored = None
    if stored is None or stored.project_id != project.project_id:
        qa_list.draw(
            store, project, mine=False, begin={}, page=listing.PAGE, empty="No item has been made yet.",
            on_open=_to,
        )  # fmt: skip
        return
    _walk(store, project, opened)
    _detail(services, grant, stored)


def _to(item_id: str | None) -> None:
    """Another item, or the list."""
    if item_id is None:
        st.query_params.pop("item", None)
    else:
        st.query_params["item"] = item_id


def _walk(store: Store, project: Project, item_id: str) -> None:
    """Back to the list, and to the items before and after this one there."""
    place = qa_list.around(store, project, item_id)
    back, before, after, told = st.columns([1.2, 1, 1, 5], vertical_alignment="center")
    back.button("← All items", key="lead-back", on_click=_to, args=[None], width="stretch")
    if place is None:
        return
    before.button("‹ Previous", key="lead-before", disabled=place.before is None, width="stretch", on_click=_to, args=[place.before])
    after.button("Next ›", key="lead-after", disabled=place.after is None, width="stretch", on_click=_to, args=[place.after])
    told.html(qa_parts.line(f"{place.place} of {place.count}"))


def _detail(services: Services, grant: Grant, stored: Stored) -> None:
    store, item = services.store, stored.item
    names = qa_parts.names(store, [stored.author])
    st.html(
        qa_parts.line(
            f"{qa_parts.subtask_name(item.subtask)} {stored.number} · {KIND.words[stored.state].label.lower()}"
            f"{' · trial item' if stored.trial else ''} · "
            f"by {names[stored.author]} · {item.source} · {item.episode} · {item.item_id}"
        )
        + qa_parts.question_html(item.question or "(no question yet)")
    )
    if rights.to_judge(store, identity.page_cookie(), [item.item_id]):
        st.info(rights.TO_JUDGE)
        return
    key, spoken = f"lead-look-{item.item_id}-{stored.version}", qa_talk.open_talk(store, item)
    qa_parts.pictures(item, key=key, pins=qa_talk.pins(spoken))
    st.html(qa_parts.options_html(item))
    if item.cubes:
        with st.expander("The cubes"):
            colours = [cube.colour for cube in item.cubes]
            cubes(
                item.item_id,
                cubes=[c.model_dump(mode="json") for c in item.cubes],
                colours=colours,
                readonly=True,
                key=f"lead-cubes-{item.item_id}",
            )
    for problem in check_truth(store, item):
        st.warning(plain_text(f"Against the known poses: {problem.sentence}"))
    _reviews(store, item)
    _versions(store, item)
    st.header("Comments", anchor=False)
    qa_talk.thread(spoken)
    qa_talk.form(lambda text: pool.comment(qa_parts.allowed(grant, ROLE).store, item.item_id, qa_parts.person(grant), text), item.item_id)
    _moves(grant, stored)


def _reviews(store: Store, item: Item) -> None:
    found = pool.reviews(store, item.item_id)
    st.header("Reviews", anchor=False)
    if not found:
        st.html(qa_parts.line("None yet."))
        return
    names = qa_parts.names(store, [review.reviewer for review in found])
    lines = []
    for review in found:
        ended = "could not judge it" if review.skipped else "ended without a verdict"
        verdict = ended if review.state == VOID else review.state
        sure = "" if review.confidence is None else f"{review.confidence} %"
        at = when(review.decided_at or review.answered_at or review.assigned_at)
        said = [verdict, review.answer or "", sure, ", ".join(review.reasons), review.skipped or review.comment]
        lines.append([review.round, names[review.reviewer], *said, at])
    st.html(tables.table(["Round", "Reviewer", "Verdict", "Answer", "Sure", "Reasons", "Comment", "When"], lines, numbers=[0]))


def _versions(store: Store, item: Item) -> None:
    found = pool.history(store, item.item_id)
    names = qa_parts.names(store, [version.editor for version in found])
    with st.expander(f"Versions ({len(found)})"):
        for version in reversed(found):
            why = f": {version.why}" if version.why else ""
            said = f"{version.version} · {version.kind} by {names[version.editor]}, {when(version.at)}{why}"
            st.html(f'<div class="qa"><p><b>Version {escape(said)}</b></p></div>')
            if version.version == 1:
                continue
            before = pool.at_version(store, item.item_id, version.version - 1)
            after = pool.at_version(store, item.item_id, version.version)
            lines = [[change.field, _short(change.before), _short(change.after)] for change in pool.diff(before, after)]
            st.html(tables.table(["Field", "Before", "After"], lines))


def _short(value: Any) -> str:
    if value is None:
        return "–"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else text[:299] + "…"


def _moves(grant: Grant, stored: Stored) -> None:
    possible = {move.event: move.lead for move in KIND.moves_of(stored.state, maker=False)}
    if not possible:
        return
    st.header("Move it", anchor=False)
    if KIND.changeable(stored.state):
        st.button("Open in the editor", key=f"edit-{stored.item.item_id}", on_click=qa_author.open_item, args=[stored.item.item_id])
    with st.form(f"qa-move-{stored.item.item_id}", border=False):
        what = st.radio("What to do", list(possible), format_func=lambda event: plain_text(possible[event]), horizontal=True, index=None)
        why = st.text_input("Reason; its author and the reviewers will read it", max_chars=500)
        pressed = st.form_submit_button("Do it") and not said.twice(SAID)
        said.show(SAID, stored.item.item_id)
        if pressed:
            if what is None:
                said.refused(SAID, "Choose first what to do with the item.", about=stored.item.item_id)
            else:
                qa_parts.guarded(
                    lambda: pool.move(qa_parts.allowed(grant, ROLE).store, stored.item.item_id, what, qa_parts.person(grant), why),  # type: ignore[arg-type]
                    SAID,
                    stored.item.item_id,
                    deed=SAID,
                )
            st.rerun()
