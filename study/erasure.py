"""Erasing a participant's data: the one exception to "events never change".

What is left is a tombstone: the participant's pseudonymous id and number (so that counterbalancing and counts hold), closed places, and one
event that says how much was erased. Frames are shared between episodes by what they show, so a frame goes only when no step of anybody
else shows it and no frozen set of a task holds it. The database zeroes what it deletes (`secure_delete`), and its write-ahead log is
emptied.

Other people go on meanwhile: everything that is deleted is found by an index, and it is deleted episode by episode, each in a short
transaction of its own with a pause after it. The first transaction takes the person out of the study (withdrawn, no consent, no access, no
recruitment id, every episode ``withdrawn``), so that what is not deleted yet counts nowhere; an episode is there as a whole or not at all.

The ledger, ``erasures.jsonl`` in the home, lies outside the database on purpose: a backup restored later brings erased data back, and
`apply_ledger` erases it again. It is written before anything is deleted, so an erasure that was interrupted is finished in the same way.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from data.frames import FrameStore
from data.store import BUSY_TIMEOUT_MS, Store, StoreError, now, os_error
from study import participants, payments, released, seats, slots, states
from study.errors import StudyError

LABELS = ("strategy_members", "view_labels", "failure_labels")
"""Tables of what coders said of an episode."""
LEDGER = "erasures.jsonl"
"""Name of the ledger in the home; one JSON object a line: at, participant_id, study_id, reason, released (files that held their data)."""
STRAY_S = 3600.0
"""A frame file this old (seconds) that no row names belongs to no step that is just being kept."""
EMPTYING_TRIES = 20
"""How often the write-ahead log is tried to be emptied while others read."""
PAUSE_S = 0.05
"""Pause between two transactions, seconds. A writer that waits looks again after at most 25 ms while it has waited for less than 0.1 s, so
it gets its turn."""
FILES_AT_ONCE = 50
"""Frame files deleted in one transaction."""


class NoSuchParticipant(StudyError):
    """There is no participant with this id."""

    code = "no_such_participant"


class Erased(BaseModel):
    """What was deleted of one participant."""

    participant_id: str
    study_id: str
    episodes: int = 0
    steps: int = 0
    events: int = 0
    released: list[str] = []
    """Exports that were written before and held their data, whether they lie there yet or not."""
    frames: int = 0
    """Frame files that nobody else's steps show."""
    log_emptied: bool = False
    """Whether SQLite's write-ahead log holds nothing old any more; if not, somebody reads just now, and it is emptied with the next erasure
    or when the last program closes the database."""


def find(store: Store, *, participant_id: str | None = None, external_id: str | None = None, study_id: str | None = None) -> list[str]:
    """Pseudonymous ids of a participant, named by that id or by the recruitment platform's.

    Raises:
        NoSuchParticipant: there is none.
    """
    if participant_id is not None:
        rows = store.query("SELECT participant_id FROM participants WHERE participant_id = ?", [participant_id])
    else:
        of_study, values = ("", []) if study_id is None else ("AND study_id = ?", [study_id])
        sql = f"SELECT participant_id FROM recruitment WHERE external_id = ? {of_study} ORDER BY created_at"
        rows = store.query(sql, [external_id, *values])
    if not rows:
        named = f"the id {participant_id[:80]!r}" if participant_id is not None else f"the platform's id {str(external_id)[:80]!r}"
        raise NoSuchParticipant(
            f"No participant with {named} in {store.home.db}: nothing was erased. `vantage participants list` shows the ids there are."
        )
    return [row["participant_id"] for row in rows]


def erase(store: Store, frames: FrameStore, participant_id: str, *, reason: str = "") -> Erased:
    """Withdraw a participant and delete everything they did. An app may go on serving meanwhile.

    Args:
        store: the database.
        frames: its frame folder.
        participant_id: the pseudonymous id.
        reason: kept in the ledger; no names.

    Returns:
        What was deleted; zeros if it was erased before.

    Raises:
        NoSuchParticipant: there is none.
        StorageFull, StoreError: the ledger cannot be written (nothing was erased), or the database (do it again).
    """
    find(store, participant_id=participant_id)
    person = participants.get_participant(store, participant_id)
    if participant_id not in {entry["participant_id"] for entry in ledger(store)}:
        told = [release.path for release in released.holding(store, participant_id)]
        entry = {"at": now(), "participant_id": participant_id, "study_id": person.study_id, "reason": reason, "released": told}
        _note(store, entry)
    return _erase(store, frames, participant_id, person.study_id)


def ledger(store: Store) -> list[dict[str, Any]]:
    """Every erasure that was ever asked for in this home."""
    path = store.home.root / LEDGER
    if not path.exists():
        return []
    entries = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            entries.append(json.loads(line))
        except ValueError:
            raise StoreError(f"{path}: line {number} cannot be read, got {line[:80]!r}. Repair or remove that line.") from None
    return entries


def remains(store: Store) -> list[str]:
    """Participants in the ledger of whom the database holds data: it was restored from a backup, or an erasure was interrupted."""
    return [entry["participant_id"] for entry in ledger(store) if _has_data(store, entry["participant_id"])]


def apply_ledger(store: Store, frames: FrameStore) -> list[Erased]:
    """Erase again whatever the ledger names and the database still (or again) holds; sweeps frame files that no row names.

    This reads every folder of frames.
    """
    done = []
    for participant_id in remains(store):
        person = participants.get_participant(store, participant_id)
        done.append(_erase(store, frames, participant_id, person.study_id))
    before = time.time() - STRAY_S
    _delete_files(store, frames, (path.stem for path in frames.root.glob("*/*.webp") if path.stat().st_mtime < before))
    _empty_log(store)
    return done


def ask_again(store: Store, people: Iterable[tuple[str, str]]) -> None:
    """Put erasures that another ledger names into this home's: (participant id, study id) of each. `apply_ledger` does them."""
    there = {entry["participant_id"] for entry in ledger(store)}
    for participant_id, study_id in people:
        if participant_id not in there:
            entry = {
                "at": now(),
                "participant_id": participant_id,
                "study_id": study_id,
                "reason": "restored from a backup",
                "released": [],
            }
            _note(store, entry)


def exports_made(store: Store, participant_ids: Iterable[str]) -> list[Path]:
    """Files and folders that were written out of this database, lie there yet, and hold data of these people as far as it is known: of
    exports of before the list of them was kept it is not, so they are named too."""
    found = [path for one in participant_ids for release in released.holding(store, one) for path in release.still_there]
    known = {row["path"] for row in store.query("SELECT path FROM released")}
    for row in store.query("SELECT argv FROM jobs WHERE kind = 'export' ORDER BY created_at"):
        argv = json.loads(row["argv"])
        folder = Path(argv[argv.index("--out") + 1])
        if str(folder) not in known:
            found += [path for path in (folder, folder.with_name(folder.name + ".zip")) if path.exists()]
    return list(dict.fromkeys(found))


def _has_data(store: Store, participant_id: str) -> bool:
    found = store.one(
        "SELECT EXISTS (SELECT 1 FROM episodes WHERE participant_id = :id) "
        "OR EXISTS (SELECT 1 FROM recruitment WHERE participant_id = :id) "
        "OR EXISTS (SELECT 1 FROM grants WHERE participant_id = :id) "
        "OR EXISTS (SELECT 1 FROM form_showings WHERE participant_id = :id) "
        "OR EXISTS (SELECT 1 FROM outcomes WHERE participant_id = :id) "
        "OR EXISTS (SELECT 1 FROM reports WHERE participant_id = :id) "
        "OR EXISTS (SELECT 1 FROM payments WHERE participant_id = :id AND (reference <> '' OR why <> '')) "
        "OR EXISTS (SELECT 1 FROM events WHERE participant_id = :id AND kind <> 'erased') "
        "OR EXISTS (SELECT 1 FROM events WHERE actor = :id AND actor <> '') AS yes",
        {"id": participant_id},
    )
    return bool(found and found["yes"])


def _note(store: Store, entry: dict[str, Any]) -> None:
    """Append to the ledger; on return it is on disk."""
    path = store.home.root / LEDGER
    line = (json.dumps(entry, ensure_ascii=False) + "\n").encode()
    try:
        with path.open("ab", buffering=0) as file:
            path.chmod(0o600)
            before = file.tell()
            if file.write(line) != len(line):
                file.truncate(before)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(file.fileno())
        _sync(path.parent)
    except OSError as error:
        raise os_error(error, f"write the ledger {path}") from error


def _erase(store: Store, frames: FrameStore, participant_id: str, study_id: str) -> Erased:
    store.db.execute("PRAGMA secure_delete=ON")
    known = [release.path for release in released.holding(store, participant_id)]
    report = Erased(participant_id=participant_id, study_id=study_id, released=known)
    if _has_data(store, participant_id):
        _take_out(store, participant_id)
        gone: list[str] = []
        for row in store.query("SELECT episode_id FROM episodes WHERE participant_id = ? ORDER BY created_at", [participant_id]):
            time.sleep(PAUSE_S)
            gone += _erase_episode(store, row["episode_id"], report)
        time.sleep(PAUSE_S)
        with store.atomic() as db:
            _delete_forms(db, participant_id)
            for table in ("outcomes", "reports"):
                _delete(db, f"{table} WHERE participant_id = :id", participant_id)
            with _unguarded(store, "payments_no_update"):
                # that somebody was paid, and how much, has to be kept; by which id and why, has not
                db.execute("UPDATE payments SET reference = '', why = '' WHERE participant_id = ?", [participant_id])
            with _unguarded(store):
                own = "participant_id = :id OR (actor = :id AND actor <> '')"
                report.events += _delete(db, f"events WHERE {own}", participant_id)
            told = report.model_dump(include={"episodes", "steps", "events"})
            store.event("erased", told, study_id=study_id, participant_id=participant_id)
        report.frames = _delete_files(store, frames, gone)
    report.log_emptied = _empty_log(store)
    return report


def _take_out(store: Store, participant_id: str) -> None:
    """The person is in the study no more: nothing of theirs counts from now on, and they cannot come in again as who they were. What they
    are due is written before, while it can be told."""
    with store.atomic() as db:
        payments.settle(store, participant_id)
        _close(store, participant_id)
        seats.give_up(store, participant_id, "erased")
        db.execute("UPDATE episodes SET state = 'withdrawn' WHERE participant_id = ?", [participant_id])
        sessions = store.query("SELECT DISTINCT session_id FROM grants WHERE participant_id = ?", [participant_id])
        _delete(db, "grants WHERE participant_id = :id", participant_id)
        for row in sessions:
            unused = "session_id = :id AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.session_id = :id)"
            _delete(db, f"sessions WHERE {unused}", row["session_id"])
        _delete(db, "recruitment WHERE participant_id = :id", participant_id)
        db.execute(
            "UPDATE participants SET state = 'withdrawn', consent_version = NULL, consented_at = NULL, finished_at = NULL "
            "WHERE participant_id = ?",
            [participant_id],
        )


def _erase_episode(store: Store, episode_id: str, report: Erased) -> list[str]:
    """Delete one episode with all that hangs on it, in one transaction; returns the frames that nobody sees any more."""
    with store.atomic() as db:
        shown = store.query(
            "SELECT pixel_hash FROM steps WHERE episode_id = :id UNION SELECT pixel_hash FROM step_frames WHERE episode_id = :id",
            {"id": episode_id},
        )
        report.steps += _delete(db, "steps WHERE episode_id = :id", episode_id)
        texts = store.query("SELECT subject FROM coded_answers WHERE episode_id = ? AND subject IS NOT NULL", [episode_id])
        _delete(db, "coded_answers WHERE episode_id = :id", episode_id)
        for row in texts:
            _erase_text(store, db, row["subject"])
        for table in ("beliefs", "answers", "scores", "problems", "looks", "snapshots", *LABELS):
            _delete(db, f"{table} WHERE episode_id = :id", episode_id)
        with _unguarded(store):
            report.events += _delete(db, "events WHERE episode_id = :id", episode_id)
        report.episodes += _delete(db, "episodes WHERE episode_id = :id", episode_id)
        unseen = (
            "frames WHERE pixel_hash = :id AND NOT EXISTS (SELECT 1 FROM steps WHERE pixel_hash = :id) "
            "AND NOT EXISTS (SELECT 1 FROM step_frames WHERE pixel_hash = :id) "
            "AND NOT EXISTS (SELECT 1 FROM frozen_views WHERE pixel_hash = :id)"
        )
        return [row["pixel_hash"] for row in shown if _delete(db, unseen, row["pixel_hash"])]


def _erase_text(store: Store, db: Any, subject: str) -> None:
    """A text that nobody else gave as an answer goes, with what was said of it; part of the caller's transaction."""
    if _delete(db, "coded_texts WHERE subject = :id AND NOT EXISTS (SELECT 1 FROM coded_answers c WHERE c.subject = :id)", subject):
        # ids of texts are like those of no other reviewed thing
        _delete(db, "review_votes WHERE review_id IN (SELECT review_id FROM reviews WHERE subject = :id)", subject)
        _delete(db, "reviews WHERE subject = :id", subject)
        _delete(db, "reviewed WHERE subject = :id", subject)


def _delete_forms(db: Any, participant_id: str) -> None:
    """What they answered in questionnaires."""
    own = "form_answers WHERE showing_id IN (SELECT showing_id FROM form_showings WHERE participant_id = :id)"
    _delete(db, own, participant_id)
    _delete(db, "form_showings WHERE participant_id = :id", participant_id)


@contextmanager
def _unguarded(store: Store, name: str = "events_no_delete") -> Iterator[None]:
    """Lift a guard inside the surrounding transaction: others cannot write before it stands again, word for word."""
    guard = store.one("SELECT sql FROM sqlite_master WHERE name = ?", [name])
    assert guard is not None
    store.db.execute(f"DROP TRIGGER {name}")
    yield
    store.db.execute(guard["sql"])


def _close(store: Store, participant_id: str) -> None:
    """Every place of theirs becomes ``withdrawn``, and is offered to others where that frees it."""
    for slot in store.query("SELECT slot_id, state FROM slots WHERE participant_id = ?", [participant_id]):
        if "withdraw" in states.SLOT[slot["state"]]:
            slots.move(store, slot["slot_id"], "withdraw")


def _delete(db: Any, what: str, key: str) -> int:
    return int(db.execute(f"DELETE FROM {what}", {"id": key}).rowcount)


def _delete_files(store: Store, frames: FrameStore, pixel_hashes: Iterable[str]) -> int:
    """Delete the files of frames that no row names; returns how many.

    Nobody can commit meanwhile, and whoever commits afterwards looks first whether the frame's file is there (`EpisodeEngine`).
    """

    def unnamed(names: Iterable[str]) -> list[Path]:
        paths = [frames.path(name) for name in names if not store.query("SELECT 1 FROM frames WHERE pixel_hash = ?", [name])]
        return [path for path in paths if path.exists()]

    count, found = 0, unnamed(pixel_hashes)
    for start in range(0, len(found), FILES_AT_ONCE):
        time.sleep(PAUSE_S)
        with store.atomic():
            # Looked up again where nobody can write: a step may have taken a frame up meanwhile.
            gone = unnamed(path.stem for path in found[start : start + FILES_AT_ONCE])
            for path in gone:
                path.unlink()
        for folder in {path.parent for path in gone}:
            _sync(folder)
        count += len(gone)
    return count


def _empty_log(store: Store) -> bool:
    """Move everything from the write-ahead log into the database, where deleted rows are zeros, and cut the log off.

    Cutting it off keeps writers out, so what can be moved without that is moved first, and readers are not waited for meanwhile.
    """
    store.query("PRAGMA wal_checkpoint(PASSIVE)")
    store.query("PRAGMA busy_timeout=20")
    try:
        for _ in range(EMPTYING_TRIES):
            row = store.query("PRAGMA wal_checkpoint(TRUNCATE)")[0]
            if not row["busy"]:
                return True
            time.sleep(0.1)
        return False
    finally:
        store.query(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
