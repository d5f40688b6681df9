"""An author's pages: what is needed and what is theirs, and the editor of one item. The editor itself is a component that speaks with the
server (`app.components.author`); these pages read state, call one command, and show the result."""

from __future__ import annotations

from html import escape
from typing import Any

import streamlit as st

from annotation.qa import projects
from annotation.qa.errors import Training
from annotation.qa.items import VIEW_WORDS
from annotation.qa.moments import finding
from annotation.qa.projects import Project
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work import listing, pool
from annotation.qa.work.pool import REASONS, Review, Stored
from annotation.reviewing.kinds.robot_questions import FLAGGED, KIND
from app import identity, qa_api, qa_begin_api, qa_images, qa_items_api, qa_list_api, qa_moments_api, qa_talk_api
from app.components.authoring import AUTHOR, ITEMLIST, STARTER, author, starter
from app.pages import qa_list, qa_next, qa_parts, qa_talk, said, tables
from app.pages.page import Page
from app.pages.parts import begin, plain_text, when
from app.rights import worker
from app.services import current
from data.plurals import number_of
from data.store import Store
from study.access import Grant
from study.errors import NotAllowed

ROLES = ("author", "researcher")
FIRST_ITEMS = 6
"""Own items of a page."""
MOVES = "qa-moves"
"""Where the editor says why an item was not moved."""
MINE = "your-items"
"""The place of one's own items on the page, below where one begins another."""


def open_item(item_id: str) -> None:
    """Have the editor show an item when the page runs next."""
    st.session_state["qa_item"] = item_id
    st.session_state["qa_goto"] = "editor"


def go_on() -> None:
    """Go where a button of the last run wanted to; a callback cannot switch pages itself."""
    where = st.session_state.pop("qa_goto", None)
    if where == "editor":
        st.switch_page(EDITOR.to(), query_params={"item": st.session_state["qa_item"]})
    if where == "home":
        st.switch_page(MAKE.to())


# what is needed, and what is theirs


def home(grant: Grant) -> None:
    """The project, one's own items, and where to begin another."""
    begin("Vantage: make questions", layout="wide")
    st.html(qa_parts.STYLE)
    services = qa_parts.allowed(grant, *ROLES)
    go_on()
    store, me = services.store, qa_parts.person(grant)
    project = qa_parts.chosen_project(store, grant, *ROLES)
    if project is None:
        st.title("Make questions", anchor=False)
        st.info("There is no project of robot questions in this study yet. Ask the researcher who invited you, and come back later.")
        return
    st.title(plain_text(project.name), anchor=False)
    blocked, trial = _standing(store, project, me)
    count = pool.by_state(store, project.project_id, me)
    to = f' <a href="#{MINE}">Go to your items</a>' if count else ""
    st.html(f'<div class="qa"><p class="muted">{escape(_told(count))}{to}</p></div>')
    # What grows comes last: where one begins stays where it is, however many items one has.
    st.header("Begin an item", anchor=False)
    key = f"starter-{project.project_id}"
    starter(_offer(store, project, blocked, trial), key=key, on_begun=lambda: open_item(str(st.session_state[key].begun or "")))
    if count:
        _mine(store, project, count)


def _told(count: dict[str, int]) -> str:
    """One's own items by state, what waits for one first."""
    if not count:
        return "No item is yours yet."
    order = sorted(count, key=lambda state: (not KIND.words[state].returned, not KIND.changeable(state)))
    return f"Yours: {', '.join(f'{count[state]} {KIND.words[state].label.lower()}' for state in order)}."


def _standing(store: Store, project: Project, me: str) -> tuple[str, bool]:
    """Say where the author's training stands; returns why nothing can be begun (or empty), and whether the next item is a trial one."""
    if project.state != "open":
        words = "This project is closed: items can be finished, no new ones begun."
        st.info(words)
        return words, False
    standing = projects.training(store, project, me)
    try:
        trial = projects.is_trial(store, project, me)
    except Training as refusal:
        st.warning(plain_text(refusal.for_people))
        return "Your trial batch comes first.", True
    if trial:
        st.info(
            f"You are in training: {standing.accepted:d} of {standing.needed:d} trial items are accepted, "
            f"{standing.under_way:d} under way. "
            "Each is reviewed with a few words of feedback. When they are accepted, your items count."
        )
    elif standing.needed:
        st.caption(f"Your trial batch is passed ({number_of(standing.accepted, 'item')} accepted): what you make counts.")
    return "", trial


def _mine(store: Store, project: Project, count: dict[str, int]) -> None:
    """One's own items, what waits for one first."""
    todo = any(KIND.changeable(state) for state in count)
    st.header("Your items", anchor=False)
    first = "Go on with one of them, or choose another state to see the rest." if todo else "Nothing waits for you."
    st.html(f'<div class="qa"><p class="muted" id="{MINE}">{first}</p></div>')
    qa_list.draw(
        store, project, mine=True, begin={"state": listing.TODO} if todo else {}, page=FIRST_ITEMS,
        empty="No item is yours yet.", on_open=open_item,
    )  # fmt: skip


def _title(stored: Stored) -> str:
    return f"{qa_parts.subtask_name(stored.item.subtask)} {stored.number}"


def _feedback(found: list[Review], stored: Stored) -> str:
    """What the reviewers of the last round said, without their names."""
    lines = []
    for number, review in enumerate((r for r in found if r.round == stored.round), start=1):
        why = " ".join(REASONS[reason] for reason in review.reasons)
        verdict = "sends it back" if review.state == FLAGGED else "finds it clean"
        words = " ".join(filter(None, [escape(why), f"“{escape(review.comment)}”" if review.comment.strip() else ""]))
        lines.append(f"<li>Reviewer {number} {verdict}{': ' + words if words else '.'}</li>")
    return f"<ul style='margin:4px 0 0;padding-left:18px'>{''.join(lines)}</ul>" if lines else ""


def _offer(store: Store, project: Project, blocked: str, trial: bool) -> dict[str, Any]:
    """What can be begun: the subtasks with their quotas, always in one order, the emptiest of them, and the kept moments."""
    places = projects.places(store, project)
    due = projects.due(store, project)
    rows = []
    for slug, subtask in SUBTASKS.items():
        own = [place for place in places if place.subtask == slug]
        figures = {name: sum(getattr(place, name) for place in own) for name in ("target", "accepted", "under_way", "left")}
        if own or not project.quotas:
            rows.append({"slug": slug, "name": subtask.name, "arms": list(subtask.arms), "advice": subtask.advice, **figures})
    empty = (
        "No moment is kept yet. Go to the page Moments, look through the candidates, and keep those that a question can be asked about."
        if finding.sampled(store, project.project_id)
        else "There are no moments yet. A researcher imports robot episodes and samples moments: vantage qa import, then vantage qa sample."
    )
    return {
        "project": project.project_id, "subtasks": rows, "first": due[0].subtask if due else "",
        "sources": finding.sources(store, project.project_id), "empty": empty,
        "blocked": blocked, "trial": trial, "kept_back": qa_parts.KEPT_BACK,
    }  # fmt: skip


# one item


def editor(grant: Grant) -> None:
    """The editor of one item, with what was said about it and how it came about."""
    begin("Vantage: editor", layout="wide")
    st.html(qa_parts.STYLE)
    services = qa_parts.allowed(grant, *ROLES)
    go_on()
    item_id = st.query_params.get("item") or st.session_state.get("qa_item")
    if not item_id:
        st.title("Editor", anchor=False)
        st.info("Choose an item of yours first, or begin one.")
        st.button("Make questions", type="primary", on_click=lambda: st.session_state.update(qa_goto="home"))
        return
    st.session_state["qa_item"] = item_id
    try:
        _, stored = worker(services.store, identity.page_cookie(), item_id)
    except NotAllowed as refusal:
        st.session_state.pop("qa_item", None)
        st.title("Editor", anchor=False)
        st.error(plain_text(refusal.for_people))
        st.button("Make questions", type="primary", on_click=lambda: st.session_state.update(qa_goto="home"))
        return
    st.query_params["item"] = item_id
    _head(services.store, stored)
    me, key = qa_parts.person(grant), f"author-{item_id}"
    spoken = qa_talk.open_talk(services.store, stored.item, hidden=qa_talk.reviewers(services.store, item_id) - {me})
    author(
        _declared(services.store, stored, me) | {"pins": qa_talk.pins(spoken)}, key=key, on_left=lambda: _left(key),
    )  # fmt: skip
    _below(services.store, grant, stored, spoken)


def _left(key: str) -> None:
    """The person goes to all items, or to another one."""
    to = st.session_state[key].left or {}
    if to.get("item"):
        open_item(str(to["item"]))
    else:
        st.session_state["qa_goto"] = "home"


def _head(store: Store, stored: Stored) -> None:
    """What is to be read before the item: what its state means, what reviewers said."""
    item = stored.item
    told = KIND.words[stored.state].told
    if told:
        st.info(told)
    words = _feedback(pool.feedback(store, item.item_id), stored)
    if words:
        st.html(
            f"<div class='qa' style='border-left:4px solid {KIND.words[stored.state].colour};"
            f"padding:2px 14px'><b>What the reviewers say</b>{words}</div>"
        )


def _declared(store: Store, stored: Stored, me: str) -> dict[str, Any]:
    """What the editor component needs to know of the item's subtask; all else it reads from the server."""
    item, subtask = stored.item, SUBTASKS[stored.item.subtask]
    declared = {
        "slug": subtask.slug,
        "option_kind": subtask.option_kind,
        "distractors": subtask.kinds(item.arm),
        "advice": subtask.advice,
        "marks": {
            "kinds": list(subtask.marks.kinds),
            "colours": list(subtask.marks.colours),
            "where": subtask.marks.where,
            "absent": subtask.marks.absent,
        },
        "slots": [{"name": s.name, "label": s.label, "choices": list(s.choices), "required": s.required} for s in subtask.slots],
        "views": [{"name": view.view, "words": VIEW_WORDS.get(view.view, view.view)} for view in item.views],
        "cubes": subtask.uses_cubes,
        "helps": subtask.draws,
        "begins": "Move the left gripper" if item.arm == "dual" else "Move the gripper",
    }
    earlier, later = qa_next.beside(store, stored, me)
    return {
        "item": item.item_id, "rev": stored.version, "state": stored.state, "declared": declared,
        "title": _title(stored), "where": " · ".join(filter(None, [item.source, item.episode])),
        "about": ", ".join(filter(None, [KIND.words[stored.state].label.lower(), "trial item" if stored.trial else "", item.source])),
        "earlier": earlier, "later": later, "more": qa_next.may_begin(store, stored, me),
    }  # fmt: skip


def _own(item_id: str) -> Store:
    """The store, after checking that this browser may work on the item."""
    store = current().store
    worker(store, identity.page_cookie(), item_id)
    return store


def _below(store: Store, grant: Grant, stored: Stored, spoken: qa_talk.Talk) -> None:
    item_id = stored.item.item_id
    talk, past, moves = st.tabs([f"Comments ({len(spoken.found)})", "Versions", plain_text(_moves_title(stored))])
    with talk:
        qa_talk.thread(spoken)
        qa_talk.form(lambda text: pool.comment(_own(item_id), item_id, qa_parts.person(grant), text), item_id)
    with past:
        _versions(store, stored)
    with moves:
        _moves(store, grant, stored)


def _moves_title(stored: Stored) -> str:
    titles = [move.title for move in KIND.moves_of(stored.state, maker=True)]
    return " or ".join(titles or ["discard"]).capitalize()


def _moves(store: Store, grant: Grant, stored: Stored) -> None:
    """Discard, take back, bring back: each with its reason."""
    item_id, who = stored.item.item_id, qa_parts.person(grant)
    offered = KIND.moves_of(stored.state, maker=True)
    if not offered:
        st.caption("Only a lead can reopen or discard an accepted item.")
        return
    st.text_input("Reason", key=f"why-{item_id}", max_chars=400, placeholder="The others will want to know")
    for column, move in zip(st.columns([1, 1, 4]), offered, strict=False):
        column.button(
            plain_text(move.maker), key=f"{move.event}-{item_id}", width="stretch", on_click=_move, args=[store, item_id, move.event, who]
        )  # fmt: skip
    said.show(MOVES, item_id)


def _move(store: Store, item_id: str, event: Any, who: str) -> None:
    worker(store, identity.page_cookie(), item_id)
    if qa_parts.guarded(
        lambda: pool.move(store, item_id, event, who, st.session_state[f"why-{item_id}"]), MOVES, item_id, deed=f"{MOVES}-{event}"
    ):
        st.session_state[f"why-{item_id}"] = ""


@st.fragment
def _versions(store: Store, stored: Stored) -> None:
    """Every version, newest first, and what changed in one of them."""
    item_id = stored.item.item_id
    if st.button("Read the versions", key=f"versions-{item_id}"):
        st.session_state["qa_versions_of"] = item_id
    if st.session_state.get("qa_versions_of") != item_id:
        st.caption("Every change is kept, with who made it and when.")
        return
    found = pool.history(store, item_id)[::-1]
    people = qa_parts.names(store, [version.editor for version in found])
    labels = {v.version: " · ".join(filter(None, [f"Version {v.version}", v.kind, people[v.editor], when(v.at), v.why])) for v in found}
    chosen = st.selectbox("Version", list(labels), format_func=labels.__getitem__, key=f"version-{item_id}")
    if chosen == 1:
        st.caption("With this version the item was begun.")
        return
    changes = pool.diff(pool.at_version(store, item_id, chosen - 1), pool.at_version(store, item_id, chosen))
    rows = [[_field(stored, change.field), _value(change.before), _value(change.after)] for change in changes]
    st.html(tables.table(["What changed", "Before", "After"], rows))


def _field(stored: Stored, name: str) -> str:
    """A field as people call it."""
    part, _, which = name.partition(".")
    if part == "slots":
        return next((slot.label for slot in SUBTASKS[stored.item.subtask].slots if slot.name == which), which)
    words = {
        "options": "Option",
        "provenance": "How it was made:",
        "option_images": "Picture",
        "marks": "Mark",
        "cubes": "Cube",
        "views": "View",
    }
    known = {
        "gold": "Right answer",
        "hard": "Comes close",
        "unique_confirmed": "Only one reading is right",
        "reference_view": "Reference view",
    }
    return known.get(name, name.capitalize()) if not which else f"{words.get(part, part)} {'' if part == 'marks' else which}".strip()


def _value(value: Any) -> str:
    """A field's value on one line."""
    if value is None:
        return ""
    if isinstance(value, dict) and "points" in value:
        points = " → ".join(f"{x:.0f}, {y:.0f}" for x, y in value["points"])
        return f"{value['colour']} {value['kind']} on {value['view']}: {points}"
    if isinstance(value, dict):
        return "; ".join(f"{name}: {entry}" for name, entry in value.items() if entry not in ("", None))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


MAKE = Page(
    "Make questions",
    "make",
    roles=ROLES,
    draw=lambda visit: home(visit.grant),
    group="Robot questions",
    routes=(*qa_images.ROUTES, *qa_moments_api.ROUTES, *qa_list_api.ROUTES, *qa_begin_api.ROUTES),
    components=(STARTER, ITEMLIST),
)
EDITOR = Page(
    "Editor",
    "editor",
    roles=ROLES,
    draw=lambda visit: editor(visit.grant),
    group="Robot questions",
    routes=(*qa_api.ROUTES, *qa_items_api.ROUTES, *qa_images.ROUTES, *qa_talk_api.ROUTES, *qa_begin_api.ROUTES),
    components=(AUTHOR,),
)
PAGES = (MAKE, EDITOR)
