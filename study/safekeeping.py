"""A home backed up and brought back, with the ledger of what people took back (`study.taken_back`) carried along."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from data.backup import restoring, taking
from data.backup.manifest import LEDGER_HERE, About, Tell, about
from data.frames import FrameStore
from data.home import Home
from data.migrations import MIGRATIONS, NAMES
from data.store import Store, StoreError
from study import erasure, taken_back
from study.taken_back import Applied, Place


@dataclass(frozen=True)
class BroughtBack:
    """A home that was made from a backup."""

    taken_at: str
    """When the backup's database was copied: what came later is not there. Empty: a copy made by hand, which does not say."""
    about: About | None
    applied: Applied
    """Who took their data back after that, as a ledger says."""
    ledgers: tuple[Path, ...]
    """The ledgers that were read, but for the backup's own."""
    aside: Path | None
    """Where the data lie that were there before."""


def back_up(
    home: Home, folder: Path, *, program: str, actor: str, keep: int | None = None, despite_damage: bool = False, tell: Tell | None = None
) -> taking.Taken:
    """Take a backup (`data.backup.taking.take`), note it in the home and its log, and lay the ledger beside it.

    Raises:
        As `take` does.
    """
    if home.db.is_file():
        # who withdrew until now stands in the backup's own ledger too, for restoring it after one that is older
        with _as_it_is(home) as store:
            taken_back.carry(store)
    done = taking.take(home, folder, program=program, keep=keep, despite_damage=despite_damage, tell=tell)
    place = Place(
        at=done.about.at, path=str(done.path.absolute()), files=done.about.files, bytes=done.about.bytes, sums_sha256=done.sums_sha256
    )

    with _as_it_is(home) as store:
        taken_back.begin(store, folder)
        if os.access(home.root, os.W_OK):
            taken_back.note(home, place)
        if store.writable and [step.name for step in MIGRATIONS.applied(store.db)] == list(NAMES):
            store.event("backed_up", {"files": place.files, "bytes": place.bytes, "sums_sha256": place.sums_sha256}, actor=actor)
    return done


def bring_back(
    backup: Path,
    home: Home,
    *,
    actor: str,
    ledgers: Iterable[Path] = (),
    replace: bool = False,
    by_hand: bool = False,
    tell: Tell | None = None,
) -> BroughtBack:
    """Restore a backup (`data.backup.restoring.restore`): it is brought to this version's schema, and who took their data back since, as
    the ledgers beside it, in the home that is replaced, and in `ledgers` say, has them taken back in it too.

    Raises:
        StoreError: as `restore` does, or a ledger cannot be read; nothing has changed.
    """
    ledgers = tuple(ledgers)
    if missing := next((path for path in ledgers if not path.is_file()), None):
        raise StoreError(f"There is no ledger {missing}: nothing was restored. Name the file {LEDGER_HERE} of a home or of its backups.")
    beside = (backup.resolve().parent / LEDGER_HERE, home.root / LEDGER_HERE, home.root / erasure.LEDGER)
    outside = tuple(path for path in (*ledgers, *beside) if path.is_file())
    own = (backup / LEDGER_HERE, backup / erasure.LEDGER)
    before = taken_back.withdrawn_in(home) if home.db.is_file() else []
    entries = taken_back.merged(*map(taken_back.read, (*own, *outside)), before)
    found = None if by_hand else about(backup)

    def finish(stage: Home) -> Applied:
        store = Store.open(stage)
        try:
            applied = taken_back.apply(store, FrameStore(stage.frames), entries)
            taken_back.bring(stage.root / LEDGER_HERE, entries)
            told = {"taken_at": found.at if found else "", "withdrawn": len(applied.withdrawn), "erased": len(applied.erased)}
            store.event("restored", told, actor=actor)
            return applied
        finally:
            store.close()

    applied, aside = restoring.restore(backup, home, finish, replace=replace, by_hand=by_hand, tell=tell)
    return BroughtBack(found.at if found else "", found, applied, outside, aside)


@contextmanager
def _as_it_is(home: Home) -> Iterator[Store]:
    """The database, whatever its schema."""
    writable = os.access(home.db, os.W_OK) and os.access(home.db.parent, os.W_OK)
    store = Store(home, reading=not writable)
    try:
        yield store
    finally:
        store.close()
