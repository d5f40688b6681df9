"""Which items and pictures of the QA studio a browser may see: asked on every request, an unknown thing answered as a foreign one."""

from __future__ import annotations

from annotation.qa import projects
from annotation.qa.errors import UnknownItem
from annotation.qa.pool import Stored, get, history
from annotation.reviewing import votes
from annotation.reviewing.kinds.robot_questions import KIND
from data.store import Store
from study import access
from study.access import EVERY_STUDY, Grant
from study.errors import NotAllowed

FOREIGN = "This is not yours to open, or your access has ended. Open your invitation link again, or ask for one."


def works_on(store: Store, stored: Stored, grant: Grant) -> bool:
    """Whether a grant lets one see all of an item and change it: a researcher of its study, an author; an annotator, who reviews too, only
    what they wrote or edited themselves, so that nobody sees the right answer of what they may be given to review."""
    study = projects.get_project(store, stored.project_id).study_id
    where = study if study is not None else EVERY_STUDY
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
    for grant in access.grants(store, cookie):
        if works_on(store, stored, grant):
            return grant, stored
    raise NotAllowed(FOREIGN)


def open_review(store: Store, cookie: str | None, item_id: str) -> int | None:
    """The version of an item that this browser's reviewer has under review now; None where there is no such review."""
    for grant in access.grants(store, cookie):
        found = votes.open_version(store, KIND, item_id, grant.staff_id or "")
        if found is not None:
            version, project_id = found
            if grant.allows("reviewer", projects.get_project(store, project_id).study_id or EVERY_STUDY):
                return version
    return None
