"""Items in lists: every one is found, a page at a time, and each order is whole; an item can be given to another author."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from annotation.qa import projects
from annotation.qa.errors import NothingToReview, QaError
from annotation.qa.items import Item
from annotation.qa.projects import Project
from annotation.qa.work import listing, pool
from annotation.qa.work.listing import SORTS, TODO, Wanted
from data.store import Store
from study.errors import BadTransition


@pytest.fixture
def project(store: Store) -> Project:
    return projects.create_project(store, "Test", reviewers_per_item=1, trial_batch=0)


@pytest.fixture
def many(store: Store, project: Project, sound: Callable[..., Item]) -> list[str]:
    """Two subtasks, two authors, all states: 12 items of which 3 are flagged and 3 in review."""
    made = []
    for n in range(12):
        item = sound(("distance", "matching")[n % 2], n, **({"question": f"Is the Käse № {n} nearer?"} if n == 5 else {}))
        stored = pool.admit(store, project.project_id, item, state=("draft", "in_review", "flagged", "accepted")[n // 3], actor="ab"[n % 2],
                            why="test")  # fmt: skip
        made.append(stored.item.item_id)
    return made


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("state", ["", TODO])
def test_pages_hold_each_item_once_and_neighbours_are_those_of_the_list(
    store: Store, project: Project, many: list[str], sort: listing.Sort, state: str
) -> None:
    wanted = Wanted(sort=sort, state=state)
    found: list[str] = []
    while page := listing.find(store, project.project_id, wanted, len(found), 5).lines:
        found += [line.item_id for line in page]
    assert sorted(found) == sorted(many if not state else [i for n, i in enumerate(many) if n // 3 in (0, 2)])
    for place, item in enumerate(found):
        around = listing.around(store, project.project_id, wanted, item)
        before, after = (found[place - 1] if place else None), (found[place + 1] if place + 1 < len(found) else None)
        assert around == listing.Around(place + 1, len(found), before, after)
    if state:
        assert {pool.get(store, item).state for item in found[:3]} == {"flagged"}, "what was sent back comes first"


def test_words_are_looked_for_in_all_items_and_conditions_add_up(store: Store, project: Project, many: list[str]) -> None:
    def found(**wanted: object) -> list[str]:
        return sorted(line.item_id for line in listing.find(store, project.project_id, Wanted(**wanted)).lines)  # type: ignore[arg-type]

    assert found(words="käse NEARER") == found(words="Käse") == [many[5]]
    assert found(words="matching 2") == [i for i in sorted(many) if all(word in _text(store, i) for word in ("matching", "2"))]
    assert found(words="100%") == found(words="_") == []
    assert len(found(authors=("a",))) == 6 and not found(authors=("a",), subtask="matching")
    assert found(state="accepted", authors=("b",)) == sorted([many[9], many[11]])


def _text(store: Store, item_id: str) -> str:
    stored = pool.get(store, item_id)
    item = stored.item
    return f"{item.question} {item.source} {item.episode} {item.subtask} {stored.number} {item_id}"


def test_a_line_shows_the_head_view_with_its_marks_alone(store: Store, project: Project, sound: Callable[..., Item]) -> None:
    item = sound("trajectory", 3)
    pool.admit(store, project.project_id, item, state="accepted", actor="a", why="test")
    (line,) = listing.find(store, project.project_id, Wanted()).lines
    assert line.picture is not None and line.picture.view == "head"
    assert [mark["id"] for mark in line.picture.marks] == [mark.id for mark in item.marks if mark.view == "head"]
    assert line.question and "Directions are those" not in line.question


def test_an_item_is_given_to_another_author_who_then_reviews_it_as_little_as_the_first(
    store: Store, project: Project, sound: Callable[..., Item]
) -> None:
    stored = pool.create_item(store, project.project_id, sound("distance", 1), "ann")
    with pytest.raises(QaError, match="Give a reason"):
        pool.assign(store, stored.item.item_id, "ben", "lead", " ")
    given = pool.assign(store, stored.item.item_id, "ben", "lead", "ann is away")
    assert (given.author, given.version) == ("ben", 1)
    with pytest.raises(QaError, match="already"):
        pool.assign(store, stored.item.item_id, "ben", "lead", "again")
    pool.submit(store, stored.item.item_id, "ben", 1)
    for who in ("ann", "ben"):
        with pytest.raises(NothingToReview):
            pool.next_review(store, project.project_id, who)
    assert pool.starved(store, project.project_id, ["ann", "ben"]) == [stored.item.item_id]
    with pytest.raises(BadTransition):
        pool.assign(store, stored.item.item_id, "ann", "lead", "back")
    (told,) = store.query("SELECT data FROM events WHERE kind = 'qa_item_assigned' AND subject = ?", [stored.item.item_id])
    assert '"from":"ann"' in told["data"] and '"to":"ben"' in told["data"]
