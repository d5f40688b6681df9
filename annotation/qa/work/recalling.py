"""What was said of an option comes back with the marks that it came from: undo of a mark undoes what followed from it, too.

Options that name what is drawn go when it goes, and with them which is right, which come close and how they were made; the tick that only
one reading is right goes with any mark. Every version of an item is kept, so the last one in which the same was drawn still says so. Redo
works the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from annotation.qa.items import LETTERS, Item, Letter
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import about, confirmed
from data.store import Store

MOST_VERSIONS = 300
"""As far back as one looks: some hours of drawing."""


class _Numbered(msgspec.Struct, frozen=True):
    version: int
    document: str


_VERSIONS = "SELECT version, document FROM qa_versions WHERE item_id = ?"


class _Document(msgspec.Struct, frozen=True):
    document: str


def earlier(store: Store, item_id: str) -> Iterator[Item]:
    """The versions of an item, the newest first."""
    sql = "SELECT document FROM qa_versions WHERE item_id = ? ORDER BY version DESC LIMIT ?"
    return (Item.read(row.document) for row in store.stream(sql, _Document, [item_id, MOST_VERSIONS]))


def recalled(before: Item, after: Item, versions: Iterable[Item]) -> dict[str, Any]:
    """What is known of the options that `after` has and `before` had not.

    An option about a colour is the same one where the same marks of that colour are drawn; the option that no box is correct always is.

    Args:
        before: the item as it was.
        after: with the change of what is drawn and what follows from it.
        versions: earlier ones, the newest first; read no further than needed.

    Returns:
        Field → new value; empty where nothing comes back.
    """
    known = {about(text) for text in before.options.values()}
    fresh = [letter for letter, text in after.options.items() if about(text) not in known]
    found: dict[Letter, tuple[Item, Letter]] = {}
    for version in versions if fresh else ():
        for letter in fresh:
            if letter not in found and (there := _same_option(after, letter, version)) is not None:
                found[letter] = version, there
        if len(found) == len(fresh):
            break
    if not found:
        return {}
    return _put_back(after, fresh, found)


def _same_option(after: Item, letter: Letter, version: Item) -> Letter | None:
    subject = about(after.options[letter])
    there = next((other for other, text in version.options.items() if subject is not None and about(text) == subject), None)
    if there is None or subject == "none":
        return there
    now, then = ({mark.id: mark for mark in item.marks if mark.colour == subject} for item in (after, version))
    return there if now == then else None


def _put_back(after: Item, fresh: Sequence[Letter], found: Mapping[Letter, tuple[Item, Letter]]) -> dict[str, Any]:
    """The options that came back under their old letters where those are free, with what was said of them; what is right stays so."""
    taken = set(after.options) - set(fresh)
    place: dict[Letter, Letter] = {}
    for letter, (_, there) in found.items():
        if there not in taken:
            place[letter] = there
            taken.add(there)
    free = [letter for letter in LETTERS if letter not in taken]
    place |= dict(zip([letter for letter in fresh if letter not in place], free, strict=False))

    options = {letter: text for letter, text in after.options.items() if letter not in fresh}
    gold, hard, provenance = after.gold, set(after.hard), dict(after.provenance)
    for letter, new in place.items():
        version, there = found.get(letter, (None, letter))
        options[new] = after.options[letter] if version is None else version.options[there]
        if version is None:
            continue
        if version.gold == there and gold is None:
            gold = new
        if there in version.hard:
            hard.add(new)
        if there in version.provenance:
            provenance[new] = version.provenance[there]
    return {
        "options": dict(sorted(options.items())),
        "gold": gold,
        "hard": tuple(sorted(hard)),
        "provenance": dict(sorted(provenance.items())),
    }


def confirmed_before(store: Store, item_id: str, item: Item) -> bool:
    """Whether the last tick that only one reading is right was given for just this (`subtasks.base.confirmed`) and went with a change of
    it, not by its author's hand."""
    last = store.row(f"{_VERSIONS} AND json_extract(document, '$.unique_confirmed') ORDER BY version DESC LIMIT 1", _Numbered, [item_id])
    if last is None or confirmed(ticked := Item.read(last.document)) != confirmed(item):
        return False
    after = store.row(f"{_VERSIONS} AND version = ?", _Numbered, [item_id, last.version + 1])
    return after is not None and confirmed(Item.read(after.document)) != confirmed(ticked)


_SHOWN = ("options", "option_images", "marks", "absent", "cubes", "reference_view")
"""What an answer is about, beside what the question asks."""


def turned_back(after: Item, versions: Iterable[Item]) -> dict[str, Any]:
    """What was said of the options when the same was asked of the same options, drawn in the same way.

    Args:
        after: with the question turned round, and what follows from it.
        versions: earlier ones, the newest first; read no further than needed.

    Returns:
        Field → value; empty where the same was never asked, or nothing was said then.
    """
    asks = SUBTASKS[after.subtask].asks
    for version in versions:
        same = asks(version) == asks(after) and all(getattr(version, name) == getattr(after, name) for name in _SHOWN)
        if same and version.gold is not None:
            return {"gold": version.gold, "hard": version.hard, "provenance": version.provenance}
    return {}
