"""Schema 8: tasks under verification.

* `verifications` are sets of tasks that people verify, each with its settings; `verification_items` are the reviewed things in them
  (`reviewed`, `reviews`, `review_votes`): tasks, hidden controls and the training batch. A task in two verifications is two things.
* `task_evidence` is what a verifier is shown after the first view, made once by a simulator; its pictures are the frozen views of the set
  ``evidence``.
* `review_drafts` holds what somebody has chosen and not yet sent. It is no vote.
* `review_votes.guide` says which version of the guide lay open when a vote was cast; `guides` keeps every version.
* `paused_people` are those who get nothing more of a verification, and whose open reviews were given back.
"""

from __future__ import annotations

from sqlite_utils import Database

VERIFICATION: tuple[str, ...] = (
    """CREATE TABLE verifications (
        verification_id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        study_id TEXT REFERENCES studies (study_id),
        document TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'closed')),
        created_at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX verifications_study ON verifications (study_id)",
    """CREATE TABLE verification_items (
        subject TEXT PRIMARY KEY,
        verification_id TEXT NOT NULL REFERENCES verifications (verification_id),
        task_hash TEXT NOT NULL REFERENCES tasks (content_hash),
        part TEXT NOT NULL CHECK (part IN ('task', 'control', 'training')),
        expected TEXT NOT NULL DEFAULT '{}',
        explains TEXT NOT NULL DEFAULT '',
        follows TEXT REFERENCES verification_items (subject),
        UNIQUE (verification_id, task_hash, part)
    ) STRICT""",
    "CREATE INDEX verification_items_task ON verification_items (task_hash, part)",
    "CREATE INDEX verification_items_follows ON verification_items (follows)",
    """CREATE TABLE task_evidence (
        task_hash TEXT PRIMARY KEY REFERENCES tasks (content_hash),
        document TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        made_at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE review_drafts (
        review_id TEXT PRIMARY KEY REFERENCES reviews (review_id),
        document TEXT NOT NULL,
        saved_at TEXT NOT NULL
    ) STRICT""",
    "ALTER TABLE review_votes ADD COLUMN guide TEXT NOT NULL DEFAULT ''",
    """CREATE TABLE guides (
        guide TEXT PRIMARY KEY,
        text TEXT NOT NULL,
        made_at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE paused_people (
        verification_id TEXT NOT NULL REFERENCES verifications (verification_id),
        staff_id TEXT NOT NULL REFERENCES staff (staff_id),
        why TEXT NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (verification_id, staff_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX paused_people_staff ON paused_people (staff_id)",
)

PARTS: tuple[tuple[str, ...], ...] = (VERIFICATION,)
"""All statements, in order."""


def apply(db: Database) -> None:
    """Add what is new."""
    for part in PARTS:
        for statement in part:
            db.execute(statement)
