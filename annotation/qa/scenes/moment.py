"""A moment of a robot episode as it is kept, and what its source says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from annotation.qa.errors import UnknownItem
from annotation.qa.items import Arm, ViewImage
from data.robot import episodes as robot
from data.robot.episodes import Episode
from data.robot.images import ImageFolder
from data.rows import Json
from data.store import Store


@dataclass(frozen=True)
class Moment:
    """One moment of a robot episode: its synchronized images with where they come from."""

    moment_id: str
    project_id: str
    episode_id: str
    episode: str
    """The episode's key in its source."""
    arm: Arm
    source: str
    """Name of the robot source."""
    task: str
    frame_index: int
    timestamp_s: float | None
    state: str
    reason: str
    """Why it was filtered, kept or dropped: a key of `clarity.REASONS`, `KEEP_REASONS` or `DROP_REASONS`."""
    note: str
    """The reason in words: of the rule with its figures, or of the person."""
    views: tuple[ViewImage, ...]
    metrics: dict[str, Any]
    """``views`` (view → sharpness, dark, blown, signature), ``skew_s``, ``nearest``."""
    filter: dict[str, str]
    """What the rules said: ``reason`` and ``sentence``; empty: nothing. Kept when a person decides otherwise."""
    triage: dict[str, Any]
    """A model's opinion: ``subtasks``, ``model``, ``at``; empty: not asked, or no answer."""
    decided_by: str
    decided_at: str | None

    def view(self, name: str) -> ViewImage | None:
        """The image of a view, or None."""
        return next((view for view in self.views if view.view == name), None)


SELECT = (
    "SELECT m.*, e.key, e.arm, e.task, CASE s.name WHEN '' THEN s.kind ELSE s.name END AS source FROM moments m "
    "JOIN robot_episodes e USING (episode_id) JOIN robot_sources s USING (source_id)"
)
ORDER = "ORDER BY json_extract(m.document, '$.place'), m.rowid"
"""In the order of the sampling, which goes round over tasks and episodes."""


class _Document(msgspec.Struct):
    """What a moment's document holds; see `Moment`."""

    note: str = ""
    views: list[dict[str, Any]] = msgspec.field(default_factory=list)
    metrics: dict[str, Any] = msgspec.field(default_factory=dict)
    filter: dict[str, str] = msgspec.field(default_factory=dict)
    triage: dict[str, Any] = msgspec.field(default_factory=dict)


class _Row(msgspec.Struct):
    """A row of `SELECT`."""

    moment_id: str
    project_id: str | None
    episode_id: str
    key: str
    arm: Arm
    source: str
    task: str
    frame_index: int
    timestamp_s: float | None
    state: str
    reason: str
    document: Annotated[_Document, Json]
    decided_by: str
    decided_at: str | None

    def moment(self) -> Moment:
        return Moment(
            moment_id=self.moment_id,
            project_id=self.project_id or "",
            episode_id=self.episode_id,
            episode=self.key,
            arm=self.arm,
            source=self.source,
            task=self.task,
            frame_index=self.frame_index,
            timestamp_s=self.timestamp_s,
            state=self.state,
            reason=self.reason,
            note=self.document.note,
            views=tuple(ViewImage.model_validate(view) for view in self.document.views),
            metrics=self.document.metrics,
            filter=self.document.filter,
            triage=self.document.triage,
            decided_by=self.decided_by,
            decided_at=self.decided_at,
        )


def moments(store: Store, project_id: str, *, state: str | None = None, arm: str | None = None) -> list[Moment]:
    """The moments of a project in the order of the sampling."""
    wanted = {"m.state": state, "e.arm": arm}
    where = "".join(f" AND {name} = ?" for name, value in wanted.items() if value is not None)
    values = [value for value in wanted.values() if value is not None]
    return [row.moment() for row in store.rows(f"{SELECT} WHERE m.project_id = ?{where} {ORDER}", _Row, [project_id, *values])]


def get_moment(store: Store, moment_id: str) -> Moment:
    """The moment.

    Raises:
        UnknownItem: there is none.
    """
    row = store.row(f"{SELECT} WHERE m.moment_id = ?", _Row, [moment_id])
    if row is None:
        raise UnknownItem(f"There is no moment {moment_id[:60]!r} here.")
    return row.moment()


def segment_text(store: Store, moment: Moment) -> str:
    """What the source says the robot does at a moment, in words; empty where it says nothing."""
    for segment in robot.get_episode(store, moment.episode_id).record.segments:
        if segment.start <= moment.frame_index < segment.end:
            return segment.text
    return ""


def still_image(store: Store, images: ImageFolder, episode: Episode, view: str, index: int) -> tuple[ViewImage, bytes]:
    """One view of a frame, its original kept.

    Raises:
        RobotError: it cannot be read.
    """
    still = robot.still(store, episode, view, index)
    kept = ViewImage(
        view=view, image=images.keep(still.data), width=still.width, height=still.height,
        file=still.file, frame_index=still.frame_index, timestamp_s=still.timestamp_s,
    )  # fmt: skip
    return kept, still.data
