"""Balancing: the right answer's letter and colour, uniform within one per subtask, by construction.

Letters are dealt from a repeated random order of the five, so that every group that takes a run of it has them within one, and so has the
whole; colours likewise. Options move to their letters with all that belongs to them; marks are recoloured, and the option texts name the
new colours. The seed and every item's moves are recorded.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from annotation.qa.items import LETTERS, Item, Letter
from annotation.qa.parts import cubes, directions, likeness
from annotation.qa.parts.colours import recolour
from annotation.qa.parts.marks import recoloured
from annotation.qa.projects import cell_of, get_project
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work import pool
from data.rows import Json
from data.store import Store


@dataclass(frozen=True)
class Move:
    """What balancing does to one item."""

    item: Item
    """Afterwards."""
    letter: tuple[str, str]
    """The right answer's letter before and after."""
    colours: dict[str, str]
    """Old colour → new colour, where colours are answers."""

    def words(self, seed: int) -> str:
        """The reason that its new version carries."""
        colours = ", ".join(f"{a} to {b}" for a, b in sorted(self.colours.items()) if a != b)
        return f"balanced with seed {seed}: {self.letter[0]} to {self.letter[1]}" + (f"; {colours}" if colours else "")


class Dealt(msgspec.Struct, frozen=True):
    """What balancing did."""

    seed: int
    moved: int
    """Items."""


class Balanced(msgspec.Struct, frozen=True):
    """One time that a project was balanced."""

    at: str
    actor: str
    data: Annotated[Dealt, Json]


def within_one(counts: Mapping[str, int], values: Sequence[str]) -> bool:
    """Whether the counts over `values` differ by at most one."""
    every = [counts.get(value, 0) for value in values]
    return max(every) - min(every) <= 1


def plan(items: Iterable[Item], seed: int, *, again: bool = False) -> list[Move]:
    """How to balance these items.

    Args:
        items: of any subtasks; each subtask is balanced for itself.
        seed: decides everything, together with the items' ids.
        again: also move the items of subtasks that are balanced already.

    Returns:
        One move per item of a subtask that is not balanced; by subtask and item id.
    """
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.gold is None:
            raise ValueError(f"{item.item_id} has no right option: only finished items can be balanced")
        groups[item.subtask].append(item)
    moves = []
    for slug in SUBTASKS:
        group = sorted(groups[slug], key=lambda item: item.item_id)
        if group and (again or not row(group)["within_one"]):
            moves += _plan(slug, group, random.Random(f"{seed} {slug}"))
    return moves


def _plan(slug: str, items: list[Item], rng: random.Random) -> list[Move]:
    """One subtask. Runs go to the items of one cell, arm and choice, so that none of these goes with a letter or a colour."""
    subtask = SUBTASKS[slug]
    choices = [slot.name for slot in subtask.slots if slot.choices]
    strata: dict[tuple[str, ...], list[Item]] = defaultdict(list)
    for item in items:
        strata[(cell_of(item), item.arm, *(item.slots.get(name, "") for name in choices))].append(item)

    def shuffled() -> list[Item]:
        return [item for key in sorted(strata) for item in rng.sample(strata[key], len(strata[key]))]

    ordered = shuffled()
    letters = _deal(list(LETTERS), len(ordered), rng)
    # shuffled again, or each letter would go with one colour
    coloured = [item for item in shuffled() if subtask.gold_colour(item) is not None]
    golds = dict(zip((item.item_id for item in coloured), _deal(list(subtask.palette), len(coloured), rng), strict=True))
    moves = []
    for item, letter in zip(ordered, letters, strict=True):
        mapping = _mapping(item, golds.get(item.item_id), rng) if subtask.option_kind == "colour" else {}
        moves.append(_move(item, letter, mapping, rng))
    return sorted(moves, key=lambda move: move.item.item_id)


def _deal(values: list[Any], count: int, rng: random.Random) -> list[Any]:
    """The values in one random order, repeated: every run of it has them within one."""
    order = rng.sample(values, len(values))
    return [order[k % len(order)] for k in range(count)]


def _mapping(item: Item, gold: str | None, rng: random.Random) -> dict[str, str]:
    """New colours for the colours that are answers: the right one becomes `gold`, the others what is drawn."""
    subtask = SUBTASKS[item.subtask]
    used = sorted({mark.colour for mark in item.marks} & set(subtask.palette))
    old = subtask.gold_colour(item)
    free = [colour for colour in subtask.palette if colour != gold]
    rng.shuffle(free)
    mapping = {} if old is None or gold is None else {old: gold}
    return mapping | dict(zip([colour for colour in used if colour not in mapping], free, strict=False))


def _move(item: Item, letter: Letter, colours: Mapping[str, str], rng: random.Random) -> Move:
    """The item with its right option at `letter`, the others at random, in new colours."""
    assert item.gold is not None
    others = [x for x in LETTERS if x != item.gold]
    rng.shuffle(others)
    places = iter([x for x in LETTERS if x != letter])
    to: dict[Letter, Letter] = {item.gold: letter} | {x: next(places) for x in others}
    options = {to[x]: recolour(text, colours) for x, text in item.options.items()}
    if item.option_images:
        # their names are those of their letters
        options = {x: f"Image {x}" for x in LETTERS}
    moved = item.change(
        options={x: options[x] for x in LETTERS},
        option_images={to[x]: image for x, image in item.option_images.items()},
        gold=letter,
        hard=tuple(sorted(to[x] for x in item.hard)),
        provenance={to[x]: origin for x, origin in item.provenance.items()},
        marks=recoloured(item.marks, colours),
        absent=recoloured(item.absent, colours),
    )
    return Move(moved, (item.gold, letter), dict(colours))


def apply(store: Store, project_id: str, actor: str, *, seed: int | None = None, again: bool = False) -> dict[str, Any]:
    """Balance the accepted items of a project; each that moves gets a new version, and the seed is recorded.

    Returns:
        ``seed``, ``moved`` (items) and the `report` afterwards.
    """
    with store.atomic():
        project = get_project(store, project_id)
        seed = project.seed if seed is None else seed
        stored = [s for s in pool.items(store, project_id, state="accepted") if not s.trial]
        moves = plan((s.item for s in stored), seed, again=again)
        for move in moves:
            pool.rebalance(store, move.item.item_id, move.item, actor, move.words(seed))
        found = report(s.item for s in pool.items(store, project_id, state="accepted") if not s.trial)
        told = {"project": project_id, "seed": seed, "moved": len(moves)}
        store.event("qa_balanced", told, actor=actor, study_id=project.study_id, subject=project_id)
    return {"seed": seed, "moved": len(moves)} | found


def done(store: Store, project_id: str) -> list[Balanced]:
    """When a project was balanced, the last time first."""
    sql = "SELECT at, actor, data FROM events WHERE kind = 'qa_balanced' AND subject = ? ORDER BY seq DESC"
    return store.rows(sql, Balanced, [project_id])


def report(items: Iterable[Item]) -> dict[str, Any]:
    """How even a set of items is.

    Returns:
        ``subtasks``: slug → `row`; ``within_one``: whether all are.
    """
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[item.subtask].append(item)
    rows = {slug: row(groups[slug]) for slug in SUBTASKS if groups[slug]}
    return {"subtasks": rows, "within_one": all(entry["within_one"] for entry in rows.values())}


def row(items: Sequence[Item]) -> dict[str, Any]:
    """Figures of one subtask's items.

    Returns:
        ``items``; ``letters`` and ``colours`` of the right answers; ``within_one``; with a `NoneCell` ``none_gold`` (share of items whose
        right option is None) and ``none_distractor``; and what one could guess by without the images: ``longest`` (share of items whose
        right option has the longest text; 0.2 is chance) and ``middle`` (share whose right option resembles the others most).
    """
    subtask = SUBTASKS[items[0].subtask]
    letters = Counter(str(item.gold) for item in items)
    colours = Counter(colour for item in items if (colour := subtask.gold_colour(item)) is not None)
    even = within_one(letters, LETTERS) and (not colours or within_one(colours, subtask.palette))
    found: dict[str, Any] = {
        "items": len(items),
        "letters": {letter: letters[letter] for letter in LETTERS},
        "colours": {colour: colours[colour] for colour in subtask.palette} if colours else {},
        "within_one": even,
    }
    if subtask.none_cell is not None:
        nones = sum(cell_of(item) == "none" for item in items)
        present = sum(any(text.casefold().startswith("none of") for text in item.options.values()) for item in items)
        found |= {"none_gold": round(nones / len(items), 4), "none_distractor": round((present - nones) / len(items), 4)}
    if subtask.option_kind in ("triplets", "directions"):
        found |= {"longest": _guessed(items, _longest), "middle": _guessed(items, _middle)}
    return found


def _guessed(items: Sequence[Item], guess: Any) -> float:
    """Share of items that a guess finds; ties share the credit."""
    hits = [(item.gold in best) / len(best) for item in items if (best := guess(item))]
    return round(sum(hits) / len(hits), 4) if hits else 0.0


def _longest(item: Item) -> list[str]:
    most = max((len(text) for text in item.options.values()), default=0)
    return [letter for letter, text in item.options.items() if len(text) == most]


def _middle(item: Item) -> list[str]:
    parts: dict[str, Sequence[object]] = {
        letter: [v for _, cell in sorted((cubes.read(text) or {}).items()) for v in cell] or directions.read(text)
        for letter, text in item.options.items()
    }
    return likeness.middle(parts)
