"""A reviewer's page: the next item, answered blind; then what its author meant, and a verdict. Every step is read from the database.

Before the answer is stored the page holds nothing but `blind()` of the item.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from annotation.qa.drawn import assist
from annotation.qa.errors import NothingToReview
from annotation.qa.items import LETTERS, Item
from annotation.qa.projects import Project
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work import pool
from annotation.qa.work.blind import in_order
from annotation.qa.work.canvas_marks import wire
from annotation.qa.work.pool import MAX_TEXT, Review
from annotation.reviewing import votes
from annotation.reviewing.claims import MOST
from annotation.reviewing.kind import VOID
from annotation.reviewing.kinds.robot_questions import KIND, VERDICT
from annotation.reviewing.votes import MAX_REASON
from app import qa_images, qa_review_api, qa_talk_api
from app.components import CUBES, cubes
from app.components.reviewing import JUDGE, LOOK, judge, look
from app.pages import qa_parts, qa_talk, said
from app.pages.page import Page
from app.pages.parts import begin
from app.services import Services
from app.streamlit_seam.types import DeltaGenerator
from data.store import Store
from sim_bridge.errors import Refusal
from study.access import Grant
from study.errors import BadTransition, NotAllowed

ROLE = "reviewer"
OVER = (
    "The item you had open is not in review any more: it was sent back or taken out, or your time for it ran out. "
    "What you had saved is kept; nothing more is needed. Here is what comes next."
)
KEY = "judge"
DID, ENDED_SO = "did", "ended so"
"""What the page notes: what was sent last, as (what was done, the review); that the review which was open has ended."""
ENDED = (BadTransition.code, NotAllowed.code)
"""Refusals after which the page reads where things stand, and says so: ended meanwhile, stored already, or no longer one's own."""


def page(grant: Grant) -> None:
    """The next item of the project."""
    begin("Vantage: review", layout="wide")
    st.html(qa_parts.STYLE)
    services = qa_parts.allowed(grant, ROLE)
    project = qa_parts.chosen_project(services.store, grant, ROLE)
    if project is None:
        st.title("Review", anchor=False)
        st.info("There is no project of robot questions here yet. Ask the researcher who invited you, and come back later.")
        return
    try:
        review, shown = pool.next_review(services.store, project.project_id, qa_parts.person(grant))
    except NothingToReview:
        _nothing(services.store, project, grant)
        return
    _notice_of_void(services.store, review)
    st.session_state["qa_open"] = (review.review_id, review.item_id)
    _item(services, grant, project, review, shown)


def _told(store: Store, grant: Grant) -> str:
    """What came of what this tab has just sent, as the database has it, until it sends the next."""
    did, review_id = said.noted(DID) or ("", "")
    try:
        review = votes.own(store, KIND, review_id, qa_parts.person(grant)) if did else None
    except Refusal:
        return ""
    if review is None:
        return ""
    if did == "decide" and review.state in KIND.ends:
        axis = VERDICT.axes[0]
        return axis.choice(votes.votes_of(store, review_id)[axis.name].vote).done
    if did == "skip" and review.skipped is not None:
        return "The last item goes to somebody else; the lead reads why."
    return "Your last verdict is taken back: give it anew." if did == "undo" and review.state == KIND.before_last else ""


def _nothing(store: Store, project: Project, grant: Grant) -> None:
    _notice_of_void(store, None)
    if words := _told(store, grant):
        st.html(qa_parts.line("", first=words))
    st.title("Nothing to review now", anchor=False)
    done = votes.completed_by(store, KIND, project.project_id, qa_parts.person(grant))
    st.write(
        "Every item is reviewed, or was written by you, or you have seen its answer already. New ones come when authors send them in."
        + (f" You have judged {done:d} item{'s' if done != 1 else ''} of this project so far: thank you." if done else "")
    )
    again, back = st.columns([1, 6])
    again.button("Look again", type="primary", shortcut="Enter", width="stretch")
    with back:
        judge({"phase": "nothing", "over": ENDED} | _way_back(store, grant), key=KEY, on_moved=_moved)


def _notice_of_void(store: Store, now: Review | None) -> None:
    """Say so when the review that this tab had open has ended without this person's verdict."""
    opened = st.session_state.pop("qa_open", None)
    gone = opened is not None and (now is None or opened[0] != now.review_id)
    if gone and any(
        review.review_id == opened[0] and review.state == VOID and review.skipped is None for review in pool.reviews(store, opened[1])
    ):
        said.note(ENDED_SO, True)
    if said.noted(ENDED_SO):
        st.warning(OVER)


def _item(services: Services, grant: Grant, project: Project, review: Review, shown: dict[str, Any]) -> None:
    answered = review.answer is not None
    waiting = pool.waiting_for(services.store, project.project_id, qa_parts.person(grant))
    many = f"{waiting} or more" if waiting == MOST else f"{waiting} more"
    more = "the last one waiting for you now" if not waiting else f"{many} waiting for you"
    step = "Your answer is saved: now judge the item" if answered else "Answer as you would if you met it"
    line = qa_parts.line(f"{SUBTASKS[shown['subtask']].name} · {step} · {more}", first=_told(services.store, grant))
    st.html(line + qa_parts.question_html(shown["question"]))
    data = _question(review, shown) | _way_back(services.store, grant)
    item = pool.reveal(services.store, review.review_id, qa_parts.person(grant)) if answered else None
    if item is not None:
        data |= _meant(services.store, grant, review, item)
    me, key = qa_parts.person(grant), f"look-{review.review_id}"
    spoken = None
    if item is not None:
        spoken = qa_talk.open_talk(services.store, item, found=pool.heard(services.store, review.review_id, me), me=me)
    left, right = _places(len(shown["views"]))
    rule = SUBTASKS[shown["subtask"]].marks
    with left:
        look(
            review.item_id,
            views=qa_parts.views(review.item_id, shown["views"]),
            marks=shown["marks"] if item is None else wire(item.change(marks=in_order(item))),
            kinds=rule.kinds,
            colours=rule.colours,
            key=key,
            pins=None if spoken is None else qa_talk.pins(spoken),
            review="" if spoken is None else review.review_id,
        )
    with right:
        judge(data, key=KEY, on_moved=_moved)
    if spoken is not None and spoken.found:
        st.header("What was said before", anchor=False)
        qa_talk.thread(spoken)
    if item is not None and item.cubes:
        _cubes(services.store, item)


def _places(count: int) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Where the views and the answer go: three views in a row above it, one or four beside it. All is in sight at once on 1440 × 900."""
    if count == 3:
        return st.container(), st.container()
    left, right = st.columns([1.5, 1] if count > 1 else [1, 1.1], gap="medium")
    return left, right


def _question(review: Review, shown: dict[str, Any]) -> dict[str, Any]:
    images = shown["option_images"]
    letters = [letter for letter in LETTERS if letter in shown["options"] or letter in images]
    options = []
    for letter in letters:
        image = images.get(letter)
        picture = (
            {"image": qa_parts.option_url(review.item_id, letter)} | {k: image[k] for k in ("width", "height")}
            if image
            else {"image": None}
        )
        options.append({"letter": letter, "text": shown["options"].get(letter, "")} | picture)
    return {
        "review": review.review_id,
        "phase": "answer",
        "over": ENDED,
        "reason": MAX_REASON,
        "question": shown["question"],
        "options": options,
    }


def _meant(store: Store, grant: Grant, review: Review, item: Item) -> dict[str, Any]:
    """What may be shown after the answer."""
    kinds, (axis,) = SUBTASKS[item.subtask].distractors, VERDICT.axes
    provenance = {letter: f"{kinds.get(made.kind, made.kind)} {made.note}".strip() for letter, made in item.provenance.items()}
    return {
        "phase": "decide",
        "answer": review.answer,
        "confidence": review.confidence,
        "saved": review.answered_at,
        "gold": item.gold,
        "hard": list(item.hard),
        "provenance": provenance,
        "ask": axis.ask,
        "choices": [{"vote": c.vote, "label": c.label, "key": c.key, "explained": c.explained} for c in axis.choices],
        "reasons": list(axis.reasons.items()),
        "needed": pool.words_needed(store, review.review_id, qa_parts.person(grant)),
        "longest": MAX_TEXT,
    }


def _cubes(store: Store, item: Item) -> None:
    """The author's cubes on the grid, with the reference view where it is calibrated."""
    st.header("The author’s cubes", anchor=False)
    view = item.view(item.reference_view)
    matrix = assist.grid_matrix(store, item)
    image = (
        None
        if view is None or matrix is None
        else {"url": qa_parts.image_url(item.item_id, view.view), "width": view.width, "height": view.height}
    )
    cubes(
        item.item_id,
        cubes=[cube.model_dump(mode="json") for cube in item.cubes],
        colours=[cube.colour for cube in item.cubes],
        image=image and {**image, "matrix": matrix},
        readonly=True,
        key=f"cubes-{item.item_id}",
    )


def _moved() -> None:
    """Something was stored, or was over: the page says what came of it, and which verdict was this tab's last."""
    told = st.session_state[KEY].moved or {}
    did, review_id = str(told.get("did")), str(told.get("review"))
    said.note(DID, (did, review_id))
    if did == "decide":
        st.session_state["qa_last"] = review_id
    if did == "undo":
        st.session_state.pop("qa_last", None)


def _way_back(store: Store, grant: Grant) -> dict[str, Any]:
    """The last verdict of this tab, where it can still be taken back."""
    last = st.session_state.get("qa_last", "")
    try:
        can = bool(last) and pool.can_take_back(store, last, qa_parts.person(grant))
    except Refusal:
        can = False
    return {"last": last, "undo": "Take the last verdict back" if can else ""}


PAGES = (
    Page(
        "Review",
        "review",
        roles=(ROLE,),
        draw=lambda visit: page(visit.grant),
        group="Robot questions",
        routes=(*qa_images.ROUTES, *qa_review_api.ROUTES, *qa_talk_api.ROUTES),
        components=(LOOK, JUDGE, CUBES),
    ),
)
