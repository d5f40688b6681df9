"""What follows from an edit of an item: its question and options keep step with slots, marks and cubes until the author writes them by
hand. Pure functions over items; who may save what is `annotation.qa.work.pool`'s affair."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Literal

from annotation.qa.errors import BadItem, QaError
from annotation.qa.items import Distractor, Item, Letter
from annotation.qa.parts import directions
from annotation.qa.scenes.moment import get_moment
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Picture, Proposal
from annotation.qa.work.pool import Saved, edit, get
from annotation.qa.work.recalling import confirmed_before, earlier, recalled, turned_back
from data.store import Store

FIELDS = (
    "reference_view", "cubes", "slots", "question", "options", "option_images", "gold", "hard", "provenance", "unique_confirmed",
)  # fmt: skip
"""What a form may change; marks are the canvas's, everything else comes with the moment."""
Made = Literal["", "question", "options"]
"""What to write anew: nothing, the question from its template, the options from what is drawn, placed or known."""


def read_fields(item: Item, values: Mapping[str, Any]) -> dict[str, Any]:
    """Plain JSON values as values of the item's fields.

    Raises:
        BadItem: a field is no form's, or its value has the wrong form.
    """
    unknown = [name for name in values if name not in FIELDS]
    if unknown:
        raise BadItem(f"{', '.join(unknown)}: no field that can be edited here; known: {', '.join(FIELDS)}.")
    read = Item.read(item.document() | dict(values))
    return {name: getattr(read, name) for name in values}


def consequences(before: Item, after: Item) -> dict[str, Any]:
    """What changes with an edit.

    The question and a set of triplets follow while they are as generated; options that name what is drawn follow it, and what the author
    wrote into one stays. What was said of an option (right, hard, how it was made) goes when the option goes, and what is right is no
    distractor. When one becomes right, what the item itself tells of how others were made is filled in. Where the question is turned round
    (`Subtask.asks`), what was said of the options is not true of it any more and goes, unless options and what is right follow by
    themselves. The tick that only one reading is right goes with what it was given for (`annotation.qa.work.authoring`).

    Args:
        before: the item as it was.
        after: with the author's change.

    Returns:
        Field → new value; empty where nothing follows.
    """
    subtask = SUBTASKS[after.subtask]
    found: dict[str, Any] = {}
    if after.question == before.question and before.question.strip() in ("", subtask.question(before).strip()):
        found["question"] = subtask.question(after)
    generated = before.options in ({}, subtask.options(before).options)
    if subtask.option_kind == "colour" or (subtask.uses_cubes and before.cubes != after.cubes and generated):
        found |= _proposed(subtask.options(after))
    elif subtask.images is not None and before.slots != after.slots:
        found |= subtask.images.follow(after)
    if subtask.asks(after) != subtask.asks(before) and subtask.images is None and not subtask.uses_cubes:
        found |= {name: empty for name, empty in _UNSAID.items() if getattr(after, name) == getattr(before, name)}
    mended = after.change(**found)
    if mended.gold is not None and (mended.gold in mended.hard or mended.gold in mended.provenance):
        found["hard"] = tuple(letter for letter in mended.hard if letter != mended.gold)
        found["provenance"] = {letter: origin for letter, origin in mended.provenance.items() if letter != mended.gold}
    if subtask.known is not None and mended.gold is not None and mended.gold != before.gold:
        said = {letter: origin for letter, origin in mended.provenance.items() if letter != mended.gold}
        told = {letter: Distractor(kind=kind) for letter, kind in subtask.known(mended).items() if letter not in said}
        found["provenance"] = dict(sorted((said | told).items()))
    return {name: value for name, value in found.items() if getattr(after, name) != value}


_UNSAID: Mapping[str, Any] = {"gold": None, "hard": (), "provenance": {}}
"""What is said of options before anything is."""


def _proposed(made: Proposal) -> dict[str, Any]:
    return {"options": made.options, "gold": made.gold, "hard": made.hard, "provenance": made.provenance}


def again(store: Store, item: Item, what: Made, draw: int = 0) -> dict[str, Any]:
    """The question or the options written anew, whatever they were.

    Args:
        store: the database.
        item: as it stands.
        what: which of them.
        draw: another number gives other wrong options where they are drawn.

    Raises:
        QaError: there is nothing to make them from yet.
    """
    subtask = SUBTASKS[item.subtask]
    if what == "question":
        return {"question": subtask.question(item)}
    if what != "options":
        return {}
    if subtask.images is not None:
        proposed = subtask.images.propose(store, item, get_moment(store, item.moment), random.Random(f"{item.item_id} {draw}"))
        return {name: getattr(proposed, name) for name in ("options", "option_images", "gold", "hard", "provenance")}
    if subtask.redraw is not None:
        return _proposed(subtask.redraw(item, draw))
    return _proposed(subtask.options(item))


def save_fields(
    store: Store, item_id: str, rev: int, editor: str, values: Mapping[str, Any], *, make: Made = "", draw: int = 0
) -> Saved:  # fmt: skip
    """Save fields of a form, and what follows from them, as one version.

    Args:
        store: the database.
        item_id: which item.
        rev: the version that the form was read from.
        editor: who.
        values: plain JSON values by field.
        make: what to write anew.
        draw: see `again`.

    Raises:
        Conflict, BadTransition, BadItem: as `pool.edit`.
        QaError: as `again`.
    """
    with store.atomic():
        item = get(store, item_id).item
        fields = read_fields(item, values)
        if rev != (newest := get(store, item_id).version):
            # What was changed in between and is asked for here clashes; what only follows does not.
            newest = edit(store, item_id, rev, editor, **fields).rev
        after = item.change(**fields)
        fields |= again(store, after, make, draw)
        fields |= consequences(item, item.change(**fields))
        if SUBTASKS[item.subtask].option_kind == "colour" and "options" not in values:
            fields |= recalled(item, item.change(**fields), earlier(store, item_id))
        turned = item.change(**fields)
        if SUBTASKS[item.subtask].asks(turned) != SUBTASKS[item.subtask].asks(item):
            told = turned_back(turned, earlier(store, item_id))
            fields |= {name: value for name, value in told.items() if name not in values}
        # Nothing is said here: what was drawn or taken back has its consequences.
        if not values and not make and not item.unique_confirmed and confirmed_before(store, item_id, turned):
            fields["unique_confirmed"] = True
        return edit(store, item_id, newest, editor, **fields)


def sequences(item: Item) -> dict[str, tuple[str, ...]]:
    """The directions that each option names, where options are motions."""
    if SUBTASKS[item.subtask].option_kind != "directions":
        return {}
    return {letter: directions.read(text) for letter, text in item.options.items()}


def replace_picture(store: Store, item_id: str, rev: int, editor: str, letter: Letter, kind: str) -> Saved:
    """Give a wrong option the next image of a kind that no other option shows, the first of those with which the item breaks the fewest
    rules. A picture that breaks a rule which the item keeps now is not taken in the place of one of its kind.

    Raises:
        QaError: there is no other image of this kind that serves, or the option is the right one.
        Conflict, BadTransition: as `pool.edit`.
    """
    with store.atomic():
        item = get(store, item_id).item
        if letter == item.gold:
            raise QaError(f"Option {letter} is right: its picture is the moment's own. Replace another one.")
        subtask = SUBTASKS[item.subtask]
        if kind not in subtask.distractors:
            raise QaError(f"There is no kind {kind[:40]!r} of wrong options here; there are: {', '.join(subtask.distractors) or 'none'}.")
        taken = {image.image for other, image in item.option_images.items() if other != letter}
        images = subtask.images
        free = [picture for picture in (images.others(store, item, kind) if images is not None else ()) if picture.image.image not in taken]
        old = item.option_images.get(letter)
        place = next((n for n, picture in enumerate(free) if old is not None and picture.image.image == old.image), -1)
        if not free or (len(free) == 1 and place == 0):
            raise QaError(
                "No other image of this kind is known here: keep more moments, or choose another kind, the other gripper or another moment."
            )
        origin = item.provenance.get(letter)
        fresh = free[place + 1 :] + free[: max(place, 0)]
        ways = [_with_picture(item, letter, picture) for picture in fresh]
        chosen = min(ways, key=lambda way: len(subtask.check(way)))
        if origin is not None and origin.kind == kind and not set(subtask.check(item)).issuperset(found := subtask.check(chosen)):
            raise QaError(f"No other image of this kind serves here. {found[0].sentence}")
        return edit(
            store, item_id, rev, editor, option_images=chosen.option_images, options=chosen.options, provenance=chosen.provenance
        )  # fmt: skip


def _with_picture(item: Item, letter: Letter, picture: Picture) -> Item:
    """The item with another image as a wrong option."""
    fields: dict[str, dict[Letter, Any]] = {
        "option_images": item.option_images | {letter: picture.image},
        "options": item.options | {letter: f"Image {letter}"},
        "provenance": item.provenance | {letter: picture.origin},
    }
    return item.change(**{name: dict(sorted(value.items())) for name, value in fields.items()})
