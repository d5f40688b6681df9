"""``vantage workers``: what workers elsewhere say of themselves, and the options by which commands use them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

import click

from app.commands.common import json_option, print_json, say
from data.plurals import number_of
from sim_bridge.errors import BadRequest
from sim_bridge.remote import Remote, Told, ask, check_address, remotes

TOKEN_VARIABLE = "VANTAGE_WORKER_TOKEN"
"""Environment variable with the workers' tokens."""


def _checked(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return tuple(check_address(value) for value in values)
    except BadRequest as error:
        raise click.BadParameter(f"{error}.") from None


def remote_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Options that name workers elsewhere: ``addresses`` and ``tokens``."""
    for option in (
        click.option("--worker-token", "tokens", multiple=True, envvar=TOKEN_VARIABLE,
                     help="Token of those workers: one for all, or one for each, in the order of their addresses; in the environment with "
                     "blanks between them."),
        click.option("--worker-address", "addresses", multiple=True, metavar="WS_URL", callback=_checked,
                     help="A worker elsewhere, ws://host:port or wss://host:port; may be repeated."),
    ):  # fmt: skip
        function = option(function)
    return function


def chosen(addresses: Sequence[str], tokens: Sequence[str]) -> tuple[Remote, ...]:
    """The workers that the options name.

    Raises:
        UsageError: one is named twice, or there are tokens too few or too many.
    """
    try:
        return remotes(addresses, tokens)
    except BadRequest as error:
        raise click.UsageError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None


@click.command("workers")
@remote_options
@json_option
def command(addresses: tuple[str, ...], tokens: tuple[str, ...], as_json: bool) -> None:
    """Ask workers elsewhere what they are: simulator, places, and how long a question takes; or why one cannot be used.

    Exits 1 where one cannot be used.
    """
    if not addresses:
        raise click.UsageError("Name a worker with --worker-address.")
    wanted = chosen(addresses, tokens)
    with ThreadPoolExecutor(max_workers=8) as threads:
        told = list(threads.map(ask, wanted))
    if as_json:
        print_json([asdict(one) for one in told])
    else:
        for one in told:
            click.echo(f"{one.address}  {one.trouble or _words(one)}")
    bad = sum(bool(one.trouble) for one in told)
    say(f"{len(told) - bad} of {number_of(len(told), 'worker')} can be used.")
    if bad:
        raise SystemExit(1)


def _words(told: Told) -> str:
    places = f"{told.sessions} of {number_of(told.places, 'place')} taken" if told.places else f"{number_of(told.sessions, 'session')}"
    same = "deterministic" if told.deterministic else "not deterministic"
    return f"{told.backend}  {places}  {told.latency_ms:g} ms there and back  {same}"
