"""Tasks that a study's answers flag go back to people who verify them. A flag opens a review; it drops no task and changes no score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from annotation.reviewing.kinds.tasks import KIND
from annotation.verifying import items, verifications
from annotation.verifying.verifications import Verification
from data.store import Store
from study.studies import get_study


@dataclass(frozen=True)
class SentBack:
    """What became of flagged tasks."""

    verification: Verification | None
    """In which those are verified that stood in none; None: there are none."""
    again: int
    """Decided before: a further round has begun, by people who have not seen them."""
    added: int
    """Never verified: they wait in `verification`."""
    under_way: int
    """Being verified already: nothing was done."""


class _Standing(msgspec.Struct, frozen=True):
    subject: str
    state: str


def send_back(store: Store, study_id: str, why: Mapping[str, str], *, actor: str) -> SentBack:
    """Have tasks verified once more, or for the first time.

    What their verifiers see does not say why: a flag tells how people answered. Who leads the verification reads it.

    Args:
        store: the database.
        study_id: the study whose answers flag them.
        why: content hash of a task → the reason.
        actor: who sends them.

    Raises:
        UnknownStudy: there is no such study.
        BadVerification: one of them cannot be verified here, such as a question about pictures.
    """
    study = get_study(store, study_id)
    again = under_way = 0
    new = []
    with store.atomic():
        for task_hash, reason in why.items():
            standing = store.row(
                "SELECT i.subject, t.state FROM verification_items i JOIN verifications v USING (verification_id) "
                "JOIN reviewed t ON t.kind = ? AND t.subject = i.subject WHERE i.task_hash = ? AND i.part = 'task' AND v.state = 'open' "
                "AND t.state <> 'replaced' ORDER BY v.study_id IS ? DESC, v.created_at DESC, v.rowid DESC LIMIT 1",
                _Standing,
                [KIND.name, task_hash, study_id],
            )
            if standing is None:
                new.append(task_hash)
            elif "again" in KIND.states.get(standing.state, {}):
                items.again(store, standing.subject, reason, actor=actor)
                again += 1
            else:
                under_way += 1
        into = _into(store, study_id, study.name, new, actor) if new else None
        for task_hash in new:
            store.event("task_flagged", {"task_hash": task_hash, "why": why[task_hash]}, actor=actor, study_id=study_id)
    return SentBack(into, again, len(new), under_way)


def _into(store: Store, study_id: str, name: str, new: list[str], actor: str) -> Verification:
    """The newest open verification of the study with these tasks in it; a new one where it has none."""
    for found in verifications.all_of(store):
        if found.study_id == study_id and found.state == "open":
            items.add(store, found.verification_id, new, actor=actor)
            return found
    return items.start(store, f"Flagged tasks of {name}"[:120], new, study_id=study_id, actor=actor)
