"""A server as visitors meet it, with a proxy outside that counts what is asked there; for tests of what lies before Streamlit."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

from websockets.sync.client import ClientConnection, connect

import app
from data.frames import FrameStore
from data.generators.registry import bundled
from data.home import Home
from data.store import Store
from sim_bridge.pool import Pool
from study import access, participants
from study.episode import EpisodeEngine
from study.studies import Study, create_study
from tests.streamlit_ground import ForwardMsg, order_to_run

ROOT = Path(app.__file__).parent.parent


class Outside:
    """A proxy that counts who comes and never answers: where a server's outgoing HTTP would go."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.came: list[socket.socket] = []
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        while True:
            try:
                self.came.append(self._listening.accept()[0])
            except OSError:
                return

    def close(self) -> None:
        self._listening.close()
        for one in self.came:
            one.close()


@dataclass
class Server:
    """A running app, and how people get in."""

    home: Home
    store: Store
    study: Study
    process: subprocess.Popen[str]
    base: str
    outside: Outside
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def host(self) -> str:
        return self.base.removeprefix("http://")

    def cookie(self, role: str) -> str:
        """The cookie header of somebody new in a role."""
        token = access.create_invite(self.store, role, self.study.study_id, label=role)
        return f"vantage_session={access.enter(self.store, token)[0]}"

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        """One request by a client that sends nothing of its own."""
        name, _, port = self.host.partition(":")
        line = http.client.HTTPConnection(name, int(port), timeout=20)
        line.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        reply = line.getresponse()
        told = reply.status, reply.headers, reply.read()
        line.close()
        return told

    def stream(self, origin: str | None = "ours", *, path: str = "/_stcore/stream", **headers: str) -> ClientConnection:
        """A WebSocket, as Streamlit's front end opens it."""
        found: ClientConnection = connect(  # type: ignore[call-overload]
            f"ws://{self.host}{path}",
            origin=self.base if origin == "ours" else origin,
            subprotocols=["streamlit"],
            additional_headers={name.replace("_", "-"): value for name, value in headers.items()},
            open_timeout=20,
            close_timeout=0.1,
            max_size=None,
            proxy=None,
            legacy=True,
        )
        return found

    def log(self) -> str:
        return (self.home.log / "app.log").read_text(encoding="utf-8")


def start(folder: Path, *options: str) -> Server:
    """A server with the toy simulator, whose outgoing HTTP goes to a proxy that never answers."""
    home = Home.from_env(folder / "vantage.db").prepare()
    store = Store.open(home)
    task = next(iter(bundled()))
    store.put_task(task)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), trials=1)
    outside = Outside()
    away = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), outside.address)
    command = [sys.executable, "-P", "-m", "app.cli", "serve", "--backend", "toy", "--workers", "1", "--db", str(home.db), "--port", "0"]
    process = subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**{k: v for k, v in os.environ.items() if k.lower() != "no_proxy"}, **away, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    base = re.findall(r"http://[^\s/]+", process.stdout.readline())[0]
    return Server(home, store, study, process, base, outside)


def class_of(server: Server, number: int) -> list[tuple[str, str]]:
    """New participants of one study, with the cookie and the episode of each, who have consented."""
    people = []
    engine = EpisodeEngine(server.store, FrameStore(server.home.frames), Pool(backend="toy"))
    token = access.create_invite(server.store, "participant", server.study.study_id)
    for _ in range(number):
        cookie, grant = access.enter(server.store, token)
        for event in ("welcome", "consent"):
            participants.advance(server.store, grant.participant_id or "", event)
        episode = participants.place(server.store, engine, grant.participant_id or "").episode_id
        people.append((f"vantage_session={cookie}", episode))
    return people  # type: ignore[return-value]


def stop(server: Server) -> None:
    server.process.send_signal(signal.SIGINT)
    server.process.wait(20)
    server.outside.close()
    server.store.close()


def with_small_limits(folder: Path) -> Server:
    """A server behind a trusted proxy whose limits a test can reach."""
    small = {"uploads_of_one": 9000, "header_s": 2, "body_s": 2, "drain_s": 1, "drain_bytes": 100_000, "write_s": 2, "first_frame_s": 4}
    small |= {"waiting": 40, "strangers_burst": 500, "strangers_per_s": 0.5, "sockets_of_an_address": 6, "sockets_of_one": 4}  # type: ignore[dict-item]
    limits = [word for name, value in small.items() for word in ("--limit", f"{name}={value}")]
    return start(folder, "--trusted-proxy", "127.0.0.1", *limits)


def rerun(server: Server, cookie: str) -> tuple[ClientConnection, str]:
    """A socket that has run the page once, and its Streamlit session."""
    line = server.stream(cookie=cookie)
    line.send(order_to_run())
    while True:
        told = ForwardMsg.FromString(line.recv(timeout=20))
        if told.WhichOneof("type") == "new_session":
            return line, told.new_session.initialize.session_id
