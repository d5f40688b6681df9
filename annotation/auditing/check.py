"""What a check of the audit declares about itself, and what it gets to see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from annotation.endpoint import EndpointSettings
from data.task import Task

Severity = Literal["error", "warning", "note"]
"""``error``: the item's score means nothing, or something else than it says. ``warning``: it can be gained by a shortcut, or measures less
than it says. ``note``: worth knowing when figures are read."""
Needs = Literal["rows", "render", "endpoint"]
"""What a check costs: it reads rows alone; it plays or renders in a simulator, or loads meshes; it asks a language model."""


@dataclass(frozen=True)
class Row:
    """One row of the set."""

    row_id: str
    """The source's id; the task's id for own tasks."""
    file: str
    """Name relative to the folder that is audited; empty: from the database."""
    task: Task | None
    """None: it cannot be read as a task; `rejected` says why."""
    rejected: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict)
    """The source's own row, decoded; empty for own tasks."""

    @property
    def kind(self) -> tuple[str, str]:
        """(category, subcategory); of a row that is no task ("", "")."""
        return (self.task.category, self.task.subcategory) if self.task else ("", "")


@dataclass(frozen=True)
class Finding:
    """One thing that a check found in one row."""

    row: Row
    evidence: str
    """What shows it, as a sentence with the values: a reader confirms it from the row alone."""
    together: tuple[str, ...] = ()
    """Ids of the other rows that the same finding is about (its duplicates, its twin)."""


@dataclass
class Audited:
    """The set that is audited."""

    rows: Sequence[Row]
    others: Mapping[str, str] = field(default_factory=dict)
    """File that is no row (a summary, a foreign or broken one) → why it was left out."""
    lab: Any = None
    """The simulator (`data.generators.lab.Lab`) for checks that need ``render``; None: they are not run."""
    endpoint: EndpointSettings | None = None
    """The model for checks that need ``endpoint``; None: they are not run."""
    kept: dict[str, Any] = field(default_factory=dict)
    """What checks that play keep for each other, so that a task is played once."""
    progress: Callable[[int, int, str], None] = lambda done, total, what: None

    @property
    def tasks(self) -> list[tuple[Row, Task]]:
        """The rows that are tasks."""
        return [(row, row.task) for row in self.rows if row.task is not None]

    def by_kind(self) -> dict[tuple[str, str], list[tuple[Row, Task]]]:
        """The tasks by (category, subcategory)."""
        found: dict[tuple[str, str], list[tuple[Row, Task]]] = {}
        for row, task in self.tasks:
            found.setdefault(row.kind, []).append((row, task))
        return found


Look = Callable[[Audited], Iterator[Finding]]


@dataclass(frozen=True)
class Check:
    """One declared check: a small thing with its own tests."""

    id: str
    """``gold-not-an-option``; never changed once released."""
    severity: Severity
    about: str
    """What it looks for and why it matters, in a few sentences: the reference."""
    fix: str
    """What to do about a finding."""
    look: Look
    needs: Needs = "rows"
    source: str = ""
    """Where the rule comes from: a section of the paper or a page of the reference."""
