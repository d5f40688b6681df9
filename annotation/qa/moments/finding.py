"""Kept moments to begin an item from, a page at a time: which serve a subtask, whichever of ten thousand they are."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from annotation.qa.items import ViewImage
from annotation.qa.subtasks import SUBTASKS
from data.rows import Json
from data.store import Store

PAGE = 12
"""Moments of a page."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which moments are looked for."""

    subtask: str
    """The subtask that the item is to be of: its arms alone are offered, and what a model's opinion named it for comes first."""
    words: str = ""
    """Each of them stands in the task, the source's name or the episode's key, whatever the case."""
    source: str = ""
    """Only of the robot source of this name; empty: of all."""
    unused: bool = False
    """Only those of which no item was made."""


class Found(msgspec.Struct, frozen=True):
    """A kept moment in a list."""

    moment_id: str
    episode: str
    source: str
    arm: str
    task: str
    frame_index: int
    pictures: Annotated[list[dict[str, Any]], Json]
    fits: bool
    """A model named it for the subtask."""
    used: int
    """Items made of it that are not discarded."""

    @property
    def views(self) -> tuple[ViewImage, ...]:
        """Its pictures."""
        return tuple(ViewImage.model_validate(view) for view in self.pictures)


class Page(msgspec.Struct, frozen=True):
    """A part of what was found."""

    count: int
    """All that was found."""
    moments: list[Found]


class _Count(msgspec.Struct):
    rows: int


class _Named(msgspec.Struct):
    name: str


_FROM = (
    "FROM moments m JOIN robot_episodes e USING (episode_id) JOIN robot_sources s USING (source_id) "
    "WHERE m.project_id = :project AND m.state = 'kept' AND e.arm IN (SELECT value FROM json_each(:arms))"
)
_NAME = "CASE s.name WHEN '' THEN s.kind ELSE s.name END"
_USED = "FROM qa_items i WHERE i.project_id = :project AND i.moment = m.moment_id AND i.state <> 'discarded'"
_FITS = "instr(coalesce(m.document -> '$.triage.subtasks', ''), json_quote(:subtask)) > 0"
"""The list as JSON text: every subtask stands in it in quotes. Faster than a table of each list."""
_ORDER = "{0}.fits DESC, {0}.used, {0}.sampled, {0}.row"


def find(store: Store, project_id: str, wanted: Wanted, offset: Annotated[int, Meta(ge=0)] = 0, limit: int = PAGE) -> Page:
    """A page of the kept moments of a project: first what serves the subtask, then what was used least, then the order of the sampling.

    Args:
        store: the database.
        project_id: the project.
        wanted: what is looked for.
        offset: how many of them to pass over.
        limit: how many at most.

    Raises:
        KeyError: no such subtask.
    """
    where, values = _conditions(wanted)
    values |= {"project": project_id, "subtask": wanted.subtask, "offset": offset, "limit": limit}
    values["arms"] = msgspec.json.encode(SUBTASKS[wanted.subtask].arms).decode()
    counted = store.row(f"SELECT count(*) AS rows {_FROM}{where}", _Count, values)
    rows = store.rows(
        # the views are read of the page alone, not of all that is sorted
        f"WITH scored AS MATERIALIZED (SELECT m.moment_id, {_FITS} AS fits, (SELECT count(*) {_USED}) AS used, "
        f"json_extract(m.document, '$.place') AS sampled, m.rowid AS row {_FROM}{where}), "
        f"found AS MATERIALIZED (SELECT * FROM scored ORDER BY {_ORDER.format('scored')} LIMIT :limit OFFSET :offset) "
        f"SELECT m.moment_id, e.key AS episode, {_NAME} AS source, e.arm, e.task, m.frame_index, "
        "json_extract(m.document, '$.views') AS pictures, f.fits, f.used FROM found f JOIN moments m USING (moment_id) "
        f"JOIN robot_episodes e USING (episode_id) JOIN robot_sources s USING (source_id) ORDER BY {_ORDER.format('f')}",
        Found,
        values,
    )
    return Page(counted.rows if counted else 0, rows)


def sources(store: Store, project_id: str) -> list[str]:
    """Names of the robot sources of which moments are kept."""
    sql = (
        f"SELECT DISTINCT {_NAME} AS name FROM moments m JOIN robot_episodes e USING (episode_id) JOIN robot_sources s USING (source_id) "
        "WHERE m.project_id = ? AND m.state = 'kept' ORDER BY name"
    )
    return [row.name for row in store.rows(sql, _Named, [project_id])]


def sampled(store: Store, project_id: str) -> bool:
    """Whether the project has any moment at all, kept or not."""
    found = store.row("SELECT count(*) AS rows FROM (SELECT 1 FROM moments WHERE project_id = ? LIMIT 1)", _Count, [project_id])
    return found is not None and found.rows > 0


def _conditions(wanted: Wanted) -> tuple[str, dict[str, Any]]:
    """SQL and its parameters. `lower` knows ASCII alone, so words are looked for as they are written, too."""
    where, values = "", dict[str, Any]()
    for number, word in enumerate(wanted.words.split()[:8]):
        text = f"e.task || ' ' || {_NAME} || ' ' || e.key"
        where += f" AND (instr(lower({text}), :low{number}) OR instr({text}, :word{number}))"
        values |= {f"low{number}": word.lower(), f"word{number}": word}
    if wanted.source:
        where += f" AND {_NAME} = :source"
        values["source"] = wanted.source
    if wanted.unused:
        where += f" AND NOT EXISTS (SELECT 1 {_USED})"
    return where, values
