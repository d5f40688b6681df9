"""What lies before everything that Streamlit serves: who gets through, and that a stranger stops nobody. A real server, real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import http.client
import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

import app
from app import first_paint
from app.front import ENDPOINTS, FRONT_END, may_upload
from app.origin import judged
from app.pages.registry import ADDRESSES, PAGES
from app.streamlit_seam import files, shell
from app.theme import FONT
from app.visitors import client_address
from data.frames import FrameStore
from data.generators.registry import bundled
from data.home import Home
from data.store import Store
from sim_bridge.pool import Pool
from study import access, agent_keys, participants
from study.access import ROLES, Grant
from study.episode import EpisodeEngine
from study.studies import Study, create_study
from tests.streamlit_ground import BackMsg, ForwardMsg, order_to_run, routes_of_streamlit

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


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    small = {"uploads_of_one": 9000, "header_s": 2, "body_s": 2, "drain_s": 1, "drain_bytes": 100_000, "write_s": 2, "first_frame_s": 4}
    small |= {"waiting": 40, "strangers_burst": 500, "strangers_per_s": 0.5, "sockets_of_an_address": 6, "sockets_of_one": 4}  # type: ignore[dict-item]
    limits = [word for name, value in small.items() for word in ("--limit", f"{name}={value}")]
    running = start(tmp_path_factory.mktemp("front"), "--trusted-proxy", "127.0.0.1", *limits)
    yield running
    stop(running)


def rerun(server: Server, cookie: str) -> tuple[ClientConnection, str]:
    """A socket that has run the page once, and its Streamlit session."""
    line = server.stream(cookie=cookie)
    line.send(order_to_run())
    while True:
        told = ForwardMsg.FromString(line.recv(timeout=20))
        if told.WhichOneof("type") == "new_session":
            return line, told.new_session.initialize.session_id


# where a request comes from


def scope(
    origin: str | None = None, host: str = "lab.example", scheme: str = "http", site: str | None = None, **more: Any
) -> dict[str, Any]:
    named = {"host": host, "origin": origin, "sec-fetch-site": site}
    headers = [(name.encode(), value.encode()) for name, value in named.items() if value is not None]
    return {"type": "http", "scheme": scheme, "headers": headers, **more}


@pytest.mark.parametrize(
    ("request_scope", "verdict"),
    [
        (scope("http://lab.example"), "ours"),
        (scope("http://LAB.example"), "ours"),
        (scope("http://lab.example:8600", "lab.example:8600"), "ours"),
        (scope("https://lab.example"), "ours"),  # TLS ends at a proxy that does not say so
        (scope("https://lab.example", "lab.example:443"), "ours"),
        (scope("https://lab.example", scheme="https"), "ours"),
        (scope("http://[::1]:8600", "[::1]:8600"), "ours"),
        (scope("null", site="same-origin"), "ours"),
        (scope(None, site="same-origin"), "ours"),
        (scope("http://lab.example", scheme="https"), "foreign"),  # the plain page of the host is another place
        (scope("http://lab.example", scheme="wss"), "foreign"),
        (scope("http://lab.example:9999"), "foreign"),
        (scope("http://lab.example", "lab.example:8600"), "foreign"),
        (scope("http://lab.example.evil.example"), "foreign"),
        (scope("http://lab.example@evil.example"), "foreign"),
        (scope("http://evil.example#lab.example"), "foreign"),
        (scope("http://lab.example/"), "foreign"),
        (scope("http://["), "foreign"),
        (scope("http://lab.example:port"), "foreign"),
        (scope("//lab.example"), "foreign"),
        (scope("file://"), "foreign"),
        (scope(""), "foreign"),
        (scope("chrome-extension://lab.example"), "foreign"),
        (scope("http://lab.example http://evil.example"), "foreign"),
        (scope("null"), "foreign"),
        (scope("null", site="cross-site"), "foreign"),
        (scope(None, site="same-site"), "foreign"),
        (scope(None, site="none"), "foreign"),
        (scope(None), "unsaid"),
    ],
)  # fmt: skip
def test_a_page_is_ours_by_its_origin_alone(request_scope: dict[str, Any], verdict: str) -> None:
    assert judged(request_scope) == verdict


def test_two_origins_or_two_hosts_are_no_page_of_ours() -> None:
    twice = scope("http://lab.example")
    twice["headers"] += [(b"origin", b"http://evil.example")]
    assert judged(twice) == "foreign"
    hosts = scope("http://lab.example")
    hosts["headers"] += [(b"host", b"lab.example")]
    assert judged(hosts) == "foreign"


# the list of addresses


def test_every_address_that_streamlit_serves_is_in_the_list() -> None:
    """With everything switched on that has a switch. A new address of a later version stays closed, and is named here."""
    switches = ("server.enableStaticServing", "server.scriptHealthCheckEnabled", "server.enableAgentApi")
    routes = routes_of_streamlit(ROOT / "app" / "entry" / "vantage_page.py", switches)
    served = {getattr(route, "path", "") for route in routes}
    assert served - {""} == {endpoint.path for endpoint in ENDPOINTS}
    front_end = next(route for route in routes if getattr(route, "path", "") == "")
    folder = Path(front_end.app.directory)  # type: ignore[attr-defined]
    parts = {f"/{path.name}/" if path.is_dir() else f"/{path.name}" for path in folder.iterdir()} - {"/index.html"}
    listed = {endpoint.path.removesuffix("{path:path}") for endpoint in FRONT_END} - set(ADDRESSES)
    assert parts == listed


def test_only_who_has_a_page_with_an_uploader_may_send_files() -> None:
    may = {role for role in ROLES if may_upload([Grant("gr", role, "st", None, None)])}
    assert may == {"researcher", "owner"}


def test_a_page_with_an_uploader_declares_it_and_none_shows_media() -> None:
    """Source of the pages: the layer knows by the declaration who may send files, and lets nobody read Streamlit's media."""
    uploaders, media = set(), set()
    for path in sorted((ROOT / "app").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if re.search(r"\.(file_uploader|camera_input|audio_input|chat_input)\(", text):
            uploaders.add(path.stem.removesuffix("_results"))
        if re.search(r"\b(st|column|col\d?)\.(image|audio|video|pdf|logo|download_button|pyplot)\(", text):
            media.add(path.stem)
    declared = {page.draw.__module__.rpartition(".")[2] for page in PAGES if page.uploads}
    assert uploaders == declared
    assert media == set(), "Streamlit's /media is closed: give pictures and downloads a route of ours, which checks who may have them"


@pytest.mark.parametrize(
    "path",
    ["/_stcore/metrics", "/_stcore/script-health-check", "/_stcore/agent/mcp", "/_stcore/agent/openapi.json", "/media/x.png",
     "/component/a/b", "/_stcore/bidi-components/a/b", "/app/static/a", "/auth/login", "/auth/logout", "/oauth2callback", "/_stcore/",
     "/_stcore/new-one", "/st", "/%5fstcore/metrics", "/_stcore/stream", "/index.html", "/static", "//evil.example",
     "/study/_stcore/metrics"],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_what_no_page_needs_is_not_there(server: Server, path: str, method: str) -> None:
    status, headers, body = server.ask(method, path)
    assert status == 404 and b"streamlit" not in body.lower()
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(("path", "start"), [("/nowhere", "./"), ("/a/b", "../"), ("/enter?invite=wrong", "./")])
def test_a_wrong_address_and_a_wrong_link_are_told_on_a_page_that_looks_like_the_others(server: Server, path: str, start: str) -> None:
    status, headers, body = server.ask("GET", path, Accept="text/html")
    page = body.decode()
    assert status in (403, 404) and headers["content-type"].startswith("text/html")
    assert FONT in page and "<h1" in page and f'href="{start}"' in page
    assert server.ask("GET", "/nowhere")[2].startswith(b"{"), "a program is told as programs are"


@pytest.mark.parametrize(
    "path", ["/", "/review", "/nowhere", "/a/b", "/sign-in", "/enter", "/enter?invite=wrong", "/enter/x", "/enter/x/next"]
)
def test_pages_before_streamlit_name_the_font_that_the_front_end_takes(server: Server, path: str) -> None:
    _, headers, body = server.ask("GET", path, Accept="text/html")
    faces, early = (
        re.findall(r"src: url\('([^']+)'\)", body.decode()),
        re.findall(r'rel="preload"\s+href="([^"]+)"\s+as="font"', body.decode()),
    )
    assert len(faces) == 1 and early == faces and "font-display: optional" in body.decode()
    address = urljoin(f"http://{server.host}{path}", faces[0])
    assert address == f"http://{server.host}/{shell.font_address()}" and "font-src 'self'" in headers["content-security-policy"]
    status, headers, file = server.ask("GET", urlsplit(address).path)
    assert status == 200 and file[:4] == b"wOF2" and headers["content-type"] == "font/woff2" and "immutable" in headers["cache-control"]


@pytest.mark.parametrize("path", [*ADDRESSES, "/favicon.png", "/_stcore/health", "/_stcore/host-config"])
def test_what_the_pages_need_is_there_to_read_alone(server: Server, path: str) -> None:
    status, _, body = server.ask("GET", path)
    assert status == 200 and b"streamlit.app" not in body
    assert server.ask("POST", path, b"{}")[0] == 404
    assert server.ask("OPTIONS", path)[0] == 404


@pytest.mark.parametrize("path", ["/", "/review"])
def test_a_page_that_is_still_loading_says_so(server: Server, path: str) -> None:
    status, headers, body = server.ask("GET", path)
    assert status == 200 and int(headers["content-length"]) == len(body)
    assert first_paint.WORDS in body and b"<title>Vantage</title>" in body and shell.PLACE not in body
    assert "content-encoding" not in headers and "script-src" in headers["content-security-policy"]


# the WebSocket


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "http://9.9.9.9", "https://{host}.evil.example", "http://127.0.0.1:9", "http://localhost", "http://0.0.0.0",
     "null", "http://", "http://[", "x", None],
)  # fmt: skip
def test_a_foreign_handshake_is_refused_and_nothing_is_asked_outside(server: Server, origin: str | None) -> None:
    with pytest.raises(InvalidStatus) as refused:
        server.stream(origin.format(host=server.host) if origin else None)
    assert refused.value.response.status_code == 403
    assert server.outside.came == []


def test_our_own_page_gets_its_socket_and_nothing_is_asked_outside(server: Server) -> None:
    line, session = rerun(server, server.cookie("participant"))
    assert session
    line.close()
    assert server.outside.came == []
    assert "external IP" not in server.log()


def test_foreign_handshakes_hold_nobody_up(server: Server) -> None:
    """What the benchmark times, without a time: every one is refused while another client is served."""
    from bench.handshake import HANDSHAKES, measured

    told = measured(server.host)
    assert told["refused"] == HANDSHAKES and told["during"]["requests"] == told["before"]["requests"]
    assert server.outside.came == []


def test_a_socket_at_another_address_is_refused(server: Server) -> None:
    for path in ("/_stcore/health", "/", "/api/open", "/_stcore/stream/x"):
        with pytest.raises(InvalidStatus):
            server.stream(path=path)


@pytest.mark.parametrize(
    ("frame", "code"),
    [("words", 1003), ("", 1003), (b"\xff\xff\xff\xff", 1002), (b"\x0a\x80", 1002), (b"x" * (5 << 20), 1009), (None, 1008)],
    ids=["text", "empty", "bytes", "cut", "large", "nothing"],
)
def test_a_frame_that_is_no_message_ends_the_socket_and_leaves_no_traceback(server: Server, frame: str | bytes | None, code: int) -> None:
    line = server.stream()
    with pytest.raises(ConnectionClosed) as ended:
        if frame is not None:
            line.send(frame)
        while True:
            line.recv(timeout=20)
    assert ended.value.rcvd is not None and ended.value.rcvd.code == code
    assert "Traceback" not in server.log()


def test_a_text_frame_of_bytes_that_are_no_text_leaves_no_traceback(server: Server) -> None:
    line = server.stream()
    with line.protocol_mutex:
        line.protocol.send_text(b"\xff\xfe")
        line.send_data()
    with pytest.raises(ConnectionClosed) as ended:
        while True:
            line.recv(timeout=20)
    assert ended.value.rcvd is not None and ended.value.rcvd.code == 1003
    assert "Traceback" not in server.log()


def test_orders_that_no_page_gives_are_passed_over(server: Server) -> None:
    line, session = rerun(server, server.cookie("participant"))
    for order in (
        BackMsg(clear_cache=True), BackMsg(load_git_info=True), BackMsg(set_run_on_save=True), BackMsg(debug_shutdown_runtime=True),
        BackMsg(debug_disconnect_websocket=True), BackMsg(),
    ):  # fmt: skip
        line.send(order.SerializeToString())
    install = BackMsg()
    install.backend_operation_request.session_id = session
    install.backend_operation_request.install_skills.SetInParent()
    line.send(install.SerializeToString())
    line.ping().wait(20)
    line.close()
    assert "Client tried" not in server.log() and "No handler" not in server.log()


def test_a_fault_that_somebody_causes_again_and_again_is_written_in_full_a_few_times(tmp_path: Path) -> None:
    from app.repeats import TIMES, OnceInFull

    handler = logging.FileHandler(tmp_path / "log")
    handler.addFilter(OnceInFull())
    logger = logging.getLogger("vantage.test.repeats")
    logger.addHandler(handler)
    try:
        for number in range(50):
            try:
                if number == 40:
                    raise KeyError("another fault")
                raise ValueError(number)
            except (ValueError, KeyError):
                logger.exception("page %d failed", number)
    finally:
        logger.removeHandler(handler)
        handler.close()
    text = (tmp_path / "log").read_text()
    assert text.count("Traceback") == TIMES + 1 and "KeyError: 'another fault'" in text
    assert text.count("failed") == 50 and "page 49 failed [ValueError again, 49 times" in text


def test_who_gave_up_before_a_failure_leaves_no_traceback() -> None:
    from app.http import Joined

    told: list[str] = []
    go, joined = threading.Event(), Joined()

    def work(_: Any) -> None:
        go.wait(20)
        raise ValueError("late")

    async def given_up() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(str(context["message"])))
        with ThreadPoolExecutor(1) as executor:
            assert await joined.result("key", executor, work, 0.01) == (False, 0)
            go.set()
        await asyncio.sleep(0.01)  # the loop takes up what the thread left
        with ThreadPoolExecutor(1) as executor, pytest.raises(ValueError, match="late"):
            await joined.result("key", executor, work, 5)
        gc.collect()
        await asyncio.sleep(0)

    asyncio.run(given_up())
    assert told == []


# uploads


def put(server: Server, cookie: str, session: str, size: int, *, name: str = "f1", **headers: str) -> int:
    xsrf = re.search(r"_streamlit_xsrf=([^;]+)", str(server.ask("GET", "/_stcore/health")[1]["set-cookie"]))
    assert xsrf is not None
    head = b'--b\r\ncontent-disposition: form-data; name="f"; filename="f.csv"\r\ncontent-type: text/csv\r\n\r\n'
    body = head + b"x" * size + b"\r\n--b--\r\n"
    sent = {"cookie": f"{cookie}; _streamlit_xsrf={xsrf[1]}", "x_xsrftoken": xsrf[1], "origin": server.base} | headers
    return server.ask("PUT", f"/_stcore/upload_file/{session}/{name}", body, content_type="multipart/form-data; boundary=b", **sent)[0]


@pytest.mark.parametrize("role", [None, "participant", "annotator", "author", "reviewer"])
def test_who_has_no_page_with_an_uploader_sends_no_file(server: Server, role: str | None) -> None:
    cookie = server.cookie(role) if role else "vantage_session=nobody"
    line, session = rerun(server, cookie)
    assert put(server, cookie, session, 10) == 403
    line.close()


def test_a_researcher_uploads_up_to_a_total_from_a_page_of_ours(server: Server) -> None:
    cookie = server.cookie("researcher")
    line, session = rerun(server, cookie)
    assert put(server, cookie, session, 10) == 204
    assert put(server, cookie, session, 10, origin="http://evil.example") == 403
    assert put(server, cookie, session, 10, content_length="x") in (400, 411)
    assert [put(server, cookie, session, 2000, name=f"g{n}") for n in range(5)] == [204, 204, 204, 204, 413]
    line.close()


def test_files_that_streamlit_forgot_count_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    from starlette.datastructures import Headers

    from app import uploads
    from app.guard import HttpError

    there = {("s", "a")}
    monkeypatch.setattr(files, "still_kept", lambda *place: place in there)
    held, grant = uploads.Uploads(most_of_one=100, most_together=150), Grant("gr", "researcher", "st", None, "sf_1")
    with held.begin(grant, ("s", "a"), Headers({"content-length": "90"})) as upload:
        upload.taken = True
    with pytest.raises(HttpError, match="no room"):
        held.begin(grant, ("s", "b"), Headers({"content-length": "20"}))
    with pytest.raises(HttpError, match="no room"):
        held.begin(Grant("gr", "owner", "st", None, "sf_2"), ("t", "b"), Headers({"content-length": "70"}))
    there.clear()
    with held.begin(grant, ("s", "b"), Headers({"content-length": "20"})), pytest.raises(HttpError, match="already"):
        held.begin(grant, ("s", "b"), Headers({"content-length": "20"}))
    assert held.kept == {}, "what Streamlit did not take is not kept"


# cookies


def test_cookies_of_streamlit_are_kept_to_tls_behind_a_proxy_that_says_so(server: Server) -> None:
    assert "Secure" not in str(server.ask("GET", "/_stcore/health")[1]["set-cookie"])
    assert str(server.ask("GET", "/_stcore/health", x_forwarded_proto="https")[1]["set-cookie"]).endswith("; Secure")


def test_host_config_names_nobody(server: Server) -> None:
    assert json.loads(server.ask("GET", "/_stcore/host-config")[2])["allowedOrigins"] == []


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
