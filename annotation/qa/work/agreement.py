"""How the reviewing of a project went, and whether its pool is what it claims to be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from annotation.qa import rules
from annotation.qa.items import Item
from annotation.qa.projects import get_project, places
from annotation.qa.work.reviews import Review
from annotation.qa.work.stored import ItemRow
from annotation.reviewing.agreement import percent_agreement
from annotation.reviewing.audit import audit as audit_reviews
from annotation.reviewing.kinds.robot_questions import FLAGGED, KIND, REASONS
from data.rows import Json
from data.store import Store
from study.measures.agreement import krippendorff


class _Answered(msgspec.Struct, frozen=True):
    """A review that was answered, beside its item."""

    item_id: str
    version: int
    round: int
    reviewer: str
    state: str
    answer: str
    reasons: Annotated[tuple[str, ...], Json]
    subtask: str
    item_state: str
    last_round: int
    author: str
    gold: str | None

    @property
    def matches(self) -> bool:
        return self.answer == self.gold


class _VersionRow(msgspec.Struct, frozen=True):
    item_id: str
    version: int
    content_hash: str
    editor: str
    document: str


def rates(store: Store, project_id: str) -> dict[str, Any]:
    """How the reviewing of a project went; trial items aside.

    Returns:
        ``subtasks`` and ``all``: ``reviews``, ``answer_match`` (share of answers equal to the author's), ``answer_match_accepted`` (the
        same for the accepting round), ``answer_agreement`` (share of equal pairs), ``answer_alpha``,
        ``flag_rate``; ``flags``: reason → times;
        ``reviewers`` and ``authors``: per person. Voided reviews count where they had answered.
    """
    rows = store.rows(
        "SELECT r.*, i.subtask, i.state AS item_state, i.round AS last_round, i.author, json_extract(v.document, '$.gold') AS gold "
        "FROM qa_reviews r JOIN qa_items i USING (item_id) JOIN qa_versions v ON v.item_id = r.item_id AND v.version = r.version "
        "WHERE i.project_id = ? AND i.trial = 0 AND r.answer IS NOT NULL ORDER BY r.assigned_at",
        _Answered,
        [project_id],
    )
    by_subtask: dict[str, list[_Answered]] = defaultdict(list)
    by_reviewer: dict[str, list[_Answered]] = defaultdict(list)
    by_author: dict[str, list[_Answered]] = defaultdict(list)
    for row in rows:
        by_subtask[row.subtask].append(row)
        by_reviewer[row.reviewer].append(row)
        by_author[row.author].append(row)
    flags = Counter(reason for row in rows for reason in row.reasons)
    return {
        "subtasks": {slug: _rates(group) for slug, group in sorted(by_subtask.items())},
        "all": _rates(rows),
        "flags": {reason: flags[reason] for reason in REASONS if flags[reason]},
        "reviewers": {person: _share(group) for person, group in sorted(by_reviewer.items())},
        "authors": {person: _share(group) for person, group in sorted(by_author.items())},
    }


def _rates(rows: Sequence[_Answered]) -> dict[str, Any]:
    units: dict[tuple[str, int, int], list[str]] = defaultdict(list)
    for row in rows:
        units[row.item_id, row.round, row.version].append(row.answer)
    final = [r for r in rows if r.item_state == "accepted" and r.round == r.last_round and r.state in KIND.ends and r.state != FLAGGED]
    alpha, agreement = krippendorff(units.values()), percent_agreement(units.values())
    return {
        **_share(rows),
        "answer_match_accepted": _round(sum(r.matches for r in final) / len(final)) if final else None,
        "answer_agreement": None if agreement is None else _round(agreement),
        "answer_alpha": None if alpha is None else _round(alpha),
    }


def _share(rows: Sequence[_Answered]) -> dict[str, Any]:
    decided = [row for row in rows if row.state in KIND.ends]
    return {
        "reviews": len(rows),
        "answer_match": _round(sum(r.matches for r in rows) / len(rows)) if rows else None,
        "flag_rate": _round(sum(r.state == FLAGGED for r in decided) / len(decided)) if decided else None,
    }


def _round(value: float) -> float:
    return round(value, 4)


def audit(store: Store, project_id: str) -> list[str]:
    """Everything in which a project's pool contradicts itself, as sentences; empty: it is consistent.

    Looked at: versions (without gaps, hashes right, the current one the last), reviews and states (`reviewing.audit`), accepted items
    (rules kept; K clean reviews of the version that was sent in, by different people who did not write it), quotas.
    """
    project = get_project(store, project_id)
    found: list[str] = []
    versions: dict[str, list[_VersionRow]] = defaultdict(list)
    for version in store.stream(
        "SELECT v.* FROM qa_versions v JOIN qa_items i USING (item_id) WHERE i.project_id = ? ORDER BY v.item_id, v.version",
        _VersionRow, [project_id],
    ):  # fmt: skip
        versions[version.item_id].append(version)
    reviews: dict[str, list[Review]] = defaultdict(list)
    for review in store.stream(
        "SELECT r.* FROM qa_reviews r JOIN qa_items i USING (item_id) WHERE i.project_id = ? ORDER BY r.assigned_at, r.seq",
        Review, [project_id],
    ):  # fmt: skip
        reviews[review.item_id].append(review)
    wrong = audit_reviews(store, KIND, project_id)
    for row in store.rows("SELECT *, '' AS document FROM qa_items WHERE project_id = ? ORDER BY subtask, number", ItemRow, [project_id]):
        own, judged = versions[row.item_id], reviews[row.item_id]
        said = _versions(row, own) + wrong.get(row.item_id, [])
        said += [
            f"{r.reviewer} reviewed what they wrote."
            for r in judged
            if r.reviewer in {v.editor for v in own if v.version <= r.version}
        ]  # fmt: skip
        if row.state == "accepted":
            said += _accepted(row, judged, 1 if row.trial else project.reviewers_per_item)
            said += [f"{p.field}: {p.sentence}" for p in rules.check(Item.read(own[-1].document))]
        found += [f"{row.item_id} ({row.subtask} {row.number}): {text}" for text in said]
    for place in places(store, project):
        if place.accepted > place.target:
            found.append(f"{place.subtask} {place.cell}: {place.accepted} accepted, {place.target} wanted.")
    return found


def _accepted(row: ItemRow, reviews: Sequence[Review], needed: int) -> list[str]:
    last = [review for review in reviews if review.round == row.round and review.counts]
    clean = sum(review.state != FLAGGED for review in last)
    found = [] if row.origin != "authored" or clean >= needed else [f"accepted with {clean} clean reviews, {needed} are needed."]
    return found + (["accepted although it is flagged."] if clean < len(last) else [])


def _versions(row: ItemRow, versions: Sequence[_VersionRow]) -> list[str]:
    found = []
    if [v.version for v in versions] != list(range(1, row.version + 1)):
        found.append(f"its versions are {[v.version for v in versions]}, the item says {row.version}.")
    for version in versions:
        item = Item.read(version.document)
        if item.content_hash != version.content_hash or item.item_id != row.item_id or item.subtask != row.subtask:
            found.append(f"the document of version {version.version} is not the one that was saved.")
    return found
