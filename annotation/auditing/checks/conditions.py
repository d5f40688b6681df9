"""Conditions that a subcategory's definition names, and a task lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.auditing.check import Audited, Check, Finding, Row
from annotation.auditing.checks.payload import data_of
from data.subcategories import BY_KEY
from data.task import Task
from sim_bridge.actions import CAMERA_ACTIONS

_STRENGTHS = ("intensity", "light_scale", "light_intensity", "light_factor")


def _recorded_light(value: Any) -> bool:
    """Whether a payload says how strong its changed light is."""
    if isinstance(value, dict):
        return any(key in _STRENGTHS or _recorded_light(inner) for key, inner in value.items())
    return isinstance(value, list) and any(map(_recorded_light, value))


def _changes_light(row: Row, task: Task) -> bool:
    lights = {(phase.lighting or task.scene.lighting, tuple(sorted(phase.lit.items()))) for phase in task.scene.phases}
    return len(lights) > 1 or _recorded_light(data_of(row).get("render"))


def _light(audited: Audited) -> Iterator[Finding]:
    for row, task in audited.tasks:
        kind = BY_KEY.get(row.kind)
        if kind is None or "light_change" not in kind.needs or _changes_light(row, task):
            continue
        if row.raw:
            said = "the row records two phases of light at most by name, and no strength of any"
        else:
            said = f"the light is {task.scene.lighting!r} from the first observation to the last"
        yield Finding(row, f"{kind.name} is about a change of light, but {said}.")


def _phases(audited: Audited) -> Iterator[Finding]:
    for row, task in audited.tasks:
        kind = BY_KEY.get(row.kind)
        if kind is not None and "phases" in kind.needs and len(task.scene.phases) < 2:
            yield Finding(
                row, f"{kind.name} is about a change between two phases, but the task has {len(task.scene.phases) or 'no'} phase."
            )


def _manipulation(audited: Audited) -> Iterator[Finding]:
    for row, task in audited.tasks:
        kind = BY_KEY.get(row.kind)
        if kind is not None and "manipulation" in kind.abilities and set(task.actions) <= set(CAMERA_ACTIONS):
            yield Finding(row, f"{kind.name} is declared to need manipulation, but the task offers camera actions alone.")


CHECKS = (
    Check(
        id="condition-light-change",
        severity="error",
        about="Tasks whose definition names a change of light, where none happens or none is recorded: what is measured is another "
        "subcategory.",
        fix="Give the task two phases of light, or file it under plain counting.",
        look=_light,
    ),
    Check(
        id="condition-phases",
        severity="error",
        about="Tasks whose definition names two phases, and that have one.",
        fix="Give the task its second phase.",
        look=_phases,
    ),
    Check(
        id="condition-manipulation",
        severity="warning",
        about="Tasks whose subcategory is declared to need manipulation, and that offer camera actions alone.",
        fix="Offer the actions that the definition names, or change the declaration.",
        look=_manipulation,
    ),
)
