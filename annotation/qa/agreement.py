"""How much people agree, and whether a project's pool is what it claims to be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from annotation.qa import rules
from annotation.qa.items import Item
from annotation.qa.pool import ITEM, REASONS
from annotation.qa.projects import get_project, places
from data.store import Store


def krippendorff(units: Iterable[Sequence[Hashable]]) -> float | None:
    """Krippendorff's alpha for nominal values; None where no unit has two values, or all values are equal.

    Args:
        units: per unit, the values that were given; units with fewer than two do not count.

    Example:
        >>> krippendorff([["a", "a"], ["b", "b"], ["a", "b"]]) is not None
        True
    """
    pairs: dict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    for values in units:
        for k, value in enumerate(values):
            for j, other in enumerate(values):
                if j != k:
                    pairs[value][other] += 1 / (len(values) - 1)  # type: ignore[assignment]
    totals = {value: sum(row.values()) for value, row in pairs.items()}
    n = sum(totals.values())
    expected = n * n - sum(total * total for total in totals.values())
    if n <= 1 or not expected:
        return None
    disagreement = n - sum(row[value] for value, row in pairs.items())
    return 1 - (n - 1) * disagreement / expected


def percent_agreement(units: Iterable[Sequence[Hashable]]) -> float | None:
    """Share of the pairs of values of one unit that are equal, over all units; None without a pair."""
    same = [a == b for values in units for a, b in combinations(values, 2)]
    return sum(same) / len(same) if same else None


def rates(store: Store, project_id: str) -> dict[str, Any]:
    """How the reviewing of a project went; trial items aside.

    Returns:
        ``subtasks`` and ``all``: ``reviews``, ``answer_match`` (share of answers equal to the author's), ``answer_match_accepted`` (the
        same for the accepting round), ``answer_agreement`` (share of equal pairs), ``answer_alpha``,
        ``flag_rate``; ``flags``: reason → times;
        ``reviewers`` and ``authors``: per person. Voided reviews count where they had answered.
    """
    rows = store.query(
        "SELECT r.*, i.subtask, i.state AS item_state, i.round AS last_round, i.author, json_extract(v.document, '$.gold') AS gold "
        "FROM qa_reviews r JOIN qa_items i USING (item_id) JOIN qa_versions v ON v.item_id = r.item_id AND v.version = r.version "
        "WHERE i.project_id = ? AND i.trial = 0 AND r.answer IS NOT NULL ORDER BY r.assigned_at",
        [project_id],
    )
    by_subtask: dict[str, list[dict[str, Any]]] = defaultdict(list)
    by_reviewer: dict[str, list[dict[str, Any]]] = defaultdict(list)
    by_author: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_subtask[row["subtask"]].append(row)
        by_reviewer[row["reviewer"]].append(row)
        by_author[row["author"]].append(row)
    flags: Counter[str] = Counter()
    for row in rows:
        flags.update(reason for reason in REASONS if f'"{reason}"' in row["reasons"])
    return {
        "subtasks": {slug: _rates(group) for slug, group in sorted(by_subtask.items())},
        "all": _rates(rows),
        "flags": dict(flags),
        "reviewers": {person: _share(group) for person, group in sorted(by_reviewer.items())},
        "authors": {person: _share(group) for person, group in sorted(by_author.items())},
    }


def _rates(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    units: dict[tuple[str, int, int], list[str]] = defaultdict(list)
    for row in rows:
        units[(row["item_id"], row["round"], row["version"])].append(row["answer"])
    final = [r for r in rows if r["item_state"] == "accepted" and r["round"] == r["last_round"] and r["state"] == "clean"]
    alpha, agreement = krippendorff(units.values()), percent_agreement(units.values())
    return {
        **_share(rows),
        "answer_match_accepted": _round(sum(r["answer"] == r["gold"] for r in final) / len(final)) if final else None,
        "answer_agreement": None if agreement is None else _round(agreement),
        "answer_alpha": None if alpha is None else _round(alpha),
    }


def _share(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    decided = [row for row in rows if row["state"] in ("clean", "flagged")]
    return {
        "reviews": len(rows),
        "answer_match": _round(sum(r["answer"] == r["gold"] for r in rows) / len(rows)) if rows else None,
        "flag_rate": _round(sum(r["state"] == "flagged" for r in decided) / len(decided)) if decided else None,
    }


def _round(value: float) -> float:
    return round(value, 4)


def audit(store: Store, project_id: str) -> list[str]:
    """Everything in which a project's pool contradicts itself, as sentences; empty: it is consistent.

    Looked at: versions (without gaps, hashes right, the current one the last), states (each follows from the events by the table), accepted
    items (rules kept; K clean reviews of the version that was sent in, by different people who neither wrote it nor had seen its answer,
    each answered before it was decided), open reviews (only of items in review), quotas.
    """
    project = get_project(store, project_id)
    found: list[str] = []
    rows = store.query("SELECT * FROM qa_items WHERE project_id = ? ORDER BY subtask, number", [project_id])
    versions, reviews, events = _by_item(store, project_id)
    for row in rows:
        name = f"{row['item_id']} ({row['subtask']} {row['number']})"
        own_versions, own_reviews = versions[row["item_id"]], reviews[row["item_id"]]
        found += [f"{name}: {text}" for text in _versions(row, own_versions)]
        found += [f"{name}: {text}" for text in _states(row, events[row["item_id"]])]
        found += [f"{name}: {text}" for text in _reviews(row, own_versions, own_reviews)]
        if row["state"] == "accepted":
            needed = 1 if row["trial"] else project.reviewers_per_item
            clean = [r for r in own_reviews if r["round"] == row["round"] and r["state"] == "clean"]
            if row["origin"] == "authored" and len(clean) < needed:
                found.append(f"{name}: accepted with {len(clean)} clean reviews, {needed} are needed.")
            if any(r["round"] == row["round"] and r["state"] == "flagged" for r in own_reviews):
                found.append(f"{name}: accepted although it is flagged.")
            found += [f"{name}: {p.field}: {p.sentence}" for p in rules.check(Item.read(own_versions[-1]["document"]))]
    for place in places(store, project):
        if place.accepted > place.target:
            found.append(f"{place.subtask} {place.cell}: {place.accepted} accepted, {place.target} wanted.")
    return found


def _by_item(store: Store, project_id: str) -> tuple[dict[str, list[dict[str, Any]]], ...]:
    queries = (
        "SELECT v.* FROM qa_versions v JOIN qa_items i USING (item_id) WHERE i.project_id = ? ORDER BY v.item_id, v.version",
        "SELECT r.* FROM qa_reviews r JOIN qa_items i USING (item_id) WHERE i.project_id = ? ORDER BY r.assigned_at, r.rowid",
        "SELECT e.subject AS item_id, json_extract(e.data, '$.event') AS event, "
        "json_extract(e.data, '$.state') AS state FROM events e JOIN qa_items i ON i.item_id = e.subject "
        "WHERE e.kind = 'qa_item' AND i.project_id = ? ORDER BY e.seq",
    )
    grouped = []
    for sql in queries:
        group: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in store.query(sql, [project_id]):
            group[row["item_id"]].append(row)
        grouped.append(group)
    return tuple(grouped)


def _versions(row: Mapping[str, Any], versions: Sequence[Mapping[str, Any]]) -> list[str]:
    found = []
    if [v["version"] for v in versions] != list(range(1, row["version"] + 1)):
        found.append(f"its versions are {[v['version'] for v in versions]}, the item says {row['version']}.")
    for version in versions:
        item = Item.read(version["document"])
        if item.content_hash != version["content_hash"] or item.item_id != row["item_id"] or item.subtask != row["subtask"]:
            found.append(f"the document of version {version['version']} is not the one that was saved.")
    return found


def _states(row: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> list[str]:
    state = ""
    for event in events:
        if event["event"] in ("create", "import"):
            state = event["state"]
        elif ITEM.get(state, {}).get(event["event"]) != event["state"]:
            return [f"{event['event']!r} in the state {state!r} does not lead to {event['state']!r}."]
        state = event["state"]
    return [] if state == row["state"] else [f"its events lead to {state or 'nothing'!r}, it is {row['state']!r}."]


def _reviews(row: Mapping[str, Any], versions: Sequence[Mapping[str, Any]], reviews: Sequence[Mapping[str, Any]]) -> list[str]:
    found = []
    seen: set[str] = set()
    for review in reviews:
        who = review["reviewer"]
        if review["state"] in ("assigned", "answered") and row["state"] != "in_review":
            found.append(f"a review by {who} is open although the item is {row['state']}.")
        if who in {v["editor"] for v in versions if v["version"] <= review["version"]}:
            found.append(f"{who} reviewed what they wrote.")
        if review["state"] in ("clean", "flagged"):
            if review["answer"] is None or not review["assigned_at"] <= review["answered_at"] <= review["decided_at"]:
                found.append(f"{who} decided before they answered.")
            if who in seen:
                found.append(f"{who} had seen the answer before.")
        if review["answer"] is not None:
            seen.add(who)
    return found
