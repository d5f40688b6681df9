"""Steps with their pictures as rows that the Hugging Face library loads: what was seen, and the action that was taken at it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from data.frames import FrameDamaged
from study.exports.card import Config
from study.exports.episodes import Episode
from study.exports.form import Format, Making, Problem, Take
from study.steps import Step
from study.tabular import Picture, Row, Time, arrow_schema, record_batch, write_dictionary

BATCH = 128
"""Rows in memory at once (and those of one episode more), and in a row group: about 10 MB of pictures."""
SHARD_BYTES = 500_000_000
"""A file of the data set is closed when it has grown to this."""


class TrajectoryRow(Row):
    """One row per observation, with the action that was taken at it: the shape of RLDS, where the table of steps has the action before."""

    episode_id: str
    """Episode; key of the other tables."""
    step: int
    """Number of the observation, from 0."""
    is_first: bool
    """The first view."""
    is_last: bool
    """No action was taken at it."""
    image: Picture | None
    """The observation; empty where its file is missing or was changed, or where the export was made without pictures."""
    earlier_images: list[Picture]
    """The frames on the way to it, where the step before had several."""
    action: str
    """The action that was taken at it, with the episode's object handles; empty at the last."""
    action_ok: bool | None
    """False: the action failed physically. Empty at the last."""
    position_m: list[float]
    """Camera position, metres, world frame, z up."""
    quaternion_xyzw: list[float]
    """Camera orientation, scalar last; the camera looks along −z."""
    question: str
    """The question."""
    options: list[str]
    """Options in the order shown; none where it has none."""
    accepted: list[str]
    """Accepted answers, each in the question's words."""
    answer: str | None
    """The final answer as understood, JSON; empty: none."""
    correct: bool | None
    """Right as the released scorer of this subcategory reads it. Empty: not ended."""
    task_id: str
    """Stable task id."""
    category: str
    """Task category."""
    subcategory: str
    """Task subcategory."""
    paradigm: str
    """How the task was met."""
    agent_kind: str
    """human, model, script or gym."""
    agent_name: str
    """Name of the model or script; empty for people."""
    practice: bool
    """Practice task: does not count."""
    state: str
    """active, completed, returned, timed_out, rejected."""
    server_time: Time
    """When the observation was on disk."""


class _Shards:
    """Files of rows, each closed when it is large enough."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._number, self._bytes = folder, 0, 0
        self._schema = arrow_schema(TrajectoryRow)
        self._writer: pq.ParquetWriter | None = None
        self._waiting: list[TrajectoryRow] = []

    def add(self, row: TrajectoryRow) -> None:
        self._waiting.append(row)
        self._bytes += sum(len(picture["bytes"]) for picture in (row.image, *row.earlier_images) if picture is not None)
        if len(self._waiting) >= BATCH:
            self.flush()
        if self._bytes >= SHARD_BYTES:
            self.close()

    def flush(self) -> None:
        if self._writer is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(self._folder / f"{self._number:05d}.parquet", self._schema, compression="zstd")
            self._number += 1
        self._writer.write_batch(record_batch(self._waiting, self._schema))
        self._waiting.clear()

    def close(self) -> None:
        if self._waiting:
            self.flush()
        if self._writer is not None:
            self._writer.close()
        self._writer, self._bytes = None, 0


@contextmanager
def write(making: Making) -> Iterator[Take]:
    """Every step of every episode that has steps, practice and unfinished ones too."""
    folder = making.folder / "trajectories"
    shards = _Shards(folder)

    def take(episode: Episode) -> None:
        if not episode.row.met.stepped:
            return
        for step in episode.steps:
            shards.add(_row(making, episode, step))
            making.counts["trajectory_steps"] += 1

    try:
        yield take
    finally:
        shards.close()
    if folder.is_dir():
        write_dictionary(folder, {"trajectories": TrajectoryRow})


def _row(making: Making, episode: Episode, step: Step) -> TrajectoryRow:
    row, task = episode.row, episode.task
    following = episode.steps[step.seq + 1] if step.seq + 1 < len(episode.steps) else None
    pictures = [_picture(making, step, pixel_hash) for pixel_hash in step.frames] if making.images != "none" else [None]
    kept: dict[str, Any] = {
        name: getattr(row, name) for name in ("episode_id", "paradigm", "agent_kind", "agent_name", "practice", "state", "answer")
    }
    return TrajectoryRow(
        **kept,
        step=step.seq,
        is_first=step.seq == 0,
        is_last=following is None,
        image=pictures[-1],
        earlier_images=[picture for picture in pictures[:-1] if picture is not None],
        action="" if following is None else following.action,
        action_ok=None if following is None else following.ok,
        position_m=list(step.pose_after.position_m),
        quaternion_xyzw=list(step.pose_after.quaternion_xyzw),
        question=task.question.text,
        options=[task.question.options[i] for i in row.option_order.options],
        accepted=[text if isinstance(text, str) else json.dumps(text, ensure_ascii=False) for text in task.gold.accepted],
        correct=row.correct_lenient if row.answered is not None else None,
        task_id=task.task_id,
        category=task.category,
        subcategory=task.subcategory,
        server_time=Time(step.server_time),
    )


def _picture(making: Making, step: Step, pixel_hash: str) -> Picture | None:
    """The stored file; one that is missing or changed is told, unless another format has told it."""
    name = f"trajectories/{step.episode_id}/{step.seq:03d}-{pixel_hash[:12]}"
    try:
        return Picture({"bytes": making.frames.kept(making.store, pixel_hash), "path": f"{name}.webp"})
    except FrameDamaged as error:
        problem = Problem(name, step.episode_id, step.seq, pixel_hash, error.what)
        if not any(known[1:] == problem[1:] for known in making.problems):
            making.problems.append(problem)
        return None


def configs(making: Making) -> tuple[Config, ...]:
    """The rows, where there are some: the library cannot load a table without."""
    return (Config("trajectories", ("trajectories/*.parquet",), TrajectoryRow.__doc__ or ""),) if making.counts["trajectory_steps"] else ()


FORMAT = Format(
    name="trajectories",
    title="Trajectories for the Hugging Face library",
    text="Every step with its picture and the action taken at it; datasets.load_dataset(FOLDER) reads it and the tables by a data card.",
    counts=("trajectory_steps",),
    write=write,
    configs=configs,
    card=True,
    by_default=False,
    pictures=True,
)
