"""What several commands share: their usual options, and how they speak."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from app.address import AddressError, PublicAddress
from data.store import Store

ACTOR = "command line"
"""Who the events of commands name: whoever may use the database's files."""

db_option = click.option("--db", type=click.Path(dir_okay=False, path_type=Path), help="Database; default $VANTAGE_HOME/vantage.db.")
json_option = click.option("--json", "as_json", is_flag=True, help="JSON alone on standard output.")
project_option = click.option("--project", "project_id", help="QA project; default: the only one there is.")


class _Address(click.ParamType[PublicAddress]):
    name = "URL"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> PublicAddress:
        try:
            return value if isinstance(value, PublicAddress) else PublicAddress.parse(value)
        except AddressError as error:
            self.fail(str(error), param, ctx)


def public_option(*names: str, **settings: Any) -> Callable[[Any], Any]:
    """The option for the address under which people reach the app."""
    words = "Address under which people reach the app, with its sub-path if there is one."
    return click.option(*names, type=_Address(), **{"envvar": "VANTAGE_PUBLIC_URL", "help": words, **settings})


url_option = public_option("--public-url", "--url", "url", default="http://127.0.0.1:8600", show_default=True)


def say(text: str) -> None:
    """Words for a person; standard error, so that standard output stays JSON."""
    click.echo(text, err=True)


def time_left(spent_s: float, done: int, left: int) -> str:
    """An estimate for people, from steps done and left; empty before the first is done."""
    if done == 0:
        return ""
    seconds = spent_s / done * left
    return f" (about {round(seconds)} s left)" if seconds < 100 else f" (about {round(seconds / 60)} min left)"


class Progress:
    """Tells a person how far something has come, at most once a second, with what is left of the time by the speed so far."""

    def __init__(self) -> None:
        self._what, self._since, self._told = "", 0.0, 0.0

    def __call__(self, what: str, done: int, whole: int) -> None:
        """`done` of `whole` bytes of `what`."""
        at = time.monotonic()
        if what != self._what:
            self._what, self._since, self._told = what, at, at
        if at - self._told >= 1:
            self._told = at
            say(f"{what}: {done / 2**20:,.0f} of {whole / 2**20:,.0f} MB{time_left(at - self._since, done, whole - done)}")


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def chosen_project(store: Store, project_id: str | None) -> str:
    """The named QA project, or the only one.

    Raises:
        UnknownItem: it is not here.
        click.UsageError: none is named, and there is none or more than one.
    """
    from annotation.qa.projects import get_project, list_projects

    if project_id:
        return get_project(store, project_id).project_id
    projects = list_projects(store)
    if len(projects) != 1:
        known = ", ".join(f"{p.project_id} ({p.name})" for p in projects) or "none"
        raise click.UsageError(f"Name a project with --project; there is: {known}.")
    return projects[0].project_id
