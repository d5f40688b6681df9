"""Items in a list, a page at a time: found by words, subtask, state and person, whichever of five thousand they are."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from annotation.qa.subtasks.base import FRAME_TEXT
from annotation.reviewing.kinds.robot_questions import FLAGGED, KIND
from data.rows import Json
from data.store import Store, dumps

PAGE = 24
"""Items of a page."""
Sort = Literal["changed", "oldest", "number"]
SORTS: tuple[Sort, ...] = get_args(Sort)
"""``changed``: what changed last comes first; ``oldest``: last; ``number``: by subtask and number, as exports have them."""
TODO = "todo"
"""Instead of a state: all in which their maker can change an item; what was sent back comes first."""
TO_CHANGE = tuple(sorted((s for s in KIND.states if KIND.changeable(s)), key=lambda s: not KIND.words[s].returned))
"""The states that `TODO` stands for."""
_PICTURED = "head"
"""The view that stands for an item in a list, where it has it; else its reference view."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which items are looked for, and in which order."""

    words: str = ""
    """Each stands in the question, the source, the episode or the name (such as ``matching 12``), whatever the case."""
    subtask: str = ""
    state: str = ""
    """A state, `TODO`, or empty: any."""
    authors: tuple[str, ...] = ()
    """Staff ids; empty: anybody's."""
    sort: Sort = "changed"


class Picture(msgspec.Struct, frozen=True):
    """The view that stands for an item, and its marks."""

    view: str
    image: str
    width: int
    height: int
    marks: list[dict[str, Any]]


class Line(msgspec.Struct, frozen=True):
    """An item in a list."""

    item_id: str
    number: int
    subtask: str
    state: str
    round: int
    trial: bool
    author: str
    updated_at: str
    asked: str
    """The question as it is written."""
    source: str
    episode: str
    reference: str
    views: Annotated[list[dict[str, Any]], Json]
    marks: Annotated[list[dict[str, Any]], Json]
    clean: int
    """Reviews that found it clean, over all rounds."""
    flags: int
    """Reviews that sent it back."""
    skips: int
    """Reviewers who could not judge it."""

    @property
    def question(self) -> str:
        """What tells it from others of its subtask: the question without the definition of the frame that all share."""
        return self.asked.partition(FRAME_TEXT[:45])[0].strip()

    @property
    def picture(self) -> Picture | None:
        """None where it has no view."""
        named = {view["view"]: view for view in self.views}
        view = named.get(_PICTURED) or named.get(self.reference) or next(iter(self.views), None)
        if view is None:
            return None
        marks = [mark for mark in self.marks if mark["view"] == view["view"]]
        return Picture(view["view"], view["image"], view["width"], view["height"], marks)


class Page(msgspec.Struct, frozen=True):
    """A part of what was found."""

    count: int
    """All that was found."""
    lines: list[Line]


class Around(msgspec.Struct, frozen=True):
    """Where an item stands among those that were found."""

    place: int
    """From 1."""
    count: int
    before: str | None
    """The item before it; None: it is the first."""
    after: str | None


class _Count(msgspec.Struct, frozen=True):
    n: int


class _Named(msgspec.Struct, frozen=True):
    name: str


_FROM = "FROM qa_items i JOIN qa_versions v ON v.item_id = i.item_id AND v.version = i.version WHERE i.project_id = :project"
_SKIPPED = "SELECT count(*) FROM qa_reviews r WHERE r.item_id = i.item_id AND r.skipped IS NOT NULL"


def find(store: Store, project_id: str, wanted: Wanted, offset: Annotated[int, Meta(ge=0)] = 0, limit: int = PAGE) -> Page:
    """A page of the items of a project.

    Args:
        store: the database.
        project_id: the project.
        wanted: what is looked for.
        offset: how many of them to pass over.
        limit: how many at most.
    """
    where, values = _conditions(project_id, wanted)
    counted = store.row(f"SELECT count(*) AS n {_FROM}{where}", _Count, values)
    rows = store.rows(
        # the documents of the page alone are read, not those of all that was found
        f"WITH found AS MATERIALIZED (SELECT i.item_id, row_number() OVER (ORDER BY {_order(wanted)}) AS place {_FROM}{where} "
        f"ORDER BY place LIMIT :limit OFFSET :offset) "
        "SELECT i.item_id, i.number, i.subtask, i.state, i.round, i.trial, i.author, i.updated_at, v.document ->> '$.question' AS asked, "
        "i.source, coalesce(v.document ->> '$.episode', '') AS episode, coalesce(v.document ->> '$.reference_view', '') AS reference, "
        "json_extract(v.document, '$.views') AS views, json_extract(v.document, '$.marks') AS marks, "
        "(SELECT count(*) FROM qa_reviews r WHERE r.item_id = i.item_id AND r.decided_at IS NOT NULL AND r.state <> :flagged) AS clean, "
        f"(SELECT count(*) FROM qa_reviews r WHERE r.item_id = i.item_id AND r.state = :flagged) AS flags, ({_SKIPPED}) AS skips "
        "FROM found f JOIN qa_items i USING (item_id) JOIN qa_versions v ON v.item_id = i.item_id AND v.version = i.version "
        "ORDER BY f.place",
        Line,
        values | {"limit": limit, "offset": offset, "flagged": FLAGGED},
    )
    return Page(counted.n if counted else 0, rows)


def around(store: Store, project_id: str, wanted: Wanted, item_id: str) -> Around | None:
    """The neighbours of an item among what was found; None where it is not among it."""
    where, values = _conditions(project_id, wanted)
    return store.row(
        f"SELECT place, count, before, after FROM (SELECT i.item_id, row_number() OVER w AS place, count(*) OVER () AS count, "
        f"lag(i.item_id) OVER w AS before, lead(i.item_id) OVER w AS after {_FROM}{where} WINDOW w AS (ORDER BY {_order(wanted)})) "
        "WHERE item_id = :item",
        Around,
        values | {"item": item_id},
    )


def authors(store: Store, project_id: str) -> list[str]:
    """Staff ids of all who have items in a project."""
    rows = store.rows("SELECT DISTINCT author AS name FROM qa_items WHERE project_id = ? ORDER BY author", _Named, [project_id])
    return [row.name for row in rows]


def _conditions(project_id: str, wanted: Wanted) -> tuple[str, dict[str, Any]]:
    """SQL and its parameters. `lower` knows ASCII alone, so words are looked for as they are written, too."""
    where, values = "", dict[str, Any](project=project_id)
    if wanted.subtask:
        where += " AND i.subtask = :subtask"
        values["subtask"] = wanted.subtask
    if wanted.authors:
        where += " AND i.author IN (SELECT value FROM json_each(:authors))"
        values["authors"] = dumps(list(wanted.authors))
    if wanted.state:
        where += " AND i.state IN (SELECT value FROM json_each(:states))"
        values["states"] = dumps(list(TO_CHANGE) if wanted.state == TODO else [wanted.state])
    text = (
        "coalesce(v.document ->> '$.question', '') || ' ' || i.source || ' ' || coalesce(v.document ->> '$.episode', '') || ' ' || "
        "i.subtask || ' ' || i.number || ' ' || i.item_id"
    )
    for number, word in enumerate(wanted.words.split()[:8]):
        where += f" AND (instr(lower({text}), :low{number}) OR instr({text}, :word{number}))"
        values |= {f"low{number}": word.lower(), f"word{number}": word}
    return where, values


def _order(wanted: Wanted) -> str:
    """SQL. The item's id ends every order, so that a page begins where the one before ended."""
    returned = ", ".join(f"'{state}'" for state in TO_CHANGE if KIND.words[state].returned)
    first = f"i.state IN ({returned}) DESC, " if wanted.state == TODO else ""
    orders = {"changed": "i.updated_at DESC", "oldest": "i.updated_at", "number": "i.subtask, i.number"}
    return f"{first}{orders[wanted.sort]}, i.item_id"
