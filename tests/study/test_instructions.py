"""A study's own instructions are read before the examples and the tasks, once."""

from __future__ import annotations

from collections.abc import Callable

from data.store import Store
from data.task import Task
from study import participants
from study.episode import EpisodeEngine
from study.stations import instructions
from study.studies import create_study


def test_own_instructions_come_before_the_first_task_and_once(store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]) -> None:
    task = make_task()
    store.put_task(task)
    seen = {}
    for words in ("", "Look around in every room."):
        study = create_study(store, f"S {words}", state="live", tasks=(task.content_hash,), trials=1, instructions=words)
        person = participants.add_participant(store, study.study_id)
        participants.decide(store, person, "consent")
        stages = [participants.place(store, engine, person).stage for _ in range(2)]  # looking is not reading
        instructions.go_on(store, person)
        instructions.go_on(store, person)
        seen[words] = [*stages, participants.place(store, engine, person).stage]
    assert seen == {"": ["task"] * 3, "Look around in every room.": ["instructions", "instructions", "task"]}
    assert store.query("SELECT count(*) AS n FROM events WHERE kind = ?", [instructions.READ]) == [{"n": 2}]
