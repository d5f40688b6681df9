"""The pool: draft → in review → accepted or flagged → revised → in review, or discarded.

K reviewers judge an item, each alone and each with fresh eyes: one answers first, then sees the right answer, then finds the item clean
or flags it. Any flag sends it back; a revised item gets a new round with people who have not seen its answer yet. Every edit is a new
version; who, when and why stand in `qa_versions` and `events`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from annotation.qa import rules
from annotation.qa.blind import blind
from annotation.qa.errors import BadItem, Conflict, NothingToReview, NotReady, NotYours, QaError, UnknownItem
from annotation.qa.items import LETTERS, Item, Mark
from annotation.qa.projects import Project, cell_of, check_place, get_project, is_trial
from data.store import Store, dumps, new_id, now
from study.states import Machine, after

ITEM: Machine = {
    "draft": {"edit": "draft", "submit": "in_review", "discard": "discarded"},
    "in_review": {"accept": "accepted", "flag": "flagged", "recall": "flagged", "discard": "discarded"},
    "flagged": {"edit": "flagged", "submit": "in_review", "discard": "discarded"},
    "accepted": {"balance": "accepted", "reopen": "flagged", "discard": "discarded"},
    "discarded": {"restore": "flagged"},
}
"""An item. ``recall``: its author takes it back; ``reopen``: a lead sends an accepted one back; ``restore``: out of the bin."""

REVIEW: Machine = {
    "assigned": {"answer": "answered", "void": "void"},
    "answered": {"clean": "clean", "flag": "flagged", "void": "void"},
    "clean": {},
    "flagged": {},
    "void": {},
}
"""One person's review in one round. ``void``: overtaken by a flag, or not finished in time."""

REASONS: Mapping[str, str] = {
    "ambiguous": "More than one option can be right.",
    "weak_distractor": "A wrong option is wrong at a glance.",
    "wrong": "The marked answer is not right.",
    "off_target": "It does not ask what its subtask asks.",
    "image_problem": "An image or a mark is bad.",
}
"""Why an item can be flagged."""

MAX_TEXT = 4000
"""Longest comment, characters."""


@dataclass(frozen=True)
class Stored:
    """An item as it stands."""

    item: Item
    project_id: str
    number: int
    """Within its project and subtask: its name in exports."""
    state: str
    version: int
    """Also the revision that a save must name."""
    round: int
    """Rounds of review so far."""
    trial: bool
    origin: str
    """``authored`` here, or ``imported``."""
    author: str
    created_at: str
    updated_at: str


@dataclass(frozen=True)
class Saved:
    """What a save made."""

    rev: int
    saved_at: str


@dataclass(frozen=True)
class Review:
    """One person's review."""

    review_id: str
    item_id: str
    version: int
    round: int
    reviewer: str
    state: str
    answer: str | None
    confidence: int | None
    reasons: tuple[str, ...]
    comment: str
    assigned_at: str
    answered_at: str | None
    decided_at: str | None


@dataclass(frozen=True)
class Version:
    """One version of an item."""

    version: int
    content_hash: str
    kind: str
    """create, edit, marks, revise, balance, import."""
    why: str
    editor: str
    at: str


@dataclass(frozen=True)
class Change:
    """One difference between two versions."""

    field: str
    before: Any
    after: Any


# authoring


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
    if state not in ITEM:
        raise QaError(f"An item is {', '.join(ITEM)}; got {state!r}.")
    with store.atomic():
        project = get_project(store, project_id)
        return _insert(store, project, item, actor, state, False, "imported", "import", why, number)


def _insert(
    store: Store, project: Project, item: Item, author: str, state: str, trial: bool, origin: str, kind: str, why: str,
    number: int | None = None,
) -> Stored:  # fmt: skip
    if store.one("SELECT 1 AS yes FROM qa_items WHERE item_id = ?", [item.item_id]):
        raise QaError(f"An item {item.item_id} is here already.")
    last = store.one("SELECT max(number) AS number FROM qa_items WHERE project_id = ? AND subtask = ?", [project.project_id, item.subtask])
    at, mine = now(), [project.project_id, item.subtask, number]
    if number is None or store.one("SELECT 1 AS yes FROM qa_items WHERE project_id = ? AND subtask = ? AND number = ?", mine):
        number = ((last or {})["number"] or 0) + 1
    row: dict[str, Any] = {"item_id": item.item_id, "project_id": project.project_id, "number": number}
    row |= {
        "subtask": item.subtask,
        "cell": cell_of(item),
        "arm": item.arm,
        "source": item.source,
        "state": state,
        "version": 1,
        "round": 0,
    }
    row |= {"trial": int(trial), "origin": origin, "author": author, "created_at": at, "updated_at": at, "marks_rev": int(bool(item.marks))}
    store.insert("qa_items", row)
    _write_version(store, item, 1, kind, why, author, at)
    _tell(store, project.study_id, item.item_id, "create" if kind == "create" else "import", state, 1, author, why, at)
    return get(store, item.item_id)


def get(store: Store, item_id: str) -> Stored:
    """The item as it stands.

    Raises:
        UnknownItem: there is none.
    """
    row = _row(store, item_id)
    return _stored(row, _document(store, item_id, row["version"]))


def items(
    store: Store, project_id: str, *, state: str | None = None, subtask: str | None = None, author: str | None = None
) -> list[Stored]:
    """The items of a project, by subtask and number."""
    wanted = {"i.state": state, "i.subtask": subtask, "i.author": author}
    where = "".join(f" AND {name} = ?" for name, value in wanted.items() if value is not None)
    rows = store.query(
        "SELECT i.*, v.document FROM qa_items i JOIN qa_versions v ON v.item_id = i.item_id AND v.version = i.version "
        f"WHERE i.project_id = ?{where} ORDER BY i.subtask, i.number",
        [project_id, *(value for value in wanted.values() if value is not None)],
    )
    return [_stored(row, row["document"]) for row in rows]


def counts(store: Store, project_id: str) -> dict[str, dict[str, int]]:
    """Subtask → state → items; trial items aside."""
    found: dict[str, dict[str, int]] = {}
    for row in store.query(
        "SELECT subtask, state, count(*) AS n FROM qa_items WHERE project_id = ? AND trial = 0 GROUP BY subtask, state", [project_id]
    ):
        found.setdefault(row["subtask"], {})[row["state"]] = row["n"]
    return found


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
    with store.atomic() as db:
        row = _row(store, item_id)
        before = Item.read(_document(store, item_id, row["version"]))
        if rev != row["version"]:
            raise Conflict(
                f"Somebody saved this item in the meantime (version {row['version']}, you have {rev}). Nothing of theirs or yours is lost: "
                "look at the newer version, then save yours again.",
                row["version"],
                before.canonical_json(),
            )
        after(ITEM, row["state"], "edit")
        if (item.item_id, item.subtask) != (item_id, row["subtask"]):
            raise BadItem(f"This is the document of {item.item_id} ({item.subtask}), not of {item_id} ({row['subtask']}).")
        at = now()
        if item == before:
            return Saved(rev, row["updated_at"])
        _write_version(store, item, rev + 1, kind, why, editor, at)
        db.execute(
            "UPDATE qa_items SET version = ?, cell = ?, arm = ?, source = ?, marks_rev = marks_rev + ?, updated_at = ? WHERE item_id = ?",
            [rev + 1, cell_of(item), item.arm, item.source, item.marks != before.marks, at, item_id],
        )
        study_id = get_project(store, row["project_id"]).study_id
        _tell(store, study_id, item_id, "edit", row["state"], rev + 1, editor, why, at)
    return Saved(rev + 1, at)


def edit(store: Store, item_id: str, rev: int, editor: str, *, why: str = "", **fields: Any) -> Saved:
    """Change some fields of an item and leave the others as they are now, so that a form and the canvas do not hinder each other.

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
        return save(store, item_id, stored.item.change(**fields), stored.version, editor, why=why)


def save_marks(store: Store, item_id: str, marks: Sequence[Mark], rev: int, editor: str) -> Saved:
    """Save what the canvas has now; as `save`."""
    with store.atomic():
        item = get(store, item_id).item
        return save(store, item_id, item.change(marks=tuple(marks)), rev, editor, kind="marks")


def submit(store: Store, item_id: str, actor: str, rev: int, *, why: str = "") -> Stored:
    """Send a draft, or a revised item, into review: a new round begins.

    Raises:
        NotReady: it breaks rules; the error lists them.
        QuotaFull: the project has enough of its kind.
        Conflict: somebody saved in the meantime.
        BadTransition: it is not a draft or flagged.
    """
    with store.atomic() as db:
        stored = get(store, item_id)
        state = after(ITEM, stored.state, "submit")
        if rev != stored.version:
            raise Conflict(
                f"This item was saved in the meantime (version {stored.version}, you have {rev}): look at it before you send it in.",
                stored.version,
                stored.item.canonical_json(),
            )
        if found := rules.check(stored.item):
            raise NotReady(found)
        project = get_project(store, stored.project_id)
        if not stored.trial:
            check_place(store, project, stored.item, counted=True)
        if stored.state == "flagged" and _flagged_version(store, item_id) == stored.version and not why.strip():
            raise QaError("This item was flagged and nothing was changed since: revise it, or say why it stands as it is.")
        at = now()
        queued = _tell(store, project.study_id, item_id, "submit", state, stored.version, actor, why, at)
        db.execute(
            "UPDATE qa_items SET state = ?, round = round + 1, queued = ?, updated_at = ? WHERE item_id = ?", [state, queued, at, item_id]
        )
    return get(store, item_id)


def move(store: Store, item_id: str, event: Literal["recall", "reopen", "discard", "restore"], actor: str, why: str) -> Stored:
    """Take an item back, reopen, discard or restore it. Open reviews of it end.

    Raises:
        QaError: no reason is given.
        BadTransition: impossible in its state.
    """
    if not why.strip():
        raise QaError("Give a reason: the others will want to know.")
    with store.atomic() as db:
        row = _row(store, item_id)
        state = after(ITEM, row["state"], event)
        db.execute("UPDATE qa_items SET state = ?, updated_at = ? WHERE item_id = ?", [state, now(), item_id])
        _void_open(store, item_id, f"the item was {state}")
        study_id = get_project(store, row["project_id"]).study_id
        _tell(store, study_id, item_id, event, state, row["version"], actor, why, now())
    return get(store, item_id)


def rebalance(store: Store, item_id: str, item: Item, actor: str, why: str) -> Saved:
    """Put the balanced document of an accepted item in its place (`balance`)."""
    with store.atomic() as db:
        row = _row(store, item_id)
        state = after(ITEM, row["state"], "balance")
        before = Item.read(_document(store, item_id, row["version"]))
        if item == before:
            return Saved(row["version"], row["updated_at"])
        at, version = now(), row["version"] + 1
        _write_version(store, item, version, "balance", why, actor, at)
        db.execute(
            "UPDATE qa_items SET version = ?, marks_rev = marks_rev + ?, updated_at = ? WHERE item_id = ?",
            [version, item.marks != before.marks, at, item_id],
        )
        _tell(store, get_project(store, row["project_id"]).study_id, item_id, "balance", state, version, actor, why, at)
    return Saved(version, at)


# reviewing


def next_review(store: Store, project_id: str, reviewer: str) -> tuple[Review, dict[str, Any]]:
    """The reviewer's unfinished review, or a new one: the item that has waited longest among those they neither wrote nor have seen the
    answer of.

    Returns:
        The review, and the item as it may be shown before the answer (`blind.blind`); after it, use `reveal`.

    Raises:
        NothingToReview: no item waits for this person.
    """
    with store.atomic():
        project = get_project(store, project_id)
        _expire(store, project)
        own = store.one(
            "SELECT r.* FROM qa_reviews r JOIN qa_items i USING (item_id) "
            "WHERE r.reviewer = ? AND i.project_id = ? AND r.state IN ('assigned', 'answered') ORDER BY r.assigned_at LIMIT 1",
            [reviewer, project_id],
        )
        if own is None:
            found = _waiting(store, project, reviewer)
            if found is None:
                raise NothingToReview("No item waits for you now: all are reviewed, written by you, or known to you.")
            own = {"review_id": new_id("rv"), "item_id": found["item_id"], "version": found["version"], "round": found["round"]}
            own |= {"reviewer": reviewer, "state": "assigned", "answer": None, "confidence": None, "reasons": "[]", "comment": ""}
            own |= {"assigned_at": now(), "answered_at": None, "decided_at": None}
            store.insert("qa_reviews", own)
            data = {"review": own["review_id"], "item": own["item_id"], "version": own["version"], "round": own["round"]}
            store.event("qa_review_assigned", data, actor=reviewer, study_id=project.study_id, subject=own["item_id"])
        return _review(own), blind(Item.read(_document(store, own["item_id"], own["version"])))


def waiting_for(store: Store, project_id: str, reviewer: str) -> int:
    """How many items could be given to this reviewer now."""
    project = get_project(store, project_id)
    row = store.one(f"SELECT count(*) AS n FROM ({_WAITING})", _waiting_parameters(project, reviewer))
    return row["n"] if row else 0


def answer_review(store: Store, review_id: str, reviewer: str, answer: str, confidence: int | None = None) -> Item:
    """Give the answer; only then is the whole item, with its right answer, returned.

    Raises:
        BadTransition: answered before, or void.
        NotYours: somebody else's review.
        QaError: no letter, or a confidence outside 0–100.
    """
    if answer not in LETTERS:
        raise QaError(f"An answer is one of {', '.join(LETTERS)}, got {answer!r}.")
    if confidence is not None and not (isinstance(confidence, int) and 0 <= confidence <= 100):
        raise QaError(f"Confidence is a whole number from 0 to 100, got {confidence!r}.")
    with store.atomic() as db:
        row = _own_review(store, review_id, reviewer)
        state, at = after(REVIEW, row["state"], "answer"), now()
        db.execute(
            "UPDATE qa_reviews SET state = ?, answer = ?, confidence = ?, answered_at = ? WHERE review_id = ?",
            [state, answer, confidence, at, review_id],
        )
        data = {"review": review_id, "item": row["item_id"], "answer": answer, "confidence": confidence}
        store.event("qa_review_answered", data, at=at, actor=reviewer, study_id=_study(store, row["item_id"]), subject=row["item_id"])
        return Item.read(_document(store, row["item_id"], row["version"]))


def reveal(store: Store, review_id: str, reviewer: str) -> Item:
    """The whole item of a review that has been answered.

    Raises:
        NotYours: not yet answered, or somebody else's.
    """
    row = _own_review(store, review_id, reviewer)
    if row["answer"] is None:
        raise NotYours("Answer the question first; then the author's answer is shown.")
    return Item.read(_document(store, row["item_id"], row["version"]))


def decide(
    store: Store, review_id: str, reviewer: str, verdict: Literal["clean", "flag"], *, reasons: Sequence[str] = (), comment: str = ""
) -> Stored:
    """Find the item clean, or flag it. The K-th clean review accepts it; any flag sends it back.

    Args:
        store: the database.
        review_id: an answered review.
        reviewer: its reviewer.
        verdict: ``clean`` or ``flag``.
        reasons: for a flag, one or more of `REASONS`.
        comment: needed for a flag, for every trial item (it is the author's feedback), and where one answered otherwise and still finds
            the item clean.

    Raises:
        QaError: reason or comment missing.
        BadTransition: not answered yet, decided already, or void.
    """
    with store.atomic() as db:
        row = _own_review(store, review_id, reviewer)
        state = after(REVIEW, row["state"], verdict)
        stored = get(store, row["item_id"])
        project = get_project(store, stored.project_id)
        gold = Item.read(_document(store, row["item_id"], row["version"])).gold
        _check_verdict(verdict, reasons, comment, stored.trial, row["answer"] != gold)
        at = now()
        db.execute(
            "UPDATE qa_reviews SET state = ?, reasons = ?, comment = ?, decided_at = ? WHERE review_id = ?",
            [state, dumps(list(reasons)), comment, at, review_id],
        )
        data = {"review": review_id, "item": row["item_id"], "verdict": verdict, "reasons": list(reasons), "comment": comment}
        store.event("qa_review_decided", data, at=at, actor=reviewer, study_id=project.study_id, subject=row["item_id"])
        event = "flag" if verdict == "flag" else "accept" if _clean(store, stored) >= _needed(project, stored.trial) else None
        if event is not None:
            became = after(ITEM, stored.state, event)
            db.execute("UPDATE qa_items SET state = ?, updated_at = ? WHERE item_id = ?", [became, at, stored.item.item_id])
            _void_open(store, stored.item.item_id, f"the item was {became}")
            why = ", ".join(reasons) if verdict == "flag" else ""
            _tell(store, project.study_id, stored.item.item_id, event, became, stored.version, reviewer, why, at)
    return get(store, row["item_id"])


def reviews(store: Store, item_id: str) -> list[Review]:
    """All reviews of an item, oldest first; for leads, and for authors once a round is over."""
    return [_review(row) for row in store.query("SELECT * FROM qa_reviews WHERE item_id = ? ORDER BY assigned_at, rowid", [item_id])]


def feedback(store: Store, item_id: str) -> list[Review]:
    """The decided reviews of an item, as its author may read them."""
    return [review for review in reviews(store, item_id) if review.state in ("clean", "flagged")]


def starved(store: Store, project_id: str, people: Sequence[str]) -> list[str]:
    """Items in review that cannot get the reviews they need from these people: too many wrote them or have seen their answer."""
    project = get_project(store, project_id)
    found = []
    for row in store.query("SELECT * FROM qa_items WHERE project_id = ? AND state = 'in_review' ORDER BY subtask, number", [project_id]):
        known = {r["reviewer"] for r in store.query(_KNOWN, {"item": row["item_id"], "round": row["round"]})}
        known |= {v["editor"] for v in store.query("SELECT editor FROM qa_versions WHERE item_id = ?", [row["item_id"]])}
        live = store.one(_LIVE, {"item": row["item_id"], "round": row["round"]})
        if len(set(people) - known) < _needed(project, bool(row["trial"])) - (live or {"n": 0})["n"]:
            found.append(row["item_id"])
    return found


# words between people


def comment(store: Store, item_id: str, author: str, text: str) -> str:
    """Say something about an item; returns the comment's id. Reviewers read comments only after they have answered: the app sees to it."""
    if not text.strip() or len(text) > MAX_TEXT:
        raise QaError(f"A comment has 1 to {MAX_TEXT} characters, got {len(text.strip())}.")
    with store.atomic():
        row = _row(store, item_id)
        comment_id = new_id("co")
        store.insert(
            "qa_comments",
            {"comment_id": comment_id, "item_id": item_id, "version": row["version"], "author": author, "text": text, "at": now()},
        )
    return comment_id


def comments(store: Store, item_id: str) -> list[dict[str, Any]]:
    """The comments on an item, oldest first."""
    return store.query("SELECT * FROM qa_comments WHERE item_id = ? ORDER BY at, rowid", [item_id])


# versions


def history(store: Store, item_id: str) -> list[Version]:
    """The versions of an item, oldest first."""
    rows = store.query("SELECT version, content_hash, kind, why, editor, at FROM qa_versions WHERE item_id = ? ORDER BY version", [item_id])
    if not rows:
        raise UnknownItem(f"There is no item {item_id[:60]!r} here.")
    return [Version(**row) for row in rows]


def at_version(store: Store, item_id: str, version: int) -> Item:
    """An item as it was.

    Raises:
        UnknownItem: no such version.
    """
    return Item.read(_document(store, item_id, version))


def diff(before: Item, after: Item) -> list[Change]:
    """What differs, field by field; marks by their id, images and cubes by their view and colour."""
    old, new = _flat(before.document()), _flat(after.document())
    return [Change(name, old.get(name), new.get(name)) for name in sorted({*old, *new}) if old.get(name) != new.get(name)]


def _flat(document: Mapping[str, Any]) -> dict[str, Any]:
    keys = {"marks": "id", "views": "view", "cubes": "colour"}
    found: dict[str, Any] = {}
    for name, value in document.items():
        if name in keys:
            found |= {f"{name}.{entry[keys[name]]}": {k: v for k, v in entry.items() if k != keys[name]} for entry in value}
        elif isinstance(value, dict):
            found |= {f"{name}.{key}": entry for key, entry in value.items()}
        else:
            found[name] = value
    return found


# within


_LIVE = "SELECT count(*) AS n FROM qa_reviews WHERE item_id = :item AND round = :round AND state <> 'void'"
_KNOWN = (
    "SELECT reviewer FROM qa_reviews WHERE item_id = :item AND (answer IS NOT NULL OR (round = :round AND state <> 'void'))"
)  # fmt: skip
_WAITING = """
    SELECT i.item_id, i.version, i.round,
           (SELECT count(*) FROM qa_reviews r WHERE r.item_id = i.item_id AND r.round = i.round AND r.state <> 'void') AS live
    FROM qa_items i
    WHERE i.project_id = :project AND i.state = 'in_review'
      AND live < CASE WHEN i.trial THEN 1 ELSE :needed END
      AND NOT EXISTS (SELECT 1 FROM qa_versions v WHERE v.item_id = i.item_id AND v.editor = :reviewer)
      AND NOT EXISTS (SELECT 1 FROM qa_reviews r WHERE r.item_id = i.item_id AND r.reviewer = :reviewer
                      AND (r.answer IS NOT NULL OR (r.round = i.round AND r.state <> 'void')))
"""


def _waiting_parameters(project: Project, reviewer: str) -> dict[str, Any]:
    return {"project": project.project_id, "needed": project.reviewers_per_item, "reviewer": reviewer}


def _waiting(store: Store, project: Project, reviewer: str) -> dict[str, Any] | None:
    """What lacks least comes first, so that items are finished; then what has waited longest."""
    return store.one(f"{_WAITING} ORDER BY live DESC, i.queued LIMIT 1", _waiting_parameters(project, reviewer))


def _expire(store: Store, project: Project) -> None:
    """Reviews that nobody finishes are given back."""
    limit = (datetime.fromisoformat(now()) - timedelta(minutes=project.hold_minutes)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    rows = store.query(
        "SELECT r.* FROM qa_reviews r JOIN qa_items i USING (item_id) WHERE i.project_id = ? AND r.state IN ('assigned', 'answered') "
        "AND coalesce(r.answered_at, r.assigned_at) < ?",
        [project.project_id, limit],
    )
    for row in rows:
        _void(store, row, "not finished in time")


def _void_open(store: Store, item_id: str, why: str) -> None:
    for row in store.query("SELECT * FROM qa_reviews WHERE item_id = ? AND state IN ('assigned', 'answered')", [item_id]):
        _void(store, row, why)


def _void(store: Store, row: Mapping[str, Any], why: str) -> None:
    with store.atomic() as db:
        db.execute("UPDATE qa_reviews SET state = ? WHERE review_id = ?", [after(REVIEW, row["state"], "void"), row["review_id"]])
        data = {"review": row["review_id"], "item": row["item_id"], "why": why}
        store.event("qa_review_void", data, actor=row["reviewer"], study_id=_study(store, row["item_id"]), subject=row["item_id"])


def _check_verdict(verdict: str, reasons: Sequence[str], comment: str, trial: bool, missed: bool) -> None:
    unknown = [reason for reason in reasons if reason not in REASONS]
    if unknown or (verdict == "flag" and not reasons):
        raise QaError(f"A flag gives one or more reasons of {', '.join(REASONS)}; got {', '.join(unknown) or 'none'}.")
    if verdict == "clean" and reasons:
        raise QaError("A clean item has no reasons against it: flag it, or leave them out.")
    if len(comment) > MAX_TEXT:
        raise QaError(f"A comment has at most {MAX_TEXT} characters, got {len(comment)}.")
    if not comment.strip():
        if verdict == "flag":
            raise QaError("Say in a few words what is wrong: the author has to mend it.")
        if trial:
            raise QaError("This is a trial item: give its author a few words of feedback.")
        if missed:
            raise QaError("You answered otherwise than the author. If the item is clean all the same, say why.")


def _needed(project: Project, trial: bool) -> int:
    return 1 if trial else project.reviewers_per_item


def _clean(store: Store, stored: Stored) -> int:
    row = store.one(
        "SELECT count(*) AS n FROM qa_reviews WHERE item_id = ? AND round = ? AND state = 'clean'", [stored.item.item_id, stored.round]
    )
    return row["n"] if row else 0


def _flagged_version(store: Store, item_id: str) -> int | None:
    row = store.one("SELECT max(version) AS version FROM qa_reviews WHERE item_id = ? AND state = 'flagged'", [item_id])
    return row["version"] if row else None


def _own_review(store: Store, review_id: str, reviewer: str) -> dict[str, Any]:
    row = store.one("SELECT * FROM qa_reviews WHERE review_id = ?", [review_id])
    if row is None:
        raise UnknownItem(f"There is no review {review_id[:60]!r} here.")
    if row["reviewer"] != reviewer:
        raise NotYours("This review belongs to somebody else.")
    return row


def _row(store: Store, item_id: str) -> dict[str, Any]:
    row = store.one("SELECT * FROM qa_items WHERE item_id = ?", [item_id])
    if row is None:
        raise UnknownItem(f"There is no item {item_id[:60]!r} here.")
    return row


def _document(store: Store, item_id: str, version: int) -> str:
    row = store.one("SELECT document FROM qa_versions WHERE item_id = ? AND version = ?", [item_id, version])
    if row is None:
        raise UnknownItem(f"There is no version {version} of the item {item_id[:60]!r} here.")
    return str(row["document"])


def _study(store: Store, item_id: str) -> str | None:
    row = store.one("SELECT p.study_id FROM qa_items i JOIN qa_projects p USING (project_id) WHERE i.item_id = ?", [item_id])
    return row["study_id"] if row else None


def _write_version(store: Store, item: Item, version: int, kind: str, why: str, editor: str, at: str) -> None:
    row = {"item_id": item.item_id, "version": version, "content_hash": item.content_hash, "document": item.canonical_json()}
    store.insert("qa_versions", row | {"kind": kind, "why": why, "editor": editor, "at": at})


def _tell(
    store: Store, study_id: str | None, item_id: str, event: str, state: str, version: int, actor: str, why: str, at: str
) -> int:  # fmt: skip
    """One event of an item; returns its sequence number."""
    data = {"item": item_id, "event": event, "state": state, "version": version} | ({"why": why} if why else {})
    return store.event("qa_item", data, at=at, actor=actor, study_id=study_id, subject=item_id)


def _stored(row: Mapping[str, Any], document: str) -> Stored:
    same = ("project_id", "number", "state", "version", "round", "origin", "author", "created_at", "updated_at")
    return Stored(item=Item.read(document), trial=bool(row["trial"]), **{name: row[name] for name in same})


def _review(row: Mapping[str, Any]) -> Review:
    same = ("review_id", "item_id", "version", "round", "reviewer", "state", "answer", "confidence", "comment")
    times = ("assigned_at", "answered_at", "decided_at")
    return Review(**{name: row[name] for name in (*same, *times)}, reasons=tuple(json.loads(row["reasons"])))
