"""Schema 8: tasks under verification.

* `verifications` are sets of tasks that people verify, each with its settings; `verification_items` are the reviewed things in them
  (`reviewed`, `reviews`, `review_votes`): tasks, hidden controls and the training batch. A task in two verifications is two things.
* `task_evidence` is what a verifier is shown after the first view, made once by a simulator; its pictures are the frozen views of the set
  ``evidence``.
* `review_drafts` holds what somebody has chosen and not yet sent. It is no vote.
* `review_votes.guide` says which version of the guide lay open when a vote was cast; `guides` keeps every version.
* `strategies`, `strategy_members`, `view_labels`, `failure_codes` and `failure_labels` are what coders say of trajectories
  (`study.labels`); what somebody said before is in the events.
* `task_drafts` are the tasks that people are making, as they stand; `task_hash` names what was played or handed in last.
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

LABELS: tuple[str, ...] = (
    # one partition per coder of the successful trajectories of a subcategory
    """CREATE TABLE strategies (
        strategy_id TEXT PRIMARY KEY,
        study_id TEXT NOT NULL REFERENCES studies (study_id),
        category TEXT NOT NULL,
        subcategory TEXT NOT NULL,
        coder TEXT NOT NULL,
        name TEXT NOT NULL,
        about TEXT NOT NULL DEFAULT '',
        made_at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX strategies_of ON strategies (study_id, category, subcategory, coder)",
    """CREATE TABLE strategy_members (
        episode_id TEXT NOT NULL REFERENCES episodes (episode_id),
        coder TEXT NOT NULL,
        strategy_id TEXT NOT NULL REFERENCES strategies (strategy_id),
        at TEXT NOT NULL,
        PRIMARY KEY (episode_id, coder)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX strategy_members_of ON strategy_members (strategy_id)",
    """CREATE TABLE view_labels (
        episode_id TEXT NOT NULL REFERENCES episodes (episode_id),
        coder TEXT NOT NULL,
        seq INTEGER NOT NULL,
        label TEXT NOT NULL,
        belief TEXT NOT NULL DEFAULT '',
        at TEXT NOT NULL,
        PRIMARY KEY (episode_id, coder, seq)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE failure_codes (
        code TEXT PRIMARY KEY,
        label TEXT NOT NULL,
        about TEXT NOT NULL,
        source TEXT NOT NULL DEFAULT '',
        retired_at TEXT
    ) STRICT""",
    """CREATE TABLE failure_labels (
        episode_id TEXT NOT NULL REFERENCES episodes (episode_id),
        coder TEXT NOT NULL,
        code TEXT NOT NULL REFERENCES failure_codes (code),
        note TEXT NOT NULL DEFAULT '',
        at TEXT NOT NULL,
        PRIMARY KEY (episode_id, coder, code)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX failure_labels_code ON failure_labels (code)",
)
"""What coders say of trajectories."""

VERSIONS_OF_TASKS: tuple[str, ...] = (
    # whether a task under verification has a new version is asked with every vote
    "CREATE INDEX tasks_supersedes ON tasks (supersedes) WHERE supersedes IS NOT NULL",
)

AUTHORING: tuple[str, ...] = (
    """CREATE TABLE task_drafts (
        draft_id TEXT PRIMARY KEY,
        staff_id TEXT NOT NULL REFERENCES staff (staff_id),
        name TEXT NOT NULL,
        family TEXT NOT NULL,
        twin TEXT REFERENCES task_drafts (draft_id),
        rev INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'handed_in', 'dropped')),
        document TEXT NOT NULL,
        episode_id TEXT REFERENCES episodes (episode_id),
        task_hash TEXT REFERENCES tasks (content_hash),
        made_at TEXT NOT NULL,
        saved_at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX task_drafts_staff ON task_drafts (staff_id, state)",
    "CREATE INDEX task_drafts_twin ON task_drafts (twin)",
    "CREATE INDEX task_drafts_episode ON task_drafts (episode_id)",
    "CREATE INDEX task_drafts_task ON task_drafts (task_hash)",
)

AUDITS: tuple[str, ...] = (
    """CREATE TABLE audits (
        audit_id TEXT PRIMARY KEY,
        scope TEXT NOT NULL CHECK (scope IN ('study', 'project', 'dataset')),
        of TEXT NOT NULL,
        summary TEXT NOT NULL,
        at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX audits_of ON audits (scope, of, at)",
    """CREATE TABLE audit_findings (
        audit_id TEXT NOT NULL REFERENCES audits (audit_id),
        n INTEGER NOT NULL,
        check_id TEXT NOT NULL,
        severity TEXT NOT NULL,
        row_id TEXT NOT NULL,
        task_hash TEXT NOT NULL DEFAULT '',
        evidence TEXT NOT NULL,
        PRIMARY KEY (audit_id, n)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX audit_findings_task ON audit_findings (task_hash)",
)
"""What audits of tasks in the database found: every audit stays, the newest of its scope is read."""

CONTESTED: tuple[str, ...] = (
    # kept although most would not have kept it: such decisions are few, and are listed
    "CREATE INDEX events_contested ON events (subject, seq) WHERE kind = 'proposed_task_moved' AND data ->> '$.contested' = 1",
)

PARTS: tuple[tuple[str, ...], ...] = (CONTESTED, VERIFICATION, LABELS, VERSIONS_OF_TASKS, AUTHORING, AUDITS)
"""All statements, in order."""


def apply(db: Database) -> None:
    """Add what is new."""
    for part in PARTS:
        for statement in part:
            db.execute(statement)
