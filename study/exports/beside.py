"""The rows of the tables beside the episodes: studies, participants, tasks, events, and what was visible."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import msgspec

from data.rows import Json
from data.store import Store, dumps
from data.task import Task
from study import sittings
from study.devices import Device
from study.export_columns_beside import EventRow, ParticipantRow, StudyRow, TaskRow, VisibleRow
from study.exports.episodes import Episode
from study.exports.people import people_of
from study.outcome_of import ended
from study.records import ParticipantRecord
from study.rejections import rejection
from study.states import LIVE
from study.studies import get_study
from study.tabular import Time
from study.time_spent import time_of


class _Moved(msgspec.Struct, frozen=True):
    """A change of a participant's state, or an opening of one of their tasks."""

    at: str
    data: Annotated[dict[str, Any], Json]


class _Counted(msgspec.Struct, frozen=True):
    state: str
    people: int
    consented: int


class _Rows(msgspec.Struct, frozen=True):
    rows: int


def text_hash(text: str) -> str:
    """SHA-256 of a text as UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def study_row(store: Store, study_id: str, modes: Sequence[str] = (LIVE,)) -> StudyRow:
    """A study with its counts of the people of these kinds of runs; who withdrew appears in these numbers and nowhere else."""
    study = get_study(store, study_id)
    counted = store.rows(
        "SELECT state, count(*) AS people, count(consented_at) AS consented FROM participants "
        "WHERE study_id = ? AND mode IN (SELECT value FROM json_each(?)) GROUP BY state",
        _Counted,
        [study_id, dumps(list(modes))],
    )
    by_state = {one.state: one.people for one in counted}
    return StudyRow(
        study_id=study_id,
        name=study.name,
        state=study.state,
        protocol=study.protocol.model_dump_json(),
        paradigms=dumps([way.name for way in study.ways]),
        tasks=len(study.tasks),
        trials=study.trials,
        seed=study.seed,
        consent_version=study.consent_version,
        consent_sha256=text_hash(study.consent),
        people=sum(by_state.values()),
        consented=sum(one.consented for one in counted if one.state not in ("withdrawn", "declined")),
        finished=by_state.get("finished", 0),
        stopped=by_state.get("stopped", 0),
        declined=by_state.get("declined", 0),
        withdrawn=by_state.get("withdrawn", 0),
    )


def participant_rows(
    store: Store, study_id: str, only: frozenset[str] | None = None, modes: Sequence[str] = (LIVE,)
) -> Iterator[ParticipantRow]:
    """The people of a study who agreed to take part and did not withdraw, by their number, one at a time.

    Args:
        store: the database.
        study_id: the study.
        only: only these; None: all.
        modes: of these kinds of runs.
    """
    for person in people_of(store, study_id, only, modes):
        yield _participant_row(store, person)


def _participant_row(store: Store, person: ParticipantRecord) -> ParticipantRow:
    moved = store.rows(
        "SELECT at, data FROM events WHERE participant_id = ? AND kind = 'participant_state' ORDER BY seq", _Moved, [person.participant_id]
    )
    reached = {"entered": person.created_at}
    for change in moved:
        reached.setdefault(change.data["state"], change.at)
    agreed = next((change.data for change in reversed(moved) if change.data["event"] == "consent"), {})
    opened = store.rows(
        "SELECT v.at, v.data FROM episodes e JOIN events v ON v.episode_id = e.episode_id AND v.kind = 'opened' "
        "WHERE e.participant_id = ? AND json_extract(v.data, '$.device') IS NOT NULL ORDER BY v.seq",
        _Moved,
        [person.participant_id],
    )
    devices = [msgspec.convert(opening.data["device"], Device) for opening in opened]
    first = devices[0] if devices else Device()
    sql = "SELECT count(*) AS rows FROM slots WHERE participant_id = ? AND practice = 0 AND state = 'completed'"
    done = store.row(sql, _Rows, [person.participant_id])
    spent, refused = time_of(store, person.participant_id), rejection(store, person.participant_id)
    return ParticipantRow(
        outcome=ended(person) or "",
        rejected="" if refused is None else refused.reason,
        rejected_why="" if refused is None else refused.why,
        shown_s=spent.shown_ms / 1000,
        thinking_s=spent.thinking_ms / 1000,
        waiting_s=spent.waiting_ms / 1000,
        away_s=spent.away_ms / 1000,
        participant_id=person.participant_id,
        study_id=person.study_id,
        study_version=person.version,
        mode=person.mode,
        number=person.number,
        state=person.state,
        states=dumps(reached),
        entered_at=Time(person.created_at),
        consent_version=person.consent_version,
        consent_sha256=agreed.get("consent_sha256"),
        consented_at=_time(person.consented_at),
        practised_at=_time(reached.get("practised")),
        finished_at=_time(reached.get("finished")),
        stopped_at=_time(reached.get("stopped")),
        shared_computer=person.shared_computer,
        tasks_completed=done.rows if done else 0,
        sessions_timed_out=len(sittings.cuts(store, person.participant_id)),
        browser=first.browser or None,
        system=first.system or None,
        device=first.kind or None,
        viewport_width=first.viewport_width,
        viewport_height=first.viewport_height,
        screen_width=first.screen_width,
        screen_height=first.screen_height,
        pixel_ratio=first.pixel_ratio,
        zoom=first.zoom,
        colour_scheme=first.colour_scheme or None,
        touch=first.touch,
        apparatuses=len({(one.browser, one.system, one.screen_width, one.screen_height) for one in devices}),
    )


def _time(at: str | None) -> Time | None:
    return None if at is None else Time(at)


def task_row(task: Task, task_hash: str) -> TaskRow:
    """A task version as researchers read it, gold included."""
    asked = task.question
    return TaskRow(
        task_hash=task_hash,
        task_id=task.task_id,
        category=task.category,
        subcategory=task.subcategory,
        dataset=task.provenance.dataset,
        source_row_id=task.provenance.row_id,
        generator=task.provenance.generator,
        twin=task.twin,
        question=asked.text,
        note=asked.note,
        form=asked.form,
        options=dumps(list(asked.options)),
        blanks=dumps([list(blank) for blank in asked.blanks]),
        targets=dumps(list(asked.targets)),
        gold=dumps(list(task.gold.accepted)),
        chance=task.gold.chance,
        budget=task.budget,
        actions=dumps(list(task.actions)),
        phases=len(task.scene.phases),
        objects=dumps(labels(task)),
    )


def labels(task: Task) -> dict[str, str]:
    """Handle → what a thing of the scene is called: in the question's words, or by its category."""
    return {thing.handle: task.names.get(thing.handle, thing.category) for thing in task.scene.objects}


def event_rows(episode: Episode) -> Iterator[EventRow]:
    """What happened in an episode beside its steps, beliefs and answers, in order."""
    row, kept = episode.row, [step.event_seq for step in episode.steps]
    for happened in episode.happened:
        told = happened.data
        kind, seq, detail = happened.kind, told.get("seq", -1), told.get("detail", "")
        if kind == "opened":
            seq, detail = bisect_left(kept, happened.seq) - 1, dumps(told.get("device", {}))
        elif kind == "looked_back":
            seq, detail = told["at_seq"], str(told["seq"])
        else:
            kind = told["what"]
        yield EventRow(
            episode_id=row.episode_id,
            participant_id=row.participant_id,
            event_seq=happened.seq,
            kind=kind,
            seq=seq,
            detail=detail,
            client_time_ms=told.get("client_time_ms"),
            server_time=Time(happened.at),
        )


NOWHERE = (None, None, None, None)
"""The box of what has none."""


def visible_columns(episode: Episode) -> tuple[list[Any], ...]:
    """What each step of an episode showed, by column in the order of `VisibleRow`: of millions of rows, none is built and checked."""
    task = episode.task
    words, whole = labels(task), task.scene.camera.width * task.scene.camera.height
    columns: tuple[list[Any], ...] = tuple([] for _ in VisibleRow.model_fields)
    ids, seqs, handles, names, known, pixels, shares, *edges = columns
    for step in episode.steps:
        shown = step.visible
        ids += [step.episode_id] * len(shown)
        seqs += [step.seq] * len(shown)
        handles += shown
        names += [words.get(handle, handle) for handle in shown]
        known += [handle in task.names for handle in shown]
        pixels += shown.values()
        shares += [count / whole for count in shown.values()]
        for edge, at in zip(edges, zip(*[step.boxes.get(handle, NOWHERE) for handle in shown], strict=True), strict=False):
            edge += at
    return columns
