"""Schema 6: how each action was given, and the browser's clock at every answer.

* `steps.input` is what an action was given with (``key``, ``button``, ``pointer``, ``touch``, ``agent``), and `steps.queued_ms` how long a
  press waited behind the step before it. Both are empty for steps of before.
* `beliefs.client_time_ms` and `answers.client_time_ms` are the browser's clock when it was thought, and when it was submitted.
* `steps.boxes` is where each object's visible pixels lie in the observation, JSON; empty for steps of before.
* `episodes.hands` is what the simulator said of what a hand can do in the scene, JSON; NULL where it said nothing, and before.
* `qa_items.moment` is the moment that an item asks about, so that how often a moment was used is read from an index. A trigger keeps it.
* `qa_comments.view`, `mark`, `x` and `y` say which mark, or which point of a view (original pixels), a comment is about; NULL where it is
  about the whole item, and before.
* `reviews.skipped` is why its reviewer could not judge the thing; NULL: they could, or did not finish. `qa_reviews` shows it.
"""

from __future__ import annotations

from sqlite_utils import Database

STATEMENTS: tuple[str, ...] = (
    "ALTER TABLE steps ADD COLUMN input TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE steps ADD COLUMN queued_ms REAL",
    "ALTER TABLE beliefs ADD COLUMN client_time_ms REAL",
    "ALTER TABLE answers ADD COLUMN client_time_ms REAL",
    "ALTER TABLE steps ADD COLUMN boxes TEXT NOT NULL DEFAULT '{}'",
    "ALTER TABLE episodes ADD COLUMN hands TEXT",
)

QA: tuple[str, ...] = (
    "ALTER TABLE qa_items ADD COLUMN moment TEXT NOT NULL DEFAULT ''",
    "UPDATE qa_items SET moment = coalesce((SELECT json_extract(v.document, '$.moment') FROM qa_versions v "
    "WHERE v.item_id = qa_items.item_id AND v.version = qa_items.version), '')",
    "CREATE INDEX qa_items_moment ON qa_items (project_id, moment, state)",
    "CREATE TRIGGER qa_items_moment_of AFTER INSERT ON qa_versions BEGIN UPDATE qa_items "
    "SET moment = coalesce(json_extract(NEW.document, '$.moment'), '') WHERE item_id = NEW.item_id; END",
    "ALTER TABLE qa_comments ADD COLUMN view TEXT",
    "ALTER TABLE qa_comments ADD COLUMN mark TEXT",
    "ALTER TABLE qa_comments ADD COLUMN x REAL",
    "ALTER TABLE qa_comments ADD COLUMN y REAL",
    "ALTER TABLE reviews ADD COLUMN skipped TEXT",
    "DROP VIEW qa_reviews",
    """CREATE VIEW qa_reviews AS
        SELECT r.review_id, r.subject AS item_id, r.version, r.round, r.slot, r.reviewer, r.state,
            a.vote AS answer, a.confidence, coalesce(v.reasons, '[]') AS reasons, coalesce(v.comment, '') AS comment,
            r.assigned_at, a.at AS answered_at, r.decided_at, r.skipped, r.rowid AS seq
        FROM reviews r
        LEFT JOIN review_votes a ON a.review_id = r.review_id AND a.axis = 'answer'
        LEFT JOIN review_votes v ON v.review_id = r.review_id AND v.axis = 'verdict'
        WHERE r.kind = 'robot_question'""",
)
"""The QA studio."""


def apply(db: Database) -> None:
    """Add what is new."""
    for statement in (*STATEMENTS, *QA):
        db.execute(statement)
