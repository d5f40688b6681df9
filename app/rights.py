"""Who may do what: the one place that decides it. Every page, route and key asks here on every call; what a menu offered is no control.

A browser (its cookie) holds grants: a role in one study or in all (`study.access`). What is unknown and what is somebody else's are
answered alike.
"""

from __future__ import annotations

import json

from annotation.qa import moments, projects
from annotation.qa.errors import UnknownItem
from annotation.qa.items import ViewImage
from annotation.qa.moments import Moment
from annotation.qa.pool import Stored, get, history
from annotation.qa.projects import Project
from annotation.reviewing import votes
from annotation.reviewing.kinds.robot_questions import KIND
from data.store import Store
from study import access
from study.access import EVERY_STUDY, Agent, Grant
from study.errors import NotAllowed

FOREIGN = "This is not yours to open, or your access has ended. Open your invitation link again, or ask for one."
LEADS = ("researcher", "owner")
"""Roles that run a study."""
WRITERS = ("annotator", "author", "reviewer")
"""Roles that make or judge robot questions."""


# what a browser holds


def held(store: Store, cookie: str | None) -> list[Grant]:
    """What this browser may do; empty where nobody is signed in."""
    return access.grants(store, cookie)


def away(store: Store, cookie: str | None) -> bool:
    """Whether this browser had access as staff that has ended because nobody used it."""
    return access.idle(store, cookie)


def counts_as(grant: Grant, *roles: str) -> bool:
    """Whether a grant counts as one of the roles, in its own study."""
    return any(grant.allows(role, None) for role in roles)


def still(store: Store, cookie: str | None, grant: Grant, *roles: str) -> Grant:
    """The grant with which a page was opened, if this browser has it still and it counts as one of the roles.

    Raises:
        NotAllowed: not so.
    """
    for other in held(store, cookie):
        if other.grant_id == grant.grant_id and counts_as(other, *roles):
            return other
    raise NotAllowed(f"This needs the role {' or '.join(roles)}. Open your invitation link again, or ask for one.")


def in_study(store: Store, cookie: str | None, role: str, study_id: str) -> Grant:
    """The browser's grant for a role in a study (``*``: in all).

    Raises:
        NotAllowed: it has none.
    """
    return access.require(store, cookie, role, study_id)


# episodes


def player(store: Store, cookie: str | None, episode_id: str) -> Grant:
    """The grant to play this very episode.

    Raises:
        NotAllowed: it is not this browser's.
    """
    return access.player(store, cookie, episode_id)


def researcher_of(store: Store, cookie: str | None, episode_id: str) -> Grant:
    """The researcher's grant for the study of this episode.

    Raises:
        NotAllowed: none, or no such episode.
    """
    row = store.one("SELECT study_id FROM episodes WHERE episode_id = ?", [episode_id])
    # An episode outside every study is only for those who may see all studies; "" is no study's id.
    return access.require(store, cookie, "researcher", (row or {}).get("study_id") or "")


def agent(store: Store, key: str | None, episode_id: str | None = None) -> Agent:
    """The model agent behind a key; with `episode_id`, only if the episode is its own.

    Raises:
        NotAllowed: unknown or revoked key, or another's episode.
    """
    return access.agent(store, key, episode_id)


def exporters(store: Store, cookie: str | None) -> set[str]:
    """Under which staff ids this browser may fetch exports: those that made them."""
    return {grant.staff_id for grant in held(store, cookie) if counts_as(grant, "researcher") and grant.staff_id is not None}


# robot questions


def projects_of(store: Store, grant: Grant, *roles: str) -> list[Project]:
    """The projects in which the grant counts as one of the roles; those without a study are for staff of all studies."""
    return [
        project
        for project in projects.list_projects(store)
        if any(grant.allows(role, project.study_id) for role in roles) and (project.study_id or grant.study_id == EVERY_STUDY)
    ]


def works_on(store: Store, stored: Stored, grant: Grant) -> bool:
    """Whether a grant lets one see all of an item and change it: a researcher of its study, an author; an annotator, who reviews too, only
    what they wrote or edited themselves, so that nobody sees the right answer of what they may be given to review."""
    where = projects.get_project(store, stored.project_id).study_id or EVERY_STUDY
    if grant.allows("researcher", where):
        return True
    if not grant.allows("author", where):
        return False
    return grant.role == "author" or grant.staff_id in {stored.author, *(v.editor for v in history(store, stored.item.item_id))}


def worker(store: Store, cookie: str | None, item_id: str) -> tuple[Grant, Stored]:
    """The browser's grant to see and change an item, and the item.

    Raises:
        NotAllowed: none, or there is no such item.
    """
    try:
        stored = get(store, item_id)
    except UnknownItem:
        raise NotAllowed(FOREIGN) from None
    for grant in held(store, cookie):
        if works_on(store, stored, grant):
            return grant, stored
    raise NotAllowed(FOREIGN)


def open_review(store: Store, cookie: str | None, item_id: str) -> int | None:
    """The version of an item that this browser's reviewer has under review now; None where there is no such review."""
    for grant in held(store, cookie):
        found = votes.open_version(store, KIND, item_id, grant.staff_id or "")
        if found is not None:
            version, project_id = found
            if grant.allows("reviewer", projects.get_project(store, project_id).study_id or EVERY_STUDY):
                return version
    return None


def sifted(store: Store, grant: Grant, moment_id: str, *roles: str) -> Moment:
    """A moment, if it belongs to a project in which the grant counts as one of the roles.

    Raises:
        NotAllowed: it does not.
    """
    moment = moments.get_moment(store, moment_id)
    if moment.project_id not in {project.project_id for project in projects_of(store, grant, *roles)}:
        raise NotAllowed(FOREIGN)
    return moment


def moment_view(store: Store, cookie: str | None, moment_id: str, name: str) -> ViewImage:
    """The picture of a moment's view, for authors and researchers of its project.

    Raises:
        NotAllowed: it is not this browser's to see, or there is none.
    """
    row = store.one(
        "SELECT m.document, p.study_id FROM moments m LEFT JOIN qa_projects p USING (project_id) WHERE m.moment_id = ?", [moment_id]
    )
    if row is not None:
        study = row["study_id"] or EVERY_STUDY
        allowed = any(g.allows("author", study) or g.allows("researcher", study) for g in held(store, cookie))
        view = next((v for v in json.loads(row["document"]).get("views", ()) if v["view"] == name), None)
        if allowed and view is not None:
            return ViewImage.model_validate(view)
    raise NotAllowed(FOREIGN)
