"""Derived test sets: single view, upside down, rejection. Each is a pure transformation of an accepted item, with an id of its own.

The same item gives the same derived item, byte for byte; `derived` in its document says from which content it was made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from annotation.qa.items import LETTERS, Derived, Item, Letter, ViewImage
from annotation.qa.parts import marks
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import NONE_ABOVE, is_none

Kind = Literal["single", "flip", "reject"]
KINDS: Mapping[str, str] = {
    "single": "Only the head view (dual arm) or view 1 (single arm).",
    "flip": "Every view except the grippers' upside down; the answers stay.",
    "reject": "The right option is replaced by “None of the above”, as E.",
}
KEPT_VIEW = {"dual": "head", "single": "view1"}
"""Arm → the view of the single-view set."""


@dataclass
class Set:
    """A derived set."""

    kind: Kind
    items: list[Item] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    """Item → why it has no place in this set."""

    def counts(self) -> dict[str, int]:
        """Subtask → items."""
        counted = Counter(item.subtask for item in self.items)
        return {slug: counted[slug] for slug in SUBTASKS if counted[slug]}


def derive(items: Iterable[Item], kind: Kind) -> Set:
    """The derived set of these items."""
    made = Set(kind)
    for item in items:
        why_not = excluded(item, kind)
        if why_not:
            made.left_out[item.item_id] = why_not
        else:
            made.items.append(_TRANSFORMATIONS[kind](item))
    return made


def excluded(item: Item, kind: Kind) -> str:
    """Why an item has no place in a set; empty: it has one."""
    subtask = SUBTASKS[item.subtask]
    if item.derived is not None:
        return "It is derived itself."
    if item.gold is None:
        return "It has no right option."
    if kind == "single":
        kept = KEPT_VIEW[item.arm]
        if not subtask.single_view:
            return f"{subtask.name} needs several views."
        if item.view(kept) is None:
            return f"It has no {kept} view."
        if item.reference_view != kept or any(mark.view != kept for mark in item.marks):
            return f"It asks about, or is marked in, another view than {kept}."
    if kind == "reject":
        if not subtask.rejection:
            return f"There is no rejection set of {subtask.name}."
        if any(is_none(text) for letter, text in item.options.items() if letter != item.gold):
            return "Without the right option its own None option becomes right too."
    return ""


def _derived(item: Item, kind: Kind) -> dict[str, object]:
    return {
        "item_id": f"{item.item_id}.{kind}",
        "derived": Derived(kind=kind, item_id=item.item_id, content_hash=item.content_hash),
    }


def _single(item: Item) -> Item:
    """One view; the question counts views, so it is generated again where it was generated."""
    kept = item.change(**_derived(item, "single"), views=tuple(view for view in item.views if view.view == KEPT_VIEW[item.arm]))
    template = SUBTASKS[item.subtask].question
    return kept.change(question=template(kept)) if item.question == template(item) else kept


def _flip(item: Item) -> Item:
    """Views and marks upside down, grippers aside. Directions of the frame are those of the world: no answer changes."""

    def turned(view: ViewImage) -> ViewImage:
        if view.view.endswith("gripper"):
            return view
        return view.model_copy(update={"transform": "" if view.transform else "flip_vertical"})

    heights = {view.view: view.height for view in item.views if not view.view.endswith("gripper")}
    return item.change(
        **_derived(item, "flip"),
        views=tuple(turned(view) for view in item.views),
        marks=tuple(marks.flip(mark, heights[mark.view]) if mark.view in heights else mark for mark in item.marks),
    )


def _reject(item: Item) -> Item:
    """The four wrong options as A to D in their order, and None as E; the right one is gone, its marks stay."""
    assert item.gold is not None
    wrong: list[Letter] = [letter for letter in LETTERS if letter != item.gold]
    to: dict[Letter, Letter] = dict(zip(wrong, LETTERS[:4], strict=True))
    options = {to[letter]: item.options[letter] for letter in wrong}
    images = {to[letter]: image for letter, image in item.option_images.items() if letter in to}
    if images:
        options = {letter: f"Image {letter}" for letter in LETTERS[:4]}
    return item.change(
        **_derived(item, "reject"),
        options=options | {"E": NONE_ABOVE},
        option_images=images,
        gold="E",
        hard=tuple(sorted(to[letter] for letter in item.hard if letter in to)),
        provenance={to[letter]: origin for letter, origin in item.provenance.items() if letter in to},
    )


_TRANSFORMATIONS = {"single": _single, "flip": _flip, "reject": _reject}
