"""Where an author goes from an item: to the one before or after it in their list, or to the next of its subtask."""

from __future__ import annotations

from annotation.qa import moments as kept
from annotation.qa import projects
from annotation.qa.errors import QaError, Training
from annotation.qa.moments import finding
from annotation.qa.moments.finding import Wanted
from annotation.qa.work.stored import Stored
from app import identity, rights
from app.pages import qa_list
from data.store import Store

LOOKED_THROUGH = 120
"""Kept moments that are looked through for one that this person may see."""


def beside(store: Store, stored: Stored, author: str) -> tuple[str | None, str | None]:
    """The items of an author before and after an item, as their list has them; None where there is none."""
    place = qa_list.around(store, projects.get_project(store, stored.project_id), stored.item.item_id, {author})
    return (place.before, place.after) if place is not None else (None, None)


def may_begin(store: Store, stored: Stored, author: str) -> bool:
    """Whether another item of the subtask can be begun: the project is open and has a place for it, and the author's training allows it."""
    project = projects.get_project(store, stored.project_id)
    if project.state != "open":
        return False
    try:
        trial = projects.is_trial(store, project, author)
    except Training:
        return False
    return trial or not project.quotas or any(place.subtask == stored.item.subtask for place in projects.due(store, project))


def begin_next(store: Store, stored: Stored, author: str) -> Stored:
    """Begin another item of the same subtask, on the kept moment that stands first in the author's list.

    Raises:
        QaError: no kept moment is left that serves it.
        QuotaFull, Training: as `annotation.qa.moments.start_item`.
    """
    subtask = stored.item.subtask
    page = finding.find(store, stored.project_id, Wanted(subtask=subtask), limit=LOOKED_THROUGH)
    hidden = rights.kept_moments(store, identity.page_cookie(), page.moments)
    free = [found for found in page.moments if found.moment_id not in hidden and found.moment_id != stored.item.moment]
    if not free:
        raise QaError("No other kept moment serves this subtask now: keep more moments, or choose another subtask.")
    return kept.start_item(store, stored.project_id, free[0].moment_id, subtask, author)
