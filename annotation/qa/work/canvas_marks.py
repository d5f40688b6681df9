"""The marks of items as the drawing canvas loads and saves them: a revision of their own, kept as versions of the item.

The revision counts changes of the marks alone, so that an edit of the texts beside the canvas does not make its next save a conflict.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from annotation.qa.errors import BadItem, Conflict
from annotation.qa.items import Absence, Item, Mark, read_marks
from annotation.qa.work import pool
from data.store import Store

ABSENT = "absent"
"""The kind under which a mark of absence travels between canvas and server, in one list with what is drawn, so that it is saved, merged
and undone as the others are."""


def wire(item: Item) -> list[dict[str, Any]]:
    """Marks and marks of absence of an item as the canvas has them."""
    drawn = [mark.model_dump(mode="json") for mark in item.marks]
    return drawn + [
        {"id": f"{ABSENT} {there.view} {there.colour}", "view": there.view, "kind": ABSENT, "colour": there.colour, "points": []}
        for there in item.absent
    ]


def read(marks: list[dict[str, Any]]) -> tuple[tuple[Mark, ...], tuple[Absence, ...]]:
    """What is drawn and what is out of sight, of a list as `wire` makes it.

    Raises:
        BadItem: an entry is no mark, or is there twice.
    """
    absent: list[Absence] = []
    for number, entry in enumerate(marks):
        if entry.get("kind") != ABSENT:
            continue
        try:
            absent.append(Absence.model_validate({"view": entry.get("view"), "colour": entry.get("colour")}))
        except ValidationError as error:
            raise BadItem(f"marks.{number}: no mark of absence: {error.errors()[0]['msg']}.") from None
    if len(set(absent)) < len(absent):
        raise BadItem("marks: a colour is out of sight twice in one view; nothing was saved.")
    return read_marks([entry for entry in marks if entry.get("kind") != ABSENT]), tuple(absent)


class MarksChanged(Conflict):
    """Somebody has saved other marks of this item in the meantime."""

    code = "marks_changed"


class PoolMarks:
    """Marks of the items in a store. Loading and saving may happen on many threads."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def study_of(self, item: str) -> str | None:
        """The study whose roles count for an item; None: there is no such item, or its project belongs to no study."""
        row = self.store.one("SELECT p.study_id FROM qa_items i JOIN qa_projects p USING (project_id) WHERE i.item_id = ?", [item])
        return row["study_id"] if row else None

    def load(self, item: str) -> tuple[int, list[dict[str, Any]]]:
        """The newest revision of an item's marks, and the marks."""
        return self._revision(item), wire(pool.get(self.store, item).item)

    def save(self, item: str, rev: int, marks: list[dict[str, Any]], actor: str) -> int:
        """Keep marks that grew from revision `rev`; returns the new revision.

        Raises:
            MarksChanged: `rev` is not the newest.
            BadItem, BadTransition: malformed, or the item cannot be edited now.
        """
        with self.store.atomic():
            stored = pool.get(self.store, item)
            newest = self._revision(item)
            if rev != newest:
                raise MarksChanged(
                    f"Somebody saved other marks of this item in the meantime (revision {newest}, you have {rev}).",
                    newest,
                    stored.item.canonical_json(),
                )
            drawn, absent = read(marks)
            pool.save_marks(self.store, item, drawn, stored.version, actor, absent)
            return self._revision(item)

    def _revision(self, item: str) -> int:
        """How often the marks changed; 0: nothing was ever drawn."""
        row = self.store.one("SELECT marks_rev FROM qa_items WHERE item_id = ?", [item])
        return int(row["marks_rev"]) if row else 0
