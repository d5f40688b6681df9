"""Sampling: which frames become moments, and what the rules say of them."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from annotation.qa.errors import QaError
from annotation.qa.items import VIEWS, ViewImage
from annotation.qa.moments.counts import Funnel, funnel
from annotation.qa.moments.records import nearest, said, signatures
from annotation.qa.projects import Project, get_project
from annotation.qa.scenes import clarity
from annotation.qa.scenes.moment import moments, still_image
from data.robot import episodes as robot
from data.robot.episodes import Episode
from data.robot.errors import RobotError
from data.robot.images import ImageFolder, opened
from data.store import Store, dumps, new_id, now

GAP = 10
"""Least distance between two moments of an episode, frames (MV-RoboBench)."""


@dataclass(frozen=True)
class Place:
    """One frame to look at."""

    episode_id: str
    frame_index: int


def frames_for(
    frames: int, taken: Iterable[int], count: int, gap: int, rng: random.Random, *, sound: Callable[[int], bool] = lambda frame: True
) -> list[int]:
    """Frames of an episode, spread over it: one drawn from each of `count` equal stretches, the others from where there is room.

    Args:
        frames: how many the episode has.
        taken: frames that are moments already.
        count: how many are wanted; fewer come where there is no room.
        gap: least distance to each other and to those taken.
        rng: the draw.
        sound: whether a frame can be read in every view.
    """
    there = list(taken)
    chosen: list[int] = []

    def draw(low: int, high: int) -> None:
        free = [f for f in range(low, high) if all(abs(f - other) >= gap for other in (*there, *chosen)) and sound(f)]
        if free:
            chosen.append(rng.choice(free))

    for k in range(count):
        draw(k * frames // count, (k + 1) * frames // count)
    for _ in range(count - len(chosen)):
        draw(0, frames)
    return sorted(chosen)


def plan(
    episodes: Sequence[Episode], taken: Mapping[str, Sequence[int]], per_episode: int, gap: int, seed: int, limit: int | None
) -> list[Place]:
    """The frames to sample, in an order that goes round: always from the task, and in it from the episode, that has the fewest moments.

    Args:
        episodes: those that have all views.
        taken: episode → frames that are moments already.
        per_episode: new moments of each episode.
        gap: least distance within an episode, frames.
        seed: the draw.
        limit: at most so many in all.
    """
    rng = random.Random(seed)
    tasks: dict[str, list[Episode]] = defaultdict(list)
    for episode in sorted(episodes, key=lambda e: (e.source_id, e.key)):
        tasks[f"{episode.arm} {episode.task.casefold().strip()}"].append(episode)
    queues: dict[str, list[int]] = {}
    for episode in rng.sample([e for group in tasks.values() for e in group], len(episodes)):
        drawn = frames_for(episode.frames, taken.get(episode.episode_id, ()), per_episode, gap, rng, sound=episode.record.sound)
        queues[episode.episode_id] = rng.sample(drawn, len(drawn))
    order = {key: n for n, key in enumerate(queues)}
    had: Counter[str] = Counter({episode_id: len(frames) for episode_id, frames in taken.items()})
    of_task = Counter({task: sum(had[e.episode_id] for e in group) for task, group in tasks.items()})
    ranks = {task: n for n, task in enumerate(rng.sample(sorted(tasks), len(tasks)))}
    places: list[Place] = []
    while limit is None or len(places) < limit:
        open_tasks = [task for task, group in tasks.items() if any(queues[e.episode_id] for e in group)]
        if not open_tasks:
            break
        task = min(open_tasks, key=lambda t: (of_task[t], ranks[t]))
        episode_id = min(
            (e.episode_id for e in tasks[task] if queues[e.episode_id]), key=lambda episode_id: (had[episode_id], order[episode_id])
        )
        places.append(Place(episode_id, queues[episode_id].pop()))
        of_task[task] += 1
        had[episode_id] += 1
    return places


def sample_moments(
    store: Store,
    project_id: str,
    *,
    per_episode: int = 3,
    gap: int = GAP,
    seed: int = 0,
    actor: str = "",
    limit: int | None = None,
    source_ids: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Funnel:
    """Sample moments evenly over tasks and episodes, keep their images, and hold them to the project's thresholds.

    Each call adds moments where there is room; those that are there stay as they are.

    Args:
        store: the database.
        project_id: the project.
        per_episode: new moments of each episode.
        gap: least distance between two moments of an episode, frames.
        seed: the draw; the same seed on the same episodes and moments draws the same.
        actor: who asked for it.
        limit: at most so many new moments in all.
        source_ids: only episodes of these sources.
        progress: called with (moments looked at, moments to look at).

    Returns:
        The project's funnel afterwards; its `added` counts this call.

    Raises:
        QaError: a number is out of range, there is no episode with all views, or the folder of a source is gone.
    """
    if not 1 <= per_episode <= 1000 or gap < 1:
        raise QaError(f"Sample 1 to 1000 moments per episode, at least 1 frame apart; got {per_episode} and {gap}.")
    project = get_project(store, project_id)
    whole = [e for e in robot.episodes(store) if source_ids is None or e.source_id in source_ids]
    usable = {e.episode_id: e for e in whole if e.record.complete}
    if not usable:
        why = f"none of the {len(whole)} episodes has all views" if whole else "there are no robot episodes here"
        raise QaError(f"Nothing to sample: {why}. Import a source first (vantage qa import).")
    if gone := {e.source_name: e.root for e in usable.values() if not Path(e.root).is_dir()}:
        where = ", ".join(f"{name or 'a source'} ({root})" for name, root in sorted(gone.items()))
        raise QaError(f"Not there any more: {where}. Put it back, or name the other sources only (--source).")
    taken: dict[str, list[int]] = defaultdict(list)
    first = 0
    for moment in moments(store, project_id):
        taken[moment.episode_id].append(moment.frame_index)
        first += 1
    places = plan(list(usable.values()), taken, per_episode, gap, seed, limit)
    images = ImageFolder(store.home)
    added = 0
    by_episode: dict[str, list[tuple[int, Place]]] = defaultdict(list)
    for number, place in enumerate(places):
        by_episode[place.episode_id].append((first + number, place))
    done = 0
    for episode_id, wanted in by_episode.items():
        # in the order of the frames, which a video gives fastest
        forward = sorted(wanted, key=lambda entry: entry[1].frame_index)
        looked = [(number, _look(store, images, usable[episode_id], place)) for number, place in forward]
        added += _write(store, project, episode_id, looked, gap, actor)
        done += len(wanted)
        if progress is not None:
            progress(done, len(places))
    with store.atomic():
        data = {"project": project_id, "added": added, "per_episode": per_episode, "gap": gap, "seed": seed, "limit": limit}
        data |= {"thresholds": project.thresholds.model_dump()}
        store.event("moments_sampled", data, actor=actor, study_id=project.study_id, subject=project_id)
    return funnel(store, project_id, added=added)


@dataclass(frozen=True)
class _Looked:
    frame_index: int
    timestamp_s: float | None
    views: tuple[ViewImage, ...]
    metrics: dict[str, Any]
    unreadable: str
    """A sentence; empty: all views could be read."""


def _look(store: Store, images: ImageFolder, episode: Episode, place: Place) -> _Looked:
    views, figures, trouble = [], {}, ""
    for view in VIEWS[episode.arm]:
        try:
            image, data = still_image(store, images, episode, view, place.frame_index)
            figures[view] = asdict(clarity.measure(opened(data, f"{image.file} ({view})")))
            views.append(image)
        except RobotError as error:
            trouble = trouble or f"{view}: {error}"
    times = [image.timestamp_s for image in views]
    return _Looked(
        place.frame_index,
        next((t for t in times if t is not None), None),
        tuple(views),
        {"views": figures, "skew_s": clarity.skew_s(times), "nearest": None},
        trouble,
    )


def _write(
    store: Store, project: Project, episode_id: str, looked: Sequence[tuple[int, _Looked]], gap: int, actor: str
) -> int:  # fmt: skip
    """Write the moments of one episode; those that another sampling overtook are left out. Returns how many were written."""
    written = 0
    with store.atomic():
        there = [m for m in moments(store, project.project_id) if m.episode_id == episode_id]
        frames = [m.frame_index for m in there]
        alike = [signatures(m.metrics) for m in there if m.state != "filtered"]
        for number, one in looked:
            if any(abs(one.frame_index - frame) < gap for frame in frames):
                continue
            mine = signatures(one.metrics)
            metrics = one.metrics | {"nearest": nearest(mine, alike)}
            verdict = clarity.Verdict("unreadable", one.unreadable) if one.unreadable else clarity.judge(metrics, project.thresholds)
            state, at, moment_id = "filtered" if verdict.reason else "candidate", now(), new_id("mo")
            document = {
                "place": number,
                "views": [view.model_dump(mode="json") for view in one.views],
                "metrics": metrics,
                "filter": said(verdict),
                "note": verdict.sentence,
            }
            row = {"moment_id": moment_id, "project_id": project.project_id, "episode_id": episode_id, "frame_index": one.frame_index}
            row |= {"timestamp_s": one.timestamp_s, "state": state, "reason": verdict.reason, "document": dumps(document), "created_at": at}
            store.insert("moments", row)
            data = {"moment": moment_id, "project": project.project_id, "state": state, "reason": verdict.reason}
            store.event("moment_sampled", data, at=at, actor=actor, study_id=project.study_id, subject=moment_id)
            if not verdict.reason:
                alike.append(mine)
            frames.append(one.frame_index)
            written += 1
    return written
