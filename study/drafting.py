"""A new study from any set of tasks and any settings: what ``vantage study create`` does."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from pydantic import ValidationError

from data.foreign import Unreadable, json_file, text_file, toml_file
from data.rows import Json
from data.store import Store
from data.task import CHECKS, Task
from study.blanks import is_blank
from study.errors import StudyError
from study.faults import Fault, faults
from study.studies import Study, being_edited, create_study, revise


class BadStudy(StudyError):
    """Settings or tasks of which no study can be made; the message says which and why."""

    code = "bad_study"

    def __init__(self, message: str, faults: tuple[Fault, ...] = ()) -> None:
        super().__init__(message)
        self.faults = faults
        """Setting by setting, for whoever calls them otherwise."""


def _refusal(error: ValidationError) -> BadStudy:
    found = faults(error)
    return BadStudy(" ".join(fault.sentence() for fault in found), found)


@dataclass(frozen=True)
class Chosen:
    """Tasks for a study."""

    tasks: tuple[str, ...]
    """Content hashes, each once."""
    left_out: tuple[str, ...]
    """Ids of tasks of the wanted kinds that cannot be played here."""


class Choice(msgspec.Struct, frozen=True):
    """What tasks were chosen by; empty: all."""

    datasets: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subcategories: tuple[str, ...] = ()
    per_category: int | None = None
    playable: bool = True
    """Only those that the installed object models can show."""
    verified: tuple[str, ...] = ()
    """Where they stand with their verifiers: names of `annotation.verifying.standing.STANDINGS`."""


class _Chosen(msgspec.Struct, frozen=True):
    data: Annotated[Choice, Json]


def last_choice(store: Store, study_id: str) -> Choice:
    """By what the study's tasks were chosen last on the page; nothing in particular where they never were."""
    sql = "SELECT data FROM events WHERE study_id = ? AND kind = 'tasks_chosen' ORDER BY seq DESC LIMIT 1"
    found = store.row(sql, _Chosen, [study_id])
    return Choice() if found is None else found.data


def use(store: Store, study_id: str, choice: Choice, tasks: Sequence[str], *, actor: str = "") -> Study:
    """Give a study the tasks that a choice found, and keep the choice.

    Raises:
        UnknownStudy, BadStudy: as `edit` does.
    """
    with store.atomic():
        study = edit(store, study_id, {}, tasks=tasks, actor=actor)
        store.event("tasks_chosen", msgspec.to_builtins(choice), actor=actor, study_id=study_id)
    return study


def choose(
    store: Store,
    *,
    datasets: Sequence[str] = (),
    categories: Sequence[str] = (),
    subcategories: Sequence[str] = (),
    names: Iterable[str] = (),
    playable: Callable[[Task], Sequence[str]] | None = None,
    stands: Callable[[Task], bool] | None = None,
    standing: str = "",
    per_category: int | None = None,
    seed: int = 0,
) -> Chosen:
    """Tasks by name, and by kind.

    Args:
        store: the database.
        datasets: tasks of these data sets, in their latest versions.
        categories: of these alone, where any is given.
        subcategories: of these alone, where any is given.
        names: ids or content hashes; these are taken whatever their kind. An id means its latest version.
        playable: what is missing to play a task; empty: nothing. None: everything is taken to be playable.
        stands: whether a task of the wanted kinds stands with its verifiers as is wanted. None: it does not matter.
        standing: how that is, for the refusal where no task does.
        per_category: so many tasks of each category at most, drawn evenly from its subcategories; None: all. A task's twin is not drawn
            beside it while others are left, since nobody meets both.
        seed: decides the draw.

    Raises:
        BadStudy: there are no such tasks, or a named one cannot be played.
        TaskNotFound: a name that no task has.
    """
    found: dict[str, None] = {}
    left_out: list[str] = []
    of_kind: list[Task] = []
    others = 0
    for name in names:
        task = store.get_task(name) if len(name) == 64 else store.find_task(name)
        if task.provenance.dataset == CHECKS:
            raise BadStudy(f"{task.task_id} is made wrong on purpose, to see how well people verify. Leave it out.")
        if playable is not None and not task.shown and (missing := playable(task)):
            raise BadStudy(f"{task.task_id} cannot be played here: {'; '.join(missing)}. Leave it out, or give --unplayable-too.")
        found[task.content_hash] = None
    if datasets or categories or subcategories:
        _check_there(store, "dataset", datasets)
        _check_there(store, "category", categories)
        _check_there(store, "subcategory", subcategories)
        for task in store.tasks():
            if task.provenance.dataset == CHECKS or not all(
                not wanted or value in wanted
                for wanted, value in ((datasets, task.provenance.dataset), (categories, task.category), (subcategories, task.subcategory))
            ):
                continue
            if stands is not None and not stands(task):
                others += 1
            elif playable is not None and not task.shown and playable(task):
                left_out.append(task.task_id)
            else:
                of_kind.append(task)
        found |= dict.fromkeys(task.content_hash for task in (of_kind if per_category is None else drawn(of_kind, per_category, seed)))
        if not found:
            why = f"; {len(left_out)} cannot be played here (`vantage tasks coverage` says why)" if left_out else ""
            if others:
                raise BadStudy(f"No task of these kinds is {standing}: {others:,} stand otherwise with their verifiers{why}.")
            raise BadStudy(f"No task is of all these kinds at once{why}.")
    return Chosen(tuple(found), tuple(left_out))


def drawn(tasks: Sequence[Task], per_category: int, seed: int) -> list[Task]:
    """So many tasks of each category, as evenly from its subcategories as they have tasks, in the order in which they were given.

    Args:
        tasks: to draw from.
        per_category: how many of each category at most.
        seed: decides the draw; equal tasks and seeds give equal draws.
    """
    chosen: set[str] = set()
    categories: dict[str, dict[str, list[Task]]] = {}
    for task in tasks:
        categories.setdefault(task.category, {}).setdefault(task.subcategory, []).append(task)
    for category in sorted(categories):
        draw = random.Random(f"{seed}/{category}")
        queues = []
        for _, members in sorted(categories[category].items()):
            draw.shuffle(members)
            queues.append(_twins_last(members))
        draw.shuffle(queues)
        turns = [task for turn in zip_longest(*queues) for task in turn if task is not None]
        chosen |= {task.content_hash for task in turns[:per_category]}
    return [task for task in tasks if task.content_hash in chosen]


def _twins_last(tasks: Sequence[Task]) -> list[Task]:
    """The tasks without a twin before them, then the others."""
    ids: set[str] = set()
    first: list[Task] = []
    later: list[Task] = []
    for task in tasks:
        (later if task.twin in ids else first).append(task)
        ids.add(task.task_id)
    return first + later


def _check_there(store: Store, kind: Literal["dataset", "category", "subcategory"], wanted: Sequence[str]) -> None:
    counts = store.task_counts(kind) if wanted else {}
    for value in wanted:
        if value not in counts:
            there = ", ".join(f"{name} ({count})" for name, count in counts.items()) or "no tasks yet"
            raise BadStudy(f"No task here has the {kind} {value!r}. There are: {there}.")


def read_names(path: Path) -> list[str]:
    """Ids and content hashes from a file, one a line; what follows a ``#`` is a remark.

    Raises:
        BadStudy: it cannot be read.
    """
    try:
        lines = text_file(path).text.splitlines()
    except Unreadable as error:
        raise BadStudy(f"{path} cannot be read as a list of tasks: {error.clause}") from None
    return [name for line in lines if (name := line.partition("#")[0].strip())]


def read_settings(path: Path) -> dict[str, Any]:
    """Settings of a study from a TOML or JSON file: fields of `Study`, with the tables ``protocol`` and ``recruitment``.

    Raises:
        BadStudy: it cannot be read, or is no table.
    """
    as_json = path.suffix.lower() == ".json"
    try:
        found = json_file(path) if as_json else toml_file(path)
    except Unreadable as error:
        raise BadStudy(f"{path} cannot be read as {'JSON' if as_json else 'TOML'}: {error.clause}") from None
    if not isinstance(found, dict):
        raise BadStudy(f"{path} holds no table of settings.")
    return found


def merged(file: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a file with those given beside it, which count more."""
    found = dict(file)
    for name, value in given.items():
        below = found.get(name)
        found[name] = merged(below, value) if isinstance(value, Mapping) and isinstance(below, Mapping) else value
    return found


def draft(store: Store, name: str, tasks: Sequence[str], settings: Mapping[str, Any]) -> Study:
    """Make the study.

    Args:
        store: the database.
        name: its name, which no other study in the lists has; participants see it.
        tasks: content hashes.
        settings: other fields of `Study`. ``practice_task`` may be an id; it is then no task of the study. Without ``trials`` everybody
            does as many tasks as there are, six at most.

    Raises:
        BadStudy: there are no tasks, or a setting is wrong.
        TaskNotFound: the practice task is not here.
        WrongParadigm: a task cannot be met in this way.
    """
    fields = _with_practice(store, settings)
    tasks = [content_hash for content_hash in tasks if content_hash != fields.get("practice_task")]
    if not tasks:
        raise BadStudy(
            "A study needs tasks: name some with --task or --tasks, or say which kinds with --dataset, --category or --subcategory."
        )
    external = str((fields.get("recruitment") or {}).get("external_study", ""))
    if external and is_blank(external):
        raise BadStudy(f"recruitment.external_study: give the platform's id of the study, not the blank for it, got {external!r}.")
    name = check_name(store, name)
    try:
        return create_study(store, name, **({"trials": min(6, len(tasks))} | fields | {"tasks": tuple(tasks)}))
    except ValidationError as error:
        raise _refusal(error) from None


def edit(store: Store, study_id: str, settings: Mapping[str, Any], *, tasks: Sequence[str] | None = None, actor: str = "") -> Study:
    """Change what is being edited of a study; what a table of settings (``protocol``) does not name stays as it is.

    Args:
        store: the database.
        study_id: the study.
        settings: fields of `Study`, as `draft` takes them.
        tasks: content hashes, in place of the tasks there are; None: they stay.
        actor: who changes it.

    Raises:
        UnknownStudy: there is none.
        BadStudy: a setting is wrong.
        TaskNotFound: the practice task is not here.
    """
    with store.atomic():
        study = being_edited(store, study_id)
        before = study.model_dump(mode="json")
        if "name" in settings and settings["name"] != study.name:
            settings = {**settings, "name": check_name(store, str(settings["name"]), study_id)}
        fields = {name: merged({name: before.get(name)}, {name: value})[name] for name, value in _with_practice(store, settings).items()}
        practice = fields.get("practice_task", study.practice_task)
        if tasks is not None:
            fields["tasks"] = tuple(tasks)
        if practice in fields.get("tasks", study.tasks):
            fields["tasks"] = tuple(content_hash for content_hash in fields.get("tasks", study.tasks) if content_hash != practice)
        try:
            return revise(store, study_id, actor=actor, **fields)
        except ValidationError as error:
            raise _refusal(error) from None


LONGEST_NAME = 200
"""Characters of a study's name at most."""


def check_name(store: Store, name: str, study_id: str = "") -> str:
    """A name as it is kept: with single blanks, and that of no other study in the lists.

    Args:
        store: the database.
        name: wanted.
        study_id: whose it is to be; empty: that of a new study.

    Raises:
        BadStudy: it is empty, too long, or another study's.
    """
    name = " ".join(name.split())
    if not name:
        raise BadStudy("Give the study a name: participants read it on the first page.")
    if len(name) > LONGEST_NAME:
        raise BadStudy(f"The name has {len(name)} characters: write {LONGEST_NAME} at most.")
    if any(other.casefold() == name.casefold() for other in _names(store, study_id)):
        raise BadStudy(f"Another study is called “{name}”: give this one a name of its own, so that the two can be told apart.")
    return name


def _names(store: Store, but: str = "") -> list[str]:
    """Names of the studies in the lists, as published and as being edited, without those of one study."""
    rows = store.query(
        "SELECT name AS is_now, json_extract(draft, '$.name') AS will_be FROM studies WHERE archived_at IS NULL AND study_id <> ?", [but]
    )
    return [name for row in rows for name in row.values() if name]


def free_name(store: Store, name: str) -> str:
    """A name, or where a study has it with the next free number behind it."""
    taken = {other.casefold() for other in _names(store)}
    tried, number = name, 1
    while tried.casefold() in taken:
        number += 1
        tried = f"{name} {number}"
    return tried


def _with_practice(store: Store, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings whose practice task is a content hash, where it may be an id."""
    fields = dict(settings)
    if practice := fields.get("practice_task"):
        fields["practice_task"] = (store.get_task(practice) if len(str(practice)) == 64 else store.find_task(str(practice))).content_hash
    return fields
