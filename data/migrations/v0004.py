"""Schema 4: what is asked often is found by an index, however large the study.

* Every foreign key's child has an index that begins with it: SQLite looks there for each parent that is deleted.
* `events.subject` is the id of what an event is about, where that is neither an episode nor a person (an item, a moment, a job's result).
* `qa_items.marks_rev` counts the changes of an item's marks; it was counted from all versions before.
* `robot_episodes.views` names the views of the document (a JSON list, sorted). Triggers keep it, as an index is kept.
* `step_frames` has a row for each frame that a step shows on the way (`steps.more_frames`), so that a frame is only deleted where nobody
  else sees it. Triggers keep it.
* `studies.document` stays as it was written (its state is a column of its own), so that a program may keep a study that it has read.
* `reviews` and `review_votes` hold the reviews of every kind of reviewed thing; `reviewed` says where the things of a kind stand that
  has no table of its own. `live` counts the reviews of a thing's round, so that who reviews what next is read from an index.
* `moments_figures` and `qa_versions_moment` hold the few values of the documents that the counts of a project need.
"""

from __future__ import annotations

from sqlite_utils import Database

INDEXES: tuple[str, ...] = (
    # foreign keys
    "task_aliases_task ON task_aliases (content_hash)",
    "grants_person ON grants (participant_id)",
    "grants_staff ON grants (staff_id)",
    "grants_invite ON grants (invite_id)",
    "slots_task ON slots (task_hash)",
    "slots_replaces ON slots (replaces)",
    "episodes_task ON episodes (task_hash)",
    "steps_event ON steps (event_seq)",
    "steps_frame ON steps (pixel_hash)",
    "step_frames_step ON step_frames (episode_id, seq)",
    "beliefs_event ON beliefs (event_seq)",
    "answers_event ON answers (event_seq)",
    "scores_task ON scores (task_hash)",
    "problems_episode ON problems (episode_id)",
    "problems_event ON problems (event_seq)",
    "qa_projects_study ON qa_projects (study_id)",
    "moments_episode ON moments (episode_id)",
    # lists, newest first
    "episodes_study ON episodes (study_id, created_at, episode_id, task_hash)",
    "episodes_time ON episodes (created_at, episode_id, task_hash)",
    # which tasks somebody may be given, and a list's columns, without their documents
    "tasks_facts ON tasks (content_hash, task_id, category, subcategory, twin, supersedes)",
    "slots_used ON slots (study_id, state, practice, task_hash, paradigm)",
    # one person
    "recruitment_external ON recruitment (external_id, source)",
    "events_person ON events (participant_id) WHERE participant_id IS NOT NULL",
    "events_actor ON events (actor) WHERE actor <> ''",
    "events_subject ON events (subject, seq) WHERE subject IS NOT NULL",
    "jobs_owner ON jobs (owner, created_at)",
    # counts of a project
    "robot_episodes_views ON robot_episodes (arm, views)",
    "moments_figures ON moments (project_id, state, reason, episode_id, json_extract(document, '$.filter.reason'), "
    "json_extract(document, '$.triage.subtasks'))",
    "moments_order ON moments (project_id, state, json_extract(document, '$.place'))",
    "moments_stand ON moments (moment_id, project_id, state)",
    "qa_versions_moment ON qa_versions (item_id, version, json_extract(document, '$.moment'))",
)
"""Name, table and columns of each index."""

# (not json_group_array(key ORDER BY key): a reader with an SQLite before 3.44 could not open the schema)
_VIEWS = "(SELECT json_group_array(key) FROM (SELECT key FROM json_each({}, '$.views') ORDER BY key))"

SUBJECT = "coalesce(data ->> '$.item', data ->> '$.moment', data ->> '$.result', data ->> '$.project', data ->> '$.project_id')"
"""What an event of a QA item, moment, result or project is about, read from its data."""


REVIEWS: tuple[str, ...] = (
    """CREATE TABLE reviewed (
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        scope TEXT NOT NULL,
        state TEXT NOT NULL,
        version INTEGER NOT NULL,
        round INTEGER NOT NULL DEFAULT 0,
        live INTEGER NOT NULL DEFAULT 0,
        queued INTEGER NOT NULL DEFAULT 0,
        updated_at TEXT NOT NULL,
        PRIMARY KEY (kind, subject)
    ) STRICT""",
    "CREATE INDEX reviewed_queue ON reviewed (kind, scope, state, live DESC, queued, subject, version, round)",
    """CREATE TABLE reviews (
        review_id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        scope TEXT NOT NULL,
        subject TEXT NOT NULL,
        version INTEGER NOT NULL,
        round INTEGER NOT NULL,
        slot INTEGER,
        reviewer TEXT NOT NULL,
        state TEXT NOT NULL,
        stages INTEGER NOT NULL,
        assigned_at TEXT NOT NULL,
        moved_at TEXT NOT NULL,
        decided_at TEXT
    ) STRICT""",
    "CREATE UNIQUE INDEX reviews_slot ON reviews (kind, subject, round, slot) WHERE slot IS NOT NULL",
    "CREATE UNIQUE INDEX reviews_once ON reviews (kind, subject, round, reviewer) WHERE state <> 'void'",
    "CREATE INDEX reviews_subject ON reviews (kind, subject, stages, assigned_at)",
    "CREATE INDEX reviews_known ON reviews (kind, reviewer, subject, stages, round, state)",
    "CREATE INDEX reviews_own ON reviews (kind, reviewer, scope, assigned_at) WHERE decided_at IS NULL AND state <> 'void'",
    "CREATE INDEX reviews_open ON reviews (kind, scope, moved_at) WHERE decided_at IS NULL AND state <> 'void'",
    """CREATE TABLE review_votes (
        review_id TEXT NOT NULL REFERENCES reviews (review_id),
        stage TEXT NOT NULL,
        axis TEXT NOT NULL,
        vote TEXT NOT NULL,
        confidence INTEGER,
        reasons TEXT NOT NULL DEFAULT '[]',
        comment TEXT NOT NULL DEFAULT '',
        at TEXT NOT NULL,
        PRIMARY KEY (review_id, axis)
    ) STRICT""",
    # the reviews of robot questions, which had a table of their own
    "ALTER TABLE qa_items ADD COLUMN live INTEGER NOT NULL DEFAULT 0",
    """INSERT INTO reviews
        SELECT r.review_id, 'robot_question', i.project_id, r.item_id, r.version, r.round,
            CASE WHEN r.state <> 'void' THEN
                row_number() OVER (PARTITION BY r.item_id, r.round, r.state = 'void' ORDER BY r.assigned_at, r.rowid) END,
            r.reviewer, r.state, (r.answer IS NOT NULL) + (r.decided_at IS NOT NULL), r.assigned_at,
            coalesce(r.decided_at, r.answered_at, r.assigned_at), r.decided_at
        FROM qa_reviews r JOIN qa_items i USING (item_id) ORDER BY r.rowid""",
    """INSERT INTO review_votes
        SELECT review_id, 'answer', 'answer', answer, confidence, '[]', '', answered_at
        FROM qa_reviews WHERE answer IS NOT NULL ORDER BY rowid""",
    """INSERT INTO review_votes
        SELECT review_id, 'verdict', 'verdict', CASE state WHEN 'flagged' THEN 'flag' ELSE state END, NULL, reasons, comment, decided_at
        FROM qa_reviews WHERE decided_at IS NOT NULL ORDER BY rowid""",
    """UPDATE qa_items SET live = (SELECT count(*) FROM qa_reviews r
        WHERE r.item_id = qa_items.item_id AND r.round = qa_items.round AND r.state <> 'void')""",
    "DROP TABLE qa_reviews",
    """CREATE VIEW qa_reviews AS
        SELECT r.review_id, r.subject AS item_id, r.version, r.round, r.slot, r.reviewer, r.state,
            a.vote AS answer, a.confidence, coalesce(v.reasons, '[]') AS reasons, coalesce(v.comment, '') AS comment,
            r.assigned_at, a.at AS answered_at, r.decided_at, r.rowid AS seq
        FROM reviews r
        LEFT JOIN review_votes a ON a.review_id = r.review_id AND a.axis = 'answer'
        LEFT JOIN review_votes v ON v.review_id = r.review_id AND v.axis = 'verdict'
        WHERE r.kind = 'robot_question'""",
    "CREATE INDEX qa_items_queue ON qa_items (project_id, state, live DESC, queued, item_id, version, round, trial)",
    "CREATE INDEX qa_versions_editor ON qa_versions (item_id, editor)",
)
"""Reviews of every kind of thing (`annotation.reviewing`); those of robot questions move there, and `qa_reviews` shows them as before."""


def apply(db: Database) -> None:
    """Add the columns, fill them, and make the indexes."""
    db.execute("ALTER TABLE events ADD COLUMN subject TEXT")
    db.execute("ALTER TABLE qa_items ADD COLUMN marks_rev INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE robot_episodes ADD COLUMN views TEXT NOT NULL DEFAULT '[]'")
    _fill_subjects(db)
    db.execute(
        "UPDATE qa_items SET marks_rev = (SELECT count(*) FROM (SELECT json_extract(document, '$.marks') AS marks, "
        "lag(json_extract(document, '$.marks'), 1, '[]') OVER (ORDER BY version) AS before FROM qa_versions v "
        "WHERE v.item_id = qa_items.item_id) WHERE marks <> before)"
    )
    db.execute(f"UPDATE robot_episodes SET views = {_VIEWS.format('document')}")
    for when, name in (("INSERT", "insert"), ("UPDATE OF document", "update")):
        db.execute(
            f"CREATE TRIGGER robot_episodes_views_{name} AFTER {when} ON robot_episodes BEGIN UPDATE robot_episodes "
            f"SET views = {_VIEWS.format('NEW.document')} WHERE episode_id = NEW.episode_id; END"
        )
    db.execute(
        "CREATE TABLE step_frames (pixel_hash TEXT NOT NULL, episode_id TEXT NOT NULL, seq INTEGER NOT NULL, "
        "PRIMARY KEY (pixel_hash, episode_id, seq)) STRICT, WITHOUT ROWID"
    )
    frames = "INSERT OR IGNORE INTO step_frames SELECT value, {0}episode_id, {0}seq FROM {1}json_each({0}more_frames)"
    db.execute(f"{frames.format('steps.', 'steps, ')} WHERE more_frames <> '[]'")
    db.execute(
        f"CREATE TRIGGER steps_frames_insert AFTER INSERT ON steps WHEN NEW.more_frames <> '[]' BEGIN {frames.format('NEW.', '')}; END"
    )
    db.execute(
        "CREATE TRIGGER steps_frames_delete AFTER DELETE ON steps WHEN OLD.more_frames <> '[]' "
        "BEGIN DELETE FROM step_frames WHERE episode_id = OLD.episode_id AND seq = OLD.seq; END"
    )
    db.execute(
        "CREATE TRIGGER studies_document_stays BEFORE UPDATE OF document ON studies WHEN NEW.document <> OLD.document "
        "BEGIN SELECT RAISE(ABORT, 'the document of a study stays as it was written: make another study'); END"
    )
    for index in INDEXES:
        db.execute(f"CREATE INDEX {index}")
    for statement in REVIEWS:
        db.execute(statement)


def _fill_subjects(db: Database) -> None:
    """Give the events of before their subject. What an event says stays as it was: only the new column is written.

    The guard of the log is lifted inside the migration's transaction, and nobody else can write before it stands again, word for word.
    """
    (guard,) = db.execute("SELECT sql FROM sqlite_master WHERE name = 'events_no_update'").fetchone()
    db.execute("DROP TRIGGER events_no_update")
    db.execute(f"UPDATE events SET subject = {SUBJECT} WHERE kind GLOB 'qa_*' OR kind GLOB 'moment*'")
    db.execute(guard)
