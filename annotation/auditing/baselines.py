"""Shortcut baselines (ESI-Bench, Table 5): how well a language model answers a set from its questions alone, and with the kinds of things.

No picture, place, history or state is sent. Both arms are those that people have (`study.paradigms`): the question as it is asked, and
beside it the kinds of things that it speaks of, in no order. Replies are kept in a file, line by line, so that a cut run goes on.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from annotation.auditing.balance import golds
from annotation.auditing.check import Audited, Row
from annotation.auditing.shortcuts import groups, signal
from annotation.endpoint import EndpointSettings, NoReply, complete
from data.foreign import Unreadable, json_lines, text_file
from data.store import StoreError, now
from data.task import Task
from study.agents import LOOKING, parse_turn
from study.asked import asked
from study.measures.intervals import clustered
from study.measures.record import Measure
from study.objects import spoken_of
from study.ordering import per_showing, picked
from study.scoring import Score, explain, score

ARMS = {"question": "question alone", "metadata": "with kinds of things"}
"""Arm → in words."""
FORM = "1"
"""Raised when the words sent change: replies to other words are not taken over."""
TRIES = 3
"""So often a question is asked while the endpoint fails in a way that may pass."""
START = '{"key": "'
"""How every line of a file of replies begins."""
MAX_FILE_BYTES = 1_000_000_000
GIVE_UP = 5
"""So many questions without a reply, one after another, end the run."""
ANSWER_IN = (
    'Reply with one JSON object: {"answer": "...", "confidence": 0.0, "reasoning": "..."}; confidence is the probability (0 to 1) that '
    "your answer is right."
)


class BaselinesCut(Exception):
    """The endpoint fails; the message says how, how far it came, and that a further run goes on."""


@dataclass(frozen=True)
class Asking:
    """One question of one arm."""

    row: Row
    task: Task
    arm: str
    model: str

    @property
    def key(self) -> str:
        """Equal for the same words to the same model."""
        return hashlib.sha256(json.dumps([FORM, self.model, self.arm, self.task.content_hash]).encode()).hexdigest()[:32]

    @property
    def _seed(self) -> int:
        return int(self.key[:12], 16)

    @property
    def shown(self) -> tuple[str, ...]:
        """The options in the order in which the model gets them, drawn for each question and recorded by its key."""
        return picked(self.task.question.options, per_showing(self.task.question, self._seed, None).options)

    @property
    def words(self) -> str:
        """What the model is told."""
        question, order = self.task.question, per_showing(self.task.question, self._seed, None)
        told = list(spoken_of(self.task)) if self.arm == "metadata" else []
        random.Random(self._seed).shuffle(told)
        lines = asked(
            question.text, note=question.note, options=self.shown,
            blanks=[picked(blank, way) for blank, way in zip(question.blanks, order.blanks, strict=True)],
            blank_names=question.blank_names, targets=picked(question.targets, order.targets), told=told,
        )  # fmt: skip
        return "\n".join([LOOKING["words"], *lines, explain(question.model_copy(update={"options": self.shown})), ANSWER_IN])


@dataclass(frozen=True)
class Answered:
    """A question that the model answered."""

    asking: Asking
    text: str
    """The reply, as it came."""

    @property
    def scored(self) -> Score:
        """By the one scorer; a reply without an answer in it is none, and wrong."""
        turn = parse_turn(self.text)
        return score(self.asking.task, None if turn is None else turn.answer, self.asking.shown)


def askings(audited: Audited, model: str) -> list[Asking]:
    """Every question of both arms; with kinds of things only where the question speaks of some."""
    return [Asking(row, task, arm, model) for arm in ARMS for row, task in audited.tasks if arm == "question" or spoken_of(task)]


@dataclass
class Kept:
    """The file with the replies, one JSON object a line."""

    path: Path
    replies: dict[str, str] = field(default_factory=dict)
    """Key → reply."""

    @classmethod
    def open(cls, path: Path) -> Kept:
        """Read what is there; a line that was cut off is asked again.

        Raises:
            StoreError: the file cannot be read or written, or is no file of replies.
        """
        kept = cls(path)
        try:
            text = text_file(path, MAX_FILE_BYTES).text if path.exists() else ""
        except Unreadable as error:
            raise StoreError(f"The replies in {path} cannot be read: {error.reason}.") from None
        whole = text.rfind("\n") + 1
        for number, line in json_lines(text[:whole], halves="keep"):
            if isinstance(line, Unreadable) or not isinstance(line, dict) or not isinstance(line.get("key"), str):
                raise StoreError(f"Line {number} of {path} is no reply that was kept: name another file for the replies.")
            kept.replies[line["key"]] = str(line.get("text", ""))
        cut = text[whole:]
        if cut and not cut.startswith(START[: len(cut)]):
            raise StoreError(f"The end of {path} is no reply that was kept: name another file for the replies.")
        try:
            with path.open("ab") as file:
                file.truncate(file.tell() - len(cut))
        except OSError as error:
            raise StoreError(f"The replies cannot be kept in {path}: {error.strerror}.") from None
        return kept

    def add(self, asking: Asking, text: str) -> None:
        """Keep a reply."""
        self.replies[asking.key] = text
        line = {
            "key": asking.key, "row_id": asking.row.row_id, "file": asking.row.file, "arm": asking.arm, "model": asking.model,
            "options": asking.shown, "text": text, "at": now(),
        }  # fmt: skip
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=True) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreError(f"The replies cannot be kept in {self.path}: {error.strerror}.") from None


def ask(
    audited: Audited,
    settings: EndpointSettings,
    kept: Kept,
    *,
    time_left: Callable[[float, int, int], str] = lambda spent_s, done, left: "",
    wait: Callable[[float], None] = sleep,
) -> list[Answered]:
    """Ask what has no reply yet, and return every answer.

    Args:
        audited: the set; its `progress` hears how far it is.
        settings: the endpoint.
        kept: where replies are kept.
        time_left: an estimate in words, from seconds spent, questions asked since, and questions to come.
        wait: called with seconds between two tries.

    Raises:
        BaselinesCut: the endpoint fails again and again. A question now and then that has no reply is left out, and its number is told.
        StoreError: a reply cannot be kept.
    """
    every = askings(audited, settings.model)
    # a task that a set has twice is asked once
    missing = list({asking.key: asking for asking in every if asking.key not in kept.replies}.values())
    begun, in_a_row = monotonic(), 0
    for n, asking in enumerate(missing):
        left = time_left(monotonic() - begun, n, len(missing) - n)
        audited.progress(len(every) - len(missing) + n, len(every), f"questions to {settings.model}{left}")
        try:
            kept.add(asking, _asked(settings, asking, wait))
            in_a_row = 0
        except NoReply as error:
            in_a_row += 1
            if in_a_row >= min(GIVE_UP, len(missing)):
                there = len(every) - sum(asking.key not in kept.replies for asking in every)
                raise BaselinesCut(f"{error} {there} of {len(every)} replies are kept in {kept.path}: run it again to go on.") from None
    return [Answered(asking, kept.replies[asking.key]) for asking in every if asking.key in kept.replies]


def _asked(settings: EndpointSettings, asking: Asking, wait: Callable[[float], None]) -> str:
    for number in range(TRIES):
        try:
            return complete(settings, [{"role": "user", "content": asking.words}])
        except NoReply as error:
            if not error.again or number + 1 == TRIES:
                raise
            wait(2.0**number)
    raise AssertionError("unreachable")


@dataclass(frozen=True)
class Figure:
    """What one arm reached in one category."""

    share: Measure
    """Right answers, strictly read."""
    lenient: float | None
    """The same, as the released scorer reads answers."""
    unanswered: int
    """Replies without an answer; they count as wrong."""
    missing: int
    """Tasks without a reply."""
    unfit: int
    """Tasks that this arm does not have: they speak of no kind of thing."""


@dataclass(frozen=True)
class CategoryBaselines:
    """One category's line of Table 5."""

    category: str
    n: int
    majority: float
    """Share that is right for whoever always says the most frequent gold of the task's subcategory."""
    chance: float
    """Mean chance of its tasks."""
    arms: Mapping[str, Figure]
    """Arm → what it reached."""
    text_model: Mapping[str, tuple[int, int]]
    """``wording`` and ``objects`` → (guessed by the cross-validated model, different questions); (0, 0): too few to learn from."""


def table(audited: Audited, answered: Sequence[Answered]) -> list[CategoryBaselines]:
    """Table 5 of a set, by category; tasks that hang together (twins, rows that say the same) are one cluster for the interval."""
    kinds: dict[str, list[list[Task]]] = {}
    for (category, _), rows in audited.by_kind().items():
        kinds.setdefault(category, []).append([task for _, task in rows])
    by_arm: dict[tuple[str, str], list[Answered]] = {}
    for one in answered:
        by_arm.setdefault((one.asking.arm, one.asking.task.category), []).append(one)
    return [_line(category, parts, {arm: by_arm.get((arm, category), []) for arm in ARMS}) for category, parts in kinds.items()]


def _line(category: str, parts: Sequence[Sequence[Task]], answered: Mapping[str, Sequence[Answered]]) -> CategoryBaselines:
    tasks = [task for part in parts for task in part]
    cluster = {
        task.content_hash: (n, name) for n, part in enumerate(parts) for task, name in zip(part, groups(part), strict=True)
    }  # fmt: skip
    signals = {name: [found for part in parts if (found := signal(part, name))] for name in ("wording", "objects")}
    return CategoryBaselines(
        category,
        len(tasks),
        sum(golds(part).most_common(1)[0][1] for part in parts) / len(tasks),
        sum(task.gold.chance for task in tasks) / len(tasks),
        {arm: _figure(arm, tasks, given, cluster) for arm, given in answered.items()},
        {name: (sum(one.right for one in found), sum(one.n for one in found)) for name, found in signals.items()},
    )


def _figure(arm: str, tasks: Sequence[Task], given: Sequence[Answered], cluster: Mapping[str, object]) -> Figure:
    scores = [one.scored for one in given]
    fit = sum(arm == "question" or bool(spoken_of(task)) for task in tasks)
    return Figure(
        clustered([s.correct_strict for s in scores], [cluster[one.asking.task.content_hash] for one in given]),
        sum(s.correct_lenient for s in scores) / len(scores) if scores else None,
        sum(not s.answered for s in scores),
        fit - len(scores),
        len(tasks) - fit,
    )


def plain(found: Sequence[CategoryBaselines], model: str) -> dict[str, Any]:
    """The table as plain values for a summary: shares from 0 to 1."""
    return {"model": model, "categories": list(_plain(found))}


def _plain(found: Sequence[CategoryBaselines]) -> Iterator[dict[str, Any]]:
    for line in found:
        yield {
            "category": line.category, "n": line.n, "majority": line.majority, "chance": line.chance,
            "arms": {
                arm: {
                    "accuracy": one.share.value, "n": one.share.n, "interval": one.share.interval, "method": one.share.method,
                    "reason": one.share.reason, "lenient": one.lenient, "unanswered": one.unanswered, "missing": one.missing,
                    "unfit": one.unfit,
                }
                for arm, one in line.arms.items()
            },
            "text_model": {name: {"right": right, "n": n} for name, (right, n) in line.text_model.items()},
        }  # fmt: skip
