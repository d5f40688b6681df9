"""Checks of task files: read, replayed in a fresh session, twins compared. What `vantage tasks check` says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from data.foreign import Unreadable, json_value, text_file
from data.generators.framework import Generator, Rejected, crossing, first_views, problems
from data.generators.lab import Lab, Playing, play
from data.task import Task
from sim_bridge.errors import BridgeError, WorkerLost

MAX_BYTES = 2 << 20
"""A task file is a few kilobytes; what is larger is none."""


@dataclass
class Checked:
    """One file and what is wrong with it."""

    file: str
    task_id: str = ""
    subcategory: str = ""
    problems: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.problems


def read(path: Path) -> Task:
    """One task file.

    Raises:
        Rejected: the file is no task; the message names the field.
    """
    try:
        text = text_file(path, MAX_BYTES).text
        json_value(text)  # depth, repeated keys and numbers, which the faster reading of a stored document does not bound
        return Task.from_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the document"
        raise Rejected(f"{where}: {first['msg'].removeprefix('Value error, ')}") from None
    except (ValueError, Unreadable) as error:
        raise Rejected(str(error)) from None


def check_files(
    paths: Iterable[Path], lab: Lab, generators: Iterable[Generator], on_done: Callable[[Checked], None] = lambda _: None
) -> list[Checked]:
    """Check task files; twins are expected side by side.

    A task with which the simulator is lost is played once more by another (`Lab.renew`), and the rest goes on with that one.

    Args:
        paths: the files.
        lab: the simulator.
        generators: whose judges derive the golds.
        on_done: called after each file, for progress.
    """
    judges = {(g.slug, g.category, g.subcategory): g for g in generators}
    read_tasks: dict[str, tuple[Checked, Task]] = {}
    report: list[Checked] = []
    for path in sorted(paths):
        entry = Checked(path.name)
        report.append(entry)
        try:
            task = read(path)
        except Rejected as problem:
            entry.problems.append(str(problem))
            on_done(entry)
            continue
        entry.task_id, entry.subcategory = task.task_id, task.subcategory
        if task.task_id in read_tasks:
            entry.problems.append(f"task_id: {read_tasks[task.task_id][0].file} has the same id {task.task_id!r}")
        read_tasks[task.task_id] = (entry, task)
    waiting: dict[str, Playing] = {}
    for entry, task in read_tasks.values():
        maker = task.provenance.generator.partition(" ")[0]
        generator = judges.get((maker, task.category, task.subcategory))
        if generator is None:
            entry.problems.append(
                f"provenance.generator: no generator {maker!r} makes {task.subcategory!r} tasks, so the gold cannot be derived again"
            )
            on_done(entry)
            continue
        try:
            playing, found = _judged(lab, generator, task)
        except (BridgeError, ValueError) as error:
            entry.problems.append(str(error))
            on_done(entry)
            continue
        entry.problems += found
        if task.twin is not None:
            if task.twin not in read_tasks:
                entry.problems.append(f"twin: {task.twin!r} is not among these files")
            elif task.twin in waiting:
                other = waiting.pop(task.twin)
                entry.problems += filter(None, [first_views(task, playing, other.first.frame)])
                if other.task.gold.accepted[0] == task.gold.accepted[0]:
                    entry.problems.append("gold: twins have the same gold")
                if other.task.question != task.question:
                    entry.problems.append("question: twins ask different things")
            else:
                waiting[task.task_id] = playing
        elif not isinstance(task.first_view, str):
            entry.problems.append("first_view: a task without a twin needs the argument why one view does not suffice")
        on_done(entry)
    return report


def _judged(lab: Lab, generator: Generator, task: Task) -> tuple[Playing, list[str]]:
    """How a task went, and what is wrong with it; played once more where the simulator was lost with it.

    Raises:
        BridgeError: the simulator refuses it; `WorkerLost`: it was lost, and there is no other, or the other was lost too.
        ValueError: it cannot be judged.
    """
    try:
        return _once(lab, generator, task)
    except WorkerLost:
        if not lab.renew():
            raise
    try:
        return _once(lab, generator, task)
    except WorkerLost:
        lab.renew()
        raise


def _once(lab: Lab, generator: Generator, task: Task) -> tuple[Playing, list[str]]:
    playing = play(lab, task, pictures=False, audit_end=True)
    found = problems(generator, playing) + crossing(playing)
    return playing, found + (generator.tried(lab, task) if generator.tried is not None else [])
