"""What a researcher looks at while a study runs: episodes with their state and outcome, people by progress. No recruitment ids."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from data.store import Store
from study.access import EVERY_STUDY


def episode_rows(store: Store, study_id: str, *, limit: int = 500) -> list[dict[str, Any]]:
    """The latest episodes of a study (or of all, ``*``), newest first.

    Args:
        store: the database.
        study_id: the study.
        limit: at most so many rows.

    Returns:
        One dictionary per episode: episode_id, task_id, category, subcategory, who (participant number or agent name), agent_kind,
        practice, state, steps (actions so far), answer, correct (None while open), confidence, seconds, flags, created_at.
    """
    rows = store.query(
        """
        SELECT e.episode_id, t.task_id, t.category, t.subcategory, e.agent_kind, e.agent_name, p.number, e.participant_id,
               coalesce(s.practice, 0) AS practice, e.state, max(e.last_seq, 0) AS steps, a.raw AS answer, a.confidence,
               c.correct_strict, c.answered, e.flags, e.created_at, e.started_at, e.finished_at,
               (SELECT count(*) FROM problems r WHERE r.episode_id = e.episode_id) AS problems
        FROM episodes e JOIN tasks t ON t.content_hash = e.task_hash
        LEFT JOIN participants p USING (participant_id) LEFT JOIN slots s USING (slot_id)
        LEFT JOIN answers a USING (episode_id)
        LEFT JOIN scores c ON c.episode_id = e.episode_id AND c.task_hash = e.task_hash
        WHERE :study = :every OR e.study_id = :study
        ORDER BY e.created_at DESC, e.episode_id LIMIT :limit
        """,
        {"study": study_id, "every": EVERY_STUDY, "limit": limit},
    )
    return [_row(row) for row in rows]


def episode_steps(store: Store, episode_id: str) -> list[dict[str, Any]]:
    """The steps of an episode, oldest first: seq, action, ok, reason, clipped, phase, server_time, belief (the last one given there)."""
    beliefs = {
        row["seq"]: (json.loads(row["raw"]), row["confidence"])
        for row in store.query("SELECT seq, raw, confidence FROM beliefs WHERE episode_id = ? ORDER BY event_seq", [episode_id])
    }
    steps = store.query(
        "SELECT seq, action, ok, reason, clipped, phase, server_time FROM steps WHERE episode_id = ? ORDER BY seq", [episode_id]
    )
    return [step | {"ok": bool(step["ok"]), "clipped": bool(step["clipped"]), "belief": beliefs.get(step["seq"])} for step in steps]


def progress(store: Store, study_id: str) -> dict[str, int]:
    """Counts of a study (or all, ``*``): participants, consented, finished, withdrawn; episodes active, completed (without practice)."""
    where = {"study": study_id, "every": EVERY_STUDY}
    people = store.one(
        "SELECT count(*) AS participants, sum(consented_at IS NOT NULL) AS consented, sum(state = 'finished') AS finished, "
        "sum(state = 'withdrawn') AS withdrawn FROM participants WHERE :study = :every OR study_id = :study",
        where,
    )
    episodes = store.one(
        "SELECT sum(e.state = 'active') AS active, sum(e.state = 'completed') AS completed "
        "FROM episodes e LEFT JOIN slots s USING (slot_id) WHERE (:study = :every OR e.study_id = :study) AND coalesce(s.practice, 0) = 0",
        where,
    )
    return {name: int(value or 0) for name, value in {**(people or {}), **(episodes or {})}.items()}


def was_shown(store: Store, episode_id: str) -> bool:
    """Whether anything of the episode has been shown."""
    row = store.one("SELECT last_seq FROM episodes WHERE episode_id = ?", [episode_id])
    return row is not None and row["last_seq"] >= 0


def problems(store: Store, episode_id: str) -> list[dict[str, Any]]:
    """What the participant reported: seq, text, server_time."""
    return store.query("SELECT seq, text, server_time FROM problems WHERE episode_id = ? ORDER BY event_seq", [episode_id])


def _row(row: dict[str, Any]) -> dict[str, Any]:
    who = f"P{row['number']:03d}" if row["number"] is not None else row["agent_name"] or row["agent_kind"]
    flags = [*json.loads(row["flags"]), *(["problem reported"] if row["problems"] else [])]
    return {
        "episode_id": row["episode_id"],
        "task_id": row["task_id"],
        "category": row["category"],
        "subcategory": row["subcategory"],
        "who": who,
        "agent_kind": row["agent_kind"],
        "practice": bool(row["practice"]),
        "state": row["state"],
        "steps": row["steps"],
        "answer": None if row["answer"] is None else json.loads(row["answer"]),
        "correct": None if row["correct_strict"] is None else bool(row["correct_strict"]),
        "confidence": row["confidence"],
        "seconds": _seconds(row["started_at"], row["finished_at"]),
        "flags": flags,
        "created_at": row["created_at"],
    }


def _seconds(start: str | None, end: str | None) -> int | None:
    """Whole seconds from the first view to the answer."""
    if start is None or end is None:
        return None
    return round((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds())
