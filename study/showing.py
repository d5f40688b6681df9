"""Showings that open without a simulator: a frozen set of views all at once, pictures one after the other, or words alone."""

from __future__ import annotations

import random
from collections.abc import Sequence

from data.store import Store, now
from data.task import Task
from study import frozen, sequences, steps
from study.errors import SceneUnplayable
from study.frozen import FrozenView
from study.paradigms.paradigm import Paradigm
from study.records import EpisodeRecord
from study.steps import Step, keep


def lay_open(store: Store, record: EpisodeRecord, task: Task) -> None:
    """Keep what a new episode shows, before it is shown; part of the caller's transaction.

    Raises:
        SceneUnplayable: its views have not been rendered.
    """
    way, at = record.met, now()
    told: dict[str, object] = {"epoch": record.epoch}
    last, backend, deterministic, fingerprint = 0, "", None, ""
    if way.opens == "grid":
        views = frozen.views_of(store, record.task_hash, way.frozen)
        if not views:
            raise SceneUnplayable("The pictures of this task are not here yet. Please report it; you can go on with another task.")
        order = shown_order(views, record.seed)
        for seq, n in enumerate(order):
            keep(store, _step(record, seq, views[n], at))
        told |= {"set": way.frozen, "order": order}
        last, deterministic, fingerprint = len(order) - 1, 1, views[0].fingerprint
        backend = views[0].backend
        store.db.execute("UPDATE episodes SET pictures = ? WHERE episode_id = ?", [len(order), record.episode_id])
    elif way.paged:
        shown = sequences.pictures(store, record)
        first = keep(store, sequences.step(record, shown, 0, at))
        told |= {"set": way.frozen, "partner": record.partner, "pictures": len(shown)}
        backend, deterministic, fingerprint = sequences.rendered_with(store, record)
        store.db.execute("UPDATE episodes SET pictures = ?, phase = ? WHERE episode_id = ?", [len(shown), first.phase, record.episode_id])
    else:
        told["told"] = list(told_beside(way, task, record.seed))
    store.event("shown", told, at=at, episode_id=record.episode_id)
    store.db.execute(
        "UPDATE episodes SET last_seq = ?, backend = ?, deterministic = ?, fingerprint = ?, actions = '[]' WHERE episode_id = ?",
        [last, backend, deterministic, fingerprint, record.episode_id],
    )


def shown_order(views: Sequence[FrozenView], seed: int) -> list[int]:
    """In which order a showing shows a set: part by part; in each its start view first, the others in an order drawn from `seed`.

    Returns:
        Places in the set.
    """
    order: list[int] = []
    for phase in dict.fromkeys(view.phase for view in views):
        first, *others = [view.n for view in views if view.phase == phase]
        random.Random(f"{seed}/views/{phase}").shuffle(others)
        order += [first, *others]
    return order


def told_beside(way: Paradigm, task: Task, seed: int) -> tuple[str, ...]:
    """What a showing tells beside its question, in the order drawn from `seed`."""
    words = list(way.tells(task))
    random.Random(f"{seed}/told").shuffle(words)
    return tuple(words)


def _step(record: EpisodeRecord, seq: int, view: FrozenView, at: str) -> Step:
    """One view of a set as a step."""
    return steps.shown(
        record.episode_id,
        seq,
        "view",
        epoch=record.epoch,
        at=at,
        pixel_hash=view.pixel_hash,
        pose_before=view.pose,
        pose=view.pose,
        visible=view.visible,
        clipped=view.clipped,
        phase=view.phase,
    )
