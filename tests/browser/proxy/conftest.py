"""A real nginx for tests: with the configuration that the how-to page prints, only ports and paths changed."""

from __future__ import annotations

import contextlib
import random
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "deploy.md"


def block(title: str) -> str:
    """The block of the how-to page whose fence says `title`, such as ``nginx root``."""
    found = re.findall(rf"^```{re.escape(title)}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.S | re.M)
    assert len(found) == 1, (title, len(found))
    return str(found[0])


def free_port() -> int:
    """A port nobody listens on now, of those that the system gives to nobody who asks for any."""
    while True:
        port = random.randrange(20_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that nobody has signed, and its key."""
    made = folder / "cert.pem", folder / "key.pem"
    order = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1 -addext"
    subprocess.run([*order.split(), "subjectAltName=IP:127.0.0.1", "-out", made[0], "-keyout", made[1]], check=True, capture_output=True)
    return made


@dataclass
class Nginx:
    """A running nginx in front of an app."""

    process: subprocess.Popen[bytes]
    folder: Path

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


def site(snippet: str, *, path: str, tls: bool) -> str:
    """The server of the how-to page: at the root, or the sub-path's locations in the same server; without TLS its plain form."""
    text = block("nginx root")
    if path:
        text = re.sub(r"    location / \{.*?\n    \}\n", lambda _: block("nginx sub-path"), text, flags=re.S)
    if not tls:
        # The page's form without TLS: one server that listens in plain, with the same locations.
        text = re.sub(r"server \{\n    listen 80;.*?\n\}\n", "", text, flags=re.S)
        text = text.replace("listen 443 ssl;", "listen 80;")
        text = re.sub(r"    ssl_certificate.*\n", "", text)
    assert "include snippets/vantage.conf;" in text
    return text


def start(
    folder: Path, upstream: int, port: int, *, path: str = "", tls: bool = False, snippet: str | None = None, plain_port: int = 0
) -> Nginx:
    """nginx on `port` before the app on `upstream`; `path` is ``/vantage`` or nothing. `snippet` replaces what the page passes on."""
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    assert nginx, "nginx is missing: run `make setup`, or install Debian's package nginx as root (tests only)"
    folder.mkdir(parents=True, exist_ok=True)
    passed = block("nginx snippet") if snippet is None else snippet
    (folder / "snippets").mkdir(exist_ok=True)
    (folder / "snippets" / "vantage.conf").write_text(passed.replace("127.0.0.1:8600", f"127.0.0.1:{upstream}"))
    text = site(passed, path=path, tls=tls)
    if tls:
        cert, key = certificate(folder)
        text = text.replace("/etc/letsencrypt/live/lab.example/fullchain.pem", str(cert))
        text = text.replace("/etc/letsencrypt/live/lab.example/privkey.pem", str(key))
        text = text.replace("listen 80;", f"listen 127.0.0.1:{plain_port or free_port()};").replace(
            "listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"
        )
    else:
        text = text.replace("listen 80;", f"listen 127.0.0.1:{port};")
    text = text.replace("server_name lab.example;", "server_name 127.0.0.1;")
    temp = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{temp}{text}}}\n"
    )
    process = subprocess.Popen([nginx, "-p", str(folder), "-c", str(folder / "nginx.conf")], stderr=subprocess.PIPE)
    until = time.monotonic() + 15
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return Nginx(process, folder)
        except OSError:
            if process.poll() is not None or time.monotonic() > until:
                process.kill()
                said = process.stderr.read().decode() if process.stderr else ""
                raise AssertionError(f"nginx did not start: {said}") from None
            time.sleep(0.05)


@dataclass
class Behind:
    """An app with an nginx in front; `app.base` is the public address."""

    app: Any
    nginx: Nginx
    upstream: int
    port: int


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory, kit: Any) -> Iterator[Callable[..., Behind]]:
    """Start an app and its nginx; each is started once for the same wishes."""
    running: dict[Any, Behind] = {}

    def begin(path: str = "", *, tls: bool = False, snippet: str | None = None, told: bool = True, options: tuple[str, ...] = ()) -> Behind:
        """Args:
        path: sub-path, or nothing for the root.
        tls: nginx holds a certificate.
        snippet: what nginx passes on, instead of what the how-to page says.
        told: the app is told its public address and its proxy.
        options: more options of the app.
        """
        wish = (path, tls, snippet, told, options)
        if wish not in running:
            folder = tmp_path_factory.mktemp("proxy")
            port, upstream = free_port(), free_port()
            nginx = start(folder / "nginx", upstream, port, path=path, tls=tls, snippet=snippet)
            address = f"{'https' if tls else 'http'}://127.0.0.1:{port}{path}"
            known = ("--public-url", address, "--trusted-proxy", "127.0.0.1") if told else ()
            app = kit.serve(folder, port=upstream, options=[*known, *options])
            assert app.base == (address if told else f"http://127.0.0.1:{upstream}")
            app.base = address
            running[wish] = Behind(app, nginx, upstream, port)
        return running[wish]

    yield begin
    for one in running.values():
        kit.stop(one.app.process)
        one.nginx.stop()


@pytest.fixture(scope="session")
def nginx_kit() -> Any:
    """This module's helpers, for tests."""
    return sys.modules[__name__]
