"""Who gets which worker: least loaded first, pinned, a fair line with a visible place, and addresses elsewhere."""

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from sim_bridge.backends.toy import create
from sim_bridge.errors import Busy, NoWorker, UnknownSession, WorkerLost
from sim_bridge.kinematics import looking
from sim_bridge.placement import AWAY
from sim_bridge.pool import Pool
from sim_bridge.spec import Camera, Room, Scene
from sim_bridge.worker import Worker

SCENE = Scene(camera=Camera(64, 48), room=Room())
START = looking(0.0, 0.0, 1.4)
TOKEN = "secret"


@contextlib.contextmanager
def serving(port: int = 0) -> Iterator[Worker]:
    """A worker that the pool did not start, reached by address."""
    worker = Worker(create(), TOKEN, port=port)
    thread = threading.Thread(target=worker.run)
    thread.start()
    yield worker
    worker.stop()
    thread.join()


@pytest.fixture
def remote() -> Iterator[Any]:
    with serving() as first, serving() as second:
        yield [first, second]


@pytest.fixture
def pool(remote: Any) -> Iterator[Pool]:
    addresses = [w.address for w in remote]
    with Pool(workers=0, addresses=addresses, token=TOKEN, max_sessions_per_worker=1, idle_evict_s=None, health_interval_s=0.1) as pool:
        yield pool


def until(condition: Any, timeout_s: float = 10.0) -> Any:
    ends = time.monotonic() + timeout_s
    while time.monotonic() < ends:
        if value := condition():
            return value
        time.sleep(0.01)
    raise AssertionError(f"did not happen within {timeout_s} s")


class Waiter(threading.Thread):
    """Acquires on a thread of its own and keeps what it was told."""

    def __init__(self, pool: Pool, session: Any, wait_s: float = 10.0, last: bool = False, backend: str = "") -> None:
        super().__init__()
        self.pool, self.session, self.wait_s, self.last, self.backend = pool, session, wait_s, last, backend
        self.places, self.client, self.error = [], None, None  # type: ignore[var-annotated]
        self.start()

    def run(self) -> None:
        try:
            how: dict[str, Any] = {"wait_s": self.wait_s, "on_wait": self.places.append, "last": self.last, "backend": self.backend}
            self.client = self.pool.acquire(self.session, **how)  # type: ignore[assignment]
        except Exception as error:
            self.error = error  # type: ignore[assignment]


def test_sessions_spread_over_the_workers_and_stay_where_they_are(remote: Any) -> None:
    addresses = [w.address for w in remote]
    with Pool(workers=0, addresses=addresses, token=TOKEN, max_sessions_per_worker=2) as pool:
        until(lambda: [s.state for s in pool.status()] == ["ready", "ready"])
        clients = {name: pool.acquire(name) for name in ("a", "b", "c", "d")}
        assert sorted(s.sessions for s in pool.status()) == [2, 2]
        assert {clients["a"].address, clients["b"].address} == set(addresses)
        assert pool.acquire("a") is clients["a"]
        assert pool.client("d") is clients["d"]


def test_a_full_pool_says_busy_with_the_place_in_line(pool: Pool) -> None:
    pool.acquire("a")
    pool.acquire("b")
    with pytest.raises(Busy, match="place 1 in line") as busy:
        pool.acquire("c", wait_s=0.05)
    assert busy.value.place == 1
    assert pool.waiting == 0


def test_the_line_is_first_come_first_served_and_everyone_sees_their_place(pool: Pool) -> None:
    pool.acquire("a")
    pool.acquire("b")
    waiters = []
    for i, name in enumerate(("c", "d", "e")):
        waiters.append(Waiter(pool, name))
        until(lambda n=i + 1: pool.waiting == n)
        until(lambda w=waiters[-1]: w.places)
    assert [w.places for w in waiters] == [[1], [2], [3]]
    for done, released in enumerate(("a", "b", "c")):
        pool.release(released)
        waiters[done].join(10)
        assert waiters[done].client is not None
        assert [w.is_alive() for w in waiters] == [False] * (done + 1) + [True] * (2 - done)
        until(lambda w=waiters[2], d=done: len(w.places) >= min(3, d + 2))
    assert waiters[2].places == [3, 2, 1]


def test_who_goes_last_waits_behind_whoever_comes_later(pool: Pool) -> None:
    pool.acquire("a")
    pool.acquire("b")
    model = Waiter(pool, "model", last=True)
    until(lambda: model.places == [1])
    person = Waiter(pool, "person")
    until(lambda: person.places == [1])
    until(lambda: model.places == [1, 2])
    pool.release("a")
    person.join(10)
    assert person.client is not None and model.is_alive()
    pool.release("b")
    model.join(10)
    assert model.client is not None


def test_a_session_that_lost_its_worker_comes_before_new_ones(remote: Any) -> None:
    options: dict[str, Any] = {"token": TOKEN, "max_sessions_per_worker": 1, "idle_evict_s": None, "health_interval_s": 0.05}
    with Pool(workers=0, addresses=[remote[0].address], **options) as pool:
        pool.acquire("a")
        newcomer = Waiter(pool, "newcomer")
        until(lambda: newcomer.places == [1])
        remote[0].stop()
        until(lambda: pool.status()[0].state == "down")
        pool.report_lost("a")
        returning = Waiter(pool, "a")
        until(lambda: returning.places == [AWAY])
        until(lambda: newcomer.places == [1, AWAY])
        assert pool.waiting == 2
        with serving(remote[0].port):
            returning.join(10)
            assert returning.client is not None
            assert newcomer.is_alive()
            pool.release("a")
            newcomer.join(10)
            assert newcomer.client is not None


def test_one_who_leaves_the_line_makes_the_others_move_up(pool: Pool) -> None:
    pool.acquire("a")
    pool.acquire("b")
    first = Waiter(pool, "c", wait_s=0.3)
    until(lambda: first.places)
    second = Waiter(pool, "d")
    until(lambda: second.places == [2])
    first.join(10)
    assert isinstance(first.error, Busy)
    until(lambda: second.places == [2, 1])
    pool.release("a")
    second.join(10)
    assert second.client is not None


def test_two_threads_that_ask_for_one_session_get_one_connection(pool: Pool) -> None:
    waiters = [Waiter(pool, "a") for _ in range(6)]
    for waiter in waiters:
        waiter.join(10)
    assert len({id(w.client) for w in waiters}) == 1
    assert sum(s.sessions for s in pool.status()) == 1


def test_a_released_session_is_forgotten_by_pool_and_worker(pool: Pool, remote: Any) -> None:
    client = pool.acquire("a")
    client.load("a", SCENE, START)
    pool.release("a")
    pool.release("a")
    with pytest.raises(UnknownSession, match="'a'"):
        pool.client("a")
    assert [w._host.session_count for w in remote] == [0, 0]


def test_an_idle_session_gives_its_place_up_when_all_are_taken(remote: Any) -> None:
    with Pool(workers=0, addresses=[remote[0].address], token=TOKEN, max_sessions_per_worker=2, idle_evict_s=0.2) as pool:
        idle, active = pool.acquire("idle"), pool.acquire("active")
        assert idle is not active
        waiter = Waiter(pool, "new")
        while waiter.is_alive():
            active.health()
            time.sleep(0.02)
        assert waiter.client is not None
        with pytest.raises(UnknownSession):
            pool.client("idle")
        assert pool.client("active") is active


def test_a_remote_worker_that_goes_away_loses_its_sessions_and_is_used_again_when_it_returns(remote: Any) -> None:
    address, port = remote[0].address, remote[0].port
    with Pool(workers=0, addresses=[address], token=TOKEN, health_interval_s=0.05) as pool:
        pool.acquire("a")
        remote[0].stop()
        until(lambda: pool.status()[0].state == "down")
        with pytest.raises(UnknownSession):
            pool.client("a")
        with pytest.raises(NoWorker, match=r"the simulator toy is there now: .*Connection refused"):
            pool.acquire("a", wait_s=0.1)
        with serving(port):
            assert pool.acquire("a").load("a", SCENE, START).ok


def test_a_wrong_token_for_an_address_is_said(remote: Any) -> None:
    with Pool(workers=0, addresses=[remote[0].address], token="wrong", health_interval_s=0.05) as pool:
        until(lambda: "refuses the token" in pool.status()[0].message)


def test_a_pool_without_workers_or_not_started_says_so() -> None:
    with pytest.raises(WorkerLost, match="not been started"):
        Pool(workers=1).acquire("a")
    with Pool(workers=0) as pool, pytest.raises(WorkerLost, match="no workers"):
        pool.acquire("a")


def test_those_who_wait_are_told_when_the_pool_stops(remote: Any) -> None:
    pool = Pool(workers=0, addresses=[remote[0].address], token=TOKEN, max_sessions_per_worker=1, idle_evict_s=None)
    pool.start()
    pool.acquire("a")
    waiter = Waiter(pool, "b")
    until(lambda: waiter.places)
    pool.stop()
    waiter.join(10)
    assert isinstance(waiter.error, WorkerLost)
