"""Schema 6: how each action was given, and the browser's clock at every answer.

* `steps.input` is what an action was given with (``key``, ``button``, ``pointer``, ``touch``, ``agent``), and `steps.queued_ms` how long a
  press waited behind the step before it. Both are empty for steps of before.
* `beliefs.client_time_ms` and `answers.client_time_ms` are the browser's clock when it was thought, and when it was submitted.
* `steps.boxes` is where each object's visible pixels lie in the observation, JSON; empty for steps of before.
* `episodes.hands` is what the simulator said of what a hand can do in the scene, JSON; NULL where it said nothing, and before.
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


def apply(db: Database) -> None:
    """Add what is new."""
    for statement in STATEMENTS:
        db.execute(statement)
