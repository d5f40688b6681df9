"""``vantage serve``: the app, without demo data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from app.address import invitation_link
from app.commands.common import public_option
from app.commands.workers import chosen, remote_options
from app.forwarded import Network, network
from study.access import STAFF_IDLE_HOURS
from study.simulators import PER_AGENT


def _networks(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[Network, ...]:
    try:
        return tuple(network(value) for value in values)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from None


def server_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Options that `serve` and `run` share."""
    options: list[Callable[..., Any]] = [
        click.option("--db", type=click.Path(dir_okay=False), help="Database; default: vantage.db in VANTAGE_HOME."),
        click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on."),
        click.option("--port", type=click.IntRange(0, 65535), default=8600, show_default=True, help="Port, or the next free one; 0: any."),
        click.option("--workers", type=click.IntRange(0, 64), default=None,
                     help="Local simulator processes, of each --backend; default: one per two cores."),
        click.option("--backend", "backends", multiple=True, default=("mujoco",), show_default=True,
                     help="Simulator backend of local workers; may be repeated. The first plays all that a study names no other for."),
        remote_options,
        click.option(
            "--agent-sessions",
            type=click.IntRange(1, 64),
            default=PER_AGENT,
            show_default=True,
            help="Episodes that one model agent's key may have at a simulator at a time.",
        ),
        click.option("--secure-cookie", is_flag=True, help="People reach the app over https (behind a TLS proxy)."),
        click.option("--staff-idle-hours", type=click.FloatRange(0.1, 24 * 60), default=STAFF_IDLE_HOURS, show_default=True,
                     help="Access as staff ends in a browser that nobody used for so long; their link brings them back."),
        public_option("--public-url", "public_url"),
        click.option(
            "--trusted-proxy", "trusted_proxies", multiple=True, metavar="ADDRESS", envvar="VANTAGE_TRUSTED_PROXY", callback=_networks,
            help="Proxy whose X-Forwarded-For, -Proto and -Host are believed, an address or range such as 10.0.0.0/8; may be repeated.",
        ),
        click.option("--entry", type=click.Path(dir_okay=False, exists=True, path_type=Path), hidden=True, help="Another page script."),
        click.option("--limit", "limits", multiple=True, metavar="NAME=NUMBER", hidden=True, help="A limit of app.limits, for tests."),
        click.option("--test-hook", is_flag=True, hidden=True, help="Expose timings to the page, for tests and measurements."),
    ]  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def start(ready: Callable[[str], None], **options: Any) -> None:
    """Serve with the options of `server_options` until stopped; `ready` gets the base address."""
    import os

    from app.limits import from_words
    from app.serve import run_server
    from app.services import Settings
    from data.home import Home

    workers, backends = options["workers"], tuple(dict.fromkeys(options["backends"]))
    # a simulator that is named beside workers elsewhere is meant to run here too
    named = click.get_current_context().get_parameter_source("backends") == ParameterSource.COMMANDLINE
    if workers is None:
        workers = 0 if options["addresses"] and not named else max(1, (os.cpu_count() or 2) // 2)
    if workers == 0 and not options["addresses"]:
        raise click.UsageError("With --workers 0 name at least one --worker-address, or no task can be played.")
    settings = Settings(
        backend=backends[0],
        others=backends[1:],
        workers=workers,
        remotes=chosen(options["addresses"], options["tokens"]),
        test_hook=options["test_hook"],
        agent_sessions=options["agent_sessions"],
        secure_cookie=options["secure_cookie"],
        staff_idle_hours=options["staff_idle_hours"],
        limits=from_words(options["limits"]),
        public=options["public_url"],
        trusted_proxies=options["trusted_proxies"],
        entry=options["entry"],
    )
    run_server(Home.from_env(options["db"]), settings, host=options["host"], port=options["port"], ready=ready)


@click.command("serve")
@server_options
def command(**options: Any) -> None:
    """Start the app. Ctrl-C ends it and every process it started."""
    from data.home import Home
    from data.store import Store
    from study import access

    store = Store.open(Home.from_env(options["db"]))
    admin = access.first_admin_token(store)
    store.close()

    def ready(base: str) -> None:
        click.echo(f"Vantage is ready: {base}")
        if admin is not None:
            link = invitation_link(base, admin)
            click.echo(f"Nobody owns this installation yet. Become its owner with this link, which works in one browser: {link}")
            click.echo("(A link of this kind that was printed before no longer works.)")

    start(ready, **options)
