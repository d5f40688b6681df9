"""How large a study is, and which answers it plans."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from app.cli import main
from data.store import Store
from data.task import Task
from study.episode import EpisodeEngine
from study.sizing import NoPlan, pair, pay_of, planned, size
from study.studies import create_study
from tests.present import present


@pytest.fixture
def study(store: Store, make_task: Callable[..., Task]) -> Any:
    """24 tasks of 8 categories, two of them twins, in two paradigms, 3 places each, 2 sessions of 6 for 12 people."""
    tasks = [make_task(f"t-{n:02}", category=f"C{n % 8}", twin={0: "t-08", 8: "t-00"}.get(n)) for n in range(24)]
    for task in tasks:
        store.put_task(task)
    hashes = tuple(task.content_hash for task in tasks)
    return create_study(
        store, "S", tasks=hashes, paradigms=("active", "single_view"), per_task=3, trials=6, sessions=2, planned_people=12,
        pay={"currency": "EUR", "per_session": "6.00", "minimum_per_hour": "9.00"},
    )  # fmt: skip


def test_places_people_sessions_hours_and_pay(store: Store, study: Any) -> None:
    found = size(store, study, seconds=100.0, around=20.0)
    assert found.places == {"active": 72, "single_view": 72} and found.places_in_all == 144
    assert (found.people, found.people_to_fill, found.tasks_each, found.sessions) == (12, 12, 12, 24)
    assert found.hours_each == pytest.approx((12 * 100 + 20 * 60) / 3600) and found.hours == pytest.approx(12 * found.hours_each)
    pay = pay_of(study, found)
    assert (present(pay).currency, present(pay).each, present(pay).all) == ("EUR", 12.0, 144.0) and present(pay).an_hour == pytest.approx(
        12 / found.hours_each
    )


def test_nobody_does_more_tasks_than_there_are_contents_and_a_task_needs_as_many_people_as_places(store: Store, study: Any) -> None:
    wide = study.model_copy(update={"trials": 40, "sessions": 1})
    assert size(store, wide).tasks_each == 23  # a task and its twin are met once
    few = study.model_copy(update={"tasks": study.tasks[:1], "trials": 1})
    assert size(store, few).people_to_fill == 6
    with pytest.raises(NoPlan, match="no tasks"):
        size(store, study.model_copy(update={"tasks": ()}))
    with pytest.raises(NoPlan, match="Neither places nor people"):
        size(store, study.model_copy(update={"per_task": None, "planned_people": None}))


def test_the_speed_is_the_pilots_where_there_is_one(store: Store, engine: EpisodeEngine, study: Any) -> None:
    made = [engine.create(study.tasks[n], study_id=study.study_id, agent_kind="script") for n in range(5)]
    with store.atomic() as db:
        for n, episode in enumerate(made):
            db.execute(
                "UPDATE episodes SET mode = 'pilot', state = 'completed', trial_index = 1, started_at = '2026-01-01T00:00:00.000Z', "
                "finished_at = ? WHERE episode_id = ?",
                [f"2026-01-01T00:00:{10 * (n + 1)}.000Z", episode],
            )
    found = size(store, study)
    assert found.piloted == ("active",) and found.seconds["active"] == pytest.approx(30, abs=0.01) and found.seconds["single_view"] == 120


def test_planned_answers_keep_the_rules_of_places(store: Store, study: Any) -> None:
    answers = planned(store, study, 12, seed=4)
    assert answers.left == 144 - len(answers.way) and answers.finished >= 10
    assert max(Counter(zip(answers.task.tolist(), answers.way.tolist(), strict=True)).values()) == 3
    twins = {0: 0, 8: 0}
    met = Counter((person, twins.get(task, task)) for person, task in zip(answers.person.tolist(), answers.task.tolist(), strict=True))
    assert max(met.values()) == 1, "nobody meets a task or its twin twice"
    person, task, arm = pair(answers, 0, 1)
    assert set(arm.tolist()) == {0, 1} and len(person) == len(task) == len(arm)
    again = planned(store, study, 12, seed=4)
    assert np.array_equal(answers.task, again.task) and np.array_equal(answers.way, again.way)
    left = planned(store, study, 12, dropout=0.5, seed=4)
    assert left.finished < answers.finished and left.left > answers.left


def test_the_command_says_what_a_study_would_find(store: Store, study: Any) -> None:
    args = ["study", "power", study.study_id, "--db", str(store.home.db), "--sets", "500"]
    told = CliRunner().invoke(main, [*args, "--json", "--gap", "0.3"])
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert [point["gap"] for point in found["points"]] == [0.0, 0.3] and found["between"] == ["active", "single_view"]
    assert found["points"][0]["power"] <= 0.06 < found["points"][1]["power"]
    refused = CliRunner().invoke(main, [*args, "--accuracy", "0.9"])
    assert refused.exit_code == 2 and "accuracies lie between 0 and 1" in refused.output
    unknown = CliRunner().invoke(main, [*args, "--between", "active", "nothing"])
    assert unknown.exit_code == 2 and "none of the study's paradigms: active, single_view" in " ".join(unknown.output.split())
    shown = CliRunner().invoke(main, ["study", "size", study.study_id, "--db", str(store.home.db)])
    assert shown.exit_code == 0 and "12 people (12 fill all places if nobody leaves), 12 tasks each, 24 sessions" in shown.stdout
