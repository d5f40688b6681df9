"""`vantage doctor --address` walks through a real nginx and names, for each wrong configuration, the step and the line that mends it."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.address import PublicAddress
from app.cli import main
from app.commands.doctor_address import buffers
from app.commands.way import Way


def walk(address: str, *options: str, ca: Path | None = None, patience: str = "1") -> tuple[bool, dict[str, Any]]:
    """Whether the doctor is content with an address, and its checks by name."""
    env = {"VANTAGE_PUBLIC_URL": "https://not-asked.invalid", "SSL_CERT_FILE": str(ca) if ca else None}
    done = CliRunner(env=env).invoke(main, ["doctor", "--address", address, "--patience", patience, "--json", *options])
    assert done.stdout, done.output
    told = json.loads(done.stdout)
    assert done.exit_code == (0 if told["ok"] else 1)
    return told["ok"], {check["name"]: check for check in told["checks"]}


@pytest.fixture(scope="module")
def right(behind: Any) -> Any:
    """The how-to page's configuration at its sub-path, with TLS."""
    return behind("/vantage", tls=True)


def test_the_way_through_the_printed_configuration_is_clear(right: Any) -> None:
    ok, checks = walk(right.app.base, ca=right.nginx.folder / "cert.pem")
    assert ok, [check for check in checks.values() if not check["ok"]]
    wanted = "connection server http slash page scripts components headers cookies write websocket silence uploads buffering visitors"
    assert {*wanted.split(), "public address", "other sites"} <= set(checks)
    # How fast a reply comes is measured, and a busy machine may blur it.
    assert [name for name, check in checks.items() if not check["ok"] and name != "buffering"] == []


def test_a_certificate_that_nobody_signed_is_named(right: Any) -> None:
    ok, checks = walk(right.app.base)
    assert not ok and set(checks) == {"connection"} and "certificate" in checks["connection"]["found"]


def test_a_wrong_scheme_or_port_or_name_or_path_is_named(right: Any, kit: Any, nginx_kit: Any) -> None:
    host = right.app.base.split("/")[2]
    assert "TLS" in walk(f"https://127.0.0.1:{right.upstream}")[1]["connection"]["found"]
    assert "nobody answers" in walk(f"http://127.0.0.1:{nginx_kit.free_port()}")[1]["connection"]["found"]
    assert "not known" in walk("http://nowhere.invalid")[1]["connection"]["found"]
    ca = right.nginx.folder / "cert.pem"
    assert "something else answers below /other" in walk(f"https://{host}/other", ca=ca)[1]["server"]["found"]
    assert walk(f"https://{host}", ca=ca)[1]["server"]["advice"].endswith(f"--public-url https://{host}.")


WRONG: dict[str, tuple[Callable[[str], str], str, str, str]] = {
    "no host": (lambda text: _without(text, "Host $http_host"), "write", "passes it on for 127.0.0.1", "proxy_set_header Host $http_host;"),
    "no upgrade": (lambda text: _without(text, "Upgrade", "Connection"), "websocket", "answered with status", "proxy_set_header Upgrade"),
    "http 1.0": (lambda text: _without(text, "proxy_http_version"), "http", "HTTP/1.0", "proxy_http_version 1.1"),
    "small bodies": (lambda text: _without(text, "client_max_body_size"), "uploads", "refused by the proxy", "client_max_body_size 25m;"),
    "impatient": (lambda text: text.replace("1h", "1s"), "silence", "is closed after", "proxy_read_timeout 1h;"),
    "client's word": (
        lambda text: text.replace("$proxy_add_x_forwarded_for", "$http_x_forwarded_for"), "visitors", "claims is believed",
        "$proxy_add_x_forwarded_for",
    ),
    "cookies moved": (lambda text: text + "proxy_cookie_path / /elsewhere;", "cookies", "kept to /elsewhere", "no proxy_cookie_path"),
    "cookies hidden": (lambda text: text + "proxy_hide_header Set-Cookie;", "cookies", "no cookie arrives", "proxy_hide_header"),
    "cookies shared": (lambda text: text + "proxy_cookie_flags ~ nosecure;", "cookies", "may travel in plain", "--public-url"),
    "headers doubled": (lambda text: text + "add_header X-Frame-Options SAMEORIGIN;", "headers", "2 X-Frame-Options", "add none of these"),
    "origin changed": (lambda text: text + 'proxy_set_header Origin "$scheme://$http_host";', "other sites",
        "is answered with status 204", "leave Origin alone",
    ),
    "reads only": (lambda text: text + "limit_except GET { deny all; }", "write", "is answered with status 403", "pass on POST"),
}  # fmt: skip
"""Fault of the proxy → how it is made, the check that finds it, and words of what was found and of the advice."""


def _without(text: str, *parts: str) -> str:
    return "\n".join(line for line in text.splitlines() if not any(part in line for part in parts)) + "\n"


@pytest.fixture(scope="module")
def app(behind: Any) -> Any:
    """An app that trusts its proxy but was not told its address, as most are at first; each test puts an nginx before it."""
    return behind(told=False, options=("--trusted-proxy", "127.0.0.1"))


@pytest.fixture
def before(app: Any, nginx_kit: Any, tmp_path: Path) -> Iterator[Callable[..., tuple[str, Path]]]:
    """Put another nginx before the app."""
    running = []

    def begin(snippet: str, *, tls: bool) -> tuple[str, Path]:
        port = nginx_kit.free_port()
        running.append(nginx_kit.start(tmp_path / "nginx", app.upstream, port, snippet=snippet, tls=tls))
        return f"{'https' if tls else 'http'}://127.0.0.1:{port}", tmp_path / "nginx" / "cert.pem"

    yield begin
    for one in running:
        one.stop()


@pytest.mark.parametrize("fault", WRONG)
def test_what_the_proxy_gets_wrong_is_named_with_the_line_that_mends_it(fault: str, before: Any, nginx_kit: Any) -> None:
    make, name, found, advice = WRONG[fault]
    address, ca = before(make(nginx_kit.block("nginx snippet")), tls=fault == "cookies shared")
    _, checks = walk(address, ca=ca, patience="3" if fault == "impatient" else "1")
    assert not checks[name]["ok"], checks
    assert found in checks[name]["found"] and advice in checks[name]["advice"], checks[name]


def test_an_app_that_does_not_know_its_proxy_and_its_address_is_told_how(behind: Any, nginx_kit: Any, tmp_path: Path) -> None:
    """Words for people, too: without --json every check is a line, and its advice the next."""
    app = behind(told=False)
    ok, checks = walk(app.app.base)
    assert ok, "nothing is wrong that people would notice"
    assert "--public-url" in checks["public address"]["advice"] and "--trusted-proxy 127.0.0.1" in checks["visitors"]["advice"]
    assert "by http" in checks["tls"]["found"]


def test_what_a_stranger_says_of_themselves_changes_nothing_at_a_server_that_trusts_nobody(behind: Any) -> None:
    """Straight to the server, from this machine, which uvicorn would believe by itself."""
    way = Way(PublicAddress("http", f"127.0.0.1:{behind(told=False).upstream}"))
    headers = {
        "X-Forwarded-For": "192.0.2.1",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "evil.example",
        "Forwarded": "for=192.0.2.1",
    }
    told = way.ask("GET", "/api/way", headers=headers).told()
    assert (told["client"], told["https"], told["host"], told["believed"]) == ("127.0.0.1", False, way.address.netloc, False)


def test_a_proxy_without_an_app_behind_it_is_named(nginx_kit: Any, tmp_path: Path) -> None:
    port = nginx_kit.free_port()
    alone = nginx_kit.start(tmp_path / "alone", nginx_kit.free_port(), port)
    try:
        ok, checks = walk(f"http://127.0.0.1:{port}")
        assert not ok and checks["server"]["found"] == "the proxy says 502: it does not reach Vantage"
    finally:
        alone.stop()


@pytest.mark.parametrize(("pause_s", "held"), [(0.0, True), (1.0, False)])
def test_a_proxy_that_keeps_replies_back_is_named(pause_s: float, held: bool) -> None:
    class Replies(http.server.BaseHTTPRequestHandler):
        """A proxy that sends the parts of a reply with this pause before the last."""

        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"one\ntwo\n")
            time.sleep(pause_s)
            self.wfile.write(b"three\n")

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Replies) as server:
        threading.Thread(target=server.handle_request).start()
        check = buffers(Way(PublicAddress("http", f"127.0.0.1:{server.server_port}")))
    assert (check.ok, check.required, "proxy_buffering off" in check.advice) == (not held, not held, held)
