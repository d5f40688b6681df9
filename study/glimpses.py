"""What a question about pictures shows of which moments, so that nobody meets a moment twice: the second question would tell of the first.

Who makes the tasks names it in ``Task.source["glimpses"]``, which the server keeps to itself: moments by their ids, for two
cameras of one moment are different pictures; where a moment has no id, its pictures by their hashes.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

import msgspec

from data.store import Store


class _Row(msgspec.Struct, frozen=True):
    content_hash: str
    name: str


def shown_by(store: Store, hashes: Collection[str]) -> dict[str, frozenset[str]]:
    """Content hash of a task → names of the moments and pictures that it shows; without tasks that name none."""
    found: dict[str, set[str]] = {}
    for row in store.stream(
        "SELECT t.content_hash, j.value AS name FROM json_each(?) w JOIN tasks t ON t.content_hash = w.value, "
        "json_each(t.document, '$.source.glimpses') j",
        _Row,
        [json.dumps(sorted(hashes))],
    ):
        found.setdefault(row.content_hash, set()).add(row.name)
    return {content_hash: frozenset(names) for content_hash, names in found.items()}


def most_apart(shown: Sequence[frozenset[str]]) -> int:
    """How many of these questions one person can be given without meeting a moment twice.

    Counted by taking the one that clashes with the fewest others, again and again: never too many, and seldom too few.
    """
    by_name: dict[str, set[int]] = {}
    for number, names in enumerate(shown):
        for name in names:
            by_name.setdefault(name, set()).add(number)
    clashes: Mapping[int, set[int]] = {
        number: {other for name in names for other in by_name[name]} - {number} for number, names in enumerate(shown)
    }
    left, taken = set(clashes), 0
    for number in sorted(clashes, key=lambda number: len(clashes[number])):
        if number in left:
            taken += 1
            left -= clashes[number] | {number}
    return taken
