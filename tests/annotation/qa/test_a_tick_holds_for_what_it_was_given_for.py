"""The tick that only one reading is right goes with each thing that it was given for, whichever way that changes; nothing else takes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from annotation.qa import moments as chosen
from annotation.qa import projects
from annotation.qa.items import LETTERS, Absence, Item, Mark
from annotation.qa.parts.colours import CANDIDATES
from annotation.qa.work import editing, pool
from data.store import Store
from tests.annotation.qa.conftest import Robots


@pytest.fixture
def draft(store: Store) -> Callable[[Item], str]:
    project = projects.create_project(store, "Ticks", trial_batch=0)
    return lambda item: pool.create_item(store, project.project_id, item, "author").item.item_id


def other(item: Item) -> str:
    return next(letter for letter in LETTERS if letter != item.gold)


def another_view(item: Item) -> str:
    return next(view.view for view in item.views if view.view != item.reference_view)


CHANGES: dict[str, tuple[str, Callable[[Item], dict[str, Any]]]] = {
    "which is right": ("distance", lambda item: {"gold": other(item)}),
    "which picture is right": ("viewpoint", lambda item: {"gold": other(item)}),
    "the words of an option": ("step", lambda item: {"options": item.options | {other(item): "Wait."}}),
    "the pictures": (
        "viewpoint",
        lambda item: {
            "option_images": {
                letter: image.model_dump()
                for letter, image in zip(item.option_images, reversed(item.option_images.values()), strict=True)
            }
        },
    ),
    "a cube": (
        "consistency",
        lambda item: {"cubes": [cube.model_dump() | {"cell": [cube.cell[0] % 5 + 1, *cube.cell[1:]]} for cube in item.cubes]},
    ),
    "the question": ("trajectory", lambda item: {"question": "Which one?"}),
    "the reference view": ("trajectory", lambda item: {"reference_view": another_view(item)}),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_a_form_that_changes_what_was_confirmed_takes_the_tick(
    store: Store, draft: Callable[[Item], str], sound: Callable[..., Item], what: str
) -> None:
    slug, change = CHANGES[what]
    item = sound(slug, 2)
    item_id = draft(item)
    rev = editing.save_fields(store, item_id, 1, "author", change(item)).rev
    assert not pool.get(store, item_id).item.unique_confirmed
    rev = editing.save_fields(store, item_id, rev, "author", {"unique_confirmed": True}).rev
    assert pool.get(store, item_id).item.unique_confirmed, "confirmed anew"


def test_what_is_said_of_wrong_options_leaves_it(store: Store, draft: Callable[[Item], str], sound: Callable[..., Item]) -> None:
    item = sound("planning", 2)
    item_id = draft(item)
    letter = next(iter(item.provenance))
    said = {x: origin.model_dump() for x, origin in item.provenance.items()} | {letter: {"kind": "by_hand", "note": "beside"}}
    editing.save_fields(store, item_id, 1, "author", {"hard": [letter], "provenance": said})
    now = pool.get(store, item_id)
    assert now.version == 2 and now.item.unique_confirmed


@pytest.mark.parametrize("what", ["moved", "deleted", "absent", "renamed"])
def test_what_is_drawn_takes_the_tick(store: Store, draft: Callable[[Item], str], sound: Callable[..., Item], what: str) -> None:
    item = sound("matching", 2)
    item_id = draft(item)
    first, *rest = item.marks
    moved = first.model_copy(update={"points": tuple((x / 2, y / 2) for x, y in first.points)})
    drawn = {"moved": [moved, *rest], "deleted": rest, "absent": rest, "renamed": [first.model_copy(update={"id": "another"}), *rest]}[what]
    unseen = (Absence(view=first.view, colour=first.colour),) if what == "absent" else ()
    pool.save_marks(store, item_id, drawn, 1, "author", unseen)
    now = pool.get(store, item_id)
    assert now.version == 2 and now.item.unique_confirmed == (what == "renamed"), "a mark's id says nothing"


@pytest.mark.parametrize("what", ["a box moved", "a box too many"])
def test_undo_brings_it_back_but_not_what_its_author_took_away(
    store: Store, draft: Callable[[Item], str], sound: Callable[..., Item], what: str
) -> None:
    item = sound("matching", 2)
    item_id = draft(item)
    first, *rest = item.marks
    moved = first.model_copy(update={"points": tuple((x / 2, y / 2) for x, y in first.points)})
    spare = next(colour for colour in CANDIDATES if colour not in {mark.colour for mark in item.marks})
    more = rest[0].model_copy(update={"id": "more", "colour": spare})
    changed = [moved, *rest] if what == "a box moved" else [*item.marks, more]

    def drawn(marks: Sequence[Mark]) -> Item:
        """As the canvas saves, and the editor after it."""
        rev = pool.save_marks(store, item_id, marks, pool.get(store, item_id).version, "author").rev
        editing.save_fields(store, item_id, rev, "author", {})
        return pool.get(store, item_id).item

    assert not drawn(changed).unique_confirmed
    assert drawn(item.marks).unique_confirmed, "undone"
    editing.save_fields(store, item_id, pool.get(store, item_id).version, "author", {"unique_confirmed": False})
    drawn(changed)
    assert not drawn(item.marks).unique_confirmed, "taken away by its author"


def test_other_pictures_take_the_tick(store: Store, robots: Robots) -> None:
    """*Another picture* and *Propose others*."""
    project = projects.create_project(store, "Pictures", trial_batch=0).project_id
    robots.add("dual", tasks=2, episodes=4)
    chosen.sample_moments(store, project, per_episode=2)
    for moment in chosen.moments(store, project, state="candidate"):
        chosen.decide(store, moment.moment_id, "keep", "useful", "ann")
    item_id = chosen.start_item(store, project, chosen.moments(store, project, state="kept")[0].moment_id, "viewpoint", "ann").item.item_id

    def ticked() -> pool.Stored:
        editing.save_fields(store, item_id, pool.get(store, item_id).version, "ann", {"unique_confirmed": True})
        return pool.get(store, item_id)

    before = ticked()
    letter = next(x for x, origin in sorted(before.item.provenance.items()) if origin.kind == "other_episode")
    editing.replace_picture(store, item_id, before.version, "ann", letter, "other_episode")
    after = pool.get(store, item_id).item
    assert after.option_images != before.item.option_images and not after.unique_confirmed
    before = ticked()
    draw = next(n for n in range(1, 50) if pictures(store, before.item, n) != before.item.option_images)
    editing.save_fields(store, item_id, before.version, "ann", {}, make="options", draw=draw)
    assert not pool.get(store, item_id).item.unique_confirmed


def pictures(store: Store, item: Item, draw: int) -> Any:
    return editing.again(store, item, "options", draw)["option_images"]
