"""Schema 3: robot episodes and moments, and the multi-view QA items made from them.

`qa_versions` and `qa_comments` only grow: an edit of an item is a new version, who/when/why stand beside it and in `events`.
`qa_items` holds where an item stands now; its document is in `qa_versions` by (item, version). `queued` is the event that last sent it
into review: reviewers get items in that order.
"""

from __future__ import annotations

from sqlite_utils import Database

_APPEND_ONLY = ("qa_versions", "qa_comments")

STATEMENTS: tuple[str, ...] = (
    """CREATE TABLE robot_sources (
        source_id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        root TEXT NOT NULL,
        licence TEXT NOT NULL DEFAULT '',
        report TEXT NOT NULL DEFAULT '{}',
        created_at TEXT NOT NULL,
        UNIQUE (kind, root)
    ) STRICT""",
    """CREATE TABLE robot_episodes (
        episode_id TEXT PRIMARY KEY,
        source_id TEXT NOT NULL REFERENCES robot_sources (source_id),
        key TEXT NOT NULL,
        arm TEXT NOT NULL,
        task TEXT NOT NULL DEFAULT '',
        frames INTEGER NOT NULL,
        fps REAL,
        document TEXT NOT NULL DEFAULT '{}',
        created_at TEXT NOT NULL,
        UNIQUE (source_id, key)
    ) STRICT""",
    """CREATE TABLE qa_projects (
        project_id TEXT PRIMARY KEY,
        study_id TEXT REFERENCES studies (study_id),
        name TEXT NOT NULL,
        state TEXT NOT NULL,
        document TEXT NOT NULL,
        created_at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE moments (
        moment_id TEXT PRIMARY KEY,
        project_id TEXT REFERENCES qa_projects (project_id),
        episode_id TEXT NOT NULL REFERENCES robot_episodes (episode_id),
        frame_index INTEGER NOT NULL,
        timestamp_s REAL,
        state TEXT NOT NULL,
        reason TEXT NOT NULL DEFAULT '',
        document TEXT NOT NULL DEFAULT '{}',
        decided_by TEXT NOT NULL DEFAULT '',
        decided_at TEXT,
        created_at TEXT NOT NULL
    ) STRICT""",
    "CREATE UNIQUE INDEX moments_place ON moments (coalesce(project_id, ''), episode_id, frame_index)",
    "CREATE INDEX moments_state ON moments (project_id, state)",
    """CREATE TABLE qa_items (
        item_id TEXT PRIMARY KEY,
        project_id TEXT NOT NULL REFERENCES qa_projects (project_id),
        number INTEGER NOT NULL,
        subtask TEXT NOT NULL,
        cell TEXT NOT NULL DEFAULT '',
        arm TEXT NOT NULL,
        source TEXT NOT NULL,
        state TEXT NOT NULL,
        version INTEGER NOT NULL,
        round INTEGER NOT NULL DEFAULT 0,
        queued INTEGER NOT NULL DEFAULT 0,
        trial INTEGER NOT NULL DEFAULT 0,
        origin TEXT NOT NULL DEFAULT 'authored',
        author TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        UNIQUE (project_id, subtask, number)
    ) STRICT""",
    "CREATE INDEX qa_items_state ON qa_items (project_id, state, subtask)",
    "CREATE INDEX qa_items_author ON qa_items (author, project_id)",
    """CREATE TABLE qa_versions (
        item_id TEXT NOT NULL REFERENCES qa_items (item_id),
        version INTEGER NOT NULL,
        content_hash TEXT NOT NULL,
        document TEXT NOT NULL,
        kind TEXT NOT NULL,
        why TEXT NOT NULL DEFAULT '',
        editor TEXT NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (item_id, version)
    ) STRICT""",
    """CREATE TABLE qa_reviews (
        review_id TEXT PRIMARY KEY,
        item_id TEXT NOT NULL REFERENCES qa_items (item_id),
        version INTEGER NOT NULL,
        round INTEGER NOT NULL,
        reviewer TEXT NOT NULL,
        state TEXT NOT NULL,
        answer TEXT,
        confidence INTEGER,
        reasons TEXT NOT NULL DEFAULT '[]',
        comment TEXT NOT NULL DEFAULT '',
        assigned_at TEXT NOT NULL,
        answered_at TEXT,
        decided_at TEXT
    ) STRICT""",
    "CREATE UNIQUE INDEX qa_reviews_once ON qa_reviews (item_id, round, reviewer) WHERE state <> 'void'",
    "CREATE INDEX qa_reviews_item ON qa_reviews (item_id, round, state)",
    "CREATE INDEX qa_reviews_person ON qa_reviews (reviewer, state)",
    """CREATE TABLE qa_comments (
        comment_id TEXT PRIMARY KEY,
        item_id TEXT NOT NULL REFERENCES qa_items (item_id),
        version INTEGER NOT NULL,
        author TEXT NOT NULL,
        text TEXT NOT NULL,
        at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX qa_comments_item ON qa_comments (item_id, at)",
    """CREATE TABLE qa_results (
        result_id TEXT PRIMARY KEY,
        project_id TEXT NOT NULL REFERENCES qa_projects (project_id),
        run TEXT NOT NULL,
        model TEXT NOT NULL,
        item_id TEXT NOT NULL,
        content_hash TEXT NOT NULL,
        subtask TEXT NOT NULL,
        variant TEXT NOT NULL DEFAULT '',
        answer TEXT,
        gold TEXT NOT NULL,
        raw TEXT NOT NULL DEFAULT '',
        file TEXT NOT NULL DEFAULT '',
        imported_at TEXT NOT NULL,
        UNIQUE (project_id, run, item_id)
    ) STRICT""",
    """CREATE TABLE qa_codes (
        result_id TEXT NOT NULL REFERENCES qa_results (result_id),
        coder TEXT NOT NULL,
        code TEXT NOT NULL,
        note TEXT NOT NULL DEFAULT '',
        at TEXT NOT NULL,
        PRIMARY KEY (result_id, coder)
    ) STRICT""",
)


def apply(db: Database) -> None:
    """Add the tables of robot episodes and of QA items."""
    for statement in STATEMENTS:
        db.execute(statement)
    for table in _APPEND_ONLY:
        for verb in ("UPDATE", "DELETE"):
            db.execute(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} only grow: write a new one instead'); END"
            )
