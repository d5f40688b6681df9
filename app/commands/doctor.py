"""``vantage doctor``: is everything here that this program needs?"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import click

from app.address import PublicAddress
from app.commands import doctor_kept
from app.commands.checks import Check, tell
from app.commands.common import public_option
from app.commands.doctor_address import walk
from app.commands.way import PATIENCE_S
from data import disks
from data.home import Home
from data.plurals import number_of
from data.store import Store, StoreError

FREE_BYTES = 1 << 30
"""Room wanted on the data disk: a study's frames take about 0.1 MB a step."""


def _python() -> Check:
    return Check("python", sys.version_info >= (3, 11), True, sys.version.split()[0], "Use Python 3.11 or newer.")


def _renderer() -> Check:
    name = ctypes.util.find_library("OSMesa")
    for candidate in filter(None, (name, "libOSMesa.so.8", "libOSMesa.so.6")):
        try:
            ctypes.CDLL(candidate)
            return Check("libosmesa", True, True, candidate)
        except OSError:
            continue
    return Check("libosmesa", False, True, "not found", "Install the package libosmesa6 (run `make setup`).")


def _assets() -> Check:
    from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue

    catalogue = Catalogue.load()
    advice = "Run `make setup` (or `vantage assets build`); until then built-in shapes serve and fewer tasks can be played."
    found = f"{catalogue.name} {catalogue.version}" if catalogue.pack_present else "not built"
    return Check("asset pack", catalogue.pack_present, False, found, advice)


def _sqlite() -> Check:
    from sqlite_utils.utils import sqlite3

    from data.store import MINIMUM_SQLITE

    found = tuple(int(part) for part in sqlite3.sqlite_version.split("."))
    least = ".".join(map(str, MINIMUM_SQLITE))
    return Check("sqlite", found >= MINIMUM_SQLITE, True, sqlite3.sqlite_version, f"Install pysqlite3 ≥ 0.6.1 (SQLite {least} or newer).")


def _chromium() -> Check:
    path = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
    return Check("chromium", path is not None, False, path or "not found", "Only browser tests and `vantage bench loop` need it.")


def _disk(home: Home) -> Check:
    folder = home.root
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        return Check("disk", False, True, f"{folder} is a file", "Name a folder in VANTAGE_HOME.")
    if where := disks.shared(home):
        return Check("disk", False, True, where, "Name a folder on a disk of this machine in VANTAGE_HOME, and move the home there.")
    free = shutil.disk_usage(folder).free
    writable = os.access(folder, os.W_OK)
    found = f"{free / (1 << 30):.1f} GiB free at {folder}" + ("" if writable else ", not writable")
    return Check("disk", free >= FREE_BYTES and writable, True, found, "Free some space, or name another folder in VANTAGE_HOME.")


def _writing(home: Home) -> list[Check]:
    """Whether anything can be written, by writing: free room and rights do not tell of quotas, limits and locks."""
    if not home.db.exists() or not (home.frames / "tmp").is_dir():
        return []
    from data import probe

    trouble = probe.trouble(home)
    return [Check("writing", not trouble, True, trouble.replace("_", " ") or f"{home.root}: ok", probe.WORDS.get(trouble, ""))]


def _private(home: Home) -> list[Check]:
    """Whether others on this computer may read what is kept."""
    if not home.db.exists():
        return []
    files = [home.db, *(path for folder in (home.log, home.run, home.root / "exports") for path in folder.glob("*"))]
    open_to = [path for path in files if path.stat().st_mode & 0o077 and not _behind(path)]
    found = f"others may read {number_of(len(open_to), 'file')}, {open_to[0]} first" if open_to else "the owner's alone"
    return [Check("private", not open_to, False, found, f"Unless that is meant: chmod -R go-rwx {home.root} {home.db}")]


def _behind(path: Path) -> bool:
    """Whether a folder on the way keeps others out."""
    return any(not parent.stat().st_mode & 0o011 for parent in path.parents)


def _database(home: Home) -> Check:
    if not home.db.exists():
        return Check("database", True, True, f"none yet at {home.db}")
    from data import soundness

    wrong = soundness.database(home)
    return Check("database", not wrong, True, wrong or f"{home.db}: ok", "Restore a backup, or name another database with --db.")


def _kept(home: Home, everything: bool) -> list[Check]:
    """Task documents, frames and kept images, held to their hashes."""
    if not home.db.exists():
        return []
    from sqlite_utils.utils import sqlite3

    from data import soundness

    checks = []
    kept: tuple[tuple[str, str, Callable[[], soundness.Look]], ...] = (
        ("documents", "tasks and questions", lambda: soundness.documents(home)),
        ("frames", "frames", lambda: soundness.frames(home, everything=everything)),
        ("images", "images of robot episodes", lambda: soundness.originals(home, everything=everything)),
    )
    for name, what, look in kept:
        try:
            found = look()
        except sqlite3.DatabaseError:
            continue  # the check of the database has said so
        said = f"{found.looked} of {found.of} {what} looked at, {found.count} missing or changed"
        if found.damaged:
            said += ": " + ", ".join(found.damaged) + (", …" if found.count > len(found.damaged) else "")
        advice = "Restore them from a backup" + (". " if everything or found.looked == found.of else "; --all looks at every one. ")
        checks.append(Check(name, not found.count, True, said, advice + "Until then exports leave them out and say so."))
    return checks


def _erasures(home: Home) -> Check:
    from study import erasure

    if not home.db.exists() or not (home.root / erasure.LEDGER).exists():
        return Check("erasures", True, True, "none asked for")
    try:
        store = Store.reading(home)
        left, asked = erasure.remains(store), erasure.ledger(store)
    except StoreError as error:
        return Check("erasures", False, True, str(error), "Put the database or the ledger right first.")
    if left:
        advice = "Run `vantage participants erase --again`: the database was restored from a backup, or an erasure was interrupted."
        return Check(
            "erasures",
            False,
            True,
            f"the database holds data of {number_of(len(left), 'person who was', 'people who were')} erased",
            advice,
        )
    return Check("erasures", True, True, f"{len(asked)} asked for, all done")


@click.command("doctor")
@click.option("--db", type=click.Path(dir_okay=False), help="Database; default: vantage.db in VANTAGE_HOME.")
@click.option("--all", "everything", is_flag=True, help="Look at every frame and image that is kept, not at 200 of each.")
@public_option(
    "--address", "address", envvar=None, help="Instead, walk the way in to a running app as a browser does: the address people use."
)
@click.option(
    "--patience", type=click.FloatRange(1, 600), default=PATIENCE_S, show_default=True, help="Seconds a silent WebSocket must last."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
def command(db: str | None, everything: bool, address: PublicAddress | None, patience: float, as_json: bool) -> None:
    """Check this installation, or with --address the way to a running one. Exit status 0 only if everything required is there."""
    if address is not None:
        tell(list(walk(address, patience)), as_json)
    home = Home.from_env(db)
    looks: list[Callable[[], Check]] = [_python, _renderer, _assets, _sqlite, _chromium, lambda: _disk(home), lambda: _database(home)]
    looks.append(lambda: _erasures(home))
    looks += [doctor_kept.settings, lambda: doctor_kept.simulator(home), lambda: doctor_kept.backups(home)]
    checks = [look() for look in looks] + _private(home) + _writing(home) + _kept(home, everything) + doctor_kept.strays(home)
    tell(checks, as_json)
