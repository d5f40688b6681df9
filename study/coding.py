"""Answers in words: which of them the normaliser cannot read exactly, so that people say what they mean, and what is scored then.

The people who code see a question and a text: never whose it is, how the task was met, or what is right. One text to one question is one
thing, whoever wrote it and how often, so that people's and models' answers cannot be told apart. The queue is
`annotation.reviewing.kinds.answers_in_words`. Codes are kept as the reviews that they are; the scoring of the normaliser stays beside that
of the codes.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any

import msgspec

from data.rows import Json
from data.store import Store, now
from data.task import Task
from study import scoring
from study.ordering import Order, picked
from study.scoring import Score
from study.studies import get_study

OTHER, UNCLEAR, NO_ANSWER = "(other)", "(unclear)", "(no answer)"
"""Codes that are no answer to the question: it names something else; it cannot be told what it names; it says that there is no answer."""
MODES = ("live", "pilot")
"""Kinds of runs whose answers are coded: nobody codes what simulated people or staff who tried the study out have written."""


class Text(msgspec.Struct, frozen=True):
    """A row of `coded_texts`: one text that answers one question of a study."""

    subject: str
    """Its id; nothing follows from it."""
    study_id: str
    task_hash: str
    text: str
    """As the first of those wrote it who gave this answer."""
    made_at: str


class _Answered(msgspec.Struct, frozen=True):
    episode_id: str
    task_hash: str
    raw: str
    option_order: Annotated[Order, Json]


def exact(task: Task, raw: Any, shown: tuple[str, ...]) -> bool:
    """Whether an answer needs nobody to say what it means: it is no text, says nothing, or reads as it stands as an answer of the
    question's form. In a question without options, words read as they stand only where they are an accepted answer.

    Args:
        task: the task, with the question as it was asked at its source.
        raw: the answer as it was given.
        shown: the options in the order shown.
    """
    if not isinstance(raw, str) or scoring.is_no_answer(raw, task.question.options):
        return True
    if task.question.form == "free_text" or (task.question.form == "choice" and not task.question.options):
        return scoring.score(task, raw, shown).correct_strict
    return scoring.read_strictly(task, raw, shown) is not None


_UNSEEN = (
    "FROM episodes e JOIN answers a USING (episode_id) LEFT JOIN coded_answers c USING (episode_id) LEFT JOIN slots s USING (slot_id) "
    "WHERE e.study_id = ? AND e.state = 'completed' AND coalesce(s.practice, 0) = 0 AND c.episode_id IS NULL "
    "AND e.mode IN (SELECT value FROM json_each(?))"
)
"""Answers that nobody has looked at."""


def are_new(store: Store, study_id: str) -> bool:
    """Whether a study has answers that nobody has looked at, read without a lock.

    Raises:
        UnknownStudy: there is none.
    """
    get_study(store, study_id)
    return store.one(f"SELECT 1 AS yes {_UNSEEN} LIMIT 1", [study_id, json.dumps(MODES)]) is not None


def new_texts(store: Store, study_id: str) -> list[Text]:
    """Look at the answers of a study that nobody has looked at, and keep which text each is; returns the texts that are new. Part of the
    caller's transaction, who takes them into the queue."""
    found: list[Text] = []
    with store.atomic():
        sql = f"SELECT e.episode_id, e.task_hash, a.raw, e.option_order {_UNSEEN} ORDER BY a.event_seq"
        for row in store.rows(sql, _Answered, [study_id, json.dumps(MODES)]):
            task, raw = store.get_task(row.task_hash), json.loads(row.raw)
            subject = None
            if not exact(task, raw, picked(task.question.options, row.option_order.options)):
                subject = _subject(study_id, row.task_hash, raw)
                if store.one("SELECT 1 AS yes FROM coded_texts WHERE subject = ?", [subject]) is None:
                    text = Text(subject, study_id, row.task_hash, raw, now())
                    store.insert("coded_texts", msgspec.structs.asdict(text))
                    found.append(text)
            store.insert("coded_answers", {"episode_id": row.episode_id, "subject": subject})
    return found


def text_of(store: Store, subject: str) -> Text:
    """The text of this id; KeyError where there is none."""
    found = store.row("SELECT * FROM coded_texts WHERE subject = ?", Text, [subject])
    if found is None:
        raise KeyError(subject)
    return found


def shown(store: Store, subject: str) -> dict[str, Any]:
    """What somebody who codes a text sees: the question, its note, the answers that it allows, and the text."""
    text = text_of(store, subject)
    question = store.get_task(text.task_hash).question
    return {
        "question": question.text,
        "note": question.note,
        "form": question.form,
        "options": sorted(question.options) if question.form in ("choice", "yes_no", "count") else list(question.options),
        "text": text.text,
    }


def read_code(store: Store, subject: str, written: str) -> str | None:
    """A code that is written, not chosen: a number, an order, or words, in one form for all; None: it cannot be read as an answer to the
    question."""
    if len(written) > 400 or not (words := " ".join(written.split())):
        return None
    task = store.get_task(text_of(store, subject).task_hash)
    question = task.question
    if question.form == "free_text" or (question.form == "choice" and not question.options):
        return words.casefold()
    value = scoring.read_strictly(task, words, question.options)
    if value is None:
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def coded_score(task: Task, code: str) -> Score:
    """The score of an answer by its code. What is unclear, or names something else, is wrong; no answer is none."""
    if code == NO_ANSWER:
        return scoring.score(task, None)
    if code in (OTHER, UNCLEAR):
        return Score(answered=True, correct_strict=False, correct_lenient=False, chance=task.gold.chance)
    return scoring.score(task, code, task.question.options)


def _subject(study_id: str, task_hash: str, raw: str) -> str:
    """Texts that differ in case and blanks alone are one."""
    return "tx_" + hashlib.sha256(f"{study_id}\n{task_hash}\n{' '.join(raw.casefold().split())}".encode()).hexdigest()[:24]
