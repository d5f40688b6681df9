"""People go before model agents at the simulators, an agent has a bounded share, and totals and retries are kept honestly."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from data.frames import FrameStore
from data.store import Store
from sim_bridge.pool import Pool
from study import agents, simulators
from study.agents import Rules
from study.answering import MAX_BELIEFS
from study.episode import EpisodeEngine
from study.errors import EpisodeOver, NoRoom, OutOfStep, TooMany
from study.noting import MAX_REPORTS
from tests.study.conftest import InlinePool, build_task


def held(pool: InlinePool) -> set[str]:
    """Episodes with a session."""
    return {session.split(".")[0] for session in pool.held}


@pytest.fixture
def tight(store: Store, frames: FrameStore) -> Callable[..., tuple[EpisodeEngine, InlinePool]]:
    def make(room: int = 64, per_agent: int = 2) -> tuple[EpisodeEngine, InlinePool]:
        pool = InlinePool(room)
        return EpisodeEngine(store, frames, pool, wait_s=0.0, per_agent=per_agent), pool

    return make


@pytest.fixture
def task_hash(store: Store) -> str:
    task = build_task()
    store.put_task(task)
    return task.content_hash


def everything(store: Store) -> tuple[int, ...]:
    tables = ("episodes", "events", "steps", "frames", "snapshots")
    return tuple(store.query(f"SELECT count(*) AS n FROM {table}")[0]["n"] for table in tables)


def test_one_agent_has_no_more_sessions_than_its_share_and_a_refused_beginning_leaves_nothing(
    tight: Any, store: Store, task_hash: str
) -> None:
    engine, pool = tight(per_agent=2)
    for _ in range(2):
        agents.begin(engine, task_hash, "m1")
    before = everything(store)
    with pytest.raises(TooMany, match=r"has 2 episodes going on, which is the most"):
        agents.begin(engine, task_hash, "m1", rules=Rules(confidence_threshold=0.5))
    assert everything(store) == before and len(pool.held) == 2
    agents.begin(engine, task_hash, "m2")  # another agent has a share of its own
    assert len(pool.held) == 3


def test_an_agents_own_idle_session_makes_room_and_resumes_later(tight: Any, task_hash: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, pool = tight(per_agent=2)
    first = agents.begin(engine, task_hash, "m1")
    agents.begin(engine, task_hash, "m1")
    monkeypatch.setattr(simulators, "IDLE_EVICT_S", 0.0)
    third = agents.begin(engine, task_hash, "m1")
    assert first.episode_id not in held(pool) and third.episode_id in held(pool) and len(pool.held) == 2
    assert engine.act(first.episode_id, first.epoch, 1, "turn_left").seq == 1


def test_a_finished_episode_frees_its_share(tight: Any, task_hash: str) -> None:
    engine, _ = tight(per_agent=1)
    view = agents.begin(engine, task_hash, "m1")
    with pytest.raises(TooMany):
        agents.begin(engine, task_hash, "m1")
    engine.answer(view.episode_id, view.epoch, "near the lamp")
    agents.begin(engine, task_hash, "m1")


def test_people_scripts_and_environments_have_no_share(tight: Any, task_hash: str) -> None:
    engine, pool = tight(per_agent=1)
    for kind in ("human", "script", "gym") * 2:
        engine.open(engine.create(task_hash, agent_kind=kind, agent_name="same"))
    assert len(pool.held) == 6


def test_a_person_takes_the_place_of_a_model_that_is_not_in_use_but_a_model_of_nobody(tight: Any, task_hash: str) -> None:
    engine, pool = tight(room=2, per_agent=2)
    models = [agents.begin(engine, task_hash, "m1") for _ in range(2)]
    person = engine.open(engine.create(task_hash))
    assert held(pool) == {person.episode_id, models[1].episode_id}, "the model unused longest made room"
    other = engine.open(engine.create(task_hash))
    assert held(pool) == {person.episode_id, other.episode_id}
    with pytest.raises(NoRoom):
        engine.act(models[0].episode_id, 1, 1, "turn_left")
    assert engine.view(models[0].episode_id).step.seq == 0, "nothing happened to it"
    engine.answer(person.episode_id, person.epoch, "near the lamp", 60)
    assert engine.act(models[0].episode_id, 1, 1, "turn_left").seq == 1


def test_a_model_in_the_middle_of_a_step_gives_its_place_up_after_it(store: Store, frames: FrameStore, task_hash: str) -> None:
    class Line(InlinePool):
        """One place; whoever waits gets it when it is free."""

        freed = threading.Event()

        def acquire(self, session: str, *, wait_s: float = 0.0, **more: Any) -> Any:
            if wait_s and len(self.held) >= self.room:
                waits.set()
                assert self.freed.wait(20)
            return super().acquire(session, wait_s=wait_s, **more)

        def release(self, session: str) -> None:
            super().release(session)
            self.freed.set()

    pool, waits = Line(room=1), threading.Event()
    engine = EpisodeEngine(store, frames, pool, wait_s=30.0)
    model = agents.begin(engine, task_hash, "m1")
    person = engine.create(task_hash)
    opened: list[Any] = []
    thread = threading.Thread(target=lambda: opened.append(engine.open(person)))

    def meanwhile() -> None:
        thread.start()
        assert waits.wait(20), "the person waits while the model's step is made"

    pool.faults.append(("act", meanwhile))
    assert engine.act(model.episode_id, 1, 1, "turn_left").seq == 1, "the model's step is whole"
    thread.join(20)
    assert opened and held(pool) == {person}


def test_a_beginning_that_meets_a_broken_simulator_leaves_nothing_and_can_be_repeated(
    engine: EpisodeEngine, pool: InlinePool, store: Store, task_hash: str
) -> None:
    before = everything(store)
    pool.down = True
    with pytest.raises(Exception, match="simulator"):
        agents.begin(engine, task_hash, "m1", request="k/1")
    assert everything(store) == before
    pool.down = False
    view = agents.begin(engine, task_hash, "m1", request="k/1", seed=5)
    once = everything(store)
    again = agents.begin(engine, task_hash, "m1", request="k/1", seed=5)
    assert (again.episode_id, again.epoch, again.step.seq) == (view.episode_id, view.epoch, 0)
    assert everything(store) == once
    with pytest.raises(OutOfStep, match="began an episode with other settings"):
        agents.begin(engine, task_hash, "m1", request="k/1", seed=6)
    assert agents.begin(engine, task_hash, "m1", request="k/2", seed=5).episode_id != view.episode_id


def test_one_request_sent_many_times_at_once_begins_one_episode(engine: EpisodeEngine, store: Store, task_hash: str) -> None:
    seen: list[str] = []
    start = threading.Barrier(4)

    def ask() -> None:
        start.wait()
        seen.append(agents.begin(engine, task_hash, "m1", request="k/1").episode_id)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 4 and len(set(seen)) == 1
    assert store.query("SELECT count(*) AS n FROM episodes")[0]["n"] == 1
    assert store.query("SELECT kind FROM events WHERE episode_id = ? ORDER BY seq", [seen[0]])[0]["kind"] == "episode_created"


def test_a_belief_sent_again_is_the_same_and_with_another_content_it_is_refused(begin: Any, engine: EpisodeEngine, store: Store) -> None:
    view = begin()
    said = ("near the lamp", 60)
    first = engine.belief(view.episode_id, view.epoch, 1, *said)
    assert engine.belief(view.episode_id, view.epoch, 1, *said) == first
    for other in (("near the bowl", 60), ("near the lamp", 61), (None, 60)):
        with pytest.raises(OutOfStep, match="is kept already and says something else"):
            engine.belief(view.episode_id, view.epoch, 1, *other)
    kept = store.query("SELECT answer, confidence FROM beliefs WHERE episode_id = ?", [view.episode_id])
    assert kept == [{"answer": '"near the lamp"', "confidence": 60}]


def test_a_final_answer_sent_again_with_another_confidence_is_refused(begin: Any, engine: EpisodeEngine) -> None:
    view = begin()
    final = engine.answer(view.episode_id, view.epoch, "near the lamp", 60)
    assert engine.answer(view.episode_id, view.epoch, "near the lamp", 60) == final
    with pytest.raises(EpisodeOver):
        engine.answer(view.episode_id, view.epoch, "near the lamp", 90)


def test_reports_and_changes_of_an_answer_have_totals(begin: Any, engine: EpisodeEngine, store: Store) -> None:
    view = begin()
    for n in range(MAX_REPORTS):
        engine.report_problem(view.episode_id, view.epoch, f"problem {n}")
    assert engine.report_problem(view.episode_id, view.epoch, "problem 0").saved_at, "a lost reply: the same report is kept once"
    with pytest.raises(TooMany, match=r"20 times in this task, which is the most"):
        engine.report_problem(view.episode_id, view.epoch, "one more")
    assert store.query("SELECT count(*) AS n FROM problems")[0]["n"] == MAX_REPORTS
    engine.belief(view.episode_id, view.epoch, 1, "near the lamp", 50)
    with store.atomic() as db:
        db.execute(
            "WITH RECURSIVE more (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM more WHERE n < ?) INSERT INTO beliefs "
            "SELECT b.episode_id, b.epoch, more.n, b.seq, b.event_seq, b.raw, b.answer, b.confidence, b.server_time, b.client_time_ms "
            "FROM beliefs b, more",
            [MAX_BELIEFS],
        )
    with pytest.raises(TooMany, match="which is the most that is kept"):
        engine.belief(view.episode_id, view.epoch, MAX_BELIEFS + 1, "near the bowl", 50)
    assert engine.answer(view.episode_id, view.epoch, "near the bowl", 50).answer == "near the bowl", "the answer is always taken"


def test_sixty_beginnings_at_once_keep_nobody_from_playing(store: Store, frames: FrameStore, task_hash: str) -> None:
    """A real worker with eight places, sixty agents' beginnings of three names, and a person who opens and acts meanwhile."""
    with Pool(backend="toy", workers=1) as pool:
        engine = EpisodeEngine(store, frames, pool, wait_s=6.0, per_agent=4)
        said: list[str] = []

        def model(number: int) -> None:
            try:
                agents.begin(engine, task_hash, f"m{number % 3}")
                said.append("begun")
            except TooMany:
                said.append("too many")
            except NoRoom:
                said.append("no room")

        threads = [threading.Thread(target=model, args=[number]) for number in range(60)]
        for thread in threads[:30]:
            thread.start()
        person = engine.open(engine.create(task_hash))
        for thread in threads[30:]:
            thread.start()
        for seq in range(1, 6):
            assert engine.act(person.episode_id, person.epoch, seq, "turn_left").seq == seq
        for thread in threads:
            thread.join(60)
        assert len(said) == 60 and said.count("begun") >= 7
        left = store.query("SELECT count(*) AS n FROM episodes WHERE agent_kind = 'model' AND last_seq < 0")[0]["n"]
        begun = store.query("SELECT count(*) AS n FROM episodes WHERE agent_kind = 'model'")[0]["n"]
        assert (left, begun) == (0, said.count("begun")), "what was refused left nothing"
        engine.close()


def test_a_session_that_comes_of_age_while_somebody_waits_makes_room(
    store: Store, frames: FrameStore, task_hash: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Pool(backend="toy", workers=1, max_sessions_per_worker=1) as pool:
        engine = EpisodeEngine(store, frames, pool, wait_s=30.0)
        monkeypatch.setattr(simulators, "IDLE_EVICT_S", 2.0)
        first, second = engine.create(task_hash), engine.create(task_hash)
        engine.open(first)
        assert engine.open(second).step.seq == 0, "the first is in use when the second comes"
        engine.act(second, 1, 1, "turn_left")
        # whoever wants a place for anything else has it made free too
        assert pool.acquire("masks", wait_s=30.0).hello.capabilities
        assert engine.view(second).step.seq == 1
