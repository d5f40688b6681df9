"""What lies before everything that Streamlit serves: who gets through. A real server, real sockets."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from app import first_paint
from app.front import ENDPOINTS, FRONT_END, may_upload
from app.origin import judged
from app.pages.registry import ADDRESSES, PAGES
from app.streamlit_seam import files, shell
from app.theme import FONT
from study.access import ROLES, Grant
from tests.app.front_server import ROOT, Server, rerun, stop, with_small_limits
from tests.streamlit_ground import BackMsg, routes_of_streamlit


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = with_small_limits(tmp_path_factory.mktemp("front"))
    yield running
    stop(running)


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


def test_streamlit_is_told_to_open_no_error_dialogs(server: Server) -> None:
    status, headers, body = server.ask("GET", "/_stcore/host-config")
    assert status == 200 and int(headers["content-length"]) == len(body)
    assert json.loads(body)["blockErrorDialogs"] is True
