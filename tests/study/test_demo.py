"""The demo study of a new installation."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from data.store import Store
from data.task import Task, converted
from study import access, demo, participants
from study.demo import seed_demo
from study.episode import EpisodeEngine
from study.stations import instructions
from tests.present import present

FIRST = Path(__file__).parents[1] / "fixtures" / "tasks_v1"


def test_the_demo_is_made_once_and_its_links_stay_the_same(store: Store) -> None:
    links = seed_demo(store)
    assert [link.role for link in links] == ["participant", "annotator", "reviewer", "researcher"]
    assert seed_demo(store) == links
    assert store.one("SELECT count(*) AS n FROM studies") == {"n": 1}
    path = store.home.run / "demo.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.unlink()
    fresh = seed_demo(store)
    assert fresh != links
    for link in (*links, *fresh):
        assert access.is_valid(store, link.path.removeprefix("/enter?invite="))


def test_a_participant_of_the_demo_has_tasks_to_do(store: Store, engine: EpisodeEngine) -> None:
    token = seed_demo(store)[0].path.removeprefix("/enter?invite=")
    _, grant = access.enter(store, token)
    for event in ("welcome", "consent"):
        participants.advance(store, present(grant.participant_id), event)
    place = participants.place(store, engine, present(grant.participant_id))
    assert (place.stage, place.total) == ("instructions", 6)
    instructions.go_on(store, present(grant.participant_id))
    place = participants.place(store, engine, present(grant.participant_id))
    assert (place.stage, place.total) == ("practice", 6)


def test_a_demo_of_the_first_task_documents_goes_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    old = [Task.from_json(f.read_text(encoding="utf-8")) for f in sorted(FIRST.glob("own-*.json"))]
    monkeypatch.setattr(demo, "bundled", lambda: old)
    links = seed_demo(store)
    monkeypatch.setattr(demo, "bundled", lambda: [converted(task) for task in old])
    assert seed_demo(store) == links
    assert store.one("SELECT count(*) AS n FROM studies") == {"n": 1}
    assert store.one("SELECT count(*) AS n FROM tasks") == {"n": len(old)}
    other = [converted(old[0]).model_copy(update={"budget": 29}), *map(converted, old[1:])]
    monkeypatch.setattr(demo, "bundled", lambda: other)
    seed_demo(store)
    assert store.one("SELECT count(*) AS n FROM studies") == {"n": 2}
