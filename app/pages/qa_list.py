"""Items in a list, as the author's and the lead's page show them: what is looked for stands in the address, and an item leads back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from annotation.qa.projects import Project
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work import listing
from annotation.qa.work.listing import Around, Wanted
from annotation.reviewing.kinds.robot_questions import KIND
from app import qa_list_api
from app.components.authoring import itemlist
from app.pages import qa_parts
from app.rights import authors_of
from data.store import Store

FIELDS = ("words", "subtask", "state", "author", "sort", "shown")
"""What is looked for, as the address has it."""
KEPT = "qa_look"
"""Where a tab keeps what its lists looked for: a page that is come back to begins with it."""


def look(name: str, otherwise: dict[str, str]) -> dict[str, str]:
    """What a list looks for: as the address says, else as this tab left it, else the given."""
    if asked := {field: st.query_params[field] for field in FIELDS if field in st.query_params}:
        return asked
    kept: dict[str, str] = st.session_state.get(f"{KEPT}-{name}", otherwise)
    return kept


def _keep(name: str, key: str) -> None:
    """The filters changed: into the address, and for the way back."""
    told = st.session_state[key].look or {}
    found = {field: str(told[field]) for field in FIELDS if told.get(field)}
    st.session_state[f"{KEPT}-{name}"] = found
    for field in FIELDS:
        if field in found:
            st.query_params[field] = found[field]
        elif field in st.query_params:
            del st.query_params[field]


def draw(
    store: Store, project: Project, *, mine: bool, begin: dict[str, str], page: int, empty: str, on_open: Callable[[str], None]
) -> None:  # fmt: skip
    """The list.

    Args:
        store: the database.
        project: the project.
        mine: only what is the visitor's; else everybody's, for a lead.
        begin: what is looked for at first.
        page: so many at once.
        empty: said where there is no item.
        on_open: called with the id of the item that somebody chose.
    """
    name = "mine" if mine else "all"
    key = f"itemlist-{name}-{project.project_id}"
    authors = [] if mine else listing.authors(store, project.project_id)
    people = [] if mine else authors_of(store, project)
    names = qa_parts.names(store, [*authors, *people])
    data = {
        "project": project.project_id, "whose": name, "page": page, "look": look(name, begin), "empty": empty,
        "subtasks": [[slug, subtask.name] for slug, subtask in SUBTASKS.items()],
        "states": [[listing.TODO, "To do"], *([state, words.label] for state, words in KIND.words.items())],
        "authors": _pairs(authors, names), "people": _pairs(people, names), "moves": _moves(mine),
    }  # fmt: skip
    itemlist(data, key=key, on_look=lambda: _keep(name, key), on_open=lambda: on_open(str(st.session_state[key].open or "")))


def _pairs(people: Sequence[str], names: dict[str, str]) -> list[list[str]]:
    return sorted(([who, names[who]] for who in people), key=lambda pair: pair[1].casefold())


def _moves(mine: bool) -> list[dict[str, Any]]:
    """What can be done with several, by the state table: each with the states in which it can."""
    found = [
        {"event": move.event, "label": move.maker if mine else move.lead,
         "states": [state for state in KIND.states if move in KIND.moves_of(state, maker=mine)]}
        for move in KIND.moves
    ]  # fmt: skip
    if not mine:
        changeable = [state for state in KIND.states if KIND.changeable(state)]
        found.append({"event": qa_list_api.ASSIGN, "label": "Give to another author", "states": changeable})
    return [move for move in found if move["states"] and move["label"]]


def around(store: Store, project: Project, item_id: str, mine: set[str] | None = None) -> Around | None:
    """The item before and after this one, in the list that this tab looks at; among all where it is not in that.

    Args:
        store: the database.
        project: the project.
        item_id: the item.
        mine: staff ids of an author, whose items alone are gone through, by number: every change would move an item in the order of
            changes. None: a lead, who goes through all as they are listed.
    """
    if mine is None:
        wanted = [qa_list_api.wanted(look("all", {}), set()), Wanted()]
    else:
        asked = look("mine", {}) | {"sort": "number"}
        wanted = [qa_list_api.wanted(asked, mine), Wanted(authors=tuple(sorted(mine)), sort="number")]
    found = (listing.around(store, project.project_id, one, item_id) for one in wanted)
    return next((beside for beside in found if beside is not None), None)
