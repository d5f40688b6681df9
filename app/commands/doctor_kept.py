"""What `vantage doctor` says of backups, of files that nothing names, of this machine's simulator and of settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from sqlite_utils.utils import sqlite3

from app.commands.checks import Check
from data import soundness
from data.abilities import EMBEDDED, BackendUnavailable, fingerprint_of
from data.backup.manifest import ABOUT, LEDGER_HERE
from data.home import Home
from data.plurals import number_of
from study import taken_back
from study.replay import renderer_of
from study.simulators import fingerprint_text

OLD_DAYS = 8
"""A newest backup of more days is told: a week, and a night that was missed."""
SETTINGS: Mapping[str, str] = {
    "VANTAGE_HOME": "folder of data",
    "VANTAGE_PUBLIC_URL": "address under which people reach the app",
    "VANTAGE_TRUSTED_PROXY": "proxy whose words about visitors are believed",
    "VANTAGE_WORKER_TOKEN": "token of workers elsewhere",
    "VANTAGE_TRIAGE_KEY": "key of a model that looks at moments",
    "VANTAGE_ENDPOINT_KEY": "key of a model's endpoint",
    "VANTAGE_DEBUG": "tracebacks on the terminal",
    "VANTAGE_JOB": "set by the app for what it starts",
    "VANTAGE_CACHE": "folder of what set-up fetches",
    "VANTAGE_CI": "set where every change is tested: what cannot be checked has failed",
}
"""Environment variables that this program reads."""
SECRET = ("TOKEN", "KEY")
"""What the names of those end with whose values are not shown."""


def backups(home: Home) -> Check:
    """How old the newest backup is, whether it lies there yet, and whether its folder hears of whoever takes their data back."""
    if not home.db.exists():
        return Check("backup", True, False, "nothing to back up yet")
    taken = taken_back.places(home)
    how = "Run `vantage backup FOLDER`, best every night: docs, Keep a study safe."
    if not taken:
        return Check("backup", False, False, "none was ever taken", how)
    newest = taken[-1]
    days = (datetime.now(UTC) - datetime.fromisoformat(newest.at)).total_seconds() / 86_400
    age = f"{number_of(round(days), 'day')}" if days >= 2 else f"{number_of(round(days * 24), 'hour')}"
    found = f"the newest is {age} old, verified when it was written: {newest.path}"
    path = Path(newest.path)
    if not (path / ABOUT).is_file():
        return Check("backup", False, False, f"{found}, where there is none now", f"Mount its disk, or take another. {how}")
    if not (path.parent / LEDGER_HERE).is_file():
        return Check("backup", False, False, f"{found}; its folder has no {LEDGER_HERE}", f"Take another, which puts it there. {how}")
    return Check("backup", days <= OLD_DAYS, False, found, how)


def strays(home: Home) -> list[Check]:
    """Frame files that no row names, recordings that a task names and that are not here, and what restores have left."""
    if not home.db.exists():
        return []
    checks = []
    try:
        found, size = soundness.strays(home)
        said = f"{found.count} of {found.of} frame files are named by no row" + (f" ({size / 2**20:,.1f} MB)" if found.count else "")
        advice = "`vantage participants erase --again` deletes them: they came from steps that were never kept, or an interrupted erasure."
        checks.append(Check("strays", not found.count, False, said, advice))
        lost = soundness.recordings(home)
        said = f"{lost.of} named by tasks, {lost.count} missing" + (f": {', '.join(lost.damaged)}" if lost.count else "")
        checks.append(Check("recordings", not lost.count, True, said, "Restore them from a backup, or run `vantage tasks recorded` again."))
    except sqlite3.DatabaseError:
        return []  # the check of the database has said so
    if left := sorted(path.name for path in home.root.glob("before-restore-*")):
        said = f"{number_of(len(left), 'folder')} of data that a restore replaced: {', '.join(left[:3])}"
        checks.append(Check("replaced", False, False, said, "Delete them when the restored home is well: they hold who was erased since."))
    return checks


def simulator(home: Home) -> Check:
    """What renders here, and whether episodes that go on were begun with another renderer."""
    try:
        here = fingerprint_of(EMBEDDED)
    except BackendUnavailable as error:
        return Check("simulator", False, True, str(error), "Put right what it says; workers elsewhere (--worker-address) go on without it.")
    found = renderer_of(here)
    if not home.db.exists():
        return Check("simulator", True, True, found)
    try:
        others, going = soundness.fingerprints(home, EMBEDDED, fingerprint_text(here))
    except sqlite3.DatabaseError:
        return Check("simulator", True, True, found)
    found += f"; {others} recorded episodes are of another, {going} of them go on"
    advice = (
        "Those resume, and are flagged where a picture differs. Keep one installation for one study; `vantage replay` compares the rest."
    )
    return Check("simulator", not going, False, found, advice)


def settings(environ: Mapping[str, str] | None = None) -> Check:
    """Which settings the environment makes, and whether a name is misspelt."""
    given = {name: value for name, value in (os.environ if environ is None else environ).items() if name.startswith("VANTAGE_")}
    shown = [f"{name}={'…' if name.endswith(SECRET) else value}" for name, value in sorted(given.items()) if name in SETTINGS]
    if unknown := sorted(set(given) - set(SETTINGS)):
        advice = f"Unset or correct it; there are {', '.join(sorted(SETTINGS))}."
        return Check("settings", False, False, f"{', '.join(unknown)}: no setting of this version", advice)
    return Check("settings", True, False, " ".join(shown) or "none in the environment")
