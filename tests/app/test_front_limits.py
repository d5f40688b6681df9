"""What one visitor may take of the server, so that a stranger stops nobody. A real server, real sockets."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection

from app.visitors import client_address
from study import agent_keys
from tests.app.front_server import Server, class_of, rerun, stop, with_small_limits
from tests.streamlit_ground import order_to_run


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = with_small_limits(tmp_path_factory.mktemp("front"))
    yield running
    stop(running)


# whom a request counts as


@pytest.mark.parametrize(
    ("client", "address"),
    [
        (("192.0.2.7", 5), "192.0.2.7"),
        (("::ffff:192.0.2.7", 5), "192.0.2.7"),
        (("2001:db8:1:2:3:4:5:6", 5), "2001:db8:1:2::/64"),
        (None, ""),
    ],
)
def test_an_address_counts_as_what_one_household_has(client: tuple[str, int] | None, address: str) -> None:
    assert client_address({"type": "http", "client": client, "headers": []}) == address


def test_a_class_of_sixty_behind_one_address_plays_while_a_stranger_there_takes_all_there_is(server: Server) -> None:
    here = "203.0.113.5"
    name, _, port = server.host.partition(":")
    line = http.client.HTTPConnection(name, int(port), timeout=20)

    def told(path: str, cookie: str, **body: Any) -> tuple[int, str]:
        sent = {"cookie": cookie, "x-forwarded-for": here, "origin": server.base, "content-type": "application/json"}
        line.request("POST" if body else "GET", path, json.dumps(body) if body else None, sent)
        reply = line.getresponse()
        return reply.status, json.loads(reply.read()).get("error", "")

    people = class_of(server, 60)
    strangers, held = [], []  # type: ignore[var-annotated]
    with pytest.raises(InvalidStatus):
        while len(strangers) < 50:
            strangers.append(server.stream(x_forwarded_for=here))
    assert len(strangers) == 6
    guesses = 0
    while told("/api/frame/ep_x/0", f"vantage_session=guess-{guesses}")[0] != 429:
        guesses += 1
        assert guesses < 600
    assert told("/api/agent/tasks", "")[0] == 429
    for cookie, episode in people:
        held.append(server.stream(cookie=cookie, x_forwarded_for=here))
        assert [told(f"/api/frame/{episode}/0", cookie) for _ in range(3)] == [(403, "frame_not_shown")] * 3
    for cookie, episode in people[:3]:
        assert told("/api/open", cookie, episode=episode)[0] in (200, 202)
    for line_of_one in (*strangers, *held):
        line_of_one.close()


def test_pages_that_strangers_have_drawn_again_and_again_hold_nobody_up(server: Server) -> None:
    """Each message on a stranger's socket asks for the page; without turns a handful of sockets keep the whole server busy."""
    order, over, drawn = order_to_run(), threading.Event(), 0
    lines = [server.stream(x_forwarded_for="203.0.113.8") for _ in range(6)]

    def flood(line: ClientConnection) -> None:
        with contextlib.suppress(ConnectionClosed, TimeoutError, OSError):
            while not over.is_set():
                line.send(order)

    def read(line: ClientConnection) -> None:
        nonlocal drawn
        with contextlib.suppress(ConnectionClosed, TimeoutError):
            while not over.is_set():
                drawn += b"vantage_page" in line.recv(timeout=20)

    threads = [threading.Thread(target=work, args=(line,), daemon=True) for line in lines for work in (flood, read)]
    for thread in threads:
        thread.start()
    for _ in range(5):
        line, _session = rerun(server, server.cookie("participant"))
        line.close()
        assert server.ask("GET", "/sign-in")[0] == 200
    over.set()
    for line in lines:
        line.close()
    assert drawn < 200


def test_one_person_has_a_number_of_pages_open_and_no_more(server: Server) -> None:
    cookie = server.cookie("participant")
    held = [server.stream(cookie=cookie, x_forwarded_for=f"203.0.113.{n}") for n in range(4)]
    with pytest.raises(InvalidStatus):
        server.stream(cookie=cookie, x_forwarded_for="203.0.113.99")
    held.pop().close()
    line = server.stream(cookie=cookie)
    for one in (*held, line):
        one.close()


def test_a_model_agent_counts_by_its_key(server: Server) -> None:
    key = agent_keys.create(server.store, server.study.study_id, "m")
    here: dict[str, Any] = {"x_forwarded_for": "203.0.113.6"}
    while server.ask("GET", "/api/agent/tasks", **here)[0] != 429:
        pass
    assert server.ask("GET", "/api/agent/tasks", authorization=f"Bearer {key}", **here)[0] == 200
    assert server.ask("GET", "/api/agent/tasks", authorization="Bearer wrong", **here)[0] == 429
    assert [server.ask("GET", path, **here)[0] for path in ("/", "/healthz")] == [200, 200], "a proxy's question is not counted"


def test_an_answer_is_not_held_back_until_the_client_confirms_its_first_part() -> None:
    from app.serve import bind

    with bind("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP  # what asyncio looks at before it switches Nagle's algorithm off


# slow clients


class Slow:
    """A client that goes on sending a byte at a time and never ends its request."""

    def __init__(self, server: Server, begins: bytes) -> None:
        name, _, port = server.host.partition(":")
        self.line = socket.create_connection((name, int(port)), timeout=0.05)
        self.line.sendall(begins.replace(b"HOST", server.host.encode()))
        self.heard = b""

    def drip(self) -> bool:
        """Send a byte more; False once the server has ended the connection."""
        try:
            self.line.sendall(b"a")
            some = self.line.recv(65536)
        except TimeoutError:
            return True
        except OSError:
            return False
        self.heard += some
        return bool(some)


HEADER = b"GET /healthz HTTP/1.1\r\nhost: HOST\r\nx: "
HANDSHAKE = b"GET /_stcore/stream HTTP/1.1\r\nhost: HOST\r\norigin: http://HOST\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
HANDSHAKE += b"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n"
FORM = "application/x-www-form-urlencoded"
BODY = f"POST /sign-in HTTP/1.1\r\nhost: HOST\r\norigin: http://HOST\r\ncontent-type: {FORM}\r\ncontent-length: 4000\r\n\r\n".encode()


def test_who_sends_a_request_too_slowly_is_let_go_while_others_are_served(server: Server) -> None:
    ways = {
        "first byte": b"",
        "method": b"G",
        "header": HEADER,
        "form": BODY,
        "json": BODY.replace(b"/sign-in", b"/api/act").replace(FORM.encode(), b"application/json"),
        "chunked": BODY.replace(b"content-length: 4000", b"transfer-encoding: chunked"),
        "handshake with a body": HANDSHAKE + b"content-length: 4000\r\n\r\n",
        "second request": b"GET /healthz HTTP/1.1\r\nhost: HOST\r\n\r\n" + HEADER,
    }
    slow = {way: [Slow(server, begins) for _ in range(4)] for way, begins in ways.items()}
    served = 0
    while any(slow.values()):
        assert served < 300, f"still held: {[way for way, lines in slow.items() if lines]}"
        slow = {way: [one for one in lines if one.drip()] for way, lines in slow.items()}
        served += server.ask("GET", "/_stcore/health")[0] == 200
    assert served > 1
    assert "Traceback" not in server.log()


def test_a_connection_that_says_nothing_is_let_go(server: Server) -> None:
    name, _, port = server.host.partition(":")
    with socket.create_connection((name, int(port)), timeout=30) as line:
        assert line.recv(1) == b""


def test_a_slow_body_that_comes_at_a_fair_rate_is_waited_for(server: Server) -> None:
    """More in all than the limit allows at once, and never as slow as the rate."""
    name, _, port = server.host.partition(":")
    body = b"invite=" + b"x" * 4000
    with socket.create_connection((name, int(port)), timeout=30) as line:
        head = BODY.replace(b"HOST", server.host.encode()).replace(b"4000", str(len(body)).encode())
        line.sendall(head)
        for n in range(0, len(body), 500):
            line.sendall(body[n : n + 500])
            threading.Event().wait(0.2)
        assert line.recv(65536).startswith(b"HTTP/1.1 403")


@pytest.mark.parametrize(
    ("path", "method", "kind", "status"),
    [
        ("/api/act", "POST", "application/json", 413),
        ("/media/x", "POST", FORM, 404),
        ("/sign-in", "POST", FORM, 413),
        ("/", "PUT", FORM, 404),
    ],
)
def test_after_a_refusal_the_rest_of_a_body_is_not_swallowed_for_ever(
    server: Server, path: str, method: str, kind: str, status: int
) -> None:
    name, _, port = server.host.partition(":")
    with socket.create_connection((name, int(port)), timeout=30) as line:
        head = f"{method} {path} HTTP/1.1\r\nhost: {server.host}\r\norigin: {server.base}\r\ncontent-type: {kind}\r\n"
        line.sendall(f"{head}content-length: {1 << 30}\r\n\r\n".encode())
        sent = 0
        with pytest.raises(ConnectionError):
            while sent < 1 << 30:
                sent += line.send(b"x" * 65536)
        assert sent < 50 << 20
    # A body that ends soon costs the connection nothing.
    line = http.client.HTTPConnection(name, int(port), timeout=20)  # type: ignore[assignment]
    for _ in range(2):
        line.request(method, path, b"x" * 90_000, {"origin": server.base, "content-type": kind})  # type: ignore[attr-defined]
        reply = line.getresponse()  # type: ignore[attr-defined]
        assert (reply.status, reply.read() != b"") == (status, True)
    line.close()


def test_who_does_not_read_an_answer_is_let_go(server: Server) -> None:
    name, _, port = server.host.partition(":")
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(30)
        line.connect((name, int(port)))
        pages = f"GET / HTTP/1.1\r\nhost: {server.host}\r\n\r\n".encode() * 60
        script = re.findall(rb'src="\./(static/js/[^"]+)"', server.ask("GET", "/")[2])[0].decode()
        line.sendall(pages.replace(b"GET /", b"GET /" + script.encode()))
        with pytest.raises(ConnectionError):
            while True:
                threading.Event().wait(0.2)
                line.sendall(b"GET / HTTP/1.1\r\n\r\n")


def test_beyond_a_number_of_half_sent_headers_the_oldest_goes(server: Server) -> None:
    lines = [Slow(server, HEADER) for _ in range(43)]
    gone = [not line.drip() or not line.drip() for line in lines[:3]]
    assert gone == [True, True, True] and all(line.drip() for line in lines[-10:])
    assert server.ask("GET", "/_stcore/health")[0] == 200
