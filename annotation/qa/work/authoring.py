"""Making items: begin, save, send in, take back. Every save is a new version; where an item goes follows from its state table
(`annotation.reviewing.kinds.robot_questions`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from annotation.qa import rules
from annotation.qa.errors import BadItem, Conflict, NotReady, QaError
from annotation.qa.items import Absence, Item, Mark
from annotation.qa.projects import Project, cell_of, check_place, get_project, is_trial
from annotation.qa.subtasks.base import confirmed
from annotation.qa.work.recalling import confirmed_before
from annotation.qa.work.reviews import flagged_version
from annotation.qa.work.stored import Saved, Stored, get
from annotation.qa.work.versions import at_version, write_version
from annotation.reviewing import things
from annotation.reviewing.kinds.robot_questions import KIND
from data.store import Store, new_id, now
from study.states import after


class _Number(msgspec.Struct, frozen=True):
    number: int | None


def create_item(store: Store, project_id: str, item: Item, author: str, *, keep_id: bool = False) -> Stored:
    """Begin an item. It is a trial item while the author's trial batch is not passed.

    Args:
        store: the database.
        project_id: the project.
        item: as far as it is; its id is replaced unless `keep_id`.
        author: who makes it (staff id).
        keep_id: keep the document's id.

    Raises:
        QuotaFull: the project has enough of its kind.
        Training: the author's trial batch waits to be judged.
        QaError: the project is closed, or the id is taken.
    """
    with store.atomic():
        project = get_project(store, project_id)
        if project.state != "open":
            raise QaError(f"The project {project.name!r} is closed: no new items.")
        trial = is_trial(store, project, author)
        if not trial:
            check_place(store, project, item, counted=False)
        return _insert(
            store, project, item if keep_id else item.change(item_id=new_id("qa")), author, "draft", trial, "authored", "create", ""
        )


def admit(store: Store, project_id: str, item: Item, *, state: str, actor: str, why: str, number: int | None = None) -> Stored:
    """Take in an item that was made elsewhere, in the state it had there; its reviews stay there. It keeps its number where that is free.

    Raises:
        QaError: another item with this id is here.
    """
    if state not in KIND.states:
        raise QaError(f"An item is {', '.join(KIND.states)}; got {state!r}.")
    with store.atomic():
        project = get_project(store, project_id)
        return _insert(store, project, item, actor, state, False, "imported", "import", why, number)


def _insert(
    store: Store, project: Project, item: Item, author: str, state: str, trial: bool, origin: str, kind: str, why: str,
    number: int | None = None,
) -> Stored:  # fmt: skip
    if store.one("SELECT 1 AS yes FROM qa_items WHERE item_id = ?", [item.item_id]):
        raise QaError(f"An item {item.item_id} is here already.")
    at = now()
    row: dict[str, Any] = {
        "item_id": item.item_id,
        "project_id": project.project_id,
        "number": _number(store, project.project_id, item.subtask, number),
        "subtask": item.subtask,
        "cell": cell_of(item),
        "arm": item.arm,
        "source": item.source,
        "state": state,
        "version": 1,
        "round": 0,
        "trial": int(trial),
        "origin": origin,
        "author": author,
        "created_at": at,
        "updated_at": at,
        "marks_rev": int(bool(item.marks)),
    }
    store.insert("qa_items", row)
    write_version(store, item, 1, kind, why, author, at)
    things.tell(store, KIND, item.item_id, "create" if kind == "create" else "import", author, why=why, at=at)
    return get(store, item.item_id)


def _number(store: Store, project_id: str, subtask: str, wanted: int | None) -> int:
    """The wanted number where it is free, or the next one."""
    mine = [project_id, subtask, wanted]
    if wanted is not None and not store.one("SELECT 1 AS yes FROM qa_items WHERE project_id = ? AND subtask = ? AND number = ?", mine):
        return wanted
    last = store.row("SELECT max(number) AS number FROM qa_items WHERE project_id = ? AND subtask = ?", _Number, [project_id, subtask])
    return ((last.number if last else None) or 0) + 1


def save(store: Store, item_id: str, item: Item, rev: int, editor: str, *, why: str = "", kind: str = "edit") -> Saved:
    """Save an edit as a new version; nothing is written where nothing differs.

    Args:
        store: the database.
        item_id: which.
        item: the new document.
        rev: the version that was edited.
        editor: who (staff id).
        why: the reason, where there is one.
        kind: ``edit``, ``marks`` or ``revise``.

    Raises:
        Conflict: somebody saved in the meantime; it carries the newer state, and this edit is not written.
        BadTransition: the item is in review, accepted or discarded.
        BadItem: the document is another item's, or of another subtask.
    """
    with store.atomic():
        before = get(store, item_id)
        if rev != before.version:
            raise Conflict(
                f"Somebody saved this item in the meantime (version {before.version}, you have {rev}). Nothing of theirs or yours is lost: "
                "look at the newer version, then save yours again.",
                before.version,
                before.item.canonical_json(),
            )
        after(KIND.states, before.state, KIND.edit)
        if (item.item_id, item.subtask) != (item_id, before.item.subtask):
            raise BadItem(f"This is the document of {item.item_id} ({item.subtask}), not of {item_id} ({before.item.subtask}).")
        return _replace(store, before, item, KIND.edit, kind, editor, why)


def _replace(store: Store, before: Stored, item: Item, event: str, kind: str, editor: str, why: str) -> Saved:
    """Put a new version in the place of the current one; nothing is written where nothing differs."""
    if item == before.item:
        return Saved(before.version, before.updated_at)
    at, version = now(), before.version + 1
    write_version(store, item, version, kind, why, editor, at)
    store.db.execute(
        "UPDATE qa_items SET cell = ?, arm = ?, source = ?, marks_rev = marks_rev + ? WHERE item_id = ?",
        [cell_of(item), item.arm, item.source, (item.marks, item.absent) != (before.item.marks, before.item.absent), item.item_id],
    )
    things.move(store, KIND, item.item_id, event, editor, why=why, at=at, version=version)
    return Saved(version, at)


def edit(store: Store, item_id: str, rev: int, editor: str, *, why: str = "", **fields: Any) -> Saved:
    """Change some fields of an item and leave the others as they are now, so that a form and the canvas do not hinder each other. A tick
    that was given for what is changed goes.

    Args:
        store: the database.
        item_id: which.
        rev: the version that the fields were read from.
        editor: who.
        why: the reason, where there is one.
        **fields: new values of `Item` fields.

    Raises:
        Conflict: one of these fields was changed to something else since `rev`.
        BadTransition, BadItem: as `save`.
    """
    with store.atomic():
        stored = get(store, item_id)
        if rev != stored.version:
            base = at_version(store, item_id, rev)
            clashes = [
                name
                for name, value in fields.items()
                if getattr(base, name) != getattr(stored.item, name) and getattr(stored.item, name) != value
            ]
            if clashes:
                raise Conflict(
                    f"Somebody changed {', '.join(clashes)} of this item in the meantime (version {stored.version}, you have {rev}). "
                    "Nothing of theirs or yours is lost: look at the newer version, then save yours again.",
                    stored.version,
                    stored.item.canonical_json(),
                )
        return save(store, item_id, _as_confirmed(stored.item, stored.item.change(**fields)), stored.version, editor, why=why)


def save_marks(store: Store, item_id: str, marks: Sequence[Mark], rev: int, editor: str, absent: Sequence[Absence] | None = None) -> Saved:
    """Save what the canvas has now: what is drawn and, unless None, what is out of sight; as `save`. A tick given for other
    marks goes, and comes back with them."""
    with store.atomic():
        item = get(store, item_id).item
        unseen = item.absent if absent is None else tuple(absent)
        drawn = _as_confirmed(item, item.change(marks=tuple(marks), absent=unseen))
        if drawn != item and not item.unique_confirmed and confirmed_before(store, item_id, drawn):
            drawn = drawn.change(unique_confirmed=True)
        return save(store, item_id, drawn, rev, editor, kind="marks")


def _as_confirmed(before: Item, after: Item) -> Item:
    """The edited item without the tick that was given for something else (`subtasks.base.confirmed`): its author confirms it anew."""
    outlived = before.unique_confirmed and after.unique_confirmed and confirmed(before) != confirmed(after)
    return after.change(unique_confirmed=False) if outlived else after


def submit(store: Store, item_id: str, actor: str, rev: int, *, why: str = "") -> Stored:
    """Send a draft, or a revised item, into review: a new round begins.

    Raises:
        NotReady: it breaks rules; the error lists them.
        QuotaFull: the project has enough of its kind.
        Conflict: somebody saved in the meantime.
        BadTransition: it is not a draft or flagged.
    """
    with store.atomic():
        stored = get(store, item_id)
        if stored.state == KIND.waiting and rev == stored.version and things.done_so(store, KIND, item_id, "submit", actor, why):
            return stored  # sent again, because its reply got lost
        after(KIND.states, stored.state, "submit")
        if rev != stored.version:
            raise Conflict(
                f"This item was saved in the meantime (version {stored.version}, you have {rev}): look at it before you send it in.",
                stored.version,
                stored.item.canonical_json(),
            )
        if found := rules.check_here(store, stored.item):
            raise NotReady(found)
        project = get_project(store, stored.project_id)
        if not stored.trial:
            check_place(store, project, stored.item, counted=True)
        if flagged_version(store, item_id) == stored.version and not why.strip():
            raise QaError("This item was flagged and nothing was changed since: revise it, or say why it stands as it is.")
        things.move(store, KIND, item_id, "submit", actor, why=why)
    return get(store, item_id)


def move(store: Store, item_id: str, event: Literal["recall", "reopen", "discard", "restore"], actor: str, why: str) -> Stored:
    """Take an item back, reopen, discard or restore it. Open reviews of it end.

    Raises:
        QaError: no reason is given.
        BadTransition: impossible in its state.
        UnknownItem: there is no such item.
    """
    if not why.strip():
        raise QaError("Give a reason: the others will want to know.")
    with store.atomic():
        get(store, item_id)
        things.move(store, KIND, item_id, event, actor, why=why)
    return get(store, item_id)


def assign(store: Store, item_id: str, to: str, actor: str, why: str) -> Stored:
    """Give an item that can be changed to another author, who goes on with it; who made it before stays in its versions.

    Args:
        store: the database.
        item_id: which.
        to: the new author (staff id); whether they may make items is the caller's to know.
        actor: who decides it.
        why: the reason.

    Raises:
        QaError: no reason is given; it is theirs already; or it is a trial item, by which its author learns.
        BadTransition: it cannot be changed in its state.
        UnknownItem: there is no such item.
    """
    if not why.strip():
        raise QaError("Give a reason: the others will want to know.")
    with store.atomic() as db:
        stored = get(store, item_id)
        after(KIND.states, stored.state, KIND.edit)
        if stored.trial:
            raise QaError("It is a trial item, by which its author learns: it stays with them.")
        if stored.author == to:
            raise QaError("It is this person's already.")
        at = now()
        db.execute("UPDATE qa_items SET author = ?, updated_at = ? WHERE item_id = ?", [to, at, item_id])
        told = {"item": item_id, "from": stored.author, "to": to, "why": why}
        study_id = get_project(store, stored.project_id).study_id
        store.event("qa_item_assigned", told, at=at, actor=actor, study_id=study_id, subject=item_id)
    return get(store, item_id)


def assigned_so(store: Store, item_id: str, to: str, actor: str, why: str) -> bool:
    """Whether `assign` did this last: a request that is sent again, because its reply got lost."""
    row = store.one("SELECT actor, data FROM events WHERE subject = ? AND kind = 'qa_item_assigned' ORDER BY seq DESC LIMIT 1", [item_id])
    data = {} if row is None else json.loads(row["data"])
    return row is not None and (row["actor"], data["to"], data["why"], get(store, item_id).author) == (actor, to, why, to)


def rebalance(store: Store, item_id: str, item: Item, actor: str, why: str) -> Saved:
    """Put the balanced document of an accepted item in its place (`balance`).

    Raises:
        BadTransition: it is not accepted.
        UnknownItem: there is no such item.
    """
    with store.atomic():
        before = get(store, item_id)
        after(KIND.states, before.state, "balance")
        return _replace(store, before, item, "balance", "balance", actor, why)
