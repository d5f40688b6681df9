"""The course of an episode, step by step, as pages and plans tell it."""

from __future__ import annotations

import msgspec

from data.store import Store
from sim_bridge.spec import Pose


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """One step as the plan and the table need it."""

    seq: int
    epoch: int = 1
    action: str
    ok: bool = True
    phase: str = ""
    pose_after: str
    client_time_ms: float | None = None
    painted_ms: float | None = None
    queued_ms: float | None = None

    @property
    def pose(self) -> Pose:
        """Of the camera after the step, in the world frame."""
        return msgspec.json.decode(self.pose_after, type=Pose)


def moments(store: Store, episode_id: str) -> list[Moment]:
    """The steps of an episode, oldest first."""
    fields = ", ".join(Moment.__struct_fields__)
    return store.rows(f"SELECT {fields} FROM steps WHERE episode_id = ? ORDER BY seq", Moment, [episode_id])
