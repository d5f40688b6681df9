"""Yoked places: whose pictures they show.

A partner is an episode of the same study, kind of run and task, in the paradigm that the yoked one names, that a person has completed. The
place keeps the partner's episode id from the moment it is given to somebody.
"""

from __future__ import annotations

from dataclasses import dataclass

from data.store import Store
from study.paradigms.paradigm import Paradigm


@dataclass(frozen=True)
class Partner:
    """An episode whose pictures can be shown again."""

    episode_id: str
    used: int
    """How many places show it, held and completed ones."""


def partners(store: Store, study_id: str, mode: str, task_hash: str, way: Paradigm) -> list[Partner]:
    """Whose pictures a yoked place of a task can show, the least used first, then the oldest; empty: nobody has completed it yet.

    Args:
        store: the database.
        study_id: the study.
        mode: kind of run (`study.states.MODES`).
        task_hash: content hash of the task.
        way: the yoked paradigm.
    """
    rows = store.query(
        "SELECT e.episode_id, (SELECT count(*) FROM slots y WHERE y.partner = e.episode_id AND y.partner <> '' "
        "AND y.state IN ('held', 'completed')) AS used "
        "FROM slots s JOIN episodes e USING (slot_id) "
        "WHERE s.study_id = ? AND s.mode = ? AND s.state = 'completed' AND s.practice = 0 AND s.task_hash = ? AND s.paradigm = ? "
        "AND e.state = 'completed' AND e.participant_id IS NOT NULL ORDER BY used, e.finished_at, e.episode_id",
        [study_id, mode, task_hash, way.partner],
    )
    return [Partner(row["episode_id"], row["used"]) for row in rows]


def choose(store: Store, study_id: str, mode: str, task_hash: str, way: Paradigm) -> str:
    """The episode that the next yoked place of a task shows: one that the fewest places show. Empty: nobody has completed it yet."""
    return next((partner.episode_id for partner in partners(store, study_id, mode, task_hash, way)), "")


def take(store: Store, slot_id: str, study_id: str, mode: str, task_hash: str, way: Paradigm) -> str:
    """Choose a place's partner and keep it; part of the transaction in which the place is given to somebody.

    Returns:
        The partner's episode; empty: there is none yet, and the place cannot be given now.
    """
    with store.atomic() as db:
        if chosen := choose(store, study_id, mode, task_hash, way):
            db.execute("UPDATE slots SET partner = ? WHERE slot_id = ?", [chosen, slot_id])
    return chosen
