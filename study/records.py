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
