"""``vantage doctor``: is everything here that this program needs?"""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass

import click

from data.home import Home
from data.store import Store, StoreError

FREE_BYTES = 1 << 30
"""Room wanted on the data disk: a study's frames take about 0.1 MB a step."""


@dataclass(frozen=True)
class Check:
    """One thing looked at."""

    name: str
    ok: bool
    required: bool
    found: str
    advice: str = ""


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
    from sim_bridge.backends.mujoco.catalogue import Catalogue

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
    free = shutil.disk_usage(folder).free
    writable = os.access(folder, os.W_OK)
    found = f"{free / (1 << 30):.1f} GiB free at {folder}" + ("" if writable else ", not writable")
    return Check("disk", free >= FREE_BYTES and writable, True, found, "Free some space, or name another folder in VANTAGE_HOME.")


def _database(home: Home) -> Check:
    if not home.db.exists():
        return Check("database", True, True, f"none yet at {home.db}")
    from sqlite_utils.utils import sqlite3

    try:
        connection = sqlite3.connect(f"{home.db.as_uri()}?mode=ro", uri=True, timeout=5)
        try:
            result = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
            broken = connection.execute("PRAGMA foreign_key_check").fetchone()
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        return Check("database", False, True, f"{home.db}: {error}", "Restore a backup, or name another database with --db.")
    good = result == ["ok"] and broken is None
    found = f"{home.db}: {'ok' if good else '; '.join(result) if result != ['ok'] else 'rows that point nowhere'}"
    return Check("database", good, True, found, "Restore a backup.")


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
        return Check("erasures", False, True, f"the database holds data of {len(left)} people who were erased", advice)
    return Check("erasures", True, True, f"{len(asked)} asked for, all done")


@click.command("doctor")
@click.option("--db", type=click.Path(dir_okay=False), help="Database; default: vantage.db in VANTAGE_HOME.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
def command(db: str | None, as_json: bool) -> None:
    """Check this installation. Exit status 0 only if everything required is there."""
    home = Home.from_env(db)
    looks: list[Callable[[], Check]] = [_python, _renderer, _assets, _sqlite, _chromium, lambda: _disk(home), lambda: _database(home)]
    looks.append(lambda: _erasures(home))
    checks = [look() for look in looks]
    good = all(check.ok for check in checks if check.required)
    if as_json:
        click.echo(json.dumps({"ok": good, "checks": [asdict(check) for check in checks]}))
    else:
        for check in checks:
            mark = "ok     " if check.ok else "MISSING" if check.required else "absent "
            click.echo(f"{mark} {check.name:<11} {check.found}" + ("" if check.ok else f"\n        {check.advice}"))
    sys.exit(0 if good else 1)
