"""A server of our own for as long as a command needs it, started as ``vantage serve`` is."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import click

from data.home import Home

ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def server(
    home: Home, backend: str, *, options: Sequence[str] = (), env: Mapping[str, str] = MappingProxyType({}), quiet: bool = False
) -> Iterator[str]:
    """The app on a home as its own process, with one worker; yields its address.

    Args:
        home: where its data live.
        backend: simulator.
        options: more of ``vantage serve``.
        env: variables that are added.
        quiet: whether what it says is not shown; the log of the home has it.

    Raises:
        ClickException: it does not start.
    """
    command = [sys.executable, "-P", "-m", "app.cli", "serve", "--db", str(home.db), "--port", "0", "--workers", "1", "--backend", backend]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL if quiet else None, text=True,
        env={**os.environ, **env, "PYTHONPATH": path}, cwd=home.root,
    )  # fmt: skip
    try:
        found = re.search(r"https?://\S+", process.stdout.readline()) if process.stdout else None
        if found is None:
            why = f"{home.log / 'app.log'} says why" if quiet else "its error stands above"
            raise click.ClickException(f"The server did not start; {why}. `vantage doctor` says what is missing.")
        yield found[0]
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
