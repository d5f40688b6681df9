"""The one answer normaliser and the one scorer, for every answer form.

Two readings: *strict* takes an answer as it stands in the question's options (case, blanks and "_" aside; "_" and " " differ where the
released scorer is exact); *lenient* also takes what ESI-Bench's released scorer of that subcategory takes:
synonyms, an option named inside a sentence, the first number of a text, "1) a 2) b". A subcategory declares its own words (`Reading`).
Option letters are read strictly where the released task uses them. "No answer" is never an option letter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from data.foreign import Unreadable, json_value
from data.subcategories import BY_KEY, Reading
from data.task import Answer, AnswerForm, Question, Task

SCORER = "1"
"""Version stored with every score; scores can be computed anew."""
MAX_TEXT = 4000
"""Longest answer text read, in characters."""

NO_ANSWER = frozenset(
    (
        "",
        "not sure",
        "unsure",
        "unknown",
        "none",
        "n/a",
        "na",
        "i don't know",
        "i dont know",
        "don't know",
        "do not know",
        "idk",
        "no answer",
        "null",
    )
)
"""Words that mean no answer (unless an option reads like that)."""

_YES = ("yes", "y", "true")
_NO = ("no", "n", "false")
_PLAIN = Reading()
_NO_WORDS: Mapping[str, str] = {}


class Score(BaseModel):
    """How an answer compares with a task's gold. Derived: can be computed anew at any time."""

    model_config = ConfigDict(frozen=True)

    answered: bool
    """False for no answer and for words such as "not sure"."""
    correct_strict: bool
    """Right as it stands."""
    correct_lenient: bool
    """Right as the released scorer of this subcategory reads it; never false where `correct_strict` is true."""
    chance: float
    """Probability that a uniformly random well-formed answer is right."""
    absolute_error: float | None = None
    """Counting and numbers: distance to the nearest accepted value."""
    soft_score: float | None = None
    """Counting: max(0, 1 − error / 3), the released soft score."""


def is_no_answer(raw: Any, options: Sequence[str] = ()) -> bool:
    """Whether `raw` says nothing: None, empty, or words such as "not sure" that are no option."""
    if raw is None or (isinstance(raw, (list, tuple, dict, set)) and not raw):
        return True
    if not isinstance(raw, str):
        return False
    text = _fold(raw).strip(" .!?")
    return text in NO_ANSWER and text not in {_fold(o) for o in options}


def reading_of(task: Task) -> Reading:
    """How answers to a task are read beyond the rules that hold for all: what its subcategory declares."""
    kind = BY_KEY.get((task.category, task.subcategory))
    return _PLAIN if kind is None else kind.reading


def normalise(
    form: AnswerForm, question: Question, raw: Any, shown: Sequence[str] | None = None, same_words: Mapping[str, str] = _NO_WORDS
) -> Answer | None:
    """Read an answer as generously as is safe.

    Args:
        form: the answer form (normally `question.form`).
        question: the question, for options, blanks and targets.
        raw: text, number, list or mapping, as a page or a model gave it.
        shown: the options in the order in which they were shown, for option letters; None: source order.
        same_words: word → other name of the same answer, as the task's subcategory declares (`reading_of`).

    Returns:
        The answer in the question's own words, or None when it has no readable form (or says "not sure").
    """
    return _Reader(form, question, shown or question.options, Reading(same_words=same_words), lenient=True, letters=True).read(raw)


def read_strictly(task: Task, raw: Any, shown: Sequence[str] | None = None) -> Answer | None:
    """Read an answer as it stands, as the strict reading of the task's subcategory does; None where it has no such form.

    Args:
        task: the task.
        raw: text, number, list or mapping, as it was given.
        shown: the options in the order in which they were shown; None: source order.
    """
    reading = reading_of(task)
    return _Reader(task.question.form, task.question, list(shown or task.question.options), reading, letters=reading.letters).read(raw)


def is_unfinished(form: AnswerForm, question: Question, raw: Any) -> bool:
    """Whether `raw` is a part of an answer of several parts, as a page sends it while somebody is still choosing: some items of a sequence
    in order, or blanks of which some are still empty. Parts are given in the question's own words."""
    slots: dict[Any, Sequence[str]]
    if form == "sequence":
        return isinstance(raw, list) and all(item in question.options for item in raw) and len({*raw}) == len(raw)
    if form == "blanks":
        slots = dict[Any, Sequence[str]](enumerate(question.blanks))
        raw = dict(enumerate(raw)) if isinstance(raw, list) else None
    elif form == "pair":
        slots = dict[Any, Sequence[str]](zip(question.blank_names, question.blanks, strict=True))
    elif form == "assignment":
        slots = dict.fromkeys(question.options, question.targets)
    else:
        return False
    return isinstance(raw, Mapping) and raw.keys() == slots.keys() and all(value in ("", *slots[name]) for name, value in raw.items())


def explain(question: Question) -> str:
    """What an answer to this question looks like, in one sentence."""
    options = ", ".join(repr(option) for option in question.options)
    match question.form:
        case "yes_no":
            return "Answer yes or no."
        case "choice":
            return f"Choose one of: {options}."
        case "count":
            return f"Give one of: {options}." if question.options else "Give a whole number, 0 or more."
        case "number":
            return "Give a number."
        case "sequence":
            return f"Put every one of these in order, each once: {options}."
        case "blanks" | "pair":
            return f"Fill in each of the {len(question.blanks)} blanks with one of its options."
        case "assignment":
            return f"Give every one of {options} one of: {', '.join(repr(t) for t in question.targets)}."
        case _:
            return "Write a short answer."


def shape(question: Question) -> str:
    """What a program sends for an answer to this question, in one sentence."""
    match question.form:
        case "sequence":
            return "A list of texts, first to last."
        case "blanks":
            return "A list of texts, one for each blank in turn."
        case "pair":
            return "A mapping from the name of each blank to a text, or a list of both texts in turn."
        case "assignment":
            return "A mapping from each option to its target."
        case _:
            return "A text, neither a list nor a mapping."


def score(task: Task, answer: Any, shown: Sequence[str] | None = None) -> Score:
    """Compare an answer with the gold.

    Args:
        task: the task.
        answer: the answer as it was given, normalised or not.
        shown: the options in the order in which they were shown, for option letters; None: source order.

    Returns:
        The score; an unreadable answer is wrong, never an exception.
    """
    question, reading = task.question, reading_of(task)
    if is_no_answer(answer, _all_options(question)):
        return Score(answered=False, correct_strict=False, correct_lenient=False, chance=task.gold.chance)
    order = list(shown or question.options)
    strict_reader = _Reader(question.form, question, order, reading, letters=reading.letters)
    accepted = [_accepted(strict_reader, gold) for gold in task.gold.accepted]
    strict = strict_reader.read(answer)
    correct = strict is not None and any(_same(strict_reader, strict, gold) for gold in accepted)
    lenient = correct
    read = strict
    if not reading.exact:
        reader = _Reader(question.form, question, order, reading, lenient=True, letters=True)
        read = reader.read(answer)
        lenient = correct or (read is not None and any(_same(reader, read, gold) for gold in accepted))
        if not lenient and reading.gold_word is not None and isinstance(answer, str):
            for_it, against_it = reading.gold_word
            lenient = for_it in _fold(answer).split() and against_it not in _fold(answer).split() and read is None
    error = soft = None
    if question.form in ("count", "number") or all(o.strip().isdigit() for o in question.options or ("x",)):
        error = _error(read, task.gold.accepted)
        soft = None if error is None or question.form == "number" else max(0.0, 1.0 - error / 3.0)
    return Score(
        answered=True, correct_strict=correct, correct_lenient=lenient, chance=task.gold.chance, absolute_error=error, soft_score=soft
    )


class _Reader:
    """Reads answers to one question under one reading."""

    def __init__(
        self,
        form: AnswerForm,
        question: Question,
        shown: Sequence[str],
        reading: Reading = _PLAIN,
        *,
        lenient: bool = False,
        letters: bool = False,
    ) -> None:
        self.form, self.question, self.shown, self.reading = form, question, list(shown), reading
        self.lenient, self.letters = lenient, letters

    def fold(self, text: str) -> str:
        return _fold(text, underscores=not self.reading.exact)

    def read(self, raw: Any) -> Answer | None:
        """The canonical answer, or None."""
        if isinstance(raw, str):
            if len(raw) > MAX_TEXT:
                return None
            if self.form in ("sequence", "blanks", "assignment", "pair"):
                raw = _from_json(raw)
        if is_no_answer(raw, _all_options(self.question)):
            return None
        of_form: Callable[[Any], Answer | None] = getattr(self, f"_{self.form}")
        return of_form(raw)

    # one value

    def _yes_no(self, raw: Any) -> str | None:
        if isinstance(raw, bool):
            raw = "yes" if raw else "no"
        text = _text(raw)
        if text is None:
            return None
        yes = next((o for o in self.question.options if _fold(o) == "yes"), "yes")
        no = next((o for o in self.question.options if _fold(o) == "no"), "no")
        folded = self.fold(text)
        if folded in ("yes", "no"):
            return yes if folded == "yes" else no
        if not self.lenient:
            return None
        folded = folded.strip(" .!")
        if folded in _YES or folded in _NO:
            return yes if folded in _YES else no
        yes_words, no_words = self.reading.yes_words, self.reading.no_words
        for words, value in ((no_words, no), (yes_words, yes)):
            if folded in words:
                return value
        first = re.match(r"(yes|no)\b[\s,.;:!-]", folded)
        if first:
            return yes if first[1] == "yes" else no
        # longest first, so that "not inside" is read before "inside"
        for word, value in sorted([(w, no) for w in no_words] + [(w, yes) for w in yes_words], key=lambda pair: -len(pair[0])):
            if len(word) > 3 and _within(word, folded):
                return value
        return None

    def _choice(self, raw: Any, options: Sequence[str] | None = None) -> str | None:
        options = self.question.options if options is None else options
        text = _text(raw)
        if text is None:
            return None
        if not options:
            return text.strip() or None
        for same in (lambda o: o == text, lambda o: self.fold(o) == self.fold(text), lambda o: self._alias(o) == self._alias(text)):
            found = [o for o in options if same(o)]
            if found:
                return found[0]
        if self.letters and options is self.question.options:
            is_letter, by_letter = self._letter(text)
            if is_letter:
                return by_letter
        if not self.lenient:
            return None
        if self.reading.sides and len(options) == len(self.reading.sides):
            sides = [n for n, side in enumerate(self.reading.sides) if _within(side, self.fold(text))]
            if len(sides) == 1:
                return options[sides[0]]
        return self._named(text, options)

    def _alias(self, text: str) -> str:
        folded = self.fold(text).strip(" .!")
        return folded if self.reading.exact else self.reading.same_words.get(folded, folded)

    def _letter(self, text: str) -> tuple[bool, str | None]:
        """Whether a text is an option letter ("B", "(b)", "B.", "B. the text"), and its option; none where letter and text disagree."""
        match = re.match(r"^\s*(?:option\s+)?\(?([A-Za-z])\)?(?:\s*[.):,-]\s*(.*)|\s*)$", text, re.S)
        if match is None or ord(match[1].upper()) - 65 >= len(self.shown):
            return False, None
        option = self.shown[ord(match[1].upper()) - 65]
        rest = self.fold(match[2] or "").strip(" .!")
        agrees = not rest or rest == self.fold(option) or self._named(rest, self.shown) in (None, option)
        return True, option if agrees else None

    def _named(self, text: str, options: Sequence[str]) -> str | None:
        """The one option that the text names, or that contains the text."""
        folded = self.fold(text).strip(" .!")
        if not folded:
            return None
        texts = {option: self._alias(option) for option in options}
        inside = [o for o in options if _within(texts[o], folded)]
        # "cup" is no second mention where "paper cup" was found
        inside = [o for o in inside if not any(p is not o and _within(texts[o], texts[p]) for p in inside)]
        if len(inside) == 1:
            return inside[0]
        if inside:
            return None
        around = [o for o in options if len(folded) > 1 and _within(folded, texts[o])]
        return around[0] if len(around) == 1 else None

    def _count(self, raw: Any) -> str | None:
        if isinstance(raw, bool):
            return None
        value: int | None = None
        if isinstance(raw, (int, float)):
            value = int(raw) if math.isfinite(raw) and float(raw).is_integer() else None
        elif isinstance(raw, str):
            text = raw.strip()
            if re.fullmatch(r"\+?[0-9]{1,9}(?:\.0+)?", text, re.ASCII):
                value = int(float(text))
            elif self.letters and (option := self._letter(text)[1]) is not None and option.strip().isdigit():
                value = int(option)
            elif self.lenient and (match := re.search(r"(?<![\w.-])[0-9]{1,9}(?![\w]|\.\d)", text, re.ASCII)):
                value = int(match[0])
        if value is None or value < 0:
            return None
        if self.question.options and str(value) not in {o.strip() for o in self.question.options}:
            return None
        return str(value)

    def _number(self, raw: Any) -> str | None:
        if isinstance(raw, bool):
            return None
        if isinstance(raw, str):
            text = raw.strip().replace("−", "-")
            if not re.fullmatch(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:e[+-]?[0-9]+)?", text, re.I | re.A):
                match = re.search(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|(?<!\w)\.[0-9]+)", text, re.A) if self.lenient else None
                if match is None:
                    return None
                text = match[0]
            raw = float(text.replace(",", "."))
        if not isinstance(raw, (int, float)) or not math.isfinite(raw):
            return None
        return str(int(raw)) if float(raw).is_integer() and abs(raw) < 1e15 else repr(float(raw))

    def _free_text(self, raw: Any) -> str | None:
        text = _text(raw)
        return " ".join(text.split()) or None if text is not None else None

    # several values

    def _sequence(self, raw: Any) -> list[str] | None:
        options = list(self.question.options)
        if isinstance(raw, str):
            return _positions([self.fold(o) for o in options], self.fold(raw), options) if self.lenient else self._split(raw, options)
        if not isinstance(raw, (list, tuple)):
            return None
        return self._each_once([self._choice(item, options) for item in raw], options)

    def _split(self, raw: str, options: list[str]) -> list[str] | None:
        parts = [re.sub(r"^\s*\d+\s*[.)]\s*", "", part) for part in re.split(r"[|>\n]|,(?![^(]*\))", raw)]
        return self._each_once([self._choice(part, options) for part in parts], options)

    @staticmethod
    def _each_once(values: list[str | None], options: list[str]) -> list[str] | None:
        found = [v for v in values if v is not None]
        return found if len(found) == len(values) and sorted(found) == sorted(options) else None

    def _blanks(self, raw: Any) -> list[str] | None:
        blanks = self.question.blanks
        if isinstance(raw, str):
            raw = re.split(r"\s*[|\n]\s*", raw.strip())
        if isinstance(raw, Mapping):
            names = self.question.blank_names
            if len(set(names)) != len(blanks) or set(raw) != set(names):
                return None
            raw = [raw[name] for name in names]
        if not isinstance(raw, (list, tuple)) or len(raw) != len(blanks):
            return None
        values = [self._choice(value, options) for value, options in zip(raw, blanks, strict=True)]
        found = [v for v in values if v is not None]
        return found if len(found) == len(blanks) else None

    def _pair(self, raw: Any) -> dict[str, str] | None:
        names, blanks = self.question.blank_names, self.question.blanks
        if isinstance(raw, str):
            if not self.lenient:
                raw = re.split(r"\s*[|,\n]\s*", raw.strip())
            else:
                words = sorted({o for options in blanks for o in options}, key=len, reverse=True)
                pattern = "|".join(rf"(?<!\w){re.escape(self.fold(w))}(?!\w)" for w in words)
                raw = re.findall(pattern, self.fold(raw))[: len(blanks)] if words else []
        if isinstance(raw, (list, tuple)):
            if len(raw) != len(names):
                return None
            raw = dict(zip(names, raw, strict=True))
        if not isinstance(raw, Mapping):
            return None
        values: dict[str, str] = {}
        for name, options in zip(names, blanks, strict=True):
            value = self._choice(raw.get(name, raw.get(f"answer_{name}")), options)
            if value is None:
                return None
            values[name] = value
        return values

    def _assignment(self, raw: Any) -> dict[str, str] | None:
        items, targets = list(self.question.options), list(self.question.targets)
        if isinstance(raw, str):
            if not self.lenient:
                return None
            parts = [
                re.split(r"\s*(?:->|→|=>|:|=|\binto\b|\binside\b|\bin\b)\s*", part, maxsplit=1)
                for part in re.split(r"[\n;,|]+", raw)
                if part.strip()
            ]
            raw = parts
        if isinstance(raw, Mapping):
            raw = list(raw.items())
        if not isinstance(raw, (list, tuple)):
            return None
        values: dict[str, str] = {}
        for entry in raw:
            if isinstance(entry, Mapping) and set(entry) >= {"_key", "value"}:
                entry = (entry["_key"], entry["value"])
            if not isinstance(entry, (list, tuple)) or len(entry) != 2:
                return None
            item, target = self._choice(entry[0], items), self._choice(entry[1], targets)
            if item is None or target is None or item in values:
                return None
            values[item] = target
        return {item: values[item] for item in items} if len(values) == len(items) else None


def _fold(text: str, underscores: bool = True) -> str:
    return " ".join((text.replace("_", " ") if underscores else text).casefold().split())


def _text(raw: Any) -> str | None:
    if isinstance(raw, str):
        return raw
    if isinstance(raw, bool) or raw is None:
        return None
    if isinstance(raw, int):
        return str(raw) if abs(raw) < 10**15 else None
    if isinstance(raw, float):
        return str(int(raw)) if math.isfinite(raw) and raw.is_integer() and abs(raw) < 1e15 else None
    return None


def _within(part: str, text: str) -> bool:
    """Whether `part` stands in `text` as whole words."""
    return bool(part) and re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) is not None


def _from_json(raw: str) -> Any:
    """Lists and mappings written as JSON text; anything else stays text."""
    if raw.lstrip()[:1] not in ("[", "{"):
        return raw
    try:
        return json_value(raw)
    except Unreadable:
        return raw


def _positions(folded: list[str], text: str, options: list[str]) -> list[str] | None:
    """Options in the order in which a text names them; None unless it names each exactly once."""
    found: list[tuple[int, str]] = []
    for words, option in sorted(zip(folded, options, strict=True), key=lambda pair: -len(pair[0])):
        matches = list(re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", text)) if words else []
        if len(matches) != 1:
            return None
        found.append((matches[0].start(), option))
        # a longer name must not be found again as part of itself
        text = text[: matches[0].start()] + "\0" * len(words) + text[matches[0].end() :]
    return [option for _, option in sorted(found)]


def _all_options(question: Question) -> list[str]:
    return [*question.options, *(o for options in question.blanks for o in options), *question.targets]


def _accepted(reader: _Reader, gold: Answer) -> Answer:
    """A gold answer in the same words as answers to it; as it stands where it does not fit its own question."""
    return reader.read(gold) or gold


def _same(reader: _Reader, answer: Answer, gold: Answer) -> bool:
    if isinstance(answer, str) and isinstance(gold, str):
        if reader.form == "number":
            try:
                return math.isclose(float(answer), float(gold), rel_tol=1e-9, abs_tol=1e-12)
            except ValueError:
                return False
        if reader.form == "free_text" and reader.lenient:
            return _within(reader.fold(gold), reader.fold(answer))
        return answer == gold or reader._alias(answer) == reader._alias(gold)
    return answer == gold


def _error(reading: Answer | None, accepted: Sequence[Answer]) -> float | None:
    """Distance of a number to the nearest accepted one."""
    try:
        value = float(reading)  # type: ignore[arg-type]
        return min(abs(value - float(gold)) for gold in accepted)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
