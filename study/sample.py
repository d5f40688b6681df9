"""A study as the paper's, of bundled tasks: something to try a whole study out with (`vantage study demo`, `vantage simulate`)."""

from __future__ import annotations

import random
from collections import defaultdict

from data.generators.registry import bundled
from data.store import Store
from data.task import Task
from study.demo import CONSENT, THANKS, WELCOME
from study.paradigms import PARADIGMS
from study.protocol import Protocol
from study.studies import Study, create_study, get_study

NAME = "Demo of a whole study"
PER_CATEGORY, PER_TASK, TRIALS = 4, 5, 10
"""Tasks of each category, places per task and paradigm, tasks of a session."""
SEED = 13
"""Decides which of the bundled tasks are taken."""


def sample_study(store: Store) -> Study:
    """The study of this name, made where it is not there yet: forty bundled tasks of ten categories, none a twin of another."""
    ways = tuple(way.name for way in PARADIGMS if way.stepped)
    chosen = choose(playable())
    row = store.one("SELECT study_id FROM studies WHERE name = ? ORDER BY created_at DESC, rowid DESC LIMIT 1", [NAME])
    if row is not None:
        study = get_study(store, row["study_id"])
        if (study.tasks, study.paradigms) == (tuple(task.content_hash for task in chosen), ways):
            return study
    known = {row["content_hash"] for row in store.query("SELECT content_hash FROM tasks")}
    with store.atomic():
        for task in chosen:
            if task.content_hash not in known:
                store.put_task(task)
        return create_study(
            store,
            NAME,
            paradigms=ways,
            protocol=Protocol(),
            tasks=tuple(task.content_hash for task in chosen),
            per_task=PER_TASK,
            trials=TRIALS,
            welcome=WELCOME,
            consent=CONSENT,
            thanks=THANKS,
        )


def playable() -> list[Task]:
    """The bundled tasks."""
    return list(bundled())


def choose(tasks: list[Task]) -> list[Task]:
    """So many tasks of each category, as evenly from its subcategories as can be; no two are twins. The same for the same tasks."""
    draw = random.Random(SEED)
    by_category: dict[str, dict[str, list[Task]]] = defaultdict(lambda: defaultdict(list))
    for task in sorted(tasks, key=lambda task: task.task_id):
        if "practice" not in task.task_id:
            by_category[task.category][task.subcategory].append(task)
    found: list[Task] = []
    for kinds in by_category.values():
        for own in kinds.values():
            draw.shuffle(own)
        taken: set[str] = set()
        mine: list[Task] = []
        while len(mine) < PER_CATEGORY and any(kinds.values()):
            for own in kinds.values():
                left = [one for one in own if not taken & {one.task_id, one.twin}]
                own[:] = left[1:]
                if left and len(mine) < PER_CATEGORY:
                    mine.append(left[0])
                    taken |= {left[0].task_id, *filter(None, [left[0].twin])}
        found += mine
    return found
