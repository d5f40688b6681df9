"""Every table of the store, as numbered steps. A released step never changes; a new need is a new step."""

from __future__ import annotations

from sqlite_utils import Migrations

from data.migrations import v0001, v0002, v0003, v0004, v0005, v0006, v0007, v0008

MIGRATIONS = Migrations("vantage")
MIGRATIONS(name="0001")(v0001.apply)
MIGRATIONS(name="0002")(v0002.apply)
MIGRATIONS(name="0003")(v0003.apply)
MIGRATIONS(name="0004")(v0004.apply)
MIGRATIONS(name="0005")(v0005.apply)
MIGRATIONS(name="0006")(v0006.apply)
MIGRATIONS(name="0007")(v0007.apply)
MIGRATIONS(name="0008")(v0008.apply)

NAMES: tuple[str, ...] = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008")
"""Names of all steps known to this version, oldest first."""
