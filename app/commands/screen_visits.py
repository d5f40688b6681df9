"""Pages of a study that are pictured beside those of its way: each paradigm's example and task, and a break."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from data.frames import FrameStore
from data.store import Store
from sim_bridge.spec import Frame
from study import access, assignment, frozen, participants, slots
from study.ethics import EthicsRecord
from study.frozen import Rendered
from study.paradigms.paradigm import Paradigm
from study.stations import instructions
from study.studies import Study, create_study
from study.tutorial.passing import examples_of
from study.tutorial.plan import choose
from study.tutorial.settings import Example, Tutorial

READY = ".vantage[data-state=ready]"
"""A task whose picture is there."""
BREAK = ".st-key-break-over"


@dataclass(frozen=True)
class Visit:
    """One page to be pictured."""

    name: str
    study: Study
    """In the copy."""
    waits: str
    """Selector of what is there once the page has drawn itself."""
    before: Callable[[Store, str], None]
    """Brings somebody who has consented to the page."""


def visits(store: Store, study: Study, copy: Store, shown: dict[str, Any]) -> tuple[list[Visit], list[str]]:
    """The pages, and a sentence for each that cannot be pictured.

    Args:
        store: has the study, its tasks and their frozen pictures.
        study: the study.
        copy: gets what the pages show.
        shown: settings of the study that pages show.
    """
    found, lacking = [], []
    examples = examples_of(store, study) or choose(copy, study.tasks, study.ways) if study.tutorial is not None else ()
    for way in study.ways:
        for kind, task_hash in _met(store, copy, study, way, examples):
            if task_hash is None:
                lacking.append(f"No picture of {kind} in {way.name}: there is none that fits.")
            elif not _copied(store, copy, task_hash, way.frozen or way.stand_in):
                lacking.append(f"No picture of {kind} in {way.name}: what it shows is not rendered yet (vantage study frames).")
            else:
                found.append(_shows(copy, study, way, kind, task_hash, shown))
    if study.breaks.every_tasks is not None or study.breaks.every_minutes is not None:
        found += _rests(store, study, copy, shown)
    return found, lacking


def arrive(copy: Store, visit: Visit) -> str:
    """Make somebody up who stands at the page; returns their cookie."""
    cookie, grant = access.enter(copy, access.create_invite(copy, "participant", visit.study.study_id))
    person = grant.participant_id or ""
    for event in ("welcome", "consent"):
        participants.advance(copy, person, event)
    instructions.go_on(copy, person)
    visit.before(copy, person)
    return cookie


def _met(store: Store, copy: Store, study: Study, way: Paradigm, examples: tuple[Example, ...]) -> Iterator[tuple[str, str | None]]:
    """What is met in a paradigm: kind → a task's content hash; None: there is none."""
    if study.tutorial is not None:
        yield "example", next((one.task for one in examples if one.paradigm == way.name), None)
    fits = (task for task in study.tasks if not way.unfit(store.get_task(task)))
    with_pictures = [task for task in study.tasks if frozen.there(store, way.frozen or way.stand_in, [task])] if way.frozen else []
    yield "task", next(iter(with_pictures), None) or next(fits, None)


def _copied(store: Store, copy: Store, task_hash: str, name: str) -> bool:
    """Copy a task with the frozen pictures that a paradigm shows of it; whether it can be shown."""
    owner = store if store.one("SELECT 1 AS yes FROM tasks WHERE content_hash = ?", [task_hash]) else copy
    if owner is store:
        copy.put_task(store.get_task(task_hash))
    if not name:
        return True
    views = frozen.views_of(store, task_hash, name)
    if not views:
        return False
    frames = FrameStore(store.home.frames, reading=True)
    rendered = []
    for view in views:
        kept = store.one("SELECT media_type, width, height FROM frames WHERE pixel_hash = ?", [view.pixel_hash]) or {}
        frame = Frame(data=frames.kept(store, view.pixel_hash), pixel_hash=view.pixel_hash, **kept)
        rendered.append(Rendered(frame, view.pose, view.phase, view.visible, view.clipped))
    frozen.keep(copy, FrameStore(copy.home.frames), task_hash, name, rendered, fingerprint=views[0].fingerprint)
    return True


def _made(copy: Store, study: Study, way: Paradigm, shown: dict[str, Any], **more: Any) -> Study:
    ways = tuple(filter(None, (way.name, way.partner)))
    fields = shown | {"paradigms": ways, "protocol": study.protocol.model_copy(update={"paradigm": way.name, "backends": ()})}
    fields |= {"session_minutes": study.session_minutes, "ethics": EthicsRecord(basis="demonstration"), "min_categories": 1}
    return create_study(copy, study.name, state="live", **(fields | more))


def _shows(copy: Store, study: Study, way: Paradigm, kind: str, task_hash: str, shown: dict[str, Any]) -> Visit:
    """A task in a paradigm. A paradigm that shows somebody's episode again has nobody's here: it is pictured as practice shows it."""
    one: dict[str, Any] = {"tasks": (task_hash,), "trials": 1}
    practised = kind == "task" and not way.partner
    if kind == "example":
        one["tutorial"] = Tutorial(examples=(Example(task=task_hash, paradigm=way.name),))
    elif way.partner:
        one["practice_task"] = task_hash
    before = _past_practice if practised else _as_they_are
    return Visit(f"{kind}-{way.name}", _made(copy, study, way, shown, **one), READY, before)


def _rests(store: Store, study: Study, copy: Store, shown: dict[str, Any]) -> list[Visit]:
    """A break after the first of two tasks; none where the study has but one."""
    way, tasks = study.ways[0], study.tasks[:2]
    if len(tasks) < 2:
        return []
    for task in tasks:
        _copied(store, copy, task, "")
    breaks = study.breaks.model_copy(update={"every_tasks": 1})
    return [Visit("break", _made(copy, study, way, shown, tasks=tasks, trials=2, breaks=breaks), BREAK, _past_a_task)]


def _as_they_are(copy: Store, person: str) -> None:
    """They are given what is practised."""


def _past_practice(copy: Store, person: str) -> None:
    participants.advance(copy, person, "practise")


def _past_a_task(copy: Store, person: str) -> None:
    participants.advance(copy, person, "practise")
    slots.move(copy, assignment.assign(copy, person).slot_id, "answer")
