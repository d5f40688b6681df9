"""From a kept moment to a draft in the pool."""

from __future__ import annotations

import random

import msgspec

from annotation.qa.errors import QaError
from annotation.qa.items import Item
from annotation.qa.scenes.moment import Moment, get_moment
from annotation.qa.scenes.strangers import strangers
from annotation.qa.subtasks import named
from annotation.qa.subtasks.base import Scenery
from annotation.qa.subtasks.making import draft
from annotation.qa.work import pool
from data.store import Store


class _Count(msgspec.Struct):
    n: int


def scenery(store: Store, moment_id: str, seed: int = 0) -> Scenery:
    """A moment's images, and gripper images of others (best other episodes of the same task) to take distractors from.

    Raises:
        UnknownItem: no such moment.
    """
    moment = get_moment(store, moment_id)
    others = [image for image, _ in strangers(store, moment, random.Random(seed), 4)] if moment.arm == "dual" else []
    return Scenery(moment.source[:200], moment.arm, moment.episode[:200], moment.moment_id, moment.views, tuple(others))


def start_item(store: Store, project_id: str, moment_id: str, subtask: str, author: str, *, item_id: str = "") -> pool.Stored:
    """Begin an item on a kept moment.

    The draft has the moment's views, a reference view, what is known of the slots, the question, and for Viewpoint Identification five
    gripper images to begin with.

    Args:
        store: the database.
        project_id: the project.
        moment_id: the moment.
        subtask: slug.
        author: who makes it (staff id).
        item_id: its id; empty: a new one.

    Raises:
        QaError: the moment is not kept, is another project's, the subtask is not for its arm, or the id is taken.
        QuotaFull, Training: as `pool.create_item`.
    """
    moment = get_moment(store, moment_id)
    if moment.project_id != project_id:
        raise QaError("This moment belongs to another project.")
    if moment.state != "kept":
        raise QaError(f"This moment is {moment.state}: keep it first, then questions can be made from it.")
    item = begin(store, moment, subtask)
    return pool.create_item(store, project_id, item.change(item_id=item_id) if item_id else item, author, keep_id=bool(item_id))


def begin(store: Store, moment: Moment, subtask: str, *, seed: int | None = None, reference: str | None = None) -> Item:
    """The draft that `start_item` would make, not yet in the pool; see `annotation.qa.subtasks.making.draft`.

    Args:
        store: the database.
        moment: complete.
        subtask: slug.
        seed: decides what is drawn (which side, which images, which extreme); default: by how many items the moment has.
        reference: the reference view; default: ``head`` or ``view1``.
    """
    wanted = named(subtask)
    if seed is None:
        query = "SELECT count(*) AS n FROM qa_items WHERE project_id = ? AND subtask = ?"
        (there,) = store.rows(query, _Count, [moment.project_id, wanted.slug])
        seed = there.n
    return draft(store, moment, wanted, seed=seed, reference=reference)
