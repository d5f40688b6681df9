"""Sound items from kept moments whose truth is known: right answers follow from poses, the texts from the subtasks' own templates.

They go through the pool as a person's do, and each is held to the rules and to the poses before it is sent in. Generated items make a
project start with something to review; they do not replace authors.
"""

from __future__ import annotations

import random
from collections import Counter

import msgspec

from annotation.qa import rules
from annotation.qa.errors import QaError, QuotaFull
from annotation.qa.items import Item
from annotation.qa.projects import NONE_CELL, get_project, places
from annotation.qa.scenes.moment import Moment, moments
from annotation.qa.scenes.scene import scene_at
from annotation.qa.scenes.sight import Sight
from annotation.qa.subtasks import SUBTASKS, named
from annotation.qa.truth import against
from annotation.qa.work import pool
from data.robot.errors import RobotError
from data.store import Store


def generate(
    store: Store, project_id: str, subtask: str, count: int, seed: int = 0, author: str = "", *, submit: bool = True
) -> list[pool.Stored]:  # fmt: skip
    """Make items of one subtask from the project's kept moments.

    Args:
        store: the database.
        project_id: the project.
        subtask: slug.
        count: how many are wanted.
        seed: the draw: the same on the same moments makes the same items.
        author: who stands as their author.
        submit: send them into review; otherwise they stay drafts.

    Returns:
        The items; fewer than `count` where the moments do not allow more, or the quota is full.

    Raises:
        Training: the author's trial batch waits to be judged.
    """
    slug = named(subtask).slug
    rng = random.Random(f"{seed} {slug}")
    kept = [m for m in moments(store, project_id, state="kept") if m.arm in SUBTASKS[slug].arms]
    rows = store.rows(_USED, _Use, [project_id])
    used = Counter(row.moment for row in rows if row.subtask == slug)
    # moments that serve no other subtask yet come first
    everywhere = Counter(row.moment for row in rows)
    order = sorted(rng.sample(kept, len(kept)), key=lambda moment: everywhere[moment.moment_id])
    made: list[pool.Stored] = []
    for turn in range(SUBTASKS[slug].per_moment):
        for moment in order:
            if len(made) >= count:
                return made
            # a moment gets a second item only when every moment has had its turn
            if used[moment.moment_id] > turn:
                continue
            item = propose(store, moment, slug, rng, none=SUBTASKS[slug].none_cell is not None and _none_due(store, project_id, slug))
            if item is None:
                continue
            try:
                made.append(_into_pool(store, project_id, item, author, submit))
            except QuotaFull:
                return made
            used[moment.moment_id] += 1
    return made


class _Use(msgspec.Struct):
    """A moment that an item was made from."""

    moment: str
    subtask: str


class _Nones(msgspec.Struct):
    """Items of a subtask, and those of them whose right option is None."""

    n: int
    none: int


_USED = (
    "SELECT json_extract(v.document, '$.moment') AS moment, i.subtask FROM qa_items i JOIN qa_versions v ON v.item_id = i.item_id "
    "AND v.version = i.version WHERE i.project_id = ? AND i.state <> 'discarded'"
)


def _none_due(store: Store, project_id: str, slug: str) -> bool:
    """Whether the next item of a subtask with a `NoneCell` should have None as its right option, so that the project's share is kept."""
    project = get_project(store, project_id)
    (there,) = store.rows(
        "SELECT count(*) AS n, count(*) FILTER (WHERE cell = ?) AS none FROM qa_items "
        "WHERE project_id = ? AND subtask = ? AND state <> 'discarded'",
        _Nones,
        [NONE_CELL, project_id, slug],
    )
    full = [p for p in places(store, project) if p.subtask == slug and p.cell == NONE_CELL and not p.left]
    return not full and there.none + 1 <= project.none_share * (there.n + 1)


def _into_pool(store: Store, project_id: str, item: Item, author: str, submit: bool) -> pool.Stored:
    with store.atomic():
        draft = item.change(marks=(), absent=(), options={}, option_images={}, gold=None, hard=(), provenance={}, unique_confirmed=False)
        begun = pool.create_item(store, project_id, draft, author)
        item = item.change(item_id=begun.item.item_id)
        saved = pool.save(store, item.item_id, item, begun.version, author, why="generated from the poses")
        return pool.submit(store, item.item_id, author, saved.rev) if submit else pool.get(store, item.item_id)


def propose(store: Store, moment: Moment, slug: str, rng: random.Random, *, none: bool = False) -> Item | None:
    """One item on a moment that keeps the rules and agrees with the poses; None where the moment does not allow any."""
    subtask = SUBTASKS[slug]
    scene = scene_at(store, moment)
    if subtask.make is None or (scene.truth is None and subtask.needs_poses):
        return None
    sight = Sight(store, scene)
    for _ in range(subtask.attempts):
        try:
            item = subtask.make(sight, rng, none)
        except (QaError, RobotError):
            # a source that has gone, or a moment that the subtask cannot use
            return None
        if item is not None and not rules.check(item) and against(scene, item).status in ("agrees", "unknown"):
            return item
    return None
