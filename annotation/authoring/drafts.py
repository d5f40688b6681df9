"""Drafts as they are kept: each with its author, saved by the revision that a change grew from, never lost."""

from __future__ import annotations

from typing import Any

import msgspec

from annotation.authoring.draft import Draft, read
from annotation.authoring.errors import BadDraft, DraftChanged, UnknownDraft
from data.store import Store, new_id, now
from data.subcategories import find
from data.subcategories.kind import ACT
from data.task import Task
from sim_bridge.actions import ACTIONS, CAMERA_ACTIONS

HOUSE_ROOMS = 5
"""Rooms of the house in which a draft begins whose subcategory is asked of houses."""
OPEN = "open"
"""State of a draft that can be changed."""


class Kept(msgspec.Struct, frozen=True):
    """A row of `task_drafts`."""

    draft_id: str
    staff_id: str
    """Its author."""
    name: str
    """What its author calls it."""
    family: str
    """What handles are drawn from: twins share it."""
    twin: str | None
    """The draft that it is the twin of."""
    rev: int
    state: str
    """open, handed_in or dropped."""
    document: str
    episode_id: str | None
    """In which its trajectory is recorded."""
    task_hash: str | None
    """What was made of it when it was handed in."""
    made_at: str
    saved_at: str

    @property
    def draft(self) -> Draft:
        """Its document."""
        return Draft.model_validate_json(self.document)

    @property
    def task_id(self) -> str:
        """The id of the task that it becomes: it says nothing of the answer."""
        return f"authored-{self.draft_id.replace('_', '-')}"


def begin(store: Store, staff_id: str, category: str, subcategory: str, name: str = "") -> str:
    """A new draft of a subcategory; returns its id."""
    kind = find(category, subcategory)
    actions = tuple(ACTIONS) if kind.abilities == ACT else CAMERA_ACTIONS
    options = ("yes", "no") if kind.form == "yes_no" else ()
    parts = 2 if "phases" in kind.needs else 1
    draft = read({
        "category": category, "subcategory": subcategory, "actions": actions, "parts": parts, "options": options,
        "form": kind.form, "blanks": [{}] if kind.form == "blanks" else [{}, {}] if kind.form == "pair" else [],
        "house_rooms": HOUSE_ROOMS if "native_scene" in kind.needs else 0,
    })  # fmt: skip
    return _insert(store, staff_id, name.strip()[:100] or subcategory, draft, family=new_id("fam"))


def copy(store: Store, draft_id: str, staff_id: str, *, twin: bool = False) -> str:
    """A draft like another one, to vary; returns its id.

    Args:
        store: the database.
        draft_id: what is copied, handed in or not.
        staff_id: whose it is and will be.
        twin: it is to become the gold-flipped twin of the other one, with the same handles.

    Raises:
        UnknownDraft: there is no such draft of theirs.
        BadDraft: the other one has a twin, or is handed in.
    """
    with store.atomic():
        other = get(store, draft_id, staff_id)
        if twin and twin_of(store, other) is not None:
            raise BadDraft("This draft has a twin already.")
        if twin and other.state != OPEN:
            raise BadDraft("This task is handed in: a twin is made before that. Copy it, and make the copy's twin.")
        name = f"{other.name}, twin" if twin else f"{other.name}, copy"
        family = other.family if twin else new_id("fam")
        draft = other.draft
        if not twin:  # other handles: what was recorded names objects by theirs
            draft = draft.model_copy(update={"path": (), "path_starts": ()})
        return _insert(store, staff_id, name[:100], draft, family=family, twin=draft_id if twin else None)


def _insert(store: Store, staff_id: str, name: str, draft: Draft, *, family: str, twin: str | None = None) -> str:
    draft_id, at = new_id("draft"), now()
    with store.atomic():
        store.insert("task_drafts", {
            "draft_id": draft_id, "staff_id": staff_id, "name": name, "family": family, "twin": twin, "rev": 1, "state": OPEN,
            "document": draft.model_dump_json(), "episode_id": None, "task_hash": None, "made_at": at, "saved_at": at,
        })  # fmt: skip
        store.event("task_draft_began", {"draft": draft_id, "twin": twin, "subcategory": draft.subcategory}, at=at, actor=staff_id)
    return draft_id


def get(store: Store, draft_id: str, staff_id: str) -> Kept:
    """Somebody's draft.

    Raises:
        UnknownDraft: there is none of this id, or it is somebody else's.
    """
    found = store.row("SELECT * FROM task_drafts WHERE draft_id = ? AND staff_id = ?", Kept, [draft_id, staff_id])
    if found is None:
        raise UnknownDraft("There is no such draft of yours.")
    return found


def twin_of(store: Store, kept: Kept) -> Kept | None:
    """The draft's twin, whichever of them was there first; None: it has none that is not dropped."""
    return store.row(
        "SELECT * FROM task_drafts WHERE (draft_id = ? OR twin = ?) AND state <> 'dropped' ORDER BY made_at LIMIT 1",
        Kept,
        [kept.twin, kept.draft_id],
    )


def mine(store: Store, staff_id: str) -> list[Kept]:
    """Somebody's drafts, the one saved last first; those that were dropped are left out."""
    return store.rows(
        "SELECT * FROM task_drafts WHERE staff_id = ? AND state IN ('open', 'handed_in') ORDER BY saved_at DESC, rowid DESC",
        Kept,
        [staff_id],
    )


def save(store: Store, draft_id: str, staff_id: str, rev: int, document: Any) -> Kept:
    """Keep a new state of a draft; what was sent twice is kept once.

    Args:
        store: the database.
        draft_id: which.
        staff_id: its author.
        rev: the revision that the change grew from.
        document: the whole draft, as plain JSON values.

    Raises:
        UnknownDraft, BadDraft: there is no such draft, or this is none.
        DraftChanged: it was changed elsewhere since.
    """
    draft = read(document)
    with store.atomic() as db:
        kept = get(store, draft_id, staff_id)
        written = draft.model_dump_json()
        if kept.document == written:
            return kept
        if kept.state != OPEN:
            raise DraftChanged("This task is handed in and stays as it is. Copy it to go on from it.")
        if rev != kept.rev:
            raise DraftChanged("This draft was changed in another window. Look at the newer one; your last change was not kept.")
        db.execute("UPDATE task_drafts SET document = ?, rev = rev + 1, saved_at = ? WHERE draft_id = ?", [written, now(), draft_id])
        return get(store, draft_id, staff_id)


def change(store: Store, draft_id: str, staff_id: str, **fields: Any) -> Kept:
    """Set fields of a draft, whatever its revision is: for what the server itself finds out."""
    with store.atomic():
        kept = get(store, draft_id, staff_id)
        return save(store, draft_id, staff_id, kept.rev, kept.draft.model_dump(mode="json") | fields)


def rename(store: Store, draft_id: str, staff_id: str, name: str) -> None:
    """What its author calls it from now on."""
    with store.atomic() as db:
        get(store, draft_id, staff_id)
        db.execute("UPDATE task_drafts SET name = ? WHERE draft_id = ?", [name.strip()[:100] or "Task", draft_id])


def drop(store: Store, draft_id: str, staff_id: str) -> None:
    """Put a draft aside. It is kept, and in no list."""
    with store.atomic() as db:
        kept = get(store, draft_id, staff_id)
        if kept.state == OPEN:
            db.execute("UPDATE task_drafts SET state = 'dropped' WHERE draft_id = ?", [draft_id])
            store.event("task_draft_dropped", {"draft": draft_id}, actor=staff_id)


def records(store: Store, draft_id: str, staff_id: str, episode_id: str | None) -> None:
    """Keep in which episode its trajectory is recorded."""
    with store.atomic() as db:
        get(store, draft_id, staff_id)
        db.execute("UPDATE task_drafts SET episode_id = ? WHERE draft_id = ?", [episode_id, draft_id])


def handed_in(store: Store, kept: Kept, task: Task) -> None:
    """Keep that a draft became this task, in the surrounding transaction."""
    with store.atomic() as db:
        changed = db.execute(
            "UPDATE task_drafts SET state = 'handed_in', task_hash = ? WHERE draft_id = ? AND state = 'open' AND rev = ?",
            [task.content_hash, kept.draft_id, kept.rev],
        )
        if changed.rowcount != 1:
            raise DraftChanged("This draft was changed while it was checked. Check it again.")
