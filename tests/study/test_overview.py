"""The researcher's list is paged and searched in the database; an episode is found by its id, however old."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from data.store import Store
from data.task import Task
from study import overview, participants
from study.access import EVERY_STUDY
from study.episode import EpisodeEngine
from study.overview import Search
from study.protocol import Protocol
from study.stations import instructions
from study.studies import create_study
from tests.present import present


@pytest.fixture
def studies(store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]) -> tuple[str, str, list[str]]:
    """Two studies; of the first, the ids of 120 episodes, oldest first: people's, a model's, and a script's."""
    tasks = [make_task(f"toy-{n:03d}") for n in range(3)]
    for task in tasks:
        store.put_task(task)
    first, second = (
        create_study(store, name, state="live", tasks=tuple(t.content_hash for t in tasks), trials=3).study_id for name in ("One", "Two")
    )
    people = [participants.add_participant(store, first) for _ in range(12)]
    made = []
    for n in range(120):
        who: dict[str, Any] = {"participant_id": people[n % 12], "trial_index": n // 12 + 1}
        if n % 10 == 0:
            who = {"agent_kind": "model", "agent_name": "gpt_5%"}
        if n % 10 == 1:
            who = {"agent_kind": "script", "agent_name": "walker"}
        made.append(engine.create(tasks[n % 3].content_hash, study_id=first, seed=n, **who))
    with store.atomic() as db:
        for n, episode in enumerate(made):
            db.execute(
                "UPDATE episodes SET created_at = ? WHERE episode_id = ?", [f"2026-01-01T00:{n // 60:02d}:{n % 60:02d}.000Z", episode]
            )
    other = engine.create(tasks[0].content_hash, study_id=second, agent_kind="model", agent_name="gpt_5%")
    return first, second, [*made, other]


def ids(page: overview.Page) -> list[str]:
    return [row.episode_id for row in page.rows]


def test_pages_hold_every_episode_once_newest_first(store: Store, studies: tuple[str, str, list[str]]) -> None:
    first, _, made = studies
    pages = [overview.episode_page(store, first, number=n, size=50) for n in (1, 2, 3)]
    assert [len(page.rows) for page in pages] == [50, 50, 20]
    assert [episode for page in pages for episode in ids(page)] == made[-2::-1]
    assert {(page.total, page.pages) for page in pages} == {(120, 3)}
    behind = overview.episode_page(store, first, number=9, size=50)
    assert (behind.number, ids(behind)) == (3, ids(pages[2]))
    assert overview.episode_page(store, EVERY_STUDY).total == 121


@pytest.mark.parametrize(
    ("search", "total"),
    [
        (Search(task="toy-001"), 40),
        (Search(task="TOY"), 120),
        (Search(task="%"), 0),
        (Search(who="P003"), 8),
        (Search(who="3", task="toy-000"), 8),
        (Search(who="gpt_5%"), 12),
        (Search(who="gptx5"), 0),
        (Search(agent_kind="script"), 12),
        (Search(agent_kind="human"), 96),
        (Search(state="created"), 120),
        (Search(state="completed"), 0),
    ],
)
def test_a_search_is_made_in_the_database(store: Store, studies: tuple[str, str, list[str]], search: Search, total: int) -> None:
    found = overview.episode_page(store, studies[0], search, size=200)
    assert (found.total, len(found.rows)) == (total, total)
    assert found.pages == 1
    behind = overview.episode_page(store, studies[0], search, number=9, size=50)
    assert (behind.total, behind.number) == (total, max(1, -(-total // 50))), "behind the last page stands the last one"
    assert ids(behind) == ids(found)[(behind.number - 1) * 50 :]


def test_an_episode_is_found_by_its_id_however_old_and_only_in_its_study(store: Store, studies: tuple[str, str, list[str]]) -> None:
    first, second, made = studies
    oldest = overview.episode(store, first, made[0])
    assert oldest is not None and (oldest.episode_id, oldest.who, oldest.task_id) == (made[0], "gpt_5%", "toy-000")
    assert overview.episode(store, second, made[0]) is None
    assert overview.episode(store, EVERY_STUDY, made[0]) == oldest
    assert overview.episode(store, first, "ep_nothing") is None


def test_a_line_says_what_came_of_an_episode(store: Store, begin: Callable[..., Any], engine: EpisodeEngine) -> None:
    view = begin()
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    engine.report_problem(view.episode_id, view.epoch, "dark")
    open_line = overview.episode(store, EVERY_STUDY, view.episode_id)
    assert open_line is not None
    assert (open_line.state, open_line.steps, open_line.answer, open_line.correct, open_line.seconds) == ("active", 1, None, None, None)
    assert open_line.flags == ["problem reported"]
    engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    line = overview.episode(store, EVERY_STUDY, view.episode_id)
    assert line is not None
    assert (line.state, line.answer, line.correct, line.confidence, line.practice) == ("completed", "near the lamp", True, 70, False)
    assert line.seconds is not None and line.seconds >= 0


@pytest.mark.parametrize("study_id", ["st", EVERY_STUDY])
def test_no_page_of_the_list_reads_or_sorts_all_episodes(store: Store, study_id: str) -> None:
    where, values = overview._where(study_id, Search())
    sql = f"SELECT episode_id FROM episodes e {where} ORDER BY e.created_at DESC, e.episode_id DESC LIMIT 50"
    plan = [row["detail"] for row in store.query(f"EXPLAIN QUERY PLAN {sql}", values)]
    assert len(plan) == 1 and "USING COVERING INDEX episodes_" in plan[0]
    plan = [row["detail"] for row in store.query(f"EXPLAIN QUERY PLAN {overview._LINES} WHERE e.episode_id = 'ep'")]
    assert plan and not [line for line in plan if line.startswith("SCAN")]


def test_progress_counts_one_study_or_all(store: Store, studies: tuple[str, str, list[str]]) -> None:
    first, second, _ = studies
    assert overview.progress(store, first)["participants"] == 12
    assert overview.progress(store, second)["participants"] == 0
    assert overview.progress(store, EVERY_STUDY)["participants"] == 12


def test_who_practises_plays_and_an_answered_practice_counts_for_itself(
    store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]
) -> None:
    trial, task = make_task("toy-practice"), make_task("toy-real")
    for one in (trial, task):
        store.put_task(one)
    options = {"state": "live", "tasks": (task.content_hash,), "practice_task": trial.content_hash, "trials": 1}
    study = create_study(store, "Practised", protocol=Protocol(confidence_required=False), **options)
    person = participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    instructions.go_on(store, person)

    def play(finish: bool) -> tuple[int, int, int]:
        episode = participants.place(store, engine, person).episode_id
        view = engine.open(present(episode))
        if finish:
            engine.answer(view.episode_id, view.epoch, "near the lamp")
        told = {where: overview.progress(store, where) for where in (study.study_id, EVERY_STUDY)}
        assert told[study.study_id] == told[EVERY_STUDY]
        return told[EVERY_STUDY]["active"], told[EVERY_STUDY]["completed"], told[EVERY_STUDY]["practised"]

    assert play(False) == (1, 0, 0), "who practises plays"
    assert play(True) == (0, 0, 1), "an answer of the practice counts for itself"
    assert play(False) == (1, 0, 1)
    assert play(True) == (0, 1, 1)
