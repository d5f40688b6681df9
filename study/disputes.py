"""Disputes about a gold answer: when there is one, and what its settling changes (measurement 13).

Only who could look for themselves may raise one: answers in paradigms that declare it (active exploration, ground-truth passive); people
who see given views alone are meant to err. Somebody who took no part judges the task without the gold, the votes and who answered
(`annotation.reviewing.kinds.gold_disputes`). A gold that follows from physics changes for a demonstrated defect alone. A new gold is a new
version of the task that supersedes the old one; every answer is scored by both, and neither scoring replaces the other.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from data.rows import Json
from data.store import Store, dumps, new_id, now
from data.task import Answer, Gold, Task
from study import coding, scoring
from study.answering import record_score
from study.errors import StudyError
from study.ordering import Order, picked
from study.paradigms import PARADIGMS
from study.states import LIVE
from study.studies import get_study


class BadDispute(StudyError):
    """A gold answer cannot be disputed, or a dispute not settled, in this way; the message says why."""

    code = "bad_dispute"


class Dispute(msgspec.Struct, frozen=True):
    """A row of `disputes`: a gold answer that is doubted in a study."""

    subject: str
    study_id: str
    task_hash: str
    raised_by: str
    """A member of staff; empty: the study's rule."""
    why: str
    raised_at: str
    new_hash: str | None
    """The version of the task that settled it; None: the gold stands, or is not settled."""


class Scoring(msgspec.Struct, frozen=True):
    """Live answers to a disputed task, scored strictly by the old gold and by another."""

    agent_kind: str
    paradigm: str
    answers: int
    right_before: int
    right_after: int
    become_right: int
    become_wrong: int


class Doubted(msgspec.Struct, frozen=True):
    """A task whose gold can be disputed by hand."""

    task_hash: str
    otherwise: int
    """People who could look for themselves and gave another answer than the gold."""
    of: int
    """People who could look for themselves."""


class _Count(msgspec.Struct, frozen=True):
    n: int


class _Scored(msgspec.Struct, frozen=True):
    paradigm: str
    agent_kind: str
    option_order: Annotated[Order, Json]
    raw: str


class _Answered(msgspec.Struct, frozen=True):
    task_hash: str
    answer: str | None
    code: str | None
    correct: bool


class _Old(msgspec.Struct, frozen=True):
    episode_id: str
    option_order: Annotated[Order, Json]
    raw: str


@dataclass(frozen=True)
class _Said:
    """What somebody means by an answer, and whether it is the gold."""

    task_hash: str
    meant: str
    correct: bool


WAYS: tuple[str, ...] = tuple(way.name for way in PARADIGMS if way.disputes)
"""Paradigms whose answers may dispute a gold."""


def by_rule(store: Store, study_id: str) -> dict[str, str]:
    """Tasks (content hashes) whose gold the study's rule finds disputed and nobody has disputed yet, each with the reason; read without a
    lock.

    Raises:
        UnknownStudy: there is none.
    """
    rule = get_study(store, study_id).disputes
    by_task: dict[str, list[_Said]] = {}
    for said in _said(store, study_id):
        by_task.setdefault(said.task_hash, []).append(said)
    found = {}
    for task_hash, answers in by_task.items():
        wrong = Counter(said.meant for said in answers if not said.correct)
        most = max(wrong.values(), default=0)
        if most >= rule.least and most >= rule.share * len(answers) and not _known(store, study_id, task_hash):
            found[task_hash] = f"{most} of {len(answers)} people give the same answer, which is not the gold."
    return found


def can_be_raised(store: Store, study_id: str) -> list[Doubted]:
    """The tasks of a study whose gold can be disputed by hand: those with the most answers that differ from it come first."""
    counts: dict[str, Counter[bool]] = {}
    for said in _said(store, study_id):
        counts.setdefault(said.task_hash, Counter())[said.correct] += 1
    found = [Doubted(task_hash, n[False], n.total()) for task_hash, n in counts.items() if n[False]]
    found = [one for one in found if not _known(store, study_id, one.task_hash)]
    return sorted(found, key=lambda one: (-one.otherwise / one.of, -one.otherwise, one.task_hash))


def keep_by_rule(store: Store, study_id: str, found: Mapping[str, str]) -> list[Dispute]:
    """Keep what `by_rule` found and nobody has disputed meanwhile; part of the caller's transaction, who takes it into the queue."""
    return [_keep(store, study_id, task_hash, "", why) for task_hash, why in found.items() if not _known(store, study_id, task_hash)]


def raise_one(store: Store, study_id: str, task_hash: str, why: str, *, actor: str) -> Dispute:
    """Dispute a gold by hand. It needs an answer that differs from it, given where one could look for oneself.

    Raises:
        BadDispute: there is none, no reason is given, or the gold is disputed already.
        UnknownStudy: there is no such study.
    """
    get_study(store, study_id)
    if not why.strip():
        raise BadDispute("Say in a few words why the gold answer is doubted.")
    if _known(store, study_id, task_hash):
        raise BadDispute("The gold answer of this task is disputed in this study already.")
    answers = [said for said in _said(store, study_id) if said.task_hash == task_hash]
    if all(said.correct for said in answers):
        raise BadDispute(
            f"Nobody who met this task in {' or '.join(WAYS)} gives another answer than the gold: people who see given views alone are "
            "meant to err, so their answers dispute nothing."
        )
    return _keep(store, study_id, task_hash, actor, why.strip())


def dispute_of(store: Store, subject: str) -> Dispute:
    """The dispute of this id.

    Raises:
        BadDispute: there is none.
    """
    found = store.row("SELECT * FROM disputes WHERE subject = ?", Dispute, [subject])
    if found is None:
        raise BadDispute(f"There is no dispute {subject[:60]!r} here.")
    return found


def shown(store: Store, subject: str) -> dict[str, Any]:
    """What whoever judges gets of it: which task, its question and the answers that it allows. Not the gold, nor what anybody answered."""
    task = store.get_task(dispute_of(store, subject).task_hash)
    question = task.question
    return {
        "task": task.content_hash,
        "question": question.text,
        "note": question.note,
        "form": question.form,
        "options": sorted(question.options) if question.form in ("choice", "yes_no", "count") else list(question.options),
    }


def derived(task: Task) -> bool:
    """Whether a gold follows from physics (a generator's rule), not from what somebody recorded."""
    return task.gold.derivation not in ("", "recorded")


def read(task: Task, written: str) -> str | None:
    """An answer of whoever judges, in the question's words; None: it cannot be read."""
    value = scoring.read_strictly(task, written)
    return None if value is None else value if isinstance(value, str) else dumps(value)


def is_gold(task: Task, answer: str) -> bool:
    """Whether an answer is the gold."""
    return scoring.score(task, answer).correct_strict


def settle(store: Store, subject: str, accepted: Sequence[Answer], *, why: str, actor: str) -> Task:
    """Give a disputed task its new gold: a new version of the task, by which every answer to the old one is scored as well.

    Args:
        store: the database.
        subject: the dispute; it was judged that the gold does not hold.
        accepted: the right answers, in the question's words.
        why: what shows it; kept with the version's gold.
        actor: who settles it.

    Returns:
        The new version.

    Raises:
        BadDispute: an answer is none to the question, or it is the gold that there is.
    """
    dispute = dispute_of(store, subject)
    task = store.get_task(dispute.task_hash)
    new = _version(task, accepted, why)
    with store.atomic() as db:
        store.put_task(new)
        db.execute("UPDATE disputes SET new_hash = ? WHERE subject = ?", [new.content_hash, subject])
        told = {"dispute": subject, "task": task.content_hash, "new_task": new.content_hash, "why": why.strip()}
        store.event("gold_settled", told, actor=actor, study_id=dispute.study_id, subject=subject)
        rescore(store, task, new)
    return new


def what_changes(store: Store, subject: str, accepted: Sequence[Answer]) -> list[Scoring]:
    """How the answers of the study would be scored if these answers were right; nothing is written.

    Raises:
        BadDispute: as `settle`.
    """
    dispute = dispute_of(store, subject)
    task = store.get_task(dispute.task_hash)
    return _counted(store, dispute, task, _version(task, accepted, "to see what changes"))


def both_scorings(store: Store, subject: str) -> list[Scoring]:
    """How the answers of the study are scored by the old gold and by the settled one; empty: it is not settled.

    Raises:
        BadDispute: there is no such dispute.
    """
    dispute = dispute_of(store, subject)
    if dispute.new_hash is None:
        return []
    return _counted(store, dispute, store.get_task(dispute.task_hash), store.get_task(dispute.new_hash))


def _counted(store: Store, dispute: Dispute, old: Task, new: Task) -> list[Scoring]:
    rows = store.rows(
        "SELECT e.paradigm, e.agent_kind, e.option_order, a.raw FROM episodes e JOIN answers a USING (episode_id) "
        "WHERE e.task_hash = ? AND e.study_id = ? AND e.mode = ? ORDER BY e.agent_kind, e.paradigm",
        _Scored, [old.content_hash, dispute.study_id, LIVE],
    )  # fmt: skip
    found: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        shown_so, answer = picked(old.question.options, row.option_order.options), json.loads(row.raw)
        before, after = (scoring.score(task, answer, shown_so).correct_strict for task in (old, new))
        found.setdefault((row.agent_kind, row.paradigm), Counter()).update(
            {"n": 1, "before": int(before), "after": int(after), "won": int(after and not before), "lost": int(before and not after)}
        )
    return [Scoring(*place, n["n"], n["before"], n["after"], n["won"], n["lost"]) for place, n in found.items()]


def elsewhere(store: Store, dispute: Dispute) -> int:
    """How many answers to the disputed task stand outside of the study's live data: in other studies, pilots and dry runs."""
    row = store.row(
        "SELECT count(*) AS n FROM episodes e JOIN answers a USING (episode_id) "
        "WHERE e.task_hash = ? AND (e.study_id IS NOT ? OR e.mode <> ?)",
        _Count, [dispute.task_hash, dispute.study_id, LIVE],
    )  # fmt: skip
    return row.n if row else 0


def _version(task: Task, accepted: Sequence[Answer], why: str) -> Task:
    """The version of a task that has another gold."""
    values = [scoring.read_strictly(task, answer) for answer in accepted]
    if not values or None in values:
        raise BadDispute(f"{scoring.explain(task.question)} Got {json.dumps(list(accepted), ensure_ascii=False)[:200]}.")
    if not why.strip():
        raise BadDispute("Say in a few words what shows that the gold does not hold: it is kept with the new version.")
    gold = Gold(accepted=tuple(v for v in values if v is not None), chance=_chance(task, len(values)), derivation=f"settled: {why.strip()}")
    if set(map(dumps, gold.accepted)) == set(map(dumps, task.gold.accepted)):
        raise BadDispute("This is the gold that the task has. If it holds, nothing has to be settled.")
    return task.model_copy(update={"gold": gold, "supersedes": task.content_hash})


def rescore(store: Store, old: Task, new: Task) -> int:
    """Score every answer to a task by the gold of the version that supersedes it, too; returns how many. The old scores stay."""
    answered = store.rows(
        "SELECT e.episode_id, e.option_order, a.raw FROM episodes e JOIN answers a USING (episode_id) WHERE e.task_hash = ?",
        _Old,
        [old.content_hash],
    )
    with store.atomic():
        for row in answered:
            shown_so = picked(old.question.options, row.option_order.options)
            record_score(store, row.episode_id, new, json.loads(row.raw), shown_so)
    return len(answered)


def _chance(task: Task, right: int) -> float:
    """Chance grows with the number of answers that count as right."""
    return min(1.0, task.gold.chance * right / len(task.gold.accepted))


def _said(store: Store, study_id: str) -> Iterator[_Said]:
    """What people mean by their answers in paradigms that may dispute: by the code where there is one. Who names no answer of the question
    doubts no gold."""
    rows = store.rows(
        "SELECT e.task_hash, coalesce(a.answer, a.raw) AS answer, m.code, c.correct_lenient AS correct FROM episodes e "
        "JOIN answers a USING (episode_id) JOIN scores c ON c.episode_id = e.episode_id AND c.task_hash = e.task_hash "
        "LEFT JOIN answer_codes m ON m.episode_id = e.episode_id LEFT JOIN slots s USING (slot_id) "
        "WHERE e.study_id = ? AND e.state = 'completed' AND e.agent_kind = 'human' AND e.mode = ? AND coalesce(s.practice, 0) = 0 "
        "AND c.answered AND e.paradigm IN (SELECT value FROM json_each(?))",
        _Answered,
        [study_id, LIVE, dumps(WAYS)],
    )
    for row in rows:
        if row.code is None:
            if row.answer is not None:
                yield _Said(row.task_hash, row.answer, row.correct)
        elif row.code not in (coding.OTHER, coding.UNCLEAR, coding.NO_ANSWER):
            score = coding.coded_score(store.get_task(row.task_hash), row.code)
            yield _Said(row.task_hash, dumps(row.code), score.correct_strict)


def _known(store: Store, study_id: str, task_hash: str) -> bool:
    return store.one("SELECT 1 AS yes FROM disputes WHERE study_id = ? AND task_hash = ?", [study_id, task_hash]) is not None


def _keep(store: Store, study_id: str, task_hash: str, actor: str, why: str) -> Dispute:
    dispute = Dispute(new_id("gd"), study_id, task_hash, actor, why, now(), None)
    with store.atomic():
        store.insert("disputes", msgspec.structs.asdict(dispute))
        told = {"dispute": dispute.subject, "task": task_hash, "why": why}
        store.event("gold_disputed", told, actor=actor, study_id=study_id, subject=dispute.subject)
    return dispute
