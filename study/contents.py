"""What somebody may not be given because they have met it: contents, twins and versions of the tasks of a study, moments of its pictures.

Nobody meets the same content twice, a twin of it, or the same task in another paradigm, in any study of this installation
(measurement 6), and nobody answers what they had a part in making.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from weakref import WeakKeyDictionary

import msgspec

from data.store import Store
from study import glimpses
from study.studies import Study


class Facts(msgspec.Struct, frozen=True):
    """What of a task decides who may be given it."""

    content_hash: str
    task_id: str
    category: str
    subcategory: str
    twin: str | None
    supersedes: str | None


class Contents:
    """The tasks of a study, ready to be asked. Neither a study's list nor a task ever changes."""

    def __init__(self, found: Iterable[Facts], shown: Mapping[str, frozenset[str]]) -> None:
        self.groups: dict[str, dict[str, list[str]]] = {name: defaultdict(list) for name in ("category", "subcategory")}
        """``category`` or ``subcategory`` → its values → content hashes, in order, so that equal draws give equal tasks."""
        self.category: dict[str, str] = {}
        """Content hash → category."""
        named: dict[str, int] = {}
        of: list[int] = []
        for task in sorted(found, key=lambda task: task.content_hash):
            for name, groups in self.groups.items():
                groups[getattr(task, name)].append(task.content_hash)
            self.category[task.content_hash] = task.category
            joined = {_root(of, named[name]) for name in _names(task) if name in named} or {len(of)}
            if len(of) in joined:
                of.append(len(of))
            first = min(joined)
            for other in joined:
                of[other] = first
            named |= dict.fromkeys(_names(task), first)
        self._named = {name: _root(of, number) for name, number in named.items()}
        self.group: dict[str, int] = {content_hash: self._named[content_hash] for content_hash in self.category}
        """Content hash → number of what nobody meets twice: a task with its twins and versions."""
        self._members: dict[int, list[str]] = defaultdict(list)
        for content_hash, number in self.group.items():
            self._members[number].append(content_hash)
        self._shown = shown
        self._showing: dict[str, set[str]] = defaultdict(set)
        for content_hash, names in shown.items():
            for name in names:
                self._showing[name].add(content_hash)

    def barred(self, store: Store, met: Collection[str]) -> set[str]:
        """Content hashes of the tasks of this study that somebody may not be given who has met `met` (tasks of any study)."""
        known = {self._named[name] for task in facts(store, met) for name in _names(task) if name in self._named}
        return {content_hash for number in known for content_hash in self._members[number]} | self._glimpsed(store, met)

    def _glimpsed(self, store: Store, met: Collection[str]) -> set[str]:
        """Content hashes of the tasks that show a moment which one of the tasks `met` has shown."""
        if not self._shown:
            return set()
        known = {**self._shown, **glimpses.shown_by(store, set(met) - set(self._shown))}
        return {other for task in met for name in known.get(task, ()) for other in self._showing.get(name, ())}


def _names(task: Facts) -> list[str]:
    """What a task is known by, itself, its twin and what it supersedes: tasks that share one of these are met once."""
    return [name for name in (task.content_hash, task.task_id, task.twin, task.supersedes) if name]


def _root(of: list[int], number: int) -> int:
    while of[number] != number:
        number = of[number]
    return number


_KEPT: WeakKeyDictionary[Store, dict[tuple[str, str], Contents]] = WeakKeyDictionary()
"""Store → study and its list of tasks → these tasks, once they were asked for."""


def contents(store: Store, study: Study) -> Contents:
    """The tasks of a study, read once."""
    kept = _KEPT.setdefault(store, {})
    key = (study.study_id, f"{study.version} {hash(study.tasks)}")
    if key not in kept:
        pictures = any(way.opens == "pictures" for way in study.ways)
        kept[key] = Contents(facts(store, study.tasks), glimpses.shown_by(store, study.tasks) if pictures else {})
    return kept[key]


def facts(store: Store, hashes: Iterable[str]) -> list[Facts]:
    """Each task once, in no order; read from an index, without their documents."""
    return store.rows(
        "SELECT content_hash, task_id, category, subcategory, twin, supersedes FROM tasks INDEXED BY tasks_facts "
        "WHERE content_hash IN (SELECT value FROM json_each(?))",
        Facts,
        [json.dumps(list(hashes))],
    )


def had_a_part_in(store: Store, participant_id: str) -> list[str]:
    """Content hashes of the tasks that the same person, as a member of staff, wrote, recorded, verified or settled."""
    rows = store.query(
        "SELECT DISTINCT t.task_hash FROM grants g JOIN grants o USING (session_id) JOIN task_people t ON t.staff_id = o.staff_id "
        "WHERE g.participant_id = ?",
        [participant_id],
    )
    return [row["task_hash"] for row in rows]


def met_elsewhere(store: Store, participant_id: str) -> list[str]:
    """Content hashes of what the same person was given in other studies or as another participant of this one: the same browser, the same
    member of staff in any browser, or the same id of a recruitment site."""
    rows = store.query(
        "SELECT DISTINCT l.task_hash FROM slots l WHERE l.participant_id <> :me AND l.participant_id IN ("
        "SELECT o.participant_id FROM grants g JOIN grants o USING (session_id) WHERE g.participant_id = :me "
        "UNION SELECT o.participant_id FROM grants g JOIN grants s USING (session_id) JOIN grants t ON t.staff_id = s.staff_id "
        "JOIN grants o ON o.session_id = t.session_id WHERE g.participant_id = :me "
        "UNION SELECT o.participant_id FROM recruitment r JOIN recruitment o ON (o.source, o.external_id) = (r.source, r.external_id) "
        "WHERE r.participant_id = :me)",
        {"me": participant_id},
    )
    return [row["task_hash"] for row in rows]
