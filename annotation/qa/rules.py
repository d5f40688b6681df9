"""All rules of an item, checked as one works: a list of problems, empty when the item is ready.

The rules of one subtask stand with it (`annotation.qa.subtasks`); here are those of all. Items of derived sets are held to what is left
of the rules after their transformation.
"""

from __future__ import annotations

import re
from collections import defaultdict

from annotation.qa.errors import Problem
from annotation.qa.items import LETTERS, VIEW_WORDS, VIEWS, Item
from annotation.qa.parts import marks
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import FRAME_WORDS, NONE_ABOVE, Subtask, folded, is_none
from data.store import Store

_BY_PLACE = re.compile(r"\b(?:all|none|both|any|each)\s+of\s+the\s+(?:above|below|others?)\b|\boptions?\s+[A-E]\b", re.IGNORECASE)


def check(item: Item) -> list[Problem]:
    """What the item breaks, in the order in which one fills it in.

    Args:
        item: finished or not.

    Returns:
        One problem per broken rule; empty: it can go into review.
    """
    subtask = SUBTASKS[item.subtask]
    found = [
        *_views(item, subtask),
        *_slots(item, subtask),
        *_marks(item, subtask),
        *_question(item, subtask),
        *_options(item, subtask),
        *subtask.check(item),
        *_answer(item, subtask),
    ]
    return list(dict.fromkeys(found))


def check_here(store: Store, item: Item) -> list[Problem]:
    """As `check`, and what the pictures that are kept here say against the item."""
    images = SUBTASKS[item.subtask].images
    return list(dict.fromkeys([*check(item), *(images.holds(store, item) if images is not None else [])]))


def _views(item: Item, subtask: Subtask) -> list[Problem]:
    found = []
    if item.arm not in subtask.arms:
        found.append(Problem("subtask", f"{subtask.name} is for {' and '.join(subtask.arms)} arm robots; this one has a {item.arm} arm."))
    names = [view.view for view in item.views]
    wanted = VIEWS[item.arm]
    if item.derived is not None and item.derived.kind == "single":
        wanted = (item.reference_view,)
    if len(set(names)) < len(names):
        found.append(Problem("views", "A view is there twice: each needs its own name."))
    if missing := [name for name in wanted if name not in names]:
        found.append(Problem("views", f"Views are missing: {', '.join(VIEW_WORDS.get(n, n) for n in missing)}."))
    if extra := [name for name in names if name not in wanted]:
        found.append(Problem("views", f"This item cannot have these views: {', '.join(extra)}."))
    if item.reference_view not in names:
        found.append(Problem("reference_view", f"The reference view {item.reference_view!r} is none of the item's views."))
    return found


def _slots(item: Item, subtask: Subtask) -> list[Problem]:
    found = []
    for slot in subtask.slots:
        value = item.slots.get(slot.name, "").strip()
        if not value and slot.required:
            found.append(Problem(f"slots.{slot.name}", f"{slot.label}: fill this in."))
        elif value and slot.choices and value not in slot.choices:
            found.append(Problem(f"slots.{slot.name}", f"{slot.label}: choose {' or '.join(slot.choices)}, got {value!r}."))
    known = {slot.name for slot in subtask.slots}
    found += [Problem(f"slots.{name}", f"{subtask.name} has no slot {name!r}.") for name in item.slots if name not in known]
    return found


def _marks(item: Item, subtask: Subtask) -> list[Problem]:
    found = marks.problems(item.marks, item.views)
    for mark in item.marks:
        if mark.kind not in subtask.marks.kinds:
            words = " or ".join(marks.WORDS[kind] for kind in subtask.marks.kinds)
            found.append(
                Problem(
                    f"marks.{mark.id}",
                    f"{subtask.name} uses no {marks.WORDS[mark.kind]}: " + (f"draw a {words}." if words else "nothing is drawn here."),
                )
            )
    if item.absent and not subtask.marks.absent:
        found.append(Problem("absent", f"{subtask.name} has no marks of absence."))
    if item.cubes and not subtask.uses_cubes:
        found.append(Problem("cubes", f"{subtask.name} has no cubes."))
    if item.option_images and subtask.option_kind != "images":
        found.append(Problem("option_images", f"{subtask.name} has no image options."))
    return found


def _question(item: Item, subtask: Subtask) -> list[Problem]:
    text = item.question
    if not text.strip():
        return [Problem("question", "The question is empty: write it anew from the template.")]
    found = []
    said = folded(text)
    for slot in subtask.slots:
        value = item.slots.get(slot.name, "")
        if value.strip() and folded(value) not in said:
            found.append(Problem("question", f"The question does not say “{value.strip()}”: generate it again, or write it in."))
    if subtask.frame:
        missing = [word for word in FRAME_WORDS if word not in text.lower()]
        if missing:
            found.append(Problem("question", f"The question must define the directions of the frame; missing: {', '.join(missing)}."))
        word = VIEW_WORDS.get(item.reference_view, item.reference_view)
        if folded(word) not in said:
            found.append(Problem("question", f"The question does not say which view its directions are based on ({word})."))
    return found


def _options(item: Item, subtask: Subtask) -> list[Problem]:
    found = []
    if empty := [letter for letter in LETTERS if not item.options.get(letter, "").strip()]:
        found.append(Problem("options", f"Five options are needed; empty: {', '.join(empty)}.", _to_fill(item, subtask, len(empty))))
    same = defaultdict(list)
    for letter in LETTERS:
        if text := item.options.get(letter, "").strip():
            same[folded(text)].append(letter)
            if _BY_PLACE.search(text) and not (item.derived is not None and text == NONE_ABOVE):
                found.append(Problem(f"options.{letter}", f"Option {letter} speaks of other options: their order may change."))
    for letters in same.values():
        if len(letters) > 1:
            found.append(Problem("options", f"Options {', '.join(letters)} say the same: each must differ."))
    return found


def _to_fill(item: Item, subtask: Subtask, empty: int) -> int:
    """What is to be done for options that are empty: candidates to draw, one press that makes them all, or each to write."""
    if _made_at_once(subtask):
        return 1
    if subtask.option_kind == "colour":
        # the option that none is right comes by itself; where each colour has a rule of its own, that asks for what is to be drawn
        comes = subtask.none_cell is not None and not any(is_none(text) for text in item.options.values())
        return 0 if subtask.marks.where == "any" else empty - comes
    return empty


def _made_at_once(subtask: Subtask) -> bool:
    """Whether all options come together, with what is right and how the wrong ones were made."""
    return subtask.option_kind in ("images", "triplets")


def _not_answered(item: Item, subtask: Subtask) -> list[Problem]:
    """What is to be said of the options while none is marked as right: counted from the start, so that what is left only ever shrinks."""
    things = not (_made_at_once(subtask) and not item.options)
    found = [Problem("gold", "Mark the right option.", int(things))]
    if item.derived is not None:
        return found
    if not item.hard:
        found.append(Problem("hard", "Mark one or two wrong options that come close to the right answer.", int(things)))
    if (unsaid := len(LETTERS) - 1 - len(item.provenance)) > 0:
        found.append(Problem("provenance", f"Say how each wrong option was made: {unsaid} to say.", unsaid * things))
    if not item.unique_confirmed:
        found.append(Problem("unique_confirmed", "Confirm that no reading makes another option right."))
    return found


def _answer(item: Item, subtask: Subtask) -> list[Problem]:
    found = []
    derived = item.derived.kind if item.derived is not None else ""
    if item.gold is None:
        return _not_answered(item, subtask)
    if derived == "reject" and not (item.gold == "E" and is_none(item.options.get("E", ""))):
        found.append(Problem("gold", f"In a rejection set E is “{NONE_ABOVE}” and right."))
    if item.gold in item.hard:
        found.append(Problem("hard", f"Option {item.gold} is right: it is none of the wrong ones that come close."))
    if not 1 <= len(set(item.hard)) <= 2 and derived != "reject":
        marked = f"; {len(set(item.hard))} are marked" if item.hard else ""
        found.append(Problem("hard", f"Mark one or two wrong options that come close to the right answer{marked}."))
    if derived:
        return found
    kinds = subtask.kinds(item.arm)
    for letter in LETTERS:
        origin = item.provenance.get(letter)
        if letter == item.gold:
            if origin is not None:
                found.append(Problem(f"provenance.{letter}", f"Option {letter} is right: it is no distractor."))
        elif origin is None:
            found.append(Problem(f"provenance.{letter}", f"Say how distractor {letter} was made: {', '.join(kinds)}."))
        elif origin.kind in subtask.distractors and origin.kind not in kinds:
            words = f"Option {letter}: “{subtask.distractors[origin.kind]}” cannot be, this robot has one arm."
            found.append(Problem(f"provenance.{letter}", f"{words} Choose another way."))
        elif origin.kind not in kinds:
            found.append(
                Problem(f"provenance.{letter}", f"Distractor {letter} is made as {origin.kind!r}; known here: {', '.join(kinds)}.")
            )
        elif why := subtask.unfit(item, letter).get(origin.kind):
            found.append(Problem(f"provenance.{letter}", f"Option {letter}: {why}"))
    if not item.unique_confirmed:
        found.append(Problem("unique_confirmed", "Confirm that no reading makes another option right."))
    return found
