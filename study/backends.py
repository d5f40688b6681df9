"""Which simulator plays the tasks of which source: a study's table, and what follows from it for one task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from data.store import Store, dumps
from data.task import Task
from sim_bridge.actions import ACTIONS
from study import states
from study.paradigms import PARADIGMS

NAME = re.compile(r"[a-z][a-z0-9_.-]{0,39}")
"""What a simulator can be called (`sim_bridge.backend.Backend.name`)."""
DECLARED = frozenset({*ACTIONS, "phases", "phase_light", "mirror", "dynamic", "recorded", "camera_steps"})
"""What a simulator declares; other needs of a task are looked at when it is chosen for a study."""
RECORDED = "recorded"
"""What a task needs that is played on pictures: whatever is named for its source, no simulator that renders can show it."""


def read(given: object) -> tuple[str, ...]:
    """The table as it is kept: ``source=simulator`` each, sorted; a source with no simulator is left out.

    Args:
        given: such texts, or a mapping of source to simulator.

    Raises:
        ValueError: one is not of this form, its simulator is no name, or a source stands twice.
    """
    if isinstance(given, Mapping):
        pairs = [(str(source), str(name)) for source, name in given.items()]
    elif isinstance(given, Iterable) and not isinstance(given, str):
        pairs = [_pair(str(one)) for one in given]
    else:
        raise ValueError(f"expected entries of the form SOURCE=SIMULATOR, got {str(given)[:60]!r}")
    found: dict[str, str] = {}
    for source, name in ((source.strip(), name.strip()) for source, name in pairs):
        if source in found:
            raise ValueError(f"the source {source[:60]} stands there twice")
        if not source or (name and not NAME.fullmatch(name)):
            raise ValueError(f"expected SOURCE=SIMULATOR with the name of a simulator in small letters, got {f'{source}={name}'[:60]!r}")
        found[source] = name
    return tuple(f"{source}={name}" for source, name in sorted(found.items()) if name)


def _pair(text: str) -> tuple[str, str]:
    source, sign, name = text.rpartition("=")
    if not sign:
        raise ValueError(f"expected SOURCE=SIMULATOR, got {text[:60]!r}")
    return source, name


def table(backends: Iterable[str]) -> dict[str, str]:
    """Source → simulator."""
    return dict(_pair(entry) for entry in backends)


def backend_of(backends: Iterable[str], task: Task) -> str:
    """The simulator that is named for a task; empty: none is, so the server's own plays it."""
    if RECORDED in task.required_features:
        return ""
    return table(backends).get(task.provenance.dataset, "")


def needs_of(task: Task) -> tuple[str, ...]:
    """What a simulator must declare to play a task: it decides between workers."""
    return tuple(need for need in task.required_features if need in DECLARED)


def sources(store: Store, tasks: Iterable[str]) -> dict[str, str]:
    """Content hash → source, of those of the tasks that have a scene to simulate."""
    rows = store.query(
        "SELECT content_hash, dataset FROM tasks WHERE content_hash IN (SELECT value FROM json_each(?)) "
        "AND NOT EXISTS (SELECT 1 FROM json_each(document, '$.required_features') WHERE value = ?)",
        [dumps(list(tasks)), RECORDED],
    )
    return {row["content_hash"]: row["dataset"] for row in rows}


def under_way(store: Store, study_id: str) -> dict[str, int]:
    """Simulator → tasks of a study that were begun on it and are not done: they can go on there alone."""
    acted = [way.name for way in PARADIGMS if way.simulated]
    rows = store.query(
        "SELECT backend, count(*) AS n FROM episodes WHERE study_id = ? AND last_seq >= 0 AND backend <> '' "
        "AND state NOT IN (SELECT value FROM json_each(?)) AND paradigm IN (SELECT value FROM json_each(?)) "
        "GROUP BY backend ORDER BY backend",
        [study_id, dumps(sorted(states.OVER)), dumps(acted)],
    )
    return {row["backend"]: row["n"] for row in rows}
