"""``vantage tasks try``: released rows whose answer follows from doing, done with the models that are here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic

import click

from app.commands.common import db_option, json_option, print_json, say, time_left
from data.abilities import abilities_of
from data.home import Home
from data.playable import UNTRIED, assess, pack_of
from data.plurals import number_of
from data.store import Store
from sim_bridge.errors import WorkerLost

TELL_S = 20.0
"""How often it says how far it has come."""
STOPPED = 130
"""Exit status after Ctrl-C."""


@click.command("try")
@db_option
@json_option
def try_(db: Path | None, as_json: bool) -> None:
    """Try the imported rows whose answer follows from doing: opening, putting in, putting on.

    A row whose recorded answer comes of it can be played from then on; one that gives another answer, or none, cannot, and says so. Rows
    admitted so are selected on their answer. Each outcome is kept when it is there, so that a stopped run goes on. Exit status 1: rows were
    not tried, because the simulator was lost; 130: Ctrl-C stopped it.
    """
    counts = try_rows(Store.open(Home.from_env(db)))
    if as_json:
        print_json(counts)
    if counts["lost"]:
        raise SystemExit(1)


def try_rows(store: Store) -> dict[str, int]:
    """Try what lacks nothing else and was not tried with the installed models; tell how far it is.

    Returns:
        ``tried``, how many of them ``agree``, and how many were ``lost``: the simulator died with them twice, and the next run tries them.
    """
    from data.generators.lab import laboratory
    from data.trying import attempt, keep, untried

    able = abilities_of()
    pack = pack_of(able.catalogue)
    waiting = [task for task in untried(store, pack) if assess(task, able.catalogue, able.capabilities).missing == [UNTRIED]]
    if not waiting:
        return {"tried": 0, "agree": 0, "lost": 0}
    say(f"Trying {number_of(len(waiting), 'row')} whose answer follows from doing …")
    why, agree, lost, tried = Counter[str](), 0, 0, 0
    try:
        with laboratory() as lab, _telling(len(waiting), lambda: tried):
            for task in waiting:
                try:
                    outcome = attempt(lab, task)
                except WorkerLost as error:
                    # kept nowhere: it says nothing of the row
                    lost += 1
                    say(f"{task.task_id}: {error}")
                else:
                    keep(store, task, outcome, pack)
                    agree += outcome.agrees
                    why.update([] if outcome.agrees else [outcome.why])
                tried += 1
    except KeyboardInterrupt:
        say(
            f"Stopped: {tried - lost} of {number_of(len(waiting), 'row')} tried. The imported rows and these outcomes are kept; "
            "`vantage tasks try` goes on."
        )
        raise SystemExit(STOPPED) from None
    say(f"{agree} of {number_of(len(waiting) - lost, 'row')} give the recorded answer here.")
    for reason, count in why.most_common():
        say(f"{count} × {reason}.")
    if lost:
        say(f"{number_of(lost, 'row was', 'rows were')} not tried: the simulator was lost. Have them tried again (vantage tasks try).")
    return {"tried": len(waiting) - lost, "agree": agree, "lost": lost}


@contextmanager
def _telling(whole: int, tried: Callable[[], int]) -> Iterator[None]:
    """Say how many of `whole` rows were `tried`, every `TELL_S` seconds, also while one takes long."""
    begun, over = monotonic(), Event()

    def tell() -> None:
        while not over.wait(TELL_S):
            say(f"{tried()} of {number_of(whole, 'row')}{time_left(monotonic() - begun, tried(), whole - tried())}")

    teller = Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
