"""Schema 2: an episode remembers which of its task's actions were offered."""

from __future__ import annotations

from sqlite_utils import Database


def apply(db: Database) -> None:
    """Add `episodes.actions`: JSON list of the actions offered, fixed with the first view; empty in schema 1: all of the task's."""
    db.execute("ALTER TABLE episodes ADD COLUMN actions TEXT NOT NULL DEFAULT ''")
