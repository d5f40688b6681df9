"""How an episode is named and told in the released runner's files (ESI-Bench format page §4.3 and §5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from data.subcategories import SUBCATEGORIES
from data.task import Task
from sim_bridge.actions import parse_action

STOPPED_BY = {"answer": "model_stop", "budget": "max_steps"}
"""Our reasons for the end → the released words; a model's own reasons are the released words already."""
_RUN_NAMES = {kind.runner: kind.run_name for kind in SUBCATEGORIES if kind.run_name}
"""Released runner → how it names a row whose payload has ``run_idx``."""


def published_action(runner: str, action: str, labels: Mapping[str, str]) -> str:
    """An action as the released runner writes it.

    Args:
        runner: the released module's name; some write the same action otherwise.
        action: canonical action text.
        labels: handle in `action` → display name.
    """
    if action in ("start", "stay") or action.startswith("phase:"):
        return action
    parsed = parse_action(action)
    text = parsed.kind.published_by.get(runner, parsed.kind.published)
    if text == "":
        return str(parsed)
    return parsed.told(text, lambda handle: labels.get(handle, handle).replace("_", " "))


def runner_of(task: Task) -> str:
    """The released module's name; for own tasks the subcategory in lower case with underscores."""
    return str(task.source.get("runner_task") or re.sub(r"[^a-z0-9]+", "_", task.subcategory.lower()).strip("_"))


def place_of(task: Task) -> tuple[str, str]:
    """(scene, room) of the released tree."""
    source = task.source
    return str(source.get("scene") or task.scene.source_scene or task.provenance.dataset), str(source.get("room") or task.scene.room.kind)


def question_id(task: Task) -> str:
    """The released `qid`: not unique (215 released rows share theirs with another of the same place)."""
    source: Mapping[str, Any] = task.source
    payload = source.get("metadata")
    meta: Mapping[str, Any] = payload if isinstance(payload, Mapping) else {}
    named = meta.get("question_id")
    if isinstance(named, str) and named.strip():
        return named.rsplit("/", 1)[-1]
    index, run_name = meta.get("run_idx"), _RUN_NAMES.get(runner_of(task))
    if run_name and isinstance(index, int):
        scene, room = place_of(task)
        return run_name.format(scene=scene, room=room, index=index)
    stem = re.sub(r"\.json$", "", task.provenance.file.rsplit("/", 1)[-1])
    return stem or task.task_id


def safe_name(text: str) -> str:
    """`text` as one part of a path: letters, digits, ``._-`` and nothing that leads elsewhere."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", text).strip(".")[:120] or "_"
