"""Golds of Unobserved Change from the scene document."""

from __future__ import annotations

import numpy as np
import pytest

from data.task import Task
from tests.data.generators.recomputing import asked, base, made_by


def ids(task: Task) -> str:
    return task.task_id


@pytest.mark.parametrize("task", made_by("change"), ids=ids)
def test_change(task: Task) -> None:
    places = asked(task)
    things = [o for o in task.scene.objects if o not in places]

    def held(hidden: tuple[str, ...]) -> list[list[str]]:
        there: list[list[str]] = [[] for _ in places]
        for o in (o for o in things if o.handle not in hidden):
            gaps = [float(np.linalg.norm((base(o) - base(p))[:2])) for p in places]
            assert min(gaps) < 0.4
            there[int(np.argmin(gaps))].append(o.category)
        return there

    before, after = (held(p.hidden) for p in task.scene.phases)
    assert all(len(h) <= 1 for h in (*before, *after))
    changed = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    if task.tags["form"] == "detect":
        gold = "yes" if changed else "no"
    elif task.tags["form"] == "which":
        (i,) = changed
        gold = task.names[places[i].handle]
    else:
        ((was,), (now,)) = before, after
        gold = "no change" if was == now else "add" if not was else "remove" if not now else "replace"
    assert task.gold.accepted == (gold,)


def test_the_proof_needs_two_thirds_of_the_budget_at_most() -> None:
    for task in made_by("change"):
        assert task.budget == 30 and 0 < task.proof_views <= 20, task.task_id


def test_things_lie_in_boxes_on_tables_and_behind_chests() -> None:
    layouts = {t.tags["layout"] for t in made_by("change")}
    assert layouts == {"box", "table", "chest", "three boxes"}
    assert len({t.question.text for t in made_by("change")}) >= 8
