"""Where an author can go from an item: to the one before or after it in their list, or to the next of its subtask."""

from __future__ import annotations

from annotation.qa import projects
from annotation.qa.errors import Training
from annotation.qa.work.stored import Stored
from app.pages import qa_list
from data.store import Store


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
