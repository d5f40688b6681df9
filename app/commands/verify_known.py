"""``vantage verify controls`` and ``training``: tasks whose verdict is known."""

from __future__ import annotations

from pathlib import Path

import click

from app.commands.common import ACTOR, db_option, say
from data.home import Home
from data.store import Store

_verification = click.argument("verification_id", metavar="VERIFICATION")
_count = click.option("--count", type=click.IntRange(0, 1000), help="How many; default: as many as its settings ask for.")
_seed = click.option("--seed", type=int, default=1, show_default=True, help="Decides the draw.")


@click.command("controls")
@_verification
@_count
@click.option("--good", type=click.FloatRange(0, 1), default=0.5, show_default=True, help="Share of sound ones among them.")
@_seed
@db_option
def controls(verification_id: str, count: int | None, good: float, seed: int, db: Path | None) -> None:
    """Hide tasks with a known verdict among the others: sound ones, and ones that are made wrong on purpose.

    They show how well each person judges and count in no table. They are given out when their evidence is made.
    """
    _take_in(verification_id, "control", count, good, seed, db)


@click.command("training")
@_verification
@_count
@_seed
@db_option
def training(verification_id: str, count: int | None, seed: int, db: Path | None) -> None:
    """Give every person exercises first: tasks with a known verdict, explained as soon as they are judged."""
    _take_in(verification_id, "training", count, 0.4, seed + 1000, db)


def _take_in(verification_id: str, part: str, count: int | None, good: float, seed: int, db: Path | None) -> None:
    from annotation.verifying import known

    taken = known.take_in(Store.open(Home.from_env(db)), verification_id, part, count, good=good, seed=seed, actor=ACTOR)
    say(f"{taken} came in. Their evidence is made by: vantage verify prepare {verification_id}")


COMMANDS: tuple[click.Command, ...] = (controls, training)
"""The commands of this module."""
