"""Stored episodes as typed records, for exports, commands and pages of staff. Never for a participant's browser."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict

from data.store import Store


class StepRecord(BaseModel):
    """One stored step."""

    model_config = ConfigDict(frozen=True)

    episode_id: str
    seq: int
    epoch: int
    event_seq: int
    kind: str
    action: str
    sim_action: str
    ok: bool
    reason: str
    pose_before: dict[str, Any]
    pose_after: dict[str, Any]
    pixel_hash: str
    more_frames: list[str]
    visible: dict[str, int]
    clipped: bool
    phase: str
    client_time_ms: float | None
    painted_ms: float | None
    timing_ms: dict[str, float]
    server_time: str


_JSON = ("pose_before", "pose_after", "more_frames", "visible", "timing_ms")


def step_records(store: Store, episode_id: str) -> list[StepRecord]:
    """The episode's steps in order."""
    rows = store.query("SELECT * FROM steps WHERE episode_id = ? ORDER BY seq", [episode_id])
    return [StepRecord.model_validate(row | {name: json.loads(row[name]) for name in _JSON}) for row in rows]


def episode_summaries(store: Store, study_id: str | None = None, *, limit: int = 1000, offset: int = 0) -> list[dict[str, Any]]:
    """Episodes for a staff list, newest first: ids, task, agent, state, observations, answer, scores, flags, times."""
    rows = store.query(
        "SELECT e.episode_id, e.study_id, e.participant_id, e.trial_index, e.agent_kind, e.agent_name, "
        "t.task_id, t.category, t.subcategory, "
        "e.state, e.last_seq + 1 AS observations, a.answer, a.confidence, a.stopped_by, s.correct_strict, s.correct_lenient, e.flags, "
        "e.created_at, e.started_at, e.finished_at FROM episodes e JOIN tasks t ON t.content_hash = e.task_hash "
        "LEFT JOIN answers a USING (episode_id) LEFT JOIN scores s ON s.episode_id = e.episode_id AND s.task_hash = e.task_hash "
        "WHERE ? IS NULL OR e.study_id = ? ORDER BY e.created_at DESC, e.episode_id LIMIT ? OFFSET ?",
        [study_id, study_id, limit, offset],
    )
    return [row | {"answer": json.loads(row["answer"]) if row["answer"] else None, "flags": json.loads(row["flags"])} for row in rows]
