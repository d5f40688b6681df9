"""The command line ``vantage``: a lazy group, one module per command in `app.commands`."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

import click

from data.home import Home
from data.jobs import JOB_VARIABLE
from sim_bridge.errors import Refusal

COMMANDS: dict[str, str] = {
    "run": "Start the demo: data, workers and app; prints one link per role.",
    "serve": "Start the app.",
    "worker": "Start one simulator worker.",
    "workers": "Ask workers on other machines what they are.",
    "tasks": "Import, list and check tasks.",
    "play": "Play a task from the command line.",
    "export": "Write tables, result files or trajectories.",
    "report": "Write the results of a study: page, tables and pictures.",
    "qa": "Multi-view questions about robot episodes.",
    "study": "Make studies, open and close them, let people and models in.",
    "verify": "Have people verify tasks, blind, on three axes.",
    "staff": "Who works here, and in which roles.",
    "participants": "List participants; erase the data of one.",
    "simulate": "Dry run of a study with simulated people.",
    "replay": "Re-render an episode and compare every pixel hash.",
    "audit": "Say what is wrong with a set of tasks.",
    "bench": "Measure.",
    "conformance": "Check a simulator backend against the contract.",
    "backup": "Copy everything that is kept, while people work.",
    "restore": "Make a home from a backup.",
    "doctor": "Check this installation.",
    "assets": "Build or show the object models.",
}
"""Command → its line in ``vantage --help``, so that help needs no imports."""


MAX_LOG_BYTES = 1_000_000
"""A log of commands that is larger is put aside, and the one put aside before is gone."""
PRIVATE = 0o077
"""The umask of every command: neither the group nor others may read."""


def version() -> str:
    """The installed version, or "unknown" when run from a folder without installation."""
    try:
        return metadata.version("vantage-studies")
    except metadata.PackageNotFoundError:
        return "unknown"


class LazyGroup(click.Group):
    """A group that imports a command's module only when it is used; expected errors become one sentence."""

    def main(self, *args: Any, **options: Any) -> Any:
        """What a command writes is its owner's alone from the moment it is made, in whatever folder: answers of people are in it."""
        before = os.umask(PRIVATE)
        try:
            return super().main(*args, **options)
        finally:
            os.umask(before)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands, in the order in which the help shows them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, its module imported now; None: there is none.

        Raises:
            click.ClickException: it is not part of this installation.
        """
        if cmd_name not in COMMANDS:
            return None
        name = f"app.commands.{cmd_name}"
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            raise click.ClickException(f"The command {cmd_name!r} is not part of this installation.") from None
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help's table of commands, written without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run what was asked for.

        Raises:
            Sentence: it refused; one sentence says why. In a job it is the one for people, and the log has both.
        """
        try:
            return super().invoke(ctx)
        except Refusal as error:
            if JOB_VARIABLE in os.environ and error.public is not None:
                # The last line of a job is what a page shows; the log of the job keeps both.
                click.echo(f"Error: {error}", err=True)
                raise Sentence(error.public) from None
            raise Sentence(str(error)) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, KeyboardInterrupt, BrokenPipeError):
            raise
        except Exception as error:
            if os.environ.get("VANTAGE_DEBUG"):
                raise
            raise click.ClickException(f"An unexpected error stopped this command; {_log(error)}.") from None


def _log(error: Exception) -> str:
    """Write the traceback of `error` to the home's log; returns where it is, in words."""
    folder = Home.from_env().log
    path = folder / "cli.log"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
            path.replace(path.with_suffix(".log.1"))
        with path.open("a", encoding="utf-8") as log:
            log.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {' '.join(sys.argv)}\n")
            traceback.print_exception(error, file=log)
    except OSError as problem:
        return f"{path} cannot be written ({problem.strerror}): set VANTAGE_DEBUG=1 and run it again to see the details"
    return f"the details are in {path}"


class Sentence(click.ClickException):
    """An error shown as one sentence on standard error; exit status 2."""

    exit_code = 2


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version(), prog_name="vantage")
def main() -> None:
    """Human studies, annotation and trajectories for embodied spatial intelligence benchmarks."""


def entry() -> None:
    """What ``python -m app.cli`` runs."""
    main(prog_name="vantage")


if __name__ == "__main__":
    entry()
