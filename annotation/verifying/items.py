"""What stands in a verification: tasks, hidden controls and exercises are taken in, sent to people, and replaced by new versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from annotation.reviewing import things
from annotation.reviewing.kinds.tasks import AXES, KIND, KIND_OF
from annotation.verifying import verifications
from annotation.verifying.errors import BadVerification, Closed
from annotation.verifying.showing import Item, item_of
from annotation.verifying.verifications import Protocol, Verification
from data.store import Store, dumps, new_id, now
from study.trajectories import took_part

BEFORE = "verified_before"
"""The part of somebody who has verified an earlier version of a task: they are not given the later one."""


class _Hash(msgspec.Struct, frozen=True):
    content_hash: str


class _Subject(msgspec.Struct, frozen=True):
    subject: str


class _Who(msgspec.Struct, frozen=True):
    reviewer: str


def start(
    store: Store, name: str, tasks: Sequence[str], *, study_id: str | None = None, protocol: Protocol | None = None,
    evidence: bool = True, actor: str,
) -> Verification:  # fmt: skip
    """Make a verification of these tasks.

    Args:
        store: the database.
        name: what people call it.
        tasks: content hashes.
        study_id: the study whose tasks these are; None: a set of its own.
        protocol: its settings.
        evidence: whether a task waits until its evidence is made (`annotation.verifying.preparing`) before people get it.
        actor: who makes it.

    Raises:
        BadVerification: no name, no tasks, or a task that cannot be verified here.
        TaskNotFound: there is no such task.
    """
    if not name.strip():
        raise BadVerification("Give the verification a name.")
    if not tasks:
        raise BadVerification("Nothing to verify: no task was chosen.")
    made = Verification(new_id("ver"), name.strip(), study_id, (protocol or Protocol()).model_dump_json(), "open", now())
    with store.atomic():
        store.insert("verifications", msgspec.structs.asdict(made))
        told = {"verification": made.verification_id, "name": made.name, "tasks": len(tasks)}
        store.event("verification_started", told, actor=actor, study_id=study_id)
        add(store, made.verification_id, tasks, evidence=evidence, actor=actor)
    return made


def add(store: Store, verification_id: str, tasks: Sequence[str], *, evidence: bool = True, actor: str) -> int:
    """Take further tasks in; those that are in it already are passed over. Returns how many came in.

    Raises:
        UnknownVerification, Closed, BadVerification, TaskNotFound: as `start`.
    """
    _open(store, verification_id)
    count = 0
    with store.atomic():
        for task_hash in dict.fromkeys(tasks):
            task = store.get_task(task_hash)
            if task.shown:
                raise BadVerification(
                    f"{task.task_id} asks about pictures that exist; such questions are reviewed in the QA studio. Leave it out."
                )
            if _there(store, verification_id, task_hash, "task"):
                continue
            subject = _take_in(store, verification_id, task_hash, "task", actor=actor)
            if not evidence or has_evidence(store, task_hash):
                things.move(store, KIND, subject, "submit", actor)
            count += 1
    return count


def add_known(
    store: Store, verification_id: str, part: str, task_hash: str, expected: Mapping[str, str], explains: str, *, actor: str
) -> str | None:  # fmt: skip
    """Take in a task whose verdict is known.

    Args:
        store: the database.
        verification_id: the verification.
        part: ``control`` or ``training``.
        task_hash: the task.
        expected: axis → ``pass`` or ``fail``; an axis that is left out is not asked of anybody's accuracy.
        explains: why, for whoever has judged it as an exercise.
        actor: who adds it.

    Returns:
        Its id; None: it is in already.

    Raises:
        UnknownVerification, Closed: as `add`.
        BadVerification: an unknown part, axis or verdict.
    """
    _open(store, verification_id)
    if part not in ("control", "training"):
        raise BadVerification(f"A task with a known verdict is a control or an exercise (training), got {part!r}.")
    if not expected or set(expected) - set(AXES) or set(expected.values()) - {"pass", "fail"}:
        raise BadVerification(f"The known verdict says pass or fail of {', '.join(AXES)}, got {dict(expected)!r}.")
    if _there(store, verification_id, task_hash, part):
        return None
    with store.atomic():
        subject = _take_in(store, verification_id, task_hash, part, expected=expected, explains=explains, actor=actor)
        if has_evidence(store, task_hash):
            things.move(store, KIND_OF[part], subject, "submit", actor)
    return subject


def submit(store: Store, verification_id: str, *, only: str | None = None, anyway: bool = False, actor: str) -> int:
    """Send to people what waits for its evidence and has it now; returns how many.

    Args:
        store: the database.
        verification_id: the verification.
        only: of this task alone (content hash); None: all that waits.
        anyway: also what has none.
        actor: who sends it.
    """
    count = 0
    for part, kind in KIND_OF.items():
        waiting = store.rows(
            "SELECT i.subject FROM verification_items i JOIN reviewed t ON t.kind = ? AND t.subject = i.subject AND t.state = 'proposed' "
            "WHERE i.verification_id = ? AND i.part = ? AND (? IS NULL OR i.task_hash = ?) "
            "AND (? OR EXISTS (SELECT 1 FROM task_evidence e WHERE e.task_hash = i.task_hash)) "
            "ORDER BY i.rowid",
            _Subject, [kind.name, verification_id, part, only, only, int(anyway)],
        )  # fmt: skip
        with store.atomic():
            for row in waiting:
                things.move(store, kind, row.subject, "submit", actor)
        count += len(waiting)
    return count


def close(store: Store, verification_id: str, *, actor: str) -> None:
    """Give nothing more of it to anybody; what is open is given back.

    Raises:
        UnknownVerification, Closed: there is none, or it is closed already.
    """
    found = _open(store, verification_id)
    with store.atomic() as db:
        for kind in KIND_OF.values():
            for row in store.rows(
                "SELECT DISTINCT subject FROM reviews WHERE kind = ? AND scope = ? AND decided_at IS NULL AND state <> 'void'",
                _Subject, [kind.name, verification_id],
            ):  # fmt: skip
                things.void_open(store, kind, row.subject, "the verification was closed")
        db.execute("UPDATE verifications SET state = 'closed' WHERE verification_id = ?", [verification_id])
        store.event("verification_closed", {"verification": verification_id}, actor=actor, study_id=found.study_id)


def again(store: Store, subject: str, why: str, *, actor: str) -> None:
    """Have a decided task verified once more, by people who have not seen it: a new round. Every earlier vote stays.

    Raises:
        BadVerification: no reason.
        BadTransition: it is not decided.
        UnknownReview: there is no such thing.
    """
    if not why.strip():
        raise BadVerification("Say why it is to be verified again.")
    things.move(store, KIND, subject, "again", actor, why=why.strip())


def newer_version(store: Store, task_hash: str) -> str | None:
    """Content hash of the newest version that replaces a task; None: it is the newest."""
    # a task on recorded views supersedes the one with its scene and still is another task, with an id of its own
    after = (
        "SELECT n.content_hash FROM tasks n JOIN tasks o ON o.content_hash = n.supersedes AND o.task_id = n.task_id "
        "WHERE n.supersedes = ? ORDER BY n.version DESC LIMIT 1"
    )
    newest, found = None, task_hash
    while (row := store.row(after, _Hash, [found])) is not None:
        newest = found = row.content_hash
    return newest


def renew(store: Store, subject: str, *, actor: str) -> str | None:
    """Put a task's new version in its place, where there is one: reviews under way end, and the new version begins a further round.

    Whoever has seen the answer of the old version is not given the new one.

    Returns:
        The id of the new thing, or the old one's where the new version stood in the verification already; None: there is no new version.
    """
    item = item_of(store, subject)
    if item.part != "task" or (newer := newer_version(store, item.task_hash)) is None:
        return None
    with store.atomic() as db:
        old = things.get(store, KIND, subject)
        if old.state == "replaced":
            return None
        things.move(store, KIND, subject, "replace", actor, why="a new version of the task took its place")
        if _there(store, item.verification_id, newer, "task"):
            return subject
        knowing = store.rows(
            "SELECT DISTINCT reviewer FROM reviews WHERE kind = ? AND subject = ? AND (stages > 0 OR skipped IS NOT NULL)",
            _Who, [KIND.name, subject],
        )  # fmt: skip
        for row in knowing:
            took_part(store, newer, row.reviewer, BEFORE)
        after = _take_in(store, item.verification_id, newer, "task", follows=subject, actor=actor)
        db.execute("UPDATE reviewed SET round = ? WHERE kind = ? AND subject = ?", [old.round, KIND.name, after])
        if has_evidence(store, newer) or not has_evidence(store, item.task_hash):
            things.move(store, KIND, after, "submit", actor)
    return after


def renew_all(store: Store, verification_id: str, *, actor: str) -> int:
    """`renew` every task of a verification that has a new version; returns how many."""
    stale = store.rows(
        "SELECT i.subject FROM verification_items i JOIN reviewed t ON t.kind = ? AND t.subject = i.subject AND t.state <> 'replaced' "
        "WHERE i.verification_id = ? AND i.part = 'task' AND EXISTS "
        "(SELECT 1 FROM tasks n JOIN tasks o ON o.content_hash = n.supersedes AND o.task_id = n.task_id WHERE n.supersedes = i.task_hash)",
        _Subject, [KIND.name, verification_id],
    )  # fmt: skip
    return sum(renew(store, row.subject, actor=actor) is not None for row in stale)


def has_evidence(store: Store, task_hash: str) -> bool:
    """Whether a task's evidence was made, or was tried and cannot be."""
    return store.one("SELECT 1 FROM task_evidence WHERE task_hash = ?", [task_hash]) is not None


def subject_of(store: Store, verification_id: str, task_id: str) -> str:
    """The thing of a task's newest version in a verification.

    Raises:
        BadVerification: it is not in it.
    """
    found = store.row(
        "SELECT i.subject FROM verification_items i JOIN tasks t ON t.content_hash = i.task_hash "
        "WHERE i.verification_id = ? AND i.part = 'task' AND t.task_id = ? ORDER BY t.version DESC LIMIT 1",
        _Subject, [verification_id, task_id],
    )  # fmt: skip
    if found is None:
        raise BadVerification(f"The task {task_id[:60]!r} is not in this verification.")
    return found.subject


def items_of(store: Store, verification_id: str, part: str = "task") -> list[Item]:
    """The things of one part, in the order in which they were taken in."""
    return store.rows(
        "SELECT * FROM verification_items WHERE verification_id = ? AND part = ? ORDER BY rowid", Item, [verification_id, part]
    )


def _take_in(
    store: Store, verification_id: str, task_hash: str, part: str, *, expected: Mapping[str, str] | None = None, explains: str = "",
    follows: str | None = None, actor: str,
) -> str:  # fmt: skip
    subject = new_id("vi")
    item = Item(subject, verification_id, task_hash, part, dumps(dict(expected or {})), explains, follows)
    store.insert("verification_items", msgspec.structs.asdict(item))
    things.put(store, KIND_OF[part], subject, verification_id, "proposed", actor=actor)
    return subject


def _there(store: Store, verification_id: str, task_hash: str, part: str) -> bool:
    sql = "SELECT 1 FROM verification_items WHERE verification_id = ? AND task_hash = ? AND part = ?"
    return store.one(sql, [verification_id, task_hash, part]) is not None


def _open(store: Store, verification_id: str) -> Verification:
    found = verifications.get(store, verification_id)
    if found.state != "open":
        raise Closed(f"The verification {found.name!r} is closed.")
    return found
