"""Trials made by hand, for tests of what is computed from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from study.analysis.trials import Path, Trial, Trials


def trial(person: str, task: str, paradigm: str, strict: bool | None, **more: Any) -> Trial:
    fields: dict[str, Any] = {
        "episode_id": f"{person}-{task}-{paradigm}", "agent": "human", "person": person, "number": 0, "task": task, "task_id": task,
        "content": task, "category": "Metric Comparison", "subcategory": "Dimensional Size", "paradigm": paradigm, "trial_index": 1,
        "budget": 30, "probed": True, "state": "completed", "answered": strict is not None, "answer": f'"{strict}"', "strict": strict,
        "lenient": strict, "coded": strict, "settled": strict, "chance": 0.5, "confidence": 50, "observations": 4, "evidence_seq": None,
        "evidence_declared": False, "stopped_by": "answer", "excluded": (),
    }  # fmt: skip
    return Trial(**(fields | more))


def trials_of(rows: Sequence[Trial], paths: Mapping[str, Path] | None = None) -> Trials:
    """A study of these trials, with the paths of some of them."""
    found = paths or {}
    return Trials(
        study_id="st_made", title="Made", source="a test", mode="live", versions=(1,), rows=tuple(rows), read_at="2026-01-01T00:00:00.000Z",
        people=len({row.person for row in rows}), withdrawn=0, unfinished=0, path=lambda episode: found.get(episode, Path()),
    )  # fmt: skip
