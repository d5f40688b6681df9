"""Schema 5: a link of staff is one person's, and a browser's access as staff ends when nobody uses it.

* `invites.staff_id` is who came in by the link. A link by which several people had come in before keeps none: they go on in their
  browsers, and it lets no other browser in.
* `sessions.seen_at` is the last sign of life of the person; `sessions.staff_until` is when their access as staff ends without another.
"""

from __future__ import annotations

from sqlite_utils import Database

STATEMENTS: tuple[str, ...] = (
    "ALTER TABLE invites ADD COLUMN staff_id TEXT REFERENCES staff (staff_id)",
    "CREATE INDEX invites_staff ON invites (staff_id)",
    """UPDATE invites SET staff_id = (SELECT min(g.staff_id) FROM grants g WHERE g.invite_id = invites.invite_id)
        WHERE role <> 'participant' AND (SELECT count(DISTINCT g.staff_id) FROM grants g WHERE g.invite_id = invites.invite_id) = 1""",
    "ALTER TABLE sessions ADD COLUMN seen_at TEXT",
    "ALTER TABLE sessions ADD COLUMN staff_until TEXT",
    # nobody is thrown out by the change itself
    "UPDATE sessions SET staff_until = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+12 hours')",
)


def apply(db: Database) -> None:
    """Add what is new, and fill it for what is there."""
    for statement in STATEMENTS:
        db.execute(statement)
