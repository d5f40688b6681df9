"""A project: one benchmark in the making, with its quotas, the number of reviewers per item, and the training of new authors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from annotation.qa.errors import QaError, QuotaFull, Training, UnknownItem
from annotation.qa.items import Item, Subtask
from annotation.qa.scenes.clarity import Thresholds
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.triage import TriageSettings
from data.store import Store, new_id, now

NONE_CELL = "none"
"""Cell of the items whose right option is None, where a subtask keeps them apart (`Subtask.none_cell`)."""
OPEN_CELL = "open"
"""Cell of the items of such a subtask whose right option is not marked yet."""


class Quota(BaseModel):
    """How many accepted items of a subtask are wanted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subtask: Subtask
    target: int = Field(ge=0)
    source: str = "*"
    """One robot source, or all."""


class Project(BaseModel):
    """One project. Its people have their roles (author, reviewer, researcher) in its study."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    project_id: str
    name: str
    study_id: str | None = None
    state: Literal["open", "closed"] = "open"
    reviewers_per_item: int = Field(default=2, ge=1, le=9)
    """K: so many reviewers, each alone, must find an item clean."""
    quotas: tuple[Quota, ...] = ()
    none_share: float = Field(default=0.25, ge=0, le=1)
    """Share of the items whose right option is None, in subtasks with a `NoneCell` (Cross-View Matching); kept by the quota."""
    trial_batch: int = Field(default=2, ge=0)
    """So many trial items of a new author must be accepted before others count; 0: no training."""
    trained: tuple[str, ...] = ()
    """Authors who need no trial batch."""
    hold_minutes: int = Field(default=120, ge=1)
    """A review that is not finished after so long is given to somebody else."""
    seed: int = 0
    """Decides the balancing."""
    thresholds: Thresholds = Thresholds()
    """What the images of a moment are held to."""
    triage: TriageSettings | None = None
    """An endpoint that is asked which subtasks a moment could serve; None: nobody is."""


class _Document(msgspec.Struct):
    """A row of ``qa_projects``, as far as it is read: the project as JSON."""

    document: str


class _Held(msgspec.Struct):
    """So many items are in this state, in this cell of a subtask, from this source."""

    subtask: str
    source: str
    cell: str
    state: str
    n: int


class _Count(msgspec.Struct):
    """So many items are in this state."""

    n: int
    state: str = ""


def create_project(store: Store, name: str, *, actor: str = "", **fields: object) -> Project:
    """A new project.

    Raises:
        QaError: a setting is of the wrong form.
    """
    try:
        project = Project.model_validate({"project_id": new_id("qp"), "name": name} | fields)
    except ValidationError as error:
        first = error.errors()[0]
        raise QaError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}, got {first['input']!r}.") from None
    with store.atomic():
        row = {"project_id": project.project_id, "study_id": project.study_id, "name": project.name, "state": project.state}
        store.insert("qa_projects", row | {"document": project.model_dump_json(), "created_at": now()})
        told = project.model_dump(mode="json")
        store.event("qa_project_created", told, actor=actor, study_id=project.study_id, subject=project.project_id)
    return project


def get_project(store: Store, project_id: str) -> Project:
    """The project.

    Raises:
        UnknownItem: there is none.
    """
    row = store.row("SELECT document FROM qa_projects WHERE project_id = ?", _Document, [project_id])
    if row is None:
        raise UnknownItem(f"There is no QA project {project_id[:40]!r} here.")
    return Project.model_validate_json(row.document)


def list_projects(store: Store) -> list[Project]:
    """All projects, oldest first."""
    rows = store.rows("SELECT document FROM qa_projects ORDER BY created_at, project_id", _Document)
    return [Project.model_validate_json(row.document) for row in rows]


def change_project(store: Store, project_id: str, *, actor: str, why: str, **fields: object) -> Project:
    """Change settings of a project; items that exist keep what they have."""
    with store.atomic() as db:
        project = Project.model_validate(get_project(store, project_id).model_dump() | fields)
        db.execute(
            "UPDATE qa_projects SET name = ?, state = ?, study_id = ?, document = ? WHERE project_id = ?",
            [project.name, project.state, project.study_id, project.model_dump_json(), project_id],
        )
        told = {"project": project_id, "changes": sorted(fields), "why": why}
        store.event("qa_project_changed", told, actor=actor, study_id=project.study_id, subject=project_id)
    return project


def cell_of(item: Item) -> str:
    """The cell of its subtask's quota to which an item belongs; empty where the subtask has no cells, and for the larger of the two."""
    cell = SUBTASKS[item.subtask].none_cell
    if cell is None:
        return ""
    return OPEN_CELL if item.gold is None else NONE_CELL if cell.holds(item) else ""


@dataclass(frozen=True)
class Place:
    """How a quota stands; trial items never count."""

    subtask: str
    source: str
    cell: str
    """``none`` for items whose right option is None; otherwise empty."""
    target: int
    accepted: int
    under_way: int
    """Draft, in review or flagged."""

    @property
    def left(self) -> int:
        """Items that may still be begun."""
        return max(0, self.target - self.accepted - self.under_way)


def places(store: Store, project: Project) -> list[Place]:
    """Every quota with what is there; in two cells where the subtask has them."""
    rows = store.rows(
        "SELECT subtask, source, cell, state, count(*) AS n FROM qa_items WHERE project_id = ? AND trial = 0 AND state <> 'discarded' "
        "GROUP BY subtask, source, cell, state",
        _Held,
        [project.project_id],
    )
    found = []
    for quota in project.quotas:
        apart = SUBTASKS[quota.subtask].none_cell is not None
        none = round(project.none_share * quota.target) if apart else 0
        cells = [("", quota.target - none)] + ([(NONE_CELL, none)] if apart else [])
        for cell, target in cells:
            here: Counter[str] = Counter()
            for row in rows:
                if row.subtask == quota.subtask and row.cell == cell and quota.source in ("*", row.source):
                    here[row.state] += row.n
            accepted = here.pop("accepted", 0)
            found.append(Place(quota.subtask, quota.source, cell, target, accepted, sum(here.values())))
    return found


def due(store: Store, project: Project) -> list[Place]:
    """Quotas with places left, the emptiest first: what an author should make next."""
    return sorted((p for p in places(store, project) if p.left), key=lambda p: (p.accepted + p.under_way) / max(p.target, 1))


def check_place(store: Store, project: Project, item: Item, *, counted: bool) -> None:
    """Is there a place for this item? Part of the caller's transaction.

    Args:
        store: the database.
        project: the project.
        item: the item.
        counted: whether it is among the items that are under way already, in this cell.

    Raises:
        QuotaFull: no.
    """
    if cell_of(item) == OPEN_CELL:
        _check_open(store, project, item)
        return
    for place in places(store, project):
        if (place.subtask, place.cell) != (item.subtask, cell_of(item)) or place.source not in ("*", item.source):
            continue
        if place.accepted + place.under_way - counted >= place.target:
            name, cell = SUBTASKS[item.subtask].name, SUBTASKS[item.subtask].none_cell
            kind = " whose right option is None" if place.cell == NONE_CELL else f" {cell.others}" if cell is not None else ""
            where = "" if place.source == "*" else f" from {place.source}"
            raise QuotaFull(
                f"This project has enough {name} items{kind}{where}: {place.accepted} accepted and {place.under_way - counted} under way "
                f"of {place.target}. Make one of another kind."
            )


def _check_open(store: Store, project: Project, item: Item) -> None:
    """Room for one more item of either cell? Those not decided yet take a place of one or the other."""
    for source in {p.source for p in places(store, project) if p.subtask == item.subtask and p.source in ("*", item.source)}:
        cells = [p for p in places(store, project) if p.subtask == item.subtask and p.source == source]
        (undecided,) = store.rows(
            "SELECT count(*) AS n FROM qa_items WHERE project_id = ? AND subtask = ? AND cell = ? AND trial = 0 "
            "AND state <> 'discarded' AND (? = '*' OR source = ?)",
            _Count,
            [project.project_id, item.subtask, OPEN_CELL, source, source],
        )
        target = sum(p.target for p in cells)
        there = sum(p.accepted + p.under_way for p in cells) + undecided.n
        if there >= target:
            raise QuotaFull(
                f"This project has enough {SUBTASKS[item.subtask].name} items: {there} of {target} are accepted or under way. "
                "Make one of another kind."
            )


@dataclass(frozen=True)
class Standing:
    """An author's training."""

    accepted: int
    under_way: int
    needed: int

    @property
    def passed(self) -> bool:
        """Whether items of this author count."""
        return self.accepted >= self.needed


def training(store: Store, project: Project, author: str) -> Standing:
    """Where an author's trial batch stands."""
    if author in project.trained:
        return Standing(0, 0, 0)
    rows = store.rows(
        "SELECT state, count(*) AS n FROM qa_items WHERE project_id = ? AND author = ? AND trial = 1 AND state <> 'discarded' "
        "GROUP BY state",
        _Count,
        [project.project_id, author],
    )
    states = {row.state: row.n for row in rows}
    accepted = states.pop("accepted", 0)
    return Standing(accepted, sum(states.values()), project.trial_batch)


def is_trial(store: Store, project: Project, author: str) -> bool:
    """Whether the author's next item belongs to their trial batch.

    Raises:
        Training: the batch is complete but not yet judged.
    """
    standing = training(store, project, author)
    if standing.passed:
        return False
    if standing.accepted + standing.under_way >= standing.needed:
        raise Training(
            f"Your trial batch is under way: {standing.accepted} of {standing.needed} items are accepted. Read the feedback and "
            "finish them; then you can go on."
        )
    return True


def open_quotas(per_subtask: int, subtasks: Sequence[str] | None = None) -> tuple[Quota, ...]:
    """The same target for every subtask."""
    return tuple(Quota.model_validate({"subtask": slug, "target": per_subtask}) for slug in subtasks or SUBTASKS)
