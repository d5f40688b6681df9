"""What a program noticed about a task: the flags that a verifier reads beside the evidence."""

from __future__ import annotations

from annotation.auditing.findings import findings_of
from annotation.verifying.evidence import Flag
from data.store import Store


def of_task(store: Store, task_hash: str) -> tuple[Flag, ...]:
    """What the newest audits found in it (`vantage audit`); empty where none looked."""
    return findings_of(store, task_hash)
