"""Matched subsets of generated and authored tasks (Table 7)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from annotation.authoring.matched import matched
from app.cli import main
from data.store import Store, now
from data.task import Gold, Provenance, Question, Task
from sim_bridge.spec import Camera, Pose, Room, Scene
from study.measures.intervals import difference
from study.participants import add_participant
from study.studies import create_study
from tests.homes import fresh_store

SIZE, TOUCH = ("Metric Comparison", "Dimensional Size"), ("Spatial Relations", "Physical Contact")


def put(store: Store, name: str, dataset: str, kind: tuple[str, str]) -> str:
    task = Task(
        task_id=name, category=kind[0], subcategory=kind[1], question=Question(text="Which?", form="choice", options=("a", "b")),
        gold=Gold(accepted=("a",), chance=0.5), scene=Scene(Camera(), Room()), start=Pose((0.0, 0.0, 1.0)),
        provenance=Provenance(dataset=dataset),
    )  # fmt: skip
    store.put_task(task)
    return task.content_hash


def answered(
    store: Store, task: str, agent: str, correct: bool, *, mode: str = "live", paradigm: str = "active", person: str | None = None
) -> None:
    number = len(store.query("SELECT episode_id FROM episodes"))
    episode = {
        "episode_id": f"ep_{number}", "task_hash": task, "agent_kind": "human" if not agent else "model", "agent_name": agent,
        "participant_id": person, "paradigm": paradigm, "protocol": "{}", "seed": 0, "option_order": "{}",
        "state": "completed", "created_at": now(), "mode": mode,
    }  # fmt: skip
    store.insert("episodes", episode)
    score = {"episode_id": f"ep_{number}", "task_hash": task, "scorer": "1", "answered": 1, "correct_strict": int(correct)}
    store.insert("scores", score | {"correct_lenient": int(correct), "chance": 0.5, "computed_at": now()})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return fresh_store(tmp_path)


def test_equally_many_of_each_subcategory_are_drawn_and_the_seed_decides(store: Store) -> None:
    for n in range(6):
        put(store, f"own-{n}", "vantage", SIZE)
    for n in range(2):
        put(store, f"authored-{n}", "human-authored", SIZE)
    put(store, "own-touch", "vantage", TOUCH)
    put(store, "rehearsal-1", "rehearsal", SIZE)
    found = matched(store, retained=False)
    [pair] = found.pairs
    assert (pair.subcategory, len(pair.generated), len(pair.authored), pair.there, found.size) == ("Dimensional Size", 2, 2, (6, 2), 2)
    assert matched(store, retained=False) == found
    assert len({matched(store, retained=False, seed=seed).pairs[0].generated for seed in range(20)}) > 3
    assert matched(store).pairs == (), "nothing was retained yet"


def test_what_agents_reach_when_they_act_is_compared(store: Store) -> None:
    own, made = put(store, "own-1", "vantage", SIZE), put(store, "authored-1", "human-authored", SIZE)
    for correct in (True, True, True, False):
        answered(store, own, "", correct)
    answered(store, made, "", True)
    answered(store, made, "", False)
    answered(store, own, "m-1", True)
    answered(store, made, "", True, mode="preview")
    answered(store, made, "", True, paradigm="single_view")
    model, people, mean = matched(store, retained=False).rows
    assert (people.agent, people.generated.value, people.authored.value, people.gap.value) == ("people", 75.0, 50.0, 25.0)
    assert (people.generated.n, people.authored.n, people.tasks, people.people) == (4, 2, (1, 1), 6)
    assert people.generated.low is None and people.generated.reason == "an interval needs two participants and two tasks"
    assert (model.agent, model.generated.value, model.authored.value, model.gap.value) == ("m-1", 100.0, None, None)
    assert (model.authored.reason, model.gap.reason) == ("there is no answer", "one of the two has no answer")
    assert (mean.agent, mean.gap.value, mean.gap.low) == ("mean of the agents", 25.0, None), "of those that answered both"


def test_people_are_crossed_with_tasks_and_a_model_is_one_answerer(store: Store) -> None:
    """The model: 3 of 4 and 1 of 2, all of different tasks. Squares of the errors: 4 · 3/256 + 2/16 = 0.1719, times 6/5; t(5) = 2.571."""
    own = [put(store, f"own-{n}", "vantage", SIZE) for n in range(4)]
    made = [put(store, f"authored-{n}", "human-authored", SIZE) for n in range(4)]
    study = create_study(store, "Matched", tasks=(*own, *made))
    people = [add_participant(store, study.study_id) for _ in range(5)]
    given = [(person, n, (person + n) % (3 if n < 4 else 2) > 0) for person in range(5) for n in range(8)]
    for person, n, right in given:
        answered(store, [*own, *made][n], "", right, person=people[person])
    for n, task in enumerate([*own, *made[:2]]):
        answered(store, task, "m-1", n not in (0, 4))
    model, human, _ = matched(store, retained=False).rows
    assert (human.people, human.tasks, human.gap.n) == (5, (4, 4), 40)
    person, task, right = zip(*given, strict=True)  # type: ignore[assignment]
    expected = difference([float(one) for one in right], person, task, [int(n < 4) for n in task])  # type: ignore[arg-type, attr-defined, operator]
    assert expected.interval is not None and human.gap.method.startswith("two-way")
    assert (human.gap.low, human.gap.high) == pytest.approx(tuple(100 * bound for bound in expected.interval))
    half = 100 * 2.5706 * (0.171875 * 6 / 5) ** 0.5
    assert model.gap.value == pytest.approx(25.0) and model.gap.high == pytest.approx(25.0 + half, abs=0.01)


def test_the_command_says_what_was_drawn_and_reached(store: Store) -> None:
    own, made = put(store, "own-1", "vantage", SIZE), put(store, "authored-1", "human-authored", SIZE)
    answered(store, own, "", True)
    answered(store, made, "", False)
    run = CliRunner().invoke(main, ["verify", "matched", "--not-retained-too", "--db", str(store.home.db)])
    assert run.exit_code == 0, run.output
    assert "Dimensional Size: 1 of 1 generated and 1 authored" in run.output
    assert "2 people, on 1 generated and 1 authored tasks:" in run.output
    assert "  generated 100.0 (1 answer: an interval needs two participants and two tasks)" in run.output
    assert "  gap       100.0 (2 answers: " in run.output
    told = json.loads(CliRunner().invoke(main, ["verify", "matched", "--json", "--db", str(store.home.db)]).stdout)
    assert told == {"seed": 0, "retained": True, "pairs": [], "rows": []}
