"""Schema 5: a link of staff is one person's, a browser's access as staff ends when nobody uses it, and pictures that would give an item's
answer away are found by their hash.

* `invites.staff_id` is who came in by the link. A link by which several people had come in before keeps none: they go on in their
  browsers, and it lets no other browser in.
* `invites.kiosk` says that a participants' link is for a computer that several people use one after the other, and
  `participants.shared_computer` that somebody came at such a one.
* `sessions.seen_at` is the last sign of life of the person; `sessions.staff_until` is when their access as staff ends without another.
* `qa_pictures` says which items have which pictures, in any version: ``shown`` (a view of an item whose views all are shown), ``kept`` (a
  view of an item whose options are pictures) or ``option``. A trigger keeps it, as an index is kept.
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
    "ALTER TABLE invites ADD COLUMN kiosk INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE participants ADD COLUMN shared_computer INTEGER NOT NULL DEFAULT 0",
    # nobody is thrown out by the change itself
    "UPDATE sessions SET staff_until = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+12 hours')",
)

# a document of before may lack either field
_PART = "CASE WHEN coalesce(json_extract({0}document, '$.option_images'), '{{}}') = '{{}}' THEN 'shown' ELSE 'kept' END"
_PICTURES = (
    f"INSERT OR IGNORE INTO qa_pictures SELECT json_extract(j.value, '$.image'), {{0}}item_id, {_PART} "
    "FROM {1}json_each({0}document, '$.views') j WHERE json_extract(j.value, '$.image') IS NOT NULL",
    "INSERT OR IGNORE INTO qa_pictures SELECT json_extract(j.value, '$.image'), {0}item_id, 'option' "
    "FROM {1}json_each({0}document, '$.option_images') j WHERE json_extract(j.value, '$.image') IS NOT NULL",
)
PICTURES: tuple[str, ...] = (
    """CREATE TABLE qa_pictures (
        image TEXT NOT NULL,
        item_id TEXT NOT NULL,
        part TEXT NOT NULL,
        PRIMARY KEY (image, item_id, part)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX qa_pictures_item ON qa_pictures (item_id, part, image)",
    *(statement.format("v.", "qa_versions v, ") for statement in _PICTURES),
    "CREATE TRIGGER qa_pictures_insert AFTER INSERT ON qa_versions BEGIN "
    + "; ".join(statement.format("NEW.", "") for statement in _PICTURES)
    + "; END",
)


def apply(db: Database) -> None:
    """Add what is new, and fill it for what is there."""
    for statement in (*STATEMENTS, *PICTURES):
        db.execute(statement)
