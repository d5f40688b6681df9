"""``vantage bench handshake``: does a stranger's WebSocket handshake hold up everybody else?

A server is started whose outgoing HTTP leads nowhere, as behind a firewall that drops: ``http_proxy`` names a socket that never answers.
A server is started whose outgoing HTTP leads nowhere, as behind a firewall that drops (``http_proxy`` names a socket that never answers).

before, during  median and worst time of a request (milliseconds)
held_up_ms      the slowest of the requests after each handshake; of these the median (a stall of two seconds is one slow request among
                many quick ones, which the median of all requests would not show)
refused         handshakes that were refused
outgoing        connections that the server opened towards the outside
met             every handshake refused, nothing sent outside, and held_up_ms at most 50 ms above the median before

Client and server share this machine.
"""

from __future__ import annotations

import http.client
import json
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from websockets.exceptions import InvalidHandshake
from websockets.sync.client import connect
from websockets.typing import Origin

from bench.serving import server
from data.home import Home

AIM_MS = 50.0
"""How much longer a request may take because of a handshake."""
HANDSHAKES = 20
EACH = 10
"""Requests timed after the start of each handshake."""
FOREIGN = "http://203.0.113.9"
"""An address of the documentation's range: nobody's page."""


class Nowhere:
    """A proxy that takes connections, counts them and never answers."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._held: list[socket.socket] = []
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._take, daemon=True).start()

    def _take(self) -> None:
        while True:
            try:
                self._held.append(self._listening.accept()[0])
            except OSError:
                return

    @property
    def count(self) -> int:
        """Connections so far."""
        return len(self._held)

    def environment(self) -> dict[str, str]:
        """Variables that send a program's outgoing HTTP here."""
        names = ("http_proxy", "https_proxy", "all_proxy")
        return dict.fromkeys((*names, *map(str.upper, names)), self.address) | {"no_proxy": "", "NO_PROXY": ""}

    def close(self) -> None:
        """End it and all it holds."""
        self._listening.close()
        for one in self._held:
            one.close()


def asked(line: http.client.HTTPConnection) -> float:
    """Milliseconds of one ``/healthz``."""
    since = time.perf_counter()
    line.request("GET", "/healthz")
    reply = line.getresponse()
    reply.read()
    if reply.status not in (200, 503):  # 503: no simulator is ready yet, which does not matter here
        raise click.ClickException(f"/healthz answered {reply.status}.")
    return (time.perf_counter() - since) * 1000


def foreign_handshake(host: str) -> bool:
    """Whether a handshake from another site is refused."""
    try:
        connect(f"ws://{host}/_stcore/stream", origin=Origin(FOREIGN), proxy=None, open_timeout=120, legacy=True).close()
    except InvalidHandshake:
        return True
    return False


def figures(values: list[float]) -> dict[str, float]:
    """Median and worst, milliseconds."""
    return {"median_ms": round(statistics.median(values), 2), "worst_ms": round(max(values), 2), "requests": len(values)}


def measured(host: str, handshake: Callable[[str], bool] = foreign_handshake) -> dict[str, Any]:
    """Times before and during the handshakes."""
    name, _, port = host.partition(":")
    line = http.client.HTTPConnection(name, int(port), timeout=300)
    refused: list[bool] = []
    for _ in range(EACH):
        asked(line)  # the first ones also pay for what is loaded then
    before = [asked(line) for _ in range(HANDSHAKES * EACH)]
    during: list[list[float]] = []
    threads: list[threading.Thread] = []
    for _ in range(HANDSHAKES):
        threads.append(threading.Thread(target=lambda: refused.append(handshake(host))))
        threads[-1].start()
        during.append([asked(line) for _ in range(EACH)])
    for thread in threads:
        thread.join(120)
    line.close()
    told: dict[str, Any] = {"before": figures(before), "during": figures([value for after in during for value in after])}
    told["held_up_ms"] = round(statistics.median(max(after) for after in during), 2)
    return told | {"handshakes": HANDSHAKES, "refused": sum(refused)}


@click.command("handshake")
@click.option("--json", "as_json", is_flag=True, help="JSON alone on standard output.")
def command(as_json: bool) -> None:
    """Foreign WebSocket handshakes against everybody else's waiting time; exit 1 where the aim is missed."""
    outside = Nowhere()
    with tempfile.TemporaryDirectory(prefix="vantage-bench-") as folder:
        home = Home.from_env(Path(folder) / "vantage.db").prepare()
        with server(home, "toy", env=outside.environment()) as base:
            told = measured(base.removeprefix("http://"))
    told |= {"outgoing": outside.count, "aim_ms": AIM_MS}
    outside.close()
    in_time = told["held_up_ms"] <= told["before"]["median_ms"] + AIM_MS
    told["met"] = told["refused"] == HANDSHAKES and told["outgoing"] == 0 and in_time
    if as_json:
        click.echo(json.dumps(told, indent=2))
    else:
        for when in ("before", "during"):
            click.echo(f"{when:<7} median {told[when]['median_ms']:.1f} ms, worst {told[when]['worst_ms']:.1f} ms")
        click.echo(f"{told['refused']} of {HANDSHAKES} handshakes refused, {told['outgoing']} connections outside")
    if not told["met"]:
        raise click.exceptions.Exit(1)
