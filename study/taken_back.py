"""The ledger of what people took back, where a restored backup finds it: who was erased, who withdrew.

A backup is of one moment, and whoever takes their data back afterwards is still in it. Erasures stand in a ledger of the home
(`study.erasure`), withdrawals in the database; both are lost with the machine. So the app, and every command that takes data out, carries
both as one file, ``taken-back.jsonl``, into the home and into each folder in which backups of it lie (``backups.jsonl`` names them).
`apply` does again, in a restored home, what the file says. It holds pseudonymous ids and no words of anybody.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Literal

import msgspec
from sqlite_utils.utils import sqlite3

from data.backup.manifest import LEDGER_HERE
from data.files import sync_folder, write_whole
from data.foreign import Unreadable, json_lines, text_file
from data.frames import FrameStore
from data.home import Home
from data.store import Store, StoreError, os_error
from sim_bridge.pool import Pool
from study import erasure, participants
from study.episode import EpisodeEngine

log = logging.getLogger("vantage.taken_back")

PLACES = "backups.jsonl"
"""Name of the list of backups in a home; one JSON object a line (`Place`). Of this machine alone, so no backup holds it."""


class TakenBack(msgspec.Struct, frozen=True, kw_only=True):
    """One person whose data are not to be used, or are to be gone."""

    participant_id: str
    study_id: str
    what: Literal["erased", "withdrawn"]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A backup that was taken of this home."""

    at: str
    """When its database was copied."""
    path: str
    """Where it was written."""
    files: int
    bytes: int
    sums_sha256: str
    """SHA-256 of its list of files."""


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """What was done again: pseudonymous ids."""

    withdrawn: list[str]
    erased: list[str]


def known(store: Store) -> list[TakenBack]:
    """Everybody who took their data back, as this home knows."""
    gone = [TakenBack(participant_id=e["participant_id"], study_id=e["study_id"], what="erased") for e in erasure.ledger(store)]
    names = {entry.participant_id for entry in gone}
    rows = store.query("SELECT participant_id, study_id FROM participants WHERE state = 'withdrawn' ORDER BY created_at, participant_id")
    return gone + [TakenBack(**row, what="withdrawn") for row in rows if row["participant_id"] not in names]


def read(path: Path) -> list[TakenBack]:
    """A ledger, or nothing where there is none.

    Raises:
        StoreError: it cannot be read: who took their data back is then not known.
    """
    if not path.is_file():
        return []
    try:
        values = list(json_lines(text_file(path).text))
    except Unreadable as error:
        raise StoreError(f"{path} cannot be read: {error.reason} Repair it, or name another ledger.") from None
    found = []
    for line, value in values:
        try:
            found.append(msgspec.convert(value, TakenBack))
        except msgspec.ValidationError:
            # a line of the home's own ledger of erasures says no more than that
            if isinstance(value, dict) and {"participant_id", "study_id", "reason"} <= set(value):
                found.append(TakenBack(participant_id=str(value["participant_id"]), study_id=str(value["study_id"]), what="erased"))
                continue
            raise StoreError(f"{path}: line {line} cannot be read. Repair or remove that line.") from None
    return found


def withdrawn_in(home: Home) -> list[TakenBack]:
    """Who withdrew, as a database of any schema says that is about to be replaced; nothing where it cannot be read."""
    with contextlib.suppress(sqlite3.Error), closing(sqlite3.connect(f"{home.db.as_uri()}?mode=ro", uri=True)) as db:
        rows = db.execute("SELECT participant_id, study_id FROM participants WHERE state = 'withdrawn'").fetchall()
        return [TakenBack(participant_id=one, study_id=study, what="withdrawn") for one, study in rows]
    return []


def merged(*ledgers: Iterable[TakenBack]) -> list[TakenBack]:
    """All of them, each person once; an erasure is more than a withdrawal."""
    found: dict[str, TakenBack] = {}
    for entry in (entry for ledger in ledgers for entry in ledger):
        if entry.participant_id not in found or entry.what == "erased":
            found[entry.participant_id] = entry
    return list(found.values())


def places(home: Home) -> list[Place]:
    """The backups that were taken of this home, the oldest first; lines that cannot be read are passed over."""
    path = home.root / PLACES
    if not path.is_file():
        return []
    found = []
    with contextlib.suppress(Unreadable):
        for _, value in json_lines(text_file(path).text):
            with contextlib.suppress(msgspec.ValidationError):
                found.append(msgspec.convert(value, Place))
    return found


def note(home: Home, place: Place) -> None:
    """Add a backup to the list of the home."""
    try:
        with (home.root / PLACES).open("ab") as file:
            file.write(msgspec.json.encode(place) + b"\n")
    except OSError as error:
        raise os_error(error, f"note the backup in {home.root / PLACES}; the backup itself is whole") from error


def carry(store: Store) -> list[Path]:
    """Bring the ledger up to date in the home and in every folder of its backups that is there.

    A folder counts as there while it holds a ledger, which `begin` puts there: an empty mount point gets none.

    Returns:
        Folders that could not be written, or are not there now.
    """
    entries, missed = known(store), []
    folders = list(dict.fromkeys(Path(place.path).parent for place in places(store.home)))
    for folder in [store.home.root, *folders]:
        if folder != store.home.root and not (folder / LEDGER_HERE).is_file():
            missed.append(folder)
            continue
        try:
            bring(folder / LEDGER_HERE, entries)
        except (OSError, StoreError) as error:
            log.warning("the ledger %s could not be brought up to date: %s", folder / LEDGER_HERE, error)
            missed.append(folder)
    return missed


def begin(store: Store, folder: Path) -> None:
    """Begin the ledger of a folder of backups, or bring it up to date."""
    try:
        bring(folder / LEDGER_HERE, known(store))
    except OSError as error:
        raise os_error(error, f"write the ledger {folder / LEDGER_HERE}") from error


def bring(path: Path, entries: list[TakenBack]) -> None:
    """Add what a ledger lacks; nobody is taken out of it, since other homes may have their backups in the same folder."""
    before = read(path)
    after = merged(before, entries)
    if after != before or not path.exists():
        write_whole(path, b"".join(msgspec.json.encode(entry) + b"\n" for entry in after))
        sync_folder(path.parent)


def apply(store: Store, frames: FrameStore, entries: Iterable[TakenBack]) -> Applied:
    """Take back again, in a database that came from a backup, what these people took back. Nobody plays there yet.

    Args:
        store: the restored database.
        frames: its frame folder.
        entries: of every ledger that is known.

    Returns:
        Of whom something had come back.
    """
    entries = merged(entries)
    # nothing is simulated here, so no worker is started
    engine = EpisodeEngine(store, frames, Pool(workers=0))
    withdrawn = [entry.participant_id for entry in entries if entry.what == "withdrawn" and _withdraw(store, engine, entry.participant_id)]
    erasure.ask_again(store, [(e.participant_id, e.study_id) for e in entries if e.what == "erased"])
    erased = [done.participant_id for done in erasure.apply_ledger(store, frames)]
    return Applied(withdrawn=withdrawn, erased=erased)


def _withdraw(store: Store, engine: EpisodeEngine, participant_id: str) -> bool:
    row = store.one("SELECT state FROM participants WHERE participant_id = ?", [participant_id])
    if row is None or "withdraw" not in participants.PARTICIPANT[row["state"]]:
        return False
    participants.withdraw(store, engine, participant_id)
    return True
