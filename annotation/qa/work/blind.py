"""What somebody who has not answered yet may see of an item: a list of what is shown, never the document with things taken out."""

from __future__ import annotations

from typing import Any

from annotation.qa.items import LETTERS, Item, Mark
from annotation.qa.parts.colours import COLOURS
from annotation.qa.subtasks import SUBTASKS


def in_order(item: Item) -> tuple[Mark, ...]:
    """The marks in the order of views and colours: one draws the right one first."""
    order = {view.view: place for place, view in enumerate(item.views)}

    def place(mark: Mark) -> tuple[int, int, tuple[tuple[float, float], ...]]:
        return order.get(mark.view, len(order)), COLOURS.index(mark.colour), mark.points

    return tuple(sorted(item.marks, key=place))


def neutral(item: Item) -> list[Mark]:
    """The marks `in_order` under new ids: one calls the right one so."""
    return [mark.model_copy(update={"id": f"mark-{number}"}) for number, mark in enumerate(in_order(item), start=1)]


def blind(item: Item) -> dict[str, Any]:
    """The question as a reviewer, a participant or a model meets it.

    Nothing that depends on the gold apart from the pixels and texts of the question itself: marks are `neutral`; cubes, slots, provenance,
    hard letters and source are left out, and so are views that would give the answer away (`Subtask.only_reference`).
    """

    def image(view: Any) -> dict[str, Any]:
        return {name: getattr(view, name) for name in ("image", "width", "height")} | (
            {"transform": view.transform} if view.transform else {}
        )

    return {
        "item_id": item.item_id,
        "subtask": item.subtask,
        "arm": item.arm,
        "reference_view": item.reference_view,
        "views": [{"view": view.view} | image(view) for view in SUBTASKS[item.subtask].shown(item)],
        "marks": [mark.model_dump(mode="json") for mark in neutral(item)],
        "question": item.question,
        "options": {letter: item.options[letter] for letter in LETTERS if letter in item.options},
        "option_images": {letter: image(item.option_images[letter]) for letter in LETTERS if letter in item.option_images},
    }
