"""One pool with workers of several simulators, here and elsewhere: who is placed where, who waits, and what is wrong with a worker."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.sync.server import serve

from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.backends.toy import ToyBackend
from sim_bridge.client import Client
from sim_bridge.errors import BadRequest, Busy, NoWorker, UnsupportedVersion, WorkerLost
from sim_bridge.placement import AWAY
from sim_bridge.pool import Pool
from sim_bridge.protocol import HelloReply, decode_request, encode
from sim_bridge.remote import Remote, ask, check_address, remotes
from sim_bridge.worker import Worker
from tests.sim_bridge.test_pool_placement import SCENE, START, TOKEN, Waiter, until


class Other(ToyBackend):
    """Another simulator."""

    name = "other"
    capabilities = (*CAMERA_ACTIONS, "recorded")


@contextlib.contextmanager
def serving(backend: Any, port: int = 0, places: int = 12, token: str = TOKEN) -> Iterator[Worker]:
    worker = Worker(backend, token, port=port, max_sessions=places)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield worker
    finally:
        worker.stop()
        thread.join()


@contextlib.contextmanager
def of_another_version(version: int) -> Iterator[str]:
    """The address of a worker that speaks another protocol version and does not know it."""

    def answer(connection: Any) -> None:
        for message in connection:
            said = HelloReply(version=version, backend="toy", deterministic=True, capabilities=(), fingerprint={})
            said.id = decode_request(message).id
            connection.send(encode(said))

    with serve(answer, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()


@contextlib.contextmanager
def pooled(*workers: Worker | str, ready: int | None = None, **options: Any) -> Iterator[Pool]:
    addresses = [worker if isinstance(worker, str) else worker.address for worker in workers]
    given: dict[str, Any] = {"workers": 0, "addresses": addresses, "token": TOKEN, "health_interval_s": 0.05} | options
    with Pool(**given) as pool:
        until(lambda: sum(one.state == "ready" for one in pool.status()) == (len(addresses) if ready is None else ready))
        yield pool


def test_each_session_is_placed_on_the_simulator_that_it_asks_for() -> None:
    with serving(ToyBackend()) as toy, serving(Other()) as other, pooled(toy, other) as pool:
        for n in range(3):
            assert pool.acquire(f"t{n}", backend="toy").address == toy.address
        assert pool.acquire("o", backend="other").address == other.address
        assert [(one.backend, one.sessions, one.local) for one in pool.status()] == [("toy", 3, False), ("other", 1, False)]


def test_where_workers_have_several_simulators_and_none_is_asked_for_nothing_is_guessed() -> None:
    with serving(ToyBackend()) as toy, serving(Other()) as other, pooled(toy, other) as pool:
        with pytest.raises(BadRequest, match=r"several simulators \(other, toy\)"):
            pool.acquire("a")
        with pytest.raises(WorkerLost, match="No worker here has the simulator omnigibson; there are workers of: other, toy"):
            pool.acquire("a", backend="omnigibson")


def test_who_asks_for_none_is_placed_on_the_pools_own_or_on_the_only_one_that_can(tmp_path: Any) -> None:
    with serving(Other()) as other, pooled(other, backend="toy", workers=1, ready=2, log_dir=tmp_path) as pool:
        assert pool.acquire("own").hello.backend == "toy"
        assert pool.acquire("needs", needs=("recorded",)).hello.backend == "other"
        assert pool.acquire("both have it", needs=("turn_left",)).hello.backend == "toy"


def test_who_needs_what_a_worker_may_have_that_has_not_said_it_yet_waits_for_it() -> None:
    with contextlib.ExitStack() as stack:
        other = stack.enter_context(serving(Other()))
        stack.close()
        with serving(ToyBackend()) as toy, pooled(toy, other, ready=1) as pool:
            with pytest.raises(NoWorker, match="a simulator that this needs is there now"):
                pool.acquire("a", needs=("recorded",), wait_s=0.05)
            waiter = threading.Thread(target=lambda: pool.acquire("b", needs=("recorded",)))
            waiter.start()
            until(lambda: pool.waiting == 1)
            with serving(Other(), other.port):
                waiter.join()
                assert pool.client("b").hello.backend == "other"


def test_the_lines_of_two_simulators_are_apart() -> None:
    with serving(ToyBackend(), places=1) as toy, serving(Other(), places=1) as other, pooled(toy, other, idle_evict_s=None) as pool:
        pool.acquire("t", backend="toy")
        with pytest.raises(Busy):
            pool.acquire("t2", backend="toy", wait_s=0.05)
        waiter = threading.Thread(target=lambda: pool.acquire("t3", backend="toy"))
        waiter.start()
        until(lambda: pool.waiting == 1)
        assert pool.acquire("o", backend="other", wait_s=0.0).address == other.address, "who waits for another simulator is in nobody's way"
        pool.release("t")
        waiter.join()


def test_no_more_sessions_are_placed_on_a_worker_than_it_says_that_it_keeps() -> None:
    with serving(ToyBackend(), places=2) as toy, pooled(toy, max_sessions_per_worker=12, idle_evict_s=None) as pool:
        first = pool.acquire("a")
        first.load("a", SCENE, START)
        pool.acquire("b").load("b", SCENE, START)
        with pytest.raises(Busy):
            pool.acquire("c", wait_s=0.0)
        assert pool.status()[0].places == 2 and first.observe("a").ok


class Wet(ToyBackend):
    """The same simulator in another process, which can do more and draws otherwise."""

    capabilities = (*ToyBackend.capabilities, "mirror")

    def fingerprint(self) -> dict[str, str]:
        return {**super().fingerprint(), "physics": "particles"}


def test_of_one_simulators_workers_those_are_taken_that_can_do_what_is_needed() -> None:
    with serving(ToyBackend(), places=1) as dry, serving(Wet(), places=1) as wet, pooled(dry, wet, idle_evict_s=None) as pool:
        assert pool.acquire("a", backend="toy", needs=("mirror",)).address == wet.address
        waiter = threading.Thread(target=lambda: pool.acquire("b", backend="toy", needs=("mirror",)))
        waiter.start()
        until(lambda: pool.waiting == 1)
        assert pool.acquire("c", backend="toy", wait_s=0.0).address == dry.address, "who does not need it stands in another line"
        pool.release("a")
        waiter.join()
        assert pool.client("b").address == wet.address


def test_what_no_worker_can_do_is_left_to_whoever_asks_for_it() -> None:
    with serving(ToyBackend()) as toy, pooled(toy) as pool:
        assert pool.acquire("a", needs=("mirror",)).address == toy.address


def test_a_session_goes_on_where_pictures_are_drawn_alike_if_it_can() -> None:
    with serving(ToyBackend(), places=1) as dry, serving(Wet(), places=2) as wet, pooled(dry, wet, idle_evict_s=None) as pool:
        like = pool.acquire("first", needs=("mirror",)).hello.fingerprint
        assert pool.acquire("again", backend="toy", like=like).address == wet.address, "though the other one is less loaded"
        assert pool.acquire("third", backend="toy", like=like).address == dry.address


def test_how_long_a_worker_takes_to_answer_is_measured() -> None:
    with serving(ToyBackend()) as toy, pooled(toy) as pool:
        found = until(lambda: pool.status()[0].latency_ms)
        assert 0 < found < 2000


def test_who_had_the_worker_that_went_away_waits_for_that_simulator_alone() -> None:
    with serving(ToyBackend()) as toy, contextlib.ExitStack() as stack:
        other = stack.enter_context(serving(Other()))
        with pooled(toy, other) as pool:
            pool.acquire("o", backend="other").load("o", SCENE, START)
            stack.close()
            until(lambda: pool.status()[1].state == "down")
            waiter = Waiter(pool, "o", backend="other")
            until(lambda: waiter.places == [AWAY])
            assert pool.acquire("t", backend="toy", wait_s=0.0).load("t", SCENE, START).ok, "the others' tasks go on"
            with pytest.raises(NoWorker, match="simulator other is there now"):
                pool.acquire("o2", backend="other", wait_s=0.0)
            with serving(Other(), other.port) as back:
                waiter.join(10)
                assert waiter.client.address == back.address and waiter.client.hello.backend == "other"  # type: ignore[attr-defined]


def test_another_simulator_at_the_address_is_not_taken_for_the_one_before() -> None:
    with contextlib.ExitStack() as stack:
        toy = stack.enter_context(serving(ToyBackend()))
        client = Client(toy.address, TOKEN)
        client.load("a", SCENE, START)
        with pooled(toy) as pool:
            stack.close()
            with serving(Other(), toy.port):
                with pytest.raises(WorkerLost, match=r"Another simulator listens at .* now \(other\)"):
                    client.observe("a")
                until(lambda: pool.status()[0].backend == "other" and pool.status()[0].state == "ready")


def test_workers_that_cannot_be_used_are_named_and_the_others_serve() -> None:
    with (
        serving(ToyBackend()) as good,
        serving(ToyBackend(), token="another") as locked,
        of_another_version(0) as older,
        pooled(good, locked, older, "ws://127.0.0.1:1", ready=1) as pool,
    ):
        until(lambda: all(one.message for one in pool.status()[1:]))
        says = [one.message for one in pool.status()]
        assert says[0] == ""
        assert "refuses the token" in says[1]
        assert f"worker at {older}: it speaks bridge protocol 0, here it is 1. Install the same release" in says[2]
        assert "Cannot reach the worker at ws://127.0.0.1:1: Connection refused" in says[3]
        assert [one.state for one in pool.status()] == ["ready", "down", "down", "down"]
        for n in range(4):
            assert pool.acquire(f"s{n}", wait_s=0.0).address == good.address


def test_a_worker_says_what_it_is_or_why_it_cannot_be_used() -> None:
    with serving(Other(), places=3) as other, of_another_version(7) as newer:
        told = ask(Remote(other.address, TOKEN))
        assert (told.backend, told.places, told.sessions, told.trouble) == ("other", 3, 0, "") and told.latency_ms is not None
        assert "refuses the token" in ask(Remote(other.address, "wrong")).trouble
        assert "speaks bridge protocol 7" in ask(Remote(newer, TOKEN)).trouble
        assert "Cannot reach" in ask(Remote("ws://127.0.0.1:1", TOKEN)).trouble
        with pytest.raises(UnsupportedVersion):
            Client(newer, TOKEN)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("http://gpu:7000", "expected ws://host:port"),
        ("gpu:7000", "expected ws://host:port"),
        ("ws://gpu", "expected ws://host:port"),
        ("ws://gpu:seven", "expected ws://host:port"),
        ("ws://gpu:70000", "expected ws://host:port"),
        ("ws://me:secret@gpu:7000", "no name or password"),
        ("", "expected ws://host:port"),
    ],
)
def test_what_is_no_address_of_a_worker_is_refused(address: str, says: str) -> None:
    with pytest.raises(BadRequest, match=says) as refused:
        check_address(address)
    assert "secret" not in str(refused.value)


def test_addresses_get_one_token_or_one_each() -> None:
    a, b = "ws://one:1", "wss://two"
    assert remotes([a, b], ["t"]) == (Remote(a, "t"), Remote(b, "t"))
    assert remotes([a, b], ["t", "u"]) == (Remote(a, "t"), Remote(b, "u"))
    assert remotes([a]) == (Remote(a, ""),)
    with pytest.raises(BadRequest, match="one for all workers or one for each address, 2, got 3"):
        remotes([a, b], ["t", "u", "v"])
    with pytest.raises(BadRequest, match="given twice"):
        remotes([a, a + "/"])
