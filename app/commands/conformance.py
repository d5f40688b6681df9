"""``vantage conformance``: does a simulator keep the bridge's promises?"""

from __future__ import annotations

import sys

import click


@click.command("conformance")
@click.option("--backend", help="Start a worker with this backend: toy, mujoco, recorded, omnigibson, or module:callable.")
@click.option("--address", metavar="WS_URL", help="Check a running worker instead.")
@click.option("--token-file", type=click.Path(dir_okay=False), help="File with the bearer token of --address; else SIM_BRIDGE_TOKEN.")
@click.option("--category", "categories", nargs=2, metavar="LARGE SMALL", help="Two categories the backend has objects of.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON alone.")
def command(backend: str | None, address: str | None, token_file: str | None, categories: tuple[str, str] | None, as_json: bool) -> None:
    """Run every check; exits with 0 only if all that apply pass."""
    from sim_bridge.conformance import CATEGORIES, run_conformance
    from sim_bridge.worker import read_token

    if address is None and backend is None:
        backend = "mujoco"
    token = read_token(token_file) if token_file else None
    sys.exit(run_conformance(address=address, backend=backend, token=token, as_json=as_json, categories=categories or CATEGORIES))
