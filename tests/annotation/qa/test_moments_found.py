"""Every kept moment can be found: by page, by words, by source, by whether it was used, those that serve the subtask first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.qa import moments, projects
from annotation.qa.moments.finding import Wanted, find, sampled, sources
from data.home import Home
from data.store import Store, dumps

COUNT = 420


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, str]:
    """A project with moments of two sources, more than any page shows."""
    home: Path = tmp_path_factory.mktemp("many")
    store = Store.open(Home.from_env(home / "vantage.db"))
    project = projects.create_project(store, "Many").project_id
    at = "2026-01-01T00:00:00.000Z"
    with store.atomic():
        for source, name in (("rs_a", "Kitchen A"), ("rs_b", "")):
            store.insert("robot_sources", {"source_id": source, "kind": "bridge", "name": name, "root": f"/{source}", "created_at": at})
        for n in range(COUNT):
            arm, source = ("dual" if n % 3 == 0 else "single"), ("rs_a" if n < 400 else "rs_b")
            row: dict[str, Any] = {"episode_id": f"re_{n}", "source_id": source, "key": f"ep-{n}", "arm": arm, "frames": 9, "fps": 30.0}
            task = f"put object {n} on the Plate" if n % 2 else f"stelle Käse {n} weg"
            store.insert("robot_episodes", row | {"task": task, "document": "{}", "created_at": at})
            views = [{"view": "head", "image": f"{n:064x}", "width": 8, "height": 6, "file": "a.png", "frame_index": 1}]
            document = {"views": views, "place": n, "triage": {"subtasks": ["matching"]} if n == 419 else {}}
            state = "candidate" if n == 2 else "kept"
            row = {"moment_id": f"mo_{n}", "project_id": project, "episode_id": f"re_{n}", "frame_index": 1, "state": state}
            store.insert("moments", row | {"document": dumps(document), "created_at": at})
    return store, project


def test_every_kept_moment_is_on_some_page_once_and_in_one_order(many: tuple[Store, str]) -> None:
    store, project = many
    wanted = Wanted(subtask="matching")
    seen: list[str] = []
    while True:
        page = find(store, project, wanted, len(seen))
        assert page.count == COUNT - 1
        if not page.moments:
            break
        seen += [found.moment_id for found in page.moments]
    assert seen[0] == "mo_419", "a model named it for this subtask"
    assert seen[1:] == [f"mo_{n}" for n in range(419) if n != 2]


def test_a_subtask_of_two_arms_is_offered_moments_of_two(many: tuple[Store, str]) -> None:
    store, project = many
    page = find(store, project, Wanted(subtask="viewpoint"), limit=COUNT)
    assert page.count == len(page.moments) == COUNT / 3
    assert {found.arm for found in page.moments} == {"dual"}


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({"words": "OBJECT 401"}, {"mo_401"}),
        ({"words": "Käse 400"}, {"mo_400"}),
        ({"words": "käse 400"}, {"mo_400"}),
        ({"words": "kitchen ep-17"}, {"mo_17", *(f"mo_{n}" for n in range(170, 180))}),
        ({"words": "100%"}, set()),
        ({"words": "_"}, set()),
        ({"source": "bridge"}, {f"mo_{n}" for n in range(400, 420)}),
        ({"source": "bridge", "words": "plate"}, {f"mo_{n}" for n in range(401, 420, 2)}),
        ({"source": "Nowhere"}, set()),
    ],
)
def test_words_and_sources_narrow_all_of_them(many: tuple[Store, str], conditions: dict[str, Any], expected: set[str]) -> None:
    store, project = many
    page = find(store, project, Wanted(subtask="matching", **conditions), limit=COUNT)
    assert {found.moment_id for found in page.moments} == expected and page.count == len(expected)


def test_what_is_used_comes_last_and_can_be_left_out(many: tuple[Store, str]) -> None:
    store, project = many
    with pytest.raises(RuntimeError, match="undo"), store.atomic():
        moments.start_item(store, project, "mo_0", "affordance", "author")
        last = find(store, project, Wanted(subtask="affordance"), offset=COUNT - 2).moments
        assert [(found.moment_id, found.used) for found in last] == [("mo_0", 1)]
        assert find(store, project, Wanted(subtask="affordance", unused=True)).count == COUNT - 2
        raise RuntimeError("undo")


def test_sources_are_named_and_an_empty_project_is_known(many: tuple[Store, str]) -> None:
    store, project = many
    assert sources(store, project) == ["Kitchen A", "bridge"]
    assert sampled(store, project) and not sampled(store, "qp_none")
