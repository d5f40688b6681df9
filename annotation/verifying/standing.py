"""Where tasks stand with their verifiers: what a study's tasks are chosen by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping

import msgspec

from annotation.reviewing.kinds.tasks import KIND
from data.store import Store
from data.task import AUTHORED, CHECKS, Task

STANDINGS: Mapping[str, str] = {
    "retained": "retained: it passed all three axes",
    "rejected": "rejected: it failed on at least one axis",
    "under-way": "under verification",
    "not-verified": "not verified",
    "human-authored": "written by a person, verified or not",
}
"""Name → its words. A task has one of the first four, and the last where it was written by hand."""


class _State(msgspec.Struct, frozen=True):
    task_hash: str
    state: str


def standings(store: Store) -> dict[str, str]:
    """Content hash → ``retained``, ``rejected`` or ``under-way``, of every task that stands in a verification.

    A task in several verifications is retained where one retains it and none rejects it. A new version has to be verified anew.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for row in store.stream(
        "SELECT i.task_hash, x.state FROM verification_items i CROSS JOIN reviewed x ON x.kind = ? AND x.subject = i.subject "
        "WHERE i.part = 'task' AND x.state <> 'replaced'",
        _State, [KIND.name],
    ):  # fmt: skip
        found[row.task_hash].add(row.state)
    return {
        task_hash: next((name for name in ("rejected", "retained") if name in states), "under-way") for task_hash, states in found.items()
    }


def has(standing: Mapping[str, str], content_hash: str, dataset: str, wanted: Collection[str]) -> bool:
    """Whether a task has one of the wanted names of `STANDINGS`; wanting none wants all.

    Args:
        standing: of `standings`.
        content_hash: the task.
        dataset: the data set that it belongs to.
        wanted: names.
    """
    written = ("human-authored",) if dataset == AUTHORED else ()
    return not wanted or bool({standing.get(content_hash, "not-verified"), *written} & set(wanted))


def stands(store: Store, wanted: Collection[str]) -> Callable[[Task], bool] | None:
    """`has` for ``study.drafting.choose``; None where none is wanted."""
    if not wanted:
        return None
    standing = standings(store)
    return lambda task: has(standing, task.content_hash, task.provenance.dataset, wanted)


def counts(store: Store) -> dict[str, int]:
    """Name of `STANDINGS` → newest versions of tasks that have it; what is made wrong on purpose is not counted."""
    standing = standings(store)
    found = dict.fromkeys(STANDINGS, 0)
    for dataset in store.task_counts("dataset"):
        for content_hash in store.task_hashes(dataset) if dataset != CHECKS else ():
            for name in STANDINGS:
                found[name] += has(standing, content_hash, dataset, (name,))
    return found
