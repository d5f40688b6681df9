"""Which worked examples a study needs: one in each of its paradigms, and together every control that its tasks need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from data.generators.practice import practice
from data.generators.worked import HAND_ACTIONS, hands, parts
from data.store import Store
from data.task import Task
from sim_bridge.actions import CAMERA_ACTIONS
from study.paradigms.paradigm import Paradigm
from study.tutorial.settings import Example

LEAST = 2
"""Worked examples of a study, at least (ESI-Bench App. E)."""


@dataclass(frozen=True)
class Planned:
    """The examples of a study, and what they do not practise."""

    examples: tuple[tuple[Task, Paradigm], ...]
    unpractised: tuple[str, ...]
    """Actions that its tasks offer and no example."""
    without: tuple[str, ...]
    """Paradigms for which there is no example."""


def planned(tasks: Iterable[Task], ways: Sequence[Paradigm]) -> Planned:
    """The worked examples for a study.

    Args:
        tasks: of the study.
        ways: its paradigms.
    """
    wanted, in_parts, ordered = set[str](), False, False
    for task in tasks:
        wanted |= set(task.actions)
        in_parts |= len(task.scene.phases) > 1
        ordered |= task.question.form == "sequence"
    by_hand = wanted & set(HAND_ACTIONS)
    ready = [practice(), *([hands(by_hand)] if by_hand else []), *([parts()] if in_parts or ordered or not by_hand else [])]

    def can(task: Task, way: Paradigm) -> bool:
        return not way.unfit(task) and bool(task.gt_trajectory or "ground_truth" not in (way.frozen, way.stand_in))

    acting = [way for way in ways if way.acts]
    examples = [(task, way) for way in acting for task in ready if can(task, way)]
    for number, way in enumerate(way for way in ways if not way.acts):
        # another one first each time, so that nobody sees the same room again and again
        turned = [*ready[number % len(ready) :], *ready[: number % len(ready)]]
        fit = [task for task in turned if can(task, way)]
        examples += [(task, way) for task in fit[: 1 if acting or len(ways) > 1 else LEAST]]
    shown = {name for task, way in examples if way.acts for name in task.actions}
    met = {way.name for _, way in examples}
    return Planned(
        examples=tuple(examples),
        unpractised=tuple(sorted(wanted - shown - set(CAMERA_ACTIONS))) if acting else (),
        without=tuple(way.name for way in ways if way.name not in met),
    )


def choose(store: Store, tasks: Sequence[str], ways: Sequence[Paradigm]) -> tuple[Example, ...]:
    """The worked examples for a study, kept as tasks.

    Args:
        store: the database.
        tasks: content hashes of the study's tasks.
        ways: its paradigms.
    """
    plan = planned(map(store.get_task, tasks), ways)
    known = {row["content_hash"] for row in store.query("SELECT content_hash FROM tasks")}
    for task, _ in plan.examples:
        if task.content_hash not in known:
            store.put_task(task)
            known.add(task.content_hash)
    return tuple(Example(task=task.content_hash, paradigm=way.name) for task, way in plan.examples)
