"""A step reads what is new, not what was read before; what it offers is what all steps together have shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from data.rows import BadRow
from data.store import Store
from data.task import Task
from sim_bridge.actions import ACTIONS
from study import participants
from study.episode import EpisodeEngine
from study.handles import handles
from study.objects import DEFAULT_RULE
from study.protocol import Protocol
from study.records import EpisodeRecord
from study.steps import Step, steps_of
from study.studies import create_study
from tests.present import present
from tests.study.conftest import InlinePool

WALK = ("pick_up(object_1)", "turn_left", "turn_left", "put_on_floor(object_1)", *["turn_left"] * 12)


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of the steps whose `visible` was read, in order."""
    found: list[int] = []
    rows = Store.rows

    def spy(self: Any, sql: Any, of: Any, params: Any = ()) -> Any:
        result = rows(self, sql, of, params)
        if "visible" in of.__struct_fields__ and of is not Step:
            found.extend(row.seq for row in result)
        return result

    monkeypatch.setattr(Store, "rows", spy)
    return found


def walk(engine: EpisodeEngine, view: Any) -> list[Any]:
    return [engine.act(view.episode_id, view.epoch, seq, action) for seq, action in enumerate(WALK, start=1)]


def test_each_steps_sights_are_read_once(
    begin: Callable[..., Any], engine: EpisodeEngine, make_task: Callable[..., Task], looked_at: list[int]
) -> None:
    view = begin(make_task(actions=tuple(ACTIONS)))
    walk(engine, view)
    assert looked_at == list(range(len(WALK) + 1))


def test_what_is_offered_and_held_is_what_all_steps_say_also_after_a_restart(
    begin: Callable[..., Any],
    engine: EpisodeEngine,
    store: Store,
    make_task: Callable[..., Task],
    restart: Callable[[], tuple[EpisodeEngine, InlinePool]],
) -> None:
    task = make_task(actions=tuple(ACTIONS))
    view = begin(task)
    told = walk(engine, view)
    steps = steps_of(store, view.episode_id)
    seed = present(store.one("SELECT seed FROM episodes"))["seed"]
    hands = present(store.row("SELECT * FROM episodes", EpisodeRecord)).hands
    assert hands is not None and hands.reach_m == 3.0
    for step in told:
        expected = handles(task, seed, DEFAULT_RULE, hands, [s.visible for s in steps[: step.seq + 1]])
        assert [(h.handle, h.label) for h in step.handles] == list(expected.offers)
    assert [None if s.held is None else s.held.handle for s in told] == [*["object_1"] * 3, *[None] * 13]
    again = restart()[0].view(view.episode_id).step
    assert (again.handles, again.held) == (told[-1].handles, told[-1].held)
    repeated = engine.act(view.episode_id, view.epoch, 2, WALK[1])
    assert repeated.held is not None and repeated.held.handle == "object_1", "the hand is told as it was after that step"


def test_a_protocol_is_read_once_however_many_steps_follow(
    begin: Callable[..., Any], engine: EpisodeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = begin(protocol=Protocol(budget=29, history="all"))
    read = []
    validate = Protocol.model_validate
    monkeypatch.setattr(Protocol, "model_validate", lambda kept: read.append(kept) or validate(kept))  # type: ignore[func-returns-value]
    for seq in range(1, 6):
        engine.act(view.episode_id, view.epoch, seq, "turn_left")
    assert len(read) <= 1


def test_the_event_of_a_step_and_its_row_are_the_same_step(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, make_task: Callable[..., Task]
) -> None:
    view = begin(make_task(actions=tuple(ACTIONS)))
    walk(engine, view)
    events = store.query("SELECT seq, at, data FROM events WHERE kind = 'step' ORDER BY seq")
    steps = steps_of(store, view.episode_id)
    assert len(steps) == len(WALK) + 1
    for event, step in zip(events, steps, strict=True):
        assert (event["seq"], event["at"]) == (step.event_seq, step.server_time)
        assert json.loads(event["data"]) == json.loads(json.dumps(step.event()))


def test_a_row_that_lacks_a_column_is_refused_where_it_is_read(begin: Callable[..., Any], store: Store) -> None:
    begin()
    with pytest.raises(BadRow, match=r"A row read as Step: .*pose_after"):
        store.rows("SELECT episode_id, seq, epoch, event_seq, kind, action, sim_action, ok, reason, pose_before FROM steps", Step)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The reads that were made, as SQL."""
    found: list[str] = []
    query = Store.query
    monkeypatch.setattr(Store, "query", lambda self, sql, params=(): found.append(sql) or query(self, sql, params))  # type: ignore[func-returns-value]
    return found


@pytest.mark.parametrize("limit", [{}, {"session_minutes": 30.0}, {"protocol": Protocol(time_limit_s=600.0)}])
def test_a_time_limit_is_looked_after_only_where_there_is_one(
    store: Store, engine: EpisodeEngine, make_task: Callable[..., Task], asked: list[str], limit: dict[str, Any]
) -> None:
    tasks = [make_task(f"t{n}") for n in range(2)]
    for task in tasks:
        store.put_task(task)
    study = create_study(store, "S", state="live", trials=2, tasks=tuple(task.content_hash for task in tasks), **limit)
    person = participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent", "practise"):
        participants.advance(store, person, event)
    view = engine.open(present(participants.place(store, engine, person).episode_id))
    acts = {
        "act": lambda: engine.act(view.episode_id, view.epoch, 1, "turn_left"),
        "belief": lambda: engine.belief(view.episode_id, view.epoch, 1, "near the lamp", 50),
        "answer": lambda: engine.answer(view.episode_id, view.epoch, "near the lamp", 50),
    }
    for name, act in acts.items():
        asked.clear()
        act()  # type: ignore[no-untyped-call]
        of_limits = [
            sql
            for sql in asked
            if any(word in sql for word in ("FROM studies", "FROM study_versions", "FROM participants", "client_time_ms"))
        ]
        records = sum(sql.startswith("SELECT * FROM episodes") for sql in asked)
        if limit:
            assert of_limits, f"{name}: nothing was asked of the limit"
        else:
            assert (of_limits, records) == ([], {"act": 3, "belief": 1, "answer": 2}[name]), name
