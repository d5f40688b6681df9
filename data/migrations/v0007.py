"""Schema 7: a study in versions, kinds of runs that never mix, and what surrounds the tasks of a human study.

* `study_versions` holds every published document of a study, for ever. `studies.version` is the published one, whose text
  `studies.document` is (a trigger compares them); 0: it was never published, and `document` is what is being edited. `studies.draft` is
  what is being edited for the next version, and `studies.edited` counts the changes of either text, so that a program may keep what it has
  read.
* `participants`, `slots` and `episodes` say which version they belong to (0: before the first was published), and which kind of run:
  ``live``, ``pilot``, ``preview`` (staff try it out) or ``bot`` (simulated people). Places of one kind are never given to another.
* `plan_locks` holds the analysis and exclusion plans of a study as they were locked; they only grow.
* `slots.claimed_by`, `seats`, `waiting` and `openings`: sessions are reserved as a whole, and whoever finds none waits in a line. `places`
  counts the slots of each task in each paradigm; triggers keep it.
* `frozen_views` holds the pictures of a task that everybody is shown alike: the set of a multi-view showing, the way of a ground-truth
  trajectory. Rendered once and never changed.
* `slots.partner` and `episodes.partner` name the episode whose pictures a yoked place shows; `trajectories` holds the ground-truth
  trajectories that people recorded, and `task_people` who took part in making or judging a task.
"""

from __future__ import annotations

import hashlib

from sqlite_utils import Database

VERSIONS: tuple[str, ...] = (
    """CREATE TABLE study_versions (
        study_id TEXT NOT NULL REFERENCES studies (study_id),
        version INTEGER NOT NULL,
        document TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        actor TEXT NOT NULL DEFAULT '',
        note TEXT NOT NULL DEFAULT '',
        published_at TEXT NOT NULL,
        PRIMARY KEY (study_id, version)
    ) STRICT""",
    "ALTER TABLE studies ADD COLUMN version INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE studies ADD COLUMN edited INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE studies ADD COLUMN draft TEXT",
    "ALTER TABLE studies ADD COLUMN archived_at TEXT",
    # what was there before was one document that never changed: version 1
    "UPDATE studies SET version = 1",
    "DROP TRIGGER studies_document_stays",
    """CREATE TRIGGER studies_document_is_published BEFORE UPDATE OF document, version ON studies
        WHEN NEW.version > 0 AND NOT EXISTS (SELECT 1 FROM study_versions v
            WHERE v.study_id = NEW.study_id AND v.version = NEW.version AND v.document = NEW.document)
        BEGIN SELECT RAISE(ABORT, 'a published study stays as it was written: publish another version'); END""",
    """CREATE TRIGGER studies_version_rises BEFORE UPDATE OF version ON studies WHEN NEW.version < OLD.version
        BEGIN SELECT RAISE(ABORT, 'versions of a study only rise'); END""",
    *(
        f"CREATE TRIGGER study_versions_no_{verb.lower()} BEFORE {verb} ON study_versions "
        "BEGIN SELECT RAISE(ABORT, 'study_versions only grow: publish another version'); END"
        for verb in ("UPDATE", "DELETE")
    ),
    *(
        f"ALTER TABLE {table} ADD COLUMN {column}"
        for table in ("participants", "slots", "episodes")
        for column in ("version INTEGER NOT NULL DEFAULT 1", "mode TEXT NOT NULL DEFAULT 'live'")
    ),
    "DROP INDEX slots_free",
    "DROP INDEX slots_used",
    "CREATE INDEX slots_free ON slots (study_id, mode, state, task_hash)",
    "CREATE INDEX slots_used ON slots (study_id, mode, state, practice, task_hash, paradigm)",
)

FROZEN: tuple[str, ...] = (
    """CREATE TABLE frozen_views (
        task_hash TEXT NOT NULL REFERENCES tasks (content_hash),
        name TEXT NOT NULL,
        n INTEGER NOT NULL,
        pixel_hash TEXT NOT NULL REFERENCES frames (pixel_hash),
        pose TEXT NOT NULL,
        phase TEXT NOT NULL,
        visible TEXT NOT NULL,
        clipped INTEGER NOT NULL,
        fingerprint TEXT NOT NULL,
        made_at TEXT NOT NULL,
        PRIMARY KEY (task_hash, name, n)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX frozen_views_frame ON frozen_views (pixel_hash)",
    *(
        f"CREATE TRIGGER frozen_views_no_{verb.lower()} BEFORE {verb} ON frozen_views "
        "BEGIN SELECT RAISE(ABORT, 'a frozen view stays as it was rendered'); END"
        for verb in ("UPDATE", "DELETE")
    ),
)

LOOKS: tuple[str, ...] = (
    """CREATE TABLE looks (
        episode_id TEXT NOT NULL REFERENCES episodes (episode_id),
        epoch INTEGER NOT NULL,
        n INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        event_seq INTEGER NOT NULL REFERENCES events (seq),
        enlarged INTEGER NOT NULL,
        scale REAL NOT NULL,
        began_ms REAL NOT NULL,
        ended_ms REAL NOT NULL,
        server_time TEXT NOT NULL,
        PRIMARY KEY (episode_id, epoch, n)
    ) STRICT""",
    "CREATE INDEX looks_event ON looks (event_seq)",
)
"""When which of several pictures was on the screen, as the page tells it."""

SHOWN_AGAIN: tuple[str, ...] = (
    # whose pictures a yoked place shows: an episode's id, which stays when that episode is erased
    "ALTER TABLE slots ADD COLUMN partner TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX slots_partner ON slots (partner) WHERE partner <> ''",
    "ALTER TABLE episodes ADD COLUMN partner TEXT NOT NULL DEFAULT ''",
    # how many pictures are shown that exist already; 0: what is seen follows from what is done, or nothing is
    "ALTER TABLE episodes ADD COLUMN pictures INTEGER NOT NULL DEFAULT 0",
    """CREATE TABLE trajectories (
        trajectory_id TEXT PRIMARY KEY,
        task_hash TEXT NOT NULL REFERENCES tasks (content_hash),
        actions TEXT NOT NULL,
        phase_starts TEXT NOT NULL,
        says TEXT NOT NULL,
        staff_id TEXT NOT NULL REFERENCES staff (staff_id),
        state TEXT NOT NULL CHECK (state IN ('in_use', 'retired')),
        recorded_at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX trajectories_task ON trajectories (task_hash)",
    "CREATE UNIQUE INDEX trajectories_in_use ON trajectories (task_hash) WHERE state = 'in_use'",
    "CREATE INDEX trajectories_staff ON trajectories (staff_id)",
    # who took part in making or judging a task: they are never its participant
    """CREATE TABLE task_people (
        task_hash TEXT NOT NULL REFERENCES tasks (content_hash),
        staff_id TEXT NOT NULL REFERENCES staff (staff_id),
        part TEXT NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (task_hash, staff_id, part)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX task_people_staff ON task_people (staff_id)",
)

ENDINGS: tuple[str, ...] = (
    # what came of somebody's taking part, as it was told to them: written before a code is shown
    """CREATE TABLE outcomes (
        participant_id TEXT NOT NULL REFERENCES participants (participant_id),
        outcome TEXT NOT NULL,
        code TEXT NOT NULL DEFAULT '',
        version INTEGER NOT NULL,
        told_at TEXT NOT NULL,
        PRIMARY KEY (participant_id, outcome)
    ) STRICT""",
    "CREATE INDEX outcomes_code ON outcomes (code)",
    # what participants reported outside a task
    """CREATE TABLE reports (
        report_id TEXT PRIMARY KEY,
        participant_id TEXT NOT NULL REFERENCES participants (participant_id),
        stage TEXT NOT NULL,
        text TEXT NOT NULL,
        at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX reports_person ON reports (participant_id, at)",
    # the ledger of payments; amounts in hundredths of the currency's unit
    """CREATE TABLE payments (
        payment_id TEXT PRIMARY KEY,
        participant_id TEXT NOT NULL REFERENCES participants (participant_id),
        session INTEGER NOT NULL DEFAULT 1,
        kind TEXT NOT NULL CHECK (kind IN ('due', 'correction', 'bonus', 'paid')),
        hundredths INTEGER NOT NULL,
        currency TEXT NOT NULL,
        reference TEXT NOT NULL DEFAULT '',
        why TEXT NOT NULL DEFAULT '',
        actor TEXT NOT NULL DEFAULT '',
        at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX payments_person ON payments (participant_id, session)",
    "CREATE UNIQUE INDEX payments_due_once ON payments (participant_id, session) WHERE kind = 'due'",
    "CREATE UNIQUE INDEX payments_same_once ON payments (participant_id, session, kind, reference) WHERE reference <> ''",
    *(
        f"CREATE TRIGGER payments_no_{verb.lower()} BEFORE {verb} ON payments "
        "BEGIN SELECT RAISE(ABORT, 'payments only grow: write a correction'); END"
        for verb in ("UPDATE", "DELETE")
    ),
    # exports that were made, and of whom they hold data
    """CREATE TABLE released (
        release_id TEXT PRIMARY KEY,
        study_id TEXT,
        path TEXT NOT NULL,
        forms TEXT NOT NULL,
        people INTEGER NOT NULL,
        actor TEXT NOT NULL DEFAULT '',
        at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE released_people (
        participant_id TEXT NOT NULL REFERENCES participants (participant_id),
        release_id TEXT NOT NULL REFERENCES released (release_id),
        PRIMARY KEY (participant_id, release_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX released_people_release ON released_people (release_id)",
)

_PLACES = {
    "free": "{0}.state = 'free' AND {0}.claimed_by IS NULL",
    "claimed": "{0}.state = 'free' AND {0}.claimed_by IS NOT NULL",
    "filled": "{0}.state IN ('held', 'completed')",
    "completed": "{0}.state = 'completed'",
}
"""Column of `places` → what it counts."""
SEATS: tuple[str, ...] = (
    # a place that somebody will come to in the session they have begun: free for nobody else, and not begun
    "ALTER TABLE slots ADD COLUMN claimed_by TEXT REFERENCES participants (participant_id)",
    "CREATE INDEX slots_claimed ON slots (claimed_by)",
    "DROP INDEX slots_free",
    "CREATE INDEX slots_place ON slots (study_id, mode, paradigm, task_hash, practice, state, claimed_by)",
    # how many slots of a task in a paradigm are in which state; practice aside
    """CREATE TABLE places (
        study_id TEXT NOT NULL REFERENCES studies (study_id),
        mode TEXT NOT NULL,
        paradigm TEXT NOT NULL,
        task_hash TEXT NOT NULL REFERENCES tasks (content_hash),
        category TEXT NOT NULL,
        free INTEGER NOT NULL DEFAULT 0,
        claimed INTEGER NOT NULL DEFAULT 0,
        filled INTEGER NOT NULL DEFAULT 0,
        completed INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (study_id, mode, paradigm, task_hash)
    ) STRICT, WITHOUT ROWID""",
    "INSERT INTO places SELECT s.study_id, s.mode, s.paradigm, s.task_hash, t.category, "
    + ", ".join(f"sum({counted.format('s')})" for counted in _PLACES.values())
    + " FROM slots s JOIN tasks t ON t.content_hash = s.task_hash WHERE s.practice = 0 GROUP BY 1, 2, 3, 4",
    "CREATE INDEX places_task ON places (task_hash)",
    "CREATE INDEX places_levels ON places (study_id, mode, paradigm, category, filled, free, claimed)",
    # the task's hash is as good as drawn, so that equally filled ones come in no order
    "CREATE INDEX places_open ON places (study_id, mode, paradigm, category, filled, task_hash, free, claimed, completed) WHERE free > 0",
    "CREATE TRIGGER places_made AFTER INSERT ON slots WHEN NEW.practice = 0 BEGIN "
    "INSERT OR IGNORE INTO places (study_id, mode, paradigm, task_hash, category) SELECT NEW.study_id, NEW.mode, NEW.paradigm, "
    "NEW.task_hash, category FROM tasks WHERE content_hash = NEW.task_hash; UPDATE places SET "
    + ", ".join(f"{name} = {name} + ({counted.format('NEW')})" for name, counted in _PLACES.items())
    + " WHERE study_id = NEW.study_id AND mode = NEW.mode AND paradigm = NEW.paradigm AND task_hash = NEW.task_hash; END",
    "CREATE TRIGGER places_changed AFTER UPDATE OF state, claimed_by ON slots WHEN NEW.practice = 0 BEGIN UPDATE places SET "
    + ", ".join(f"{name} = {name} + ({counted.format('NEW')}) - ({counted.format('OLD')})" for name, counted in _PLACES.items())
    + " WHERE study_id = NEW.study_id AND mode = NEW.mode AND paradigm = NEW.paradigm AND task_hash = NEW.task_hash; END",
    # who has a session whose places are reserved; `seen_at` is a sign of life, at times behind the last one
    """CREATE TABLE seats (
        participant_id TEXT PRIMARY KEY REFERENCES participants (participant_id),
        study_id TEXT NOT NULL REFERENCES studies (study_id),
        mode TEXT NOT NULL,
        session INTEGER NOT NULL,
        size INTEGER NOT NULL,
        since TEXT NOT NULL,
        seen_at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX seats_seen ON seats (study_id, mode, seen_at)",
    # the line of those for whom nothing is free; `tried`: how often places had come free when they last asked
    """CREATE TABLE waiting (
        participant_id TEXT PRIMARY KEY REFERENCES participants (participant_id),
        study_id TEXT NOT NULL REFERENCES studies (study_id),
        mode TEXT NOT NULL,
        since TEXT NOT NULL,
        seen_at TEXT NOT NULL,
        tried INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX waiting_line ON waiting (study_id, mode, since, participant_id)",
    # how often anything changed that may let in somebody who waits
    """CREATE TABLE openings (
        study_id TEXT NOT NULL REFERENCES studies (study_id),
        mode TEXT NOT NULL,
        times INTEGER NOT NULL,
        PRIMARY KEY (study_id, mode)
    ) STRICT, WITHOUT ROWID""",
    *(
        f"CREATE TRIGGER openings_{name} AFTER {when} WHEN NEW.practice = 0 AND {condition} BEGIN INSERT INTO openings VALUES "
        "(NEW.study_id, NEW.mode, 1) ON CONFLICT (study_id, mode) DO UPDATE SET times = times + 1; END"
        for name, when, condition in (
            ("made", "INSERT ON slots", "NEW.state = 'free'"),
            ("given_up", "UPDATE OF claimed_by ON slots", "NEW.state = 'free' AND NEW.claimed_by IS NULL AND OLD.claimed_by IS NOT NULL"),
            # a task that somebody has completed can be shown to a partner
            ("completed", "UPDATE OF state ON slots", "NEW.state = 'completed'"),
        )
    ),
)

CODING: tuple[str, ...] = (
    """CREATE TABLE coded_texts (
        subject TEXT PRIMARY KEY,
        study_id TEXT NOT NULL REFERENCES studies (study_id),
        task_hash TEXT NOT NULL REFERENCES tasks (content_hash),
        text TEXT NOT NULL,
        made_at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX coded_texts_study ON coded_texts (study_id)",
    "CREATE INDEX coded_texts_task ON coded_texts (task_hash)",
    """CREATE TABLE coded_answers (
        episode_id TEXT PRIMARY KEY REFERENCES episodes (episode_id),
        subject TEXT REFERENCES coded_texts (subject)
    ) STRICT""",
    "CREATE INDEX coded_answers_text ON coded_answers (subject)",
    # the code that holds: of two who said the same, or of the third, who came last
    """CREATE VIEW answer_codes AS
        SELECT c.episode_id, c.subject, w.state,
            (SELECT v.vote FROM reviews r JOIN review_votes v USING (review_id)
                WHERE r.kind = w.kind AND r.subject = w.subject AND r.round = w.round AND r.decided_at IS NOT NULL AND v.axis = 'code'
                AND w.state = 'coded' ORDER BY r.decided_at DESC, r.rowid DESC LIMIT 1) AS code,
            (SELECT count(*) FROM reviews r WHERE r.kind = w.kind AND r.subject = w.subject AND r.round = w.round
                AND r.decided_at IS NOT NULL) AS coders
        FROM coded_answers c JOIN reviewed w ON w.kind = 'answer_in_words' AND w.subject = c.subject""",
)
"""Answers in words and their codes (`study.coding`): `coded_answers` has each answer that was looked at, without a text where it reads as
it stands; `coded_texts` each different text; `answer_codes` what it was found to mean."""


KINDS_OF_RUNS: tuple[str, ...] = (
    # lists are of one kind of run, so that the kind stands before the time
    "DROP INDEX episodes_study",
    "DROP INDEX episodes_time",
    "CREATE INDEX episodes_study ON episodes (study_id, mode, created_at, episode_id, task_hash)",
    "CREATE INDEX episodes_time ON episodes (mode, created_at, episode_id, task_hash)",
)

PLANS: tuple[str, ...] = (
    """CREATE TABLE plan_locks (
        study_id TEXT NOT NULL REFERENCES studies (study_id),
        n INTEGER NOT NULL,
        name TEXT NOT NULL,
        text TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        state TEXT NOT NULL,
        version INTEGER NOT NULL,
        actor TEXT NOT NULL,
        locked_at TEXT NOT NULL,
        PRIMARY KEY (study_id, n)
    ) STRICT""",
    *(
        f"CREATE TRIGGER plan_locks_no_{verb.lower()} BEFORE {verb} ON plan_locks "
        "BEGIN SELECT RAISE(ABORT, 'a locked plan stays as it was: lock another beside it'); END"
        for verb in ("UPDATE", "DELETE")
    ),
)

FORMS: tuple[str, ...] = (
    """CREATE TABLE form_showings (
        showing_id TEXT PRIMARY KEY,
        participant_id TEXT NOT NULL REFERENCES participants (participant_id),
        form TEXT NOT NULL,
        occasion INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        made_at TEXT NOT NULL,
        opened_at TEXT,
        device TEXT NOT NULL DEFAULT '{}',
        sent_at TEXT,
        passed INTEGER,
        wrong INTEGER
    ) STRICT""",
    "CREATE UNIQUE INDEX form_showings_once ON form_showings (participant_id, form, occasion, attempt)",
    """CREATE TABLE form_answers (
        showing_id TEXT NOT NULL REFERENCES form_showings (showing_id),
        item TEXT NOT NULL,
        n INTEGER NOT NULL,
        value TEXT,
        declined INTEGER NOT NULL DEFAULT 0,
        sent INTEGER NOT NULL DEFAULT 0,
        passed INTEGER,
        event_seq INTEGER NOT NULL REFERENCES events (seq),
        client_time_ms REAL,
        server_time TEXT NOT NULL,
        PRIMARY KEY (showing_id, item, n)
    ) STRICT""",
    "CREATE INDEX form_answers_event ON form_answers (event_seq)",
)
"""Questionnaires: each showing of a form to somebody, and every version of every answer."""

DISPUTES: tuple[str, ...] = (
    """CREATE TABLE disputes (
        subject TEXT PRIMARY KEY,
        study_id TEXT NOT NULL REFERENCES studies (study_id),
        task_hash TEXT NOT NULL REFERENCES tasks (content_hash),
        raised_by TEXT NOT NULL,
        why TEXT NOT NULL,
        raised_at TEXT NOT NULL,
        new_hash TEXT REFERENCES tasks (content_hash),
        UNIQUE (study_id, task_hash)
    ) STRICT""",
    "CREATE INDEX disputes_task ON disputes (task_hash)",
    "CREATE INDEX disputes_new ON disputes (new_hash)",
)
"""Gold answers that are doubted (`study.disputes`)."""

PARTS: tuple[tuple[str, ...], ...] = (
    VERSIONS,
    KINDS_OF_RUNS,
    FROZEN,
    LOOKS,
    SHOWN_AGAIN,
    ENDINGS,
    CODING,
    PLANS,
    FORMS,
    DISPUTES,
    SEATS,
)
"""All statements, in order."""


def apply(db: Database) -> None:
    """Add what is new."""
    for part in PARTS:
        for statement in part:
            db.execute(statement)
    _first_versions(db)


def _first_versions(db: Database) -> None:
    """The document of each study of before is its version 1."""
    for study_id, document, created_at in db.execute("SELECT study_id, document, created_at FROM studies").fetchall():
        db.execute(
            "INSERT INTO study_versions (study_id, version, document, sha256, published_at) VALUES (?, 1, ?, ?, ?)",
            [study_id, document, hashlib.sha256(document.encode()).hexdigest(), created_at],
        )
