"""What a program noticed about a task: the flags that a verifier reads beside the evidence."""

from __future__ import annotations

from annotation.verifying.evidence import Flag
from data.store import Store


def of_task(store: Store, task_hash: str) -> tuple[Flag, ...]:
    """The findings of the benchmark audit about a task, gravest first; empty: it was not audited, or nothing was found."""
    return ()
