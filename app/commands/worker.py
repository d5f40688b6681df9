"""``vantage worker``: one simulator worker; the same as ``python -m sim_bridge worker``."""

from __future__ import annotations

import sys

import click

from sim_bridge.protocol import MAX_SESSIONS


@click.command("worker")
@click.option("--backend", default="mujoco", show_default=True, help="toy, mujoco, recorded, omnigibson, or module:callable.")
@click.option("--address", default="127.0.0.1", show_default=True, help="Address to bind; the default serves this machine only.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="Port to bind; 0 picks a free one and prints it.")
@click.option("--token-file", type=click.Path(dir_okay=False), help="File with the bearer token; else SIM_BRIDGE_TOKEN, else a new one.")
@click.option("--max-sessions", type=click.IntRange(1, 1000), default=MAX_SESSIONS, show_default=True, help="Sessions kept at once.")
@click.option("--recycle", type=click.IntRange(min=0), help="End after this many episodes, to be started afresh; 0: never.")
@click.option("--keep", is_flag=True, help="Supervise: start the worker again at its address when it ends, hangs or freezes.")
def command(backend: str, address: str, port: int, token_file: str | None, max_sessions: int, recycle: int | None, keep: bool) -> None:
    """Serve a simulator until SIGTERM or Ctrl-C. One JSON line on stdout says where it listens."""
    from sim_bridge.worker import read_token, run_worker

    token = read_token(token_file) if token_file else None
    if keep:
        from sim_bridge.keeper import keep as kept

        options = {"--backend": backend, "--address": address, "--max-sessions": max_sessions, "--recycle": recycle}
        sys.exit(kept(options, address, port, token))
    sys.exit(run_worker(backend, address=address, port=port, token=token, max_sessions=max_sessions, recycle=recycle))
