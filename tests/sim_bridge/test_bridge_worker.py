"""A worker process as its supervisor and its clients see it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from sim_bridge.backends.toy import ToyBackend, create
from sim_bridge.client import Client
from sim_bridge.errors import BadRequest, Busy, WorkerLost
from sim_bridge.host import error_reply
from sim_bridge.kinematics import looking
from sim_bridge.protocol import MAX_MESSAGE_BYTES, Act
from sim_bridge.spec import Camera, Object, Pose, Room, Scene
from sim_bridge.worker import Worker
from tests.present import present

ROOT = str(Path(__file__).parents[2])
START = looking(0.0, -1.5, 1.4)
TOKEN = "secret"


def scene(**params: Any) -> Scene:
    box = Object("object_1", "box", Pose((0.0, 1.0, 0.4)), size_m=(0.6, 0.6, 0.8), params=params)
    return Scene(camera=Camera(64, 48), room=Room(), objects=(box,))


def command(*arguments: Any, **env: Any) -> Any:
    environment = {key: value for key, value in os.environ.items() if key != "SIM_BRIDGE_TOKEN"}
    path = os.pathsep.join([ROOT, env.pop("PYTHONPATH", "")]).rstrip(os.pathsep)
    return subprocess.Popen(
        [sys.executable, "-m", "sim_bridge", "worker", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment, "PYTHONPATH": path, **env},
    )


@pytest.fixture
def worker() -> Iterator[Worker]:
    """A worker in this process, its simulator on a thread."""
    worker = Worker(create(), TOKEN, max_sessions=4)
    thread = threading.Thread(target=worker.run)
    thread.start()
    yield worker
    worker.stop()
    thread.join()


def test_it_prints_one_json_line_serves_and_ends_cleanly_on_sigterm() -> None:
    process = command("--backend", "toy")
    line = json.loads(process.stdout.readline())
    assert line["address"] == f"ws://127.0.0.1:{line['port']}"
    assert (line["pid"], line["backend"], line["version"]) == (process.pid, "toy", 1)
    with Client(line["address"], line["token"]) as client:
        assert client.load("s", scene(), START).ok
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert out == ""
    assert "Traceback" not in err


def test_a_given_token_is_not_printed(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("from-a-file\n")
    for arguments, env, token in (([], {"SIM_BRIDGE_TOKEN": "from-env"}, "from-env"), (["--token-file", str(file)], {}, "from-a-file")):
        process = command("--backend", "toy", *arguments, **env)
        said = process.stdout.readline()
        assert token not in said
        assert "token" not in json.loads(said)
        with Client(json.loads(said)["address"], token) as client:
            assert client.hello.backend == "toy"
        process.terminate()
        process.communicate(timeout=20)


def test_what_a_simulator_prints_never_reaches_stdout(tmp_path: Path) -> None:
    (tmp_path / "chatty.py").write_text(
        "import os\n"
        "from sim_bridge.backends.toy import ToyBackend\n"
        "class Chatty(ToyBackend):\n"
        "    def act(self, *args, **kwargs):\n"
        "        print('python says hi', flush=True)\n"
        "        os.write(1, b'native says hi')\n"
        "        return super().act(*args, **kwargs)\n"
    )
    process = command("--backend", "chatty:Chatty", PYTHONPATH=str(tmp_path))
    line = json.loads(process.stdout.readline())
    with Client(line["address"], line["token"]) as client:
        client.load("s", scene(), START)
        client.act("s", 1, "turn_left")
    process.terminate()
    out, err = process.communicate(timeout=20)
    assert out == ""
    assert "python says hi" in err
    assert "native says hi" in err


@pytest.mark.parametrize("arguments", [["--backend", "nonsense"], ["--backend", "toy", "--address", "203.0.113.1"]])
def test_a_worker_that_cannot_start_says_why_and_exits_with_2(arguments: list[str]) -> None:
    process = command(*arguments)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 2
    assert arguments[-1] in json.loads(out)["error"]
    assert "Traceback" not in err


def test_a_missing_token_file_is_named() -> None:
    process = command("--backend", "toy", "--token-file", "/nowhere/token")
    _, err = process.communicate(timeout=20)
    assert process.returncode == 2
    assert "/nowhere/token" in err
    assert "Traceback" not in err


def test_health_is_answered_while_the_simulator_works_and_says_when_it_is_overdue(worker: Worker) -> None:
    with Client(worker.address, TOKEN) as busy, Client(worker.address, TOKEN) as watcher:
        assert watcher.health().busy_s == 0.0
        busy.load("s", scene(fault="slow", fault_s=0.8), START)

        def give_up() -> None:
            with pytest.raises(WorkerLost):
                busy.act("s", 1, "wait", deadline_s=0.2)

        thread = threading.Thread(target=give_up)
        thread.start()
        seen: list[Any] = []
        ends = time.monotonic() + 10
        while not (seen and seen[-1].overdue) and time.monotonic() < ends:
            seen.append(watcher.health())
            time.sleep(0.02)
        assert seen[-1].overdue
        assert any(h.busy_s > 0 and not h.overdue for h in seen)
        assert seen[-1].sessions == 1
        url = worker.address.replace("ws", "http") + "/healthz"
        with pytest.raises(urllib.error.HTTPError, match="503"):
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5)
        thread.join()


def test_a_request_that_waited_past_its_deadline_is_not_executed(worker: Worker) -> None:
    with Client(worker.address, TOKEN) as first, Client(worker.address, TOKEN) as second, Client(worker.address, TOKEN) as third:
        first.load("slow", scene(fault="slow", fault_s=0.6), START)
        second.load("s", scene(), START)
        thread = threading.Thread(target=first.act, args=("slow", 1, "wait"))
        thread.start()
        while third.health().busy_s == 0.0:
            time.sleep(0.005)
        with pytest.raises(WorkerLost, match="deadline"):
            second.act("s", 1, "move_forward", deadline_s=0.1)
        thread.join()
        assert third.observe("s").seq == 0
        assert third.observe("s").observation.camera == START


def test_a_lost_reply_is_asked_for_again_and_acts_once(worker: Worker) -> None:
    class Deaf(Client):
        """Loses the connection after sending, before the reply arrives, once."""

        lose = False

        def _exchange(self, data: Any, request_id: Any, ends: Any) -> Any:
            if self.lose:
                self.lose = False
                present(self._connection).send(data)
                present(self._connection).close_socket()
            return super()._exchange(data, request_id, ends)

    with Deaf(worker.address, TOKEN) as client:
        client.load("s", scene(), START)
        client.lose = True  # type: ignore[attr-defined]
        reply = client.act("s", 1, "move_forward")
        assert reply.seq == 1
        assert client.observe("s").observation.camera.position_m == (0.0, -1.25, 1.4)


def test_a_client_reconnects_when_an_idle_connection_was_dropped(worker: Worker) -> None:
    with Client(worker.address, TOKEN) as client:
        client.load("s", scene(), START)
        present(client._connection).close_socket()
        assert client.act("s", 1, "turn_left").seq == 1


def test_a_closed_client_stays_closed(worker: Worker) -> None:
    client = Client(worker.address, TOKEN)
    client.close()
    client.close()
    with pytest.raises(WorkerLost, match="has been closed"):
        client.health()


def test_closing_from_another_thread_ends_a_waiting_request(worker: Worker) -> None:
    client = Client(worker.address, TOKEN)
    client.load("s", scene(fault="slow", fault_s=1.0), START)
    errors = []

    def wait() -> None:
        try:
            client.act("s", 1, "wait")
        except WorkerLost as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    with Client(worker.address, TOKEN) as watcher:
        while watcher.health().busy_s == 0.0:
            time.sleep(0.005)
        client.close()
        thread.join()
        assert watcher.health().busy_s > 0.0, "the request ended because the connection was closed, not because it was done"
    assert len(errors) == 1


def test_threads_that_share_a_client_take_turns(worker: Worker) -> None:
    with Client(worker.address, TOKEN) as client:
        client.load("a", scene(), START)
        client.load("b", scene(), START)
        seen = {"a": [], "b": []}  # type: ignore[var-annotated]

        def play(session: Any) -> None:
            for seq in range(1, 11):
                seen[session].append(client.act(session, seq, "turn_left"))

        threads = [threading.Thread(target=play, args=(name,)) for name in seen]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {name: [(r.session, r.seq) for r in replies] for name, replies in seen.items()} == {
        name: [(name, seq) for seq in range(1, 11)] for name in seen
    }


def test_a_message_beyond_the_limit_is_refused_by_both_ends(worker: Worker) -> None:
    with Client(worker.address, TOKEN) as client:
        client.load("s", scene(), START)
        with pytest.raises(BadRequest, match="at most 16777216"):
            client.restore("s", 1, bytes(MAX_MESSAGE_BYTES))
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with connect(worker.address, additional_headers=headers, compression=None, proxy=None) as raw, pytest.raises(ConnectionClosed):
            raw.send(bytes(MAX_MESSAGE_BYTES + 1))
            raw.recv(timeout=10)
        assert client.act("s", 1, "turn_left").ok


def test_a_reply_that_would_be_too_large_is_an_error_that_says_so() -> None:
    class Huge(ToyBackend):
        def snapshot(self, session: Any) -> Any:
            return os.urandom(MAX_MESSAGE_BYTES) if self.huge else super().snapshot(session)  # type: ignore[attr-defined]

    Huge.huge = False  # type: ignore[attr-defined]
    worker = Worker(Huge(), TOKEN)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        with Client(worker.address, TOKEN) as client:
            client.load("s", scene(), START)
            Huge.huge = True  # type: ignore[attr-defined]
            with pytest.raises(BadRequest, match="ask for less"):
                client.snapshot("s")
    finally:
        worker.stop()
        thread.join()


@pytest.mark.parametrize("token", ["", "wrong", "sécret", "secret-"])
def test_a_wrong_token_is_refused(worker: Worker, token: str) -> None:
    with pytest.raises(WorkerLost, match="refuses the token"), Client(worker.address, token):
        pass


def test_an_address_that_is_none_or_where_nothing_listens_is_said_plainly() -> None:
    with pytest.raises(WorkerLost, match="Not a worker address: expected ws://host:port, got 'localhost'"):
        Client("localhost", TOKEN)
    with pytest.raises(WorkerLost, match=r"Cannot reach the worker at ws://127\.0\.0\.1:1: "):
        Client("ws://127.0.0.1:1", TOKEN)


def test_busy_travels_as_busy(worker: Worker) -> None:
    """The class of an error survives the wire."""
    worker._host.handle = lambda request, queue_ms=0.0: error_reply(request.id, Busy("later"))  # type: ignore[method-assign]
    with Client(worker.address, TOKEN) as client, pytest.raises(Busy, match="later"):
        client.request(Act(session="s", seq=1, action="wait"))
