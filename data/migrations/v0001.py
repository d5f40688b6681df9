"""Schema 1: tasks, studies, people, access, slots, episodes and what happened in them.

Conventions: STRICT tables; times are ISO-8601 UTC text with milliseconds; JSON is TEXT; 0/1 are booleans.
`events` is the record and only grows; the other tables of an episode are derived from it and carry `event_seq`,
the server's monotonic sequence number. Tokens and cookies are kept as SHA-256 only. Recruitment ids live in their own table.
"""

from __future__ import annotations

from sqlite_utils import Database

_APPEND_ONLY = ("events", "tasks")

STATEMENTS: tuple[str, ...] = (
    """CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        kind TEXT NOT NULL,
        actor TEXT NOT NULL DEFAULT '',
        study_id TEXT,
        participant_id TEXT,
        episode_id TEXT,
        data TEXT NOT NULL DEFAULT '{}'
    ) STRICT""",
    "CREATE INDEX events_episode ON events (episode_id, seq)",
    "CREATE INDEX events_kind ON events (kind, seq)",
    """CREATE TABLE tasks (
        content_hash TEXT PRIMARY KEY,
        task_id TEXT NOT NULL,
        version INTEGER NOT NULL,
        dedup_key TEXT NOT NULL UNIQUE,
        dataset TEXT NOT NULL,
        category TEXT NOT NULL,
        subcategory TEXT NOT NULL,
        twin TEXT,
        supersedes TEXT,
        document TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (task_id, version)
    ) STRICT""",
    "CREATE INDEX tasks_kind ON tasks (dataset, category, subcategory, task_id)",
    """CREATE TABLE task_aliases (
        task_id TEXT PRIMARY KEY,
        content_hash TEXT NOT NULL REFERENCES tasks (content_hash)
    ) STRICT""",
    """CREATE TABLE import_rejections (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        file TEXT NOT NULL,
        field TEXT NOT NULL,
        reason TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE studies (
        study_id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        state TEXT NOT NULL,
        document TEXT NOT NULL,
        created_at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE participants (
        participant_id TEXT PRIMARY KEY,
        study_id TEXT NOT NULL REFERENCES studies (study_id),
        number INTEGER NOT NULL,
        state TEXT NOT NULL,
        consent_version TEXT,
        consented_at TEXT,
        created_at TEXT NOT NULL,
        finished_at TEXT,
        UNIQUE (study_id, number)
    ) STRICT""",
    """CREATE TABLE recruitment (
        participant_id TEXT PRIMARY KEY REFERENCES participants (participant_id),
        study_id TEXT NOT NULL REFERENCES studies (study_id),
        source TEXT NOT NULL,
        external_id TEXT NOT NULL,
        external_study TEXT NOT NULL DEFAULT '',
        external_session TEXT NOT NULL DEFAULT '',
        created_at TEXT NOT NULL,
        UNIQUE (study_id, source, external_id)
    ) STRICT""",
    """CREATE TABLE staff (
        staff_id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        created_at TEXT NOT NULL,
        revoked_at TEXT
    ) STRICT""",
    """CREATE TABLE roles (
        staff_id TEXT NOT NULL REFERENCES staff (staff_id),
        study_id TEXT NOT NULL DEFAULT '*',
        role TEXT NOT NULL,
        granted_at TEXT NOT NULL,
        revoked_at TEXT,
        PRIMARY KEY (staff_id, study_id, role)
    ) STRICT""",
    """CREATE TABLE invites (
        invite_id TEXT PRIMARY KEY,
        token_hash TEXT NOT NULL UNIQUE,
        role TEXT NOT NULL,
        study_id TEXT NOT NULL,
        label TEXT NOT NULL DEFAULT '',
        uses_left INTEGER,
        created_at TEXT NOT NULL,
        expires_at TEXT,
        revoked_at TEXT
    ) STRICT""",
    """CREATE TABLE sessions (
        session_id TEXT PRIMARY KEY,
        cookie_hash TEXT NOT NULL UNIQUE,
        created_at TEXT NOT NULL,
        expires_at TEXT NOT NULL,
        revoked_at TEXT
    ) STRICT""",
    """CREATE TABLE grants (
        grant_id TEXT PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions (session_id),
        role TEXT NOT NULL,
        study_id TEXT NOT NULL,
        participant_id TEXT REFERENCES participants (participant_id),
        staff_id TEXT REFERENCES staff (staff_id),
        invite_id TEXT REFERENCES invites (invite_id),
        created_at TEXT NOT NULL,
        revoked_at TEXT
    ) STRICT""",
    "CREATE INDEX grants_session ON grants (session_id)",
    """CREATE TABLE agent_keys (
        key_id TEXT PRIMARY KEY,
        token_hash TEXT NOT NULL UNIQUE,
        study_id TEXT NOT NULL,
        name TEXT NOT NULL,
        created_at TEXT NOT NULL,
        revoked_at TEXT
    ) STRICT""",
    """CREATE TABLE slots (
        slot_id TEXT PRIMARY KEY,
        study_id TEXT NOT NULL REFERENCES studies (study_id),
        task_hash TEXT NOT NULL REFERENCES tasks (content_hash),
        paradigm TEXT NOT NULL,
        practice INTEGER NOT NULL DEFAULT 0,
        state TEXT NOT NULL,
        participant_id TEXT REFERENCES participants (participant_id),
        trial_index INTEGER,
        replaces TEXT REFERENCES slots (slot_id),
        created_at TEXT NOT NULL,
        assigned_at TEXT,
        closed_at TEXT
    ) STRICT""",
    "CREATE INDEX slots_free ON slots (study_id, state, task_hash)",
    "CREATE INDEX slots_person ON slots (participant_id, trial_index)",
    """CREATE TABLE episodes (
        episode_id TEXT PRIMARY KEY,
        task_hash TEXT NOT NULL REFERENCES tasks (content_hash),
        study_id TEXT REFERENCES studies (study_id),
        participant_id TEXT REFERENCES participants (participant_id),
        slot_id TEXT REFERENCES slots (slot_id),
        agent_kind TEXT NOT NULL,
        agent_name TEXT NOT NULL DEFAULT '',
        paradigm TEXT NOT NULL,
        protocol TEXT NOT NULL,
        seed INTEGER NOT NULL,
        option_order TEXT NOT NULL,
        trial_index INTEGER,
        state TEXT NOT NULL,
        epoch INTEGER NOT NULL DEFAULT 0,
        tab TEXT NOT NULL DEFAULT '',
        last_seq INTEGER NOT NULL DEFAULT -1,
        phase TEXT NOT NULL DEFAULT '',
        backend TEXT NOT NULL DEFAULT '',
        deterministic INTEGER,
        fingerprint TEXT NOT NULL DEFAULT '{}',
        flags TEXT NOT NULL DEFAULT '[]',
        created_at TEXT NOT NULL,
        started_at TEXT,
        finished_at TEXT
    ) STRICT""",
    "CREATE INDEX episodes_slot ON episodes (slot_id)",
    "CREATE INDEX episodes_person ON episodes (participant_id)",
    """CREATE TABLE frames (
        pixel_hash TEXT PRIMARY KEY,
        file_hash TEXT NOT NULL,
        media_type TEXT NOT NULL,
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        created_at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE steps (
        episode_id TEXT NOT NULL REFERENCES episodes (episode_id),
        seq INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        event_seq INTEGER NOT NULL REFERENCES events (seq),
        kind TEXT NOT NULL,
        action TEXT NOT NULL,
        sim_action TEXT NOT NULL,
        ok INTEGER NOT NULL,
        reason TEXT NOT NULL,
        pose_before TEXT NOT NULL,
        pose_after TEXT NOT NULL,
        pixel_hash TEXT NOT NULL REFERENCES frames (pixel_hash),
        more_frames TEXT NOT NULL DEFAULT '[]',
        visible TEXT NOT NULL DEFAULT '{}',
        clipped INTEGER NOT NULL,
        phase TEXT NOT NULL,
        client_time_ms REAL,
        painted_ms REAL,
        timing_ms TEXT NOT NULL DEFAULT '{}',
        server_time TEXT NOT NULL,
        PRIMARY KEY (episode_id, seq)
    ) STRICT""",
    """CREATE TABLE snapshots (
        episode_id TEXT PRIMARY KEY REFERENCES episodes (episode_id),
        seq INTEGER NOT NULL,
        fingerprint TEXT NOT NULL,
        data BLOB NOT NULL
    ) STRICT""",
    """CREATE TABLE beliefs (
        episode_id TEXT NOT NULL REFERENCES episodes (episode_id),
        epoch INTEGER NOT NULL,
        n INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        event_seq INTEGER NOT NULL REFERENCES events (seq),
        raw TEXT NOT NULL,
        answer TEXT,
        confidence INTEGER,
        server_time TEXT NOT NULL,
        PRIMARY KEY (episode_id, epoch, n)
    ) STRICT""",
    """CREATE TABLE answers (
        episode_id TEXT PRIMARY KEY REFERENCES episodes (episode_id),
        epoch INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        event_seq INTEGER NOT NULL REFERENCES events (seq),
        raw TEXT NOT NULL,
        answer TEXT,
        confidence INTEGER,
        reasoning TEXT NOT NULL DEFAULT '',
        stopped_by TEXT NOT NULL,
        server_time TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE scores (
        episode_id TEXT NOT NULL REFERENCES episodes (episode_id),
        task_hash TEXT NOT NULL REFERENCES tasks (content_hash),
        scorer TEXT NOT NULL,
        answered INTEGER NOT NULL,
        correct_strict INTEGER NOT NULL,
        correct_lenient INTEGER NOT NULL,
        chance REAL NOT NULL,
        details TEXT NOT NULL DEFAULT '{}',
        computed_at TEXT NOT NULL,
        PRIMARY KEY (episode_id, task_hash)
    ) STRICT""",
    """CREATE TABLE problems (
        problem_id TEXT PRIMARY KEY,
        episode_id TEXT NOT NULL REFERENCES episodes (episode_id),
        seq INTEGER NOT NULL,
        event_seq INTEGER NOT NULL REFERENCES events (seq),
        text TEXT NOT NULL,
        server_time TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE jobs (
        job_id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        argv TEXT NOT NULL,
        owner TEXT NOT NULL DEFAULT '',
        state TEXT NOT NULL,
        done INTEGER NOT NULL DEFAULT 0,
        total INTEGER NOT NULL DEFAULT 0,
        message TEXT NOT NULL DEFAULT '',
        result TEXT NOT NULL DEFAULT '{}',
        pid INTEGER,
        created_at TEXT NOT NULL,
        started_at TEXT,
        finished_at TEXT
    ) STRICT""",
)


def apply(db: Database) -> None:
    """Create schema 1."""
    for statement in STATEMENTS:
        db.execute(statement)
    for table in _APPEND_ONLY:
        for verb in ("UPDATE", "DELETE"):
            db.execute(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} only grow: write a new one instead'); END"
            )
