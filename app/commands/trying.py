"""``vantage tasks try``: released rows whose answer follows from doing, done with the models that are here."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from time import monotonic

import click

from app.commands.common import db_option, json_option, print_json, say, time_left
from data.abilities import abilities_of
from data.home import Home
from data.playable import UNTRIED, assess, pack_of
from data.plurals import number_of
from data.store import Store


@click.command("try")
@db_option
@json_option
def try_(db: Path | None, as_json: bool) -> None:
    """Try the imported rows whose answer follows from doing: opening, putting in, putting on.

    A row whose recorded answer comes of it can be played from then on; one that gives another answer, or none, cannot, and says so. Rows
    admitted so are selected on their answer. Each outcome is kept when it is there, so that a stopped run goes on.
    """
    counts = try_rows(Store.open(Home.from_env(db)))
    if as_json:
        print_json(counts)


def try_rows(store: Store) -> dict[str, int]:
    """Try what lacks nothing else and was not tried with the installed models; tell how far it is.

    Returns:
        ``tried``, and how many of them ``agree``.
    """
    from data.generators.lab import laboratory
    from data.trying import attempt, keep, untried

    able = abilities_of()
    pack = pack_of(able.catalogue)
    waiting = [task for task in untried(store, pack) if assess(task, able.catalogue, able.capabilities).missing == [UNTRIED]]
    if not waiting:
        return {"tried": 0, "agree": 0}
    say(f"Trying {number_of(len(waiting), 'row')} whose answer follows from doing …")
    begun, why, agree = monotonic(), Counter[str](), 0
    with laboratory() as lab:
        for done, task in enumerate(waiting, start=1):
            outcome = attempt(lab, task)
            keep(store, task, outcome, pack)
            agree += outcome.agrees
            why.update([] if outcome.agrees else [outcome.why])
            if done % 10 == 0 and done < len(waiting):
                say(f"{done} of {number_of(len(waiting), 'row')}{time_left(monotonic() - begun, done, len(waiting) - done)}")
    say(f"{agree} of {number_of(len(waiting), 'row')} give the recorded answer here.")
    for reason, count in why.most_common():
        say(f"{count} × {reason}.")
    return {"tried": len(waiting), "agree": agree}
