"""Schema 4: what is asked often is found by an index, however large the study.

* Every foreign key's child has an index that begins with it: SQLite looks there for each parent that is deleted.
* `events.subject` is the id of what an event is about, where that is neither an episode nor a person (an item, a moment, a job's result).
* `qa_items.marks_rev` counts the changes of an item's marks; it was counted from all versions before.
* `robot_episodes.views` names the views of the document (a JSON list, sorted). Triggers keep it, as an index is kept.
* `step_frames` has a row for each frame that a step shows on the way (`steps.more_frames`), so that a frame is only deleted where nobody
  else sees it. Triggers keep it.
* `studies.document` stays as it was written (its state is a column of its own), so that a program may keep a study that it has read.
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
    "episodes_study ON episodes (study_id, created_at, episode_id)",
    "episodes_time ON episodes (created_at, episode_id)",
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
    "qa_versions_moment ON qa_versions (item_id, version, json_extract(document, '$.moment'))",
)
"""Name, table and columns of each index."""

# (not json_group_array(key ORDER BY key): a reader with an SQLite before 3.44 could not open the schema)
_VIEWS = "(SELECT json_group_array(key) FROM (SELECT key FROM json_each({}, '$.views') ORDER BY key))"

SUBJECT = "coalesce(data ->> '$.item', data ->> '$.moment', data ->> '$.result', data ->> '$.project', data ->> '$.project_id')"
"""What an event of a QA item, moment, result or project is about, read from its data."""


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


def _fill_subjects(db: Database) -> None:
    """Give the events of before their subject. What an event says stays as it was: only the new column is written.

    The guard of the log is lifted inside the migration's transaction, and nobody else can write before it stands again, word for word.
    """
    (guard,) = db.execute("SELECT sql FROM sqlite_master WHERE name = 'events_no_update'").fetchone()
    db.execute("DROP TRIGGER events_no_update")
    db.execute(f"UPDATE events SET subject = {SUBJECT} WHERE kind GLOB 'qa_*' OR kind GLOB 'moment*'")
    db.execute(guard)
