"""Tables of a project's items in whatever state, as JSON lines and Parquet, with a data dictionary."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from annotation.qa.exports.form import Format, Making, Take
from annotation.qa.items import LETTERS
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work import pool
from annotation.qa.work.hours import hours
from data.store import Store
from study.exports.card import Config
from study.tabular import Row, Time, arrow_schema, record_batch


class QaItemRow(Row):
    """One row per item of the project, in whatever state."""

    item_id: str
    """Item."""
    folder: str
    """Folder of the item in this export; empty: not in it."""
    subtask: str
    """Slug of the subtask."""
    domain: str
    """spatial or robotic."""
    status: str
    """draft, in_review, accepted, flagged, discarded."""
    trial: bool
    """Trial item of a new author: never part of the benchmark."""
    origin: str
    """authored here, or imported."""
    version: int
    """Current version."""
    rounds: int
    """Rounds of review."""
    content_hash: str
    """SHA-256 of the item document."""
    arm: str
    """dual or single."""
    source: str
    """Robot source."""
    episode: str
    """Episode in the source."""
    moment: str
    """Moment of the episode."""
    question: str
    """The question."""
    option_a: str
    """Option A."""
    option_b: str
    """Option B."""
    option_c: str
    """Option C."""
    option_d: str
    """Option D."""
    option_e: str
    """Option E."""
    gold: str | None
    """Letter of the right option; empty: not marked yet."""
    gold_colour: str | None
    """Colour of the right option, where options are colours."""
    hard: str
    """Letters of the hard distractors, JSON list."""
    marks: int
    """Drawn marks."""
    absent: int
    """Marks of absence: a colour whose object a view does not show."""
    author: str
    """Pseudonymous author."""
    reviews: int
    """Reviews in which an answer was given."""
    clean: int
    """Clean reviews of the last round."""
    matches: int
    """Reviews whose answer was the author's."""
    created_at: Time
    """Server time, ISO-8601 UTC."""
    updated_at: Time
    """Server time of the last change."""
    document: str
    """The whole item document, JSON."""


class QaHoursRow(Row):
    """Hours of each person at each stage: times between two steps at the same thing, without pauses of more than ten minutes."""

    person: str
    """Pseudonymous person."""
    stage: str
    """choosing (moments), writing (items) or reviewing."""
    things: int
    """Moments decided, items worked on, or items reviewed."""
    hours: float
    """Hours, in all."""


class QaCommentRow(Row):
    """One row per comment on an item."""

    comment_id: str
    """Comment."""
    item_id: str
    """Item that it is about."""
    version: int
    """Version that was current then."""
    author: str
    """Pseudonymous person."""
    text: str
    """What was said."""
    at: Time
    """Server time, ISO-8601 UTC."""
    view: str | None
    """View to which it is pinned; empty: it is about the whole item."""
    mark: str | None
    """Id of the mark to which it is pinned; empty with a view: pinned to a point of the view."""
    x: float | None
    """Point, or where the mark stood then: pixels of the original image from its left edge."""
    y: float | None
    """The same, from the upper edge."""


@contextmanager
def write(making: Making) -> Iterator[Take]:
    """``items.jsonl`` and ``items.parquet``; a derived set has none, for its items have no states."""
    yield lambda written: None
    if making.store is None:
        return
    rows = [_row(making.store, stored, making.folders.get(stored.item.item_id, "")) for stored in making.stored]
    with (making.folder / "items.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            line = row.model_dump() | {"document": json.loads(row.document), "hard": json.loads(row.hard)}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    _table(making, "items", QaItemRow, rows)
    making.counts["rows"] += len(rows)
    said = [one for stored in making.stored for one in pool.comments(making.store, stored.item.item_id)]
    _table(making, "comments", QaCommentRow, [QaCommentRow(**msgspec.structs.asdict(one)) for one in said])
    spent = [
        QaHoursRow(person=one.person, stage=one.stage, things=one.things, hours=one.hours) for one in hours(making.store, making.project_id)
    ]
    _table(making, "hours", QaHoursRow, spent)


def _table(making: Making, name: str, kind: type[Row], rows: Sequence[Row]) -> None:
    table = pa.Table.from_batches([record_batch(rows, arrow_schema(kind))])
    pq.write_table(table, making.folder / f"{name}.parquet", compression="zstd")


def configs(making: Making) -> tuple[Config, ...]:
    """The table, where it has rows: the library cannot load one without."""
    return (Config("all_items", ("items.parquet",), QaItemRow.__doc__ or ""),) if making.counts["rows"] else ()


def _row(store: Store, stored: pool.Stored, folder: str) -> QaItemRow:
    item = stored.item
    reviews = pool.reviews(store, item.item_id)
    answered = [r for r in reviews if r.answer is not None]
    golds = {r.version: pool.at_version(store, item.item_id, r.version).gold for r in answered}
    options: dict[str, Any] = {f"option_{letter.lower()}": item.options.get(letter, "") for letter in LETTERS}
    return QaItemRow(
        **options,
        **{name: getattr(item, name) for name in ("item_id", "subtask", "content_hash", "arm", "source", "episode", "moment", "question")},
        **{name: getattr(stored, name) for name in ("trial", "origin", "version", "author", "created_at", "updated_at")},
        folder=folder,
        domain=SUBTASKS[item.subtask].domain,
        status=stored.state,
        rounds=stored.round,
        gold=item.gold,
        gold_colour=SUBTASKS[item.subtask].gold_colour(item),
        hard=json.dumps(list(item.hard)),
        marks=len(item.marks),
        absent=len(item.absent),
        reviews=len(answered),
        clean=sum(r.state == "clean" and r.round == stored.round for r in reviews),
        matches=sum(r.answer == golds[r.version] for r in answered),
        document=item.canonical_json(),
    )


FORMAT = Format(
    name="tables",
    title="Tables",
    text="All items of the project in whatever state, one row each, as JSON lines and Parquet.",
    counts=("rows",),
    write=write,
    configs=configs,
    folders=False,
    tables={"items": QaItemRow, "hours": QaHoursRow, "comments": QaCommentRow},
)
