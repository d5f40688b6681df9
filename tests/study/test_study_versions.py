"""A study in versions: what is edited changes nothing for those who take part, and kinds of runs never mix."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from data.frames import FrameStore
from data.store import Store
from data.task import Task
from study import participants
from study.admission import move_study, studies
from study.assignment import assign
from study.episode import EpisodeEngine
from study.errors import NoTaskLeft
from study.ethics import EthicsRecord
from study.export import export
from study.studies import being_edited, create_study, get_study, publish, revise
from tests.present import present

DEMONSTRATION = EthicsRecord(basis="demonstration")


def _tasks(store: Store, make_task: Callable[..., Task], n: Any) -> Any:
    tasks = [make_task(f"toy-{k:03}") for k in range(n)]
    for task in tasks:
        store.put_task(task)
    return tuple(task.content_hash for task in tasks)


def _places(store: Store, study: Any, mode: Any) -> Any:
    rows = store.query("SELECT task_hash, state FROM slots WHERE study_id = ? AND mode = ? AND practice = 0", [study.study_id, mode])
    return sorted((row["task_hash"], row["state"]) for row in rows)


def test_a_draft_is_edited_freely_and_a_published_version_stays(store: Store, make_task: Callable[..., Task]) -> None:
    tasks = _tasks(store, make_task, 2)
    study = create_study(store, "S", tasks=tasks, ethics=DEMONSTRATION)
    assert (study.version, revise(store, study.study_id, trials=1).trials) == (0, 1)
    assert get_study(store, study.study_id).trials == 1
    assert move_study(store, study.study_id, "open", actor="a") == "live"
    assert get_study(store, study.study_id).version == 1
    revise(store, study.study_id, trials=2, thanks="Thanks!", actor="b")
    assert (get_study(store, study.study_id).trials, being_edited(store, study.study_id).trials) == (1, 2)
    early = participants.add_participant(store, study.study_id)
    # what is taken back leaves nothing to publish, and a name that is being edited is in no list yet
    revise(store, study.study_id, trials=1, thanks="", name="T")
    assert [line.name for line in studies(store)] == ["S"]
    revise(store, study.study_id, name="S")
    assert publish(store, study.study_id).version == 1
    revise(store, study.study_id, trials=2, name="U")
    assert publish(store, study.study_id).version == 2
    assert publish(store, study.study_id).version == 2  # nothing has changed since
    assert [line.name for line in studies(store)] == ["U"]
    late = participants.add_participant(store, study.study_id)
    people = [participants.get_participant(store, person) for person in (early, late)]
    assert [(person.version, participants.study_of(store, person).trials) for person in people] == [(1, 1), (2, 2)]
    with pytest.raises(ValidationError, match="trials"):
        revise(store, study.study_id, trials=0)


def test_whoever_began_in_a_version_goes_on_in_it_and_rows_say_which(store: Store, make_task: Callable[..., Task]) -> None:
    tasks = _tasks(store, make_task, 2)
    study = create_study(store, "S", state="live", tasks=tasks[:1], per_task=2, trials=2)
    person = participants.add_participant(store, study.study_id)
    slot = assign(store, person)
    revise(store, study.study_id, tasks=tasks[1:])
    publish(store, study.study_id)
    assert store.one("SELECT version, mode FROM slots WHERE slot_id = ?", [slot.slot_id]) == {"version": 1, "mode": "live"}
    # the free place of a task that is no longer in the study is closed, the held one stays, the new task has its places
    held, closed = (tasks[0], "held"), (tasks[0], "closed")
    assert _places(store, study, "live") == sorted([held, closed, (tasks[1], "free"), (tasks[1], "free")])


def test_preview_pilot_and_live_have_places_of_their_own(store: Store, make_task: Callable[..., Task]) -> None:
    (task,) = _tasks(store, make_task, 1)
    study = create_study(store, "S", tasks=(task,), per_task=1, trials=1, ethics=DEMONSTRATION)
    modes = {}
    for event, mode in (("", "preview"), ("pilot", "pilot"), ("open", "live")):
        if event:
            move_study(store, study.study_id, event, actor="")
        person = participants.add_participant(store, study.study_id)
        modes[mode] = present(store.one("SELECT mode FROM slots WHERE slot_id = ?", [assign(store, person).slot_id]))["mode"]
        with pytest.raises(NoTaskLeft):
            assign(store, participants.add_participant(store, study.study_id))
    bot = participants.add_participant(store, study.study_id, mode="bot")
    modes["bot"] = present(store.one("SELECT mode FROM slots WHERE slot_id = ?", [assign(store, bot).slot_id]))["mode"]
    assert modes == {mode: mode for mode in ("preview", "pilot", "live", "bot")}


def test_every_row_says_in_which_version_its_person_takes_part(
    store: Store, engine: EpisodeEngine, frames: FrameStore, make_task: Callable[..., Task], tmp_path: Path
) -> None:
    study = create_study(store, "S", state="live", tasks=_tasks(store, make_task, 4), per_task=3, trials=2, min_categories=1)

    def come() -> str:
        person = participants.add_participant(store, study.study_id)
        participants.decide(store, person, "consent")
        return person

    def play(person: str) -> str:
        view = engine.open(present(participants.place(store, engine, person).episode_id))
        engine.answer(view.episode_id, view.epoch, "near the lamp", 50)
        return view.episode_id

    early = come()
    episodes = {play(early): "1"}
    revise(store, study.study_id, protocol={"budget": 7})
    publish(store, study.study_id)
    late = come()
    episodes |= {play(early): "1", play(late): "2"}
    budgets = {
        row["episode_id"]: row["budget"] for row in store.query("SELECT episode_id, protocol ->> '$.budget' AS budget FROM episodes")
    }
    assert [budgets[episode] for episode in episodes] == [None, None, 7], "who has begun goes on as they began"
    rows = store.query("SELECT version, participant_id FROM slots WHERE participant_id IS NOT NULL")
    assert {(row["participant_id"], row["version"]) for row in rows} == {(early, 1), (late, 2)}
    export(store, frames, tmp_path / "out", study_id=study.study_id, images="none")
    for name, key, wanted in (("episodes", "episode_id", episodes), ("participants", "participant_id", {early: "1", late: "2"})):
        with (tmp_path / "out" / "tables" / f"{name}.csv").open(encoding="utf-8-sig") as file:
            assert {row[key]: row["study_version"] for row in csv.DictReader(file)} == wanted
