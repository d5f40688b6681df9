"""Which tasks can be met in which paradigms, and why the others cannot: places are made for those pairs alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data.store import Store
from study.errors import WrongParadigm
from study.paradigms.paradigm import Paradigm


@dataclass(frozen=True)
class Unfit:
    """A task that a paradigm cannot show."""

    content_hash: str
    task_id: str
    why: str
    """A clause that follows the id."""


@dataclass(frozen=True)
class Fit:
    """A paradigm and a list of tasks."""

    paradigm: str
    fit: tuple[str, ...]
    """Content hashes of the tasks that can be met in it, in their order."""
    unfit: tuple[Unfit, ...]
    """The others."""


def fits(store: Store, tasks: Sequence[str], ways: Sequence[Paradigm]) -> tuple[Fit, ...]:
    """For each paradigm, which of the tasks can be met in it.

    Args:
        store: the database.
        tasks: content hashes.
        ways: the paradigms.

    Raises:
        TaskNotFound: there is no such task.
    """
    found: dict[str, tuple[list[str], list[Unfit]]] = {way.name: ([], []) for way in ways}
    for content_hash in tasks:
        task = store.get_task(content_hash)
        for way in ways:
            can, cannot = found[way.name]
            if why := way.unfit(task):
                cannot.append(Unfit(content_hash, task.task_id, why))
            else:
                can.append(content_hash)
    return tuple(Fit(name, tuple(can), tuple(cannot)) for name, (can, cannot) in found.items())


def nowhere(found: Sequence[Fit]) -> tuple[Unfit, ...]:
    """The tasks that no paradigm can show, each once, with the reason of the first."""
    if not found:
        return ()
    placed = {content_hash for one in found for content_hash in one.fit}
    return tuple(task for task in found[0].unfit if task.content_hash not in placed)


def check_some_fit(found: Sequence[Fit]) -> None:
    """Whether each paradigm has at least one task.

    Raises:
        WrongParadigm: one has none; the message says why its first task cannot be met in it.
    """
    for one in found:
        if one.unfit and not one.fit:
            first, others = one.unfit[0], len(one.unfit) - 1
            more = f" (and {others} others cannot either)" if others else ""
            raise WrongParadigm(
                f"{first.task_id} {first.why}{more}, so the paradigm {one.paradigm} has no place in this study. Leave it out, or add tasks "
                "that it can show."
            )
