"""Which tasks can be met in which paradigms, and why the others cannot: places are made for those pairs alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from data.store import Store
from data.task import Task
from study import trajectories
from study.errors import WrongParadigm
from study.paradigms.paradigm import Paradigm
from study.wordings import FOR_TRYING


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


def fits(store: Store, tasks: Sequence[str], ways: Sequence[Paradigm], language: str = "en") -> tuple[Fit, ...]:
    """For each paradigm, which of the tasks can be met in it.

    Args:
        store: the database.
        tasks: content hashes.
        ways: the paradigms.
        language: of the study; who takes part reads the question in it.

    Raises:
        TaskNotFound: there is no such task.
    """
    found: dict[str, tuple[list[str], list[Unfit]]] = {way.name: ([], []) for way in ways}
    asked = _ASKED.setdefault(store, {})
    recorded = trajectories.those_recorded(store)
    for content_hash in tasks:
        if (content_hash, language) not in asked:
            task = store.get_task(content_hash)
            asked[content_hash, language] = Unfit(content_hash, task.task_id, unsaid(task, language))
        if (without := asked[content_hash, language]).why:
            for _, others in found.values():
                others.append(without)
            continue
        for way in ways:
            can, cannot = found[way.name]
            if (content_hash, way.unfit) not in asked:
                task = store.get_task(content_hash)
                asked[content_hash, way.unfit] = Unfit(content_hash, task.task_id, way.unfit(task))
            told = asked[content_hash, way.unfit]
            if told.why and content_hash in recorded:
                # what its document lacks, a person has added
                told = Unfit(content_hash, told.task_id, way.unfit(trajectories.known(store, store.get_task(content_hash))))
            if told.why:
                cannot.append(told)
            else:
                can.append(content_hash)
    return tuple(Fit(name, tuple(can), tuple(cannot)) for name, (can, cannot) in found.items())


def unsaid(task: Task, language: str) -> str:
    """Why a task cannot be asked in a language, as a clause; empty: it can. A language for trying takes every task as it is."""
    if language in FOR_TRYING or task.question.asks_in(language):
        return ""
    return f"has its question in {', '.join((task.question.language, *task.question.languages))} and not in {language}"


_ASKED: WeakKeyDictionary[Store, dict[tuple[str, Callable[[Task], str] | str], Unfit]] = WeakKeyDictionary()
"""Store → (task, what asks it, or the language) → what was found: a task never changes, and a study may have thousands of them."""


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
