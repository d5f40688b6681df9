"""The question of a draft and its right answer, in every form in which a task can be answered."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from data.task import Answer, AnswerForm, Ask, Question

FORMS: tuple[AnswerForm, ...] = ("choice", "yes_no", "count", "number", "sequence", "blanks", "pair", "assignment", "free_text")
"""Answer forms that can be authored: all that a task has."""
FILLED = ("blanks", "pair")
"""Forms of several blanks, each with options of its own."""

Line = Annotated[str, Field(max_length=300)]


class Frozen(BaseModel):
    """A part of a draft's document."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Blank(Frozen):
    """One blank of a question: what stands before it, what can be put in, and what is right."""

    name: Line = ""
    options: tuple[Line, ...] = Field(default=(), max_length=26)
    right: Line = ""


class Asked(Frozen):
    """What a draft asks."""

    asks: str = Field(default="", max_length=40)
    """Which of its generator's questions it is (`data.task.Ask.what`); empty: none of them."""
    about: tuple[str, ...] = ()
    """Keys of what is asked about, in order."""
    against: str = ""
    """Key of what they are compared with, or lie behind, in, on or under."""
    about_rooms: tuple[Line, ...] = Field(default=(), max_length=8)
    """Rooms of the house that it is about, from the first to the last of a way."""
    counted: str = Field(default="", max_length=100)
    """The category that is counted."""
    given: str = Field(default="", max_length=100)
    """What the question states beside what it asks, in words: where the first doorway lies from the start."""
    question: str = Field(default="", max_length=2000)
    note: str = Field(default="", max_length=500)
    form: AnswerForm = "choice"
    options: tuple[Line, ...] = Field(default=(), max_length=26)
    """Options; what is ordered, or what is assigned."""
    blanks: tuple[Blank, ...] = Field(default=(), max_length=12)
    """Of the forms ``blanks`` and ``pair``."""
    targets: tuple[Line, ...] = Field(default=(), max_length=26)
    """To what the options are assigned."""
    assigned: dict[Line, Line] = Field(default={}, max_length=26)
    """Option → its right target."""
    gold: str = Field(default="", max_length=2000)
    """The right answer of every other form; of a sequence one a line."""
    argument: str = Field(default="", max_length=500)
    """Why one view does not suffice; needed where there is no twin."""
    reason: str = Field(default="", max_length=500)
    """Why the task is sound although a condition of the generator does not hold."""

    @property
    def accepted(self) -> Answer:
        """The right answer as a task keeps it; what is not said yet is empty."""
        if self.form == "blanks":
            return [blank.right.strip() for blank in self.blanks]
        if self.form == "pair":
            return {blank.name.strip(): blank.right.strip() for blank in self.blanks}
        if self.form == "assignment":
            return {option.strip(): self.assigned.get(option, "").strip() for option in self.options}
        if self.form == "sequence":
            return [line.strip() for line in self.gold.splitlines() if line.strip()]
        return self.gold.strip()

    @property
    def chance(self) -> float:
        """Probability that a uniformly random well-formed answer is right; 0 where answers cannot be counted."""
        if self.form in FILLED:
            return math.prod(1 / len(blank.options) for blank in self.blanks if blank.options)
        if self.form == "assignment":
            return float(len(self.targets) or 1) ** -len(self.options)
        if self.form == "sequence":
            return 1 / math.factorial(len(self.options))
        return 1 / len(self.options) if self.options and self.form != "free_text" else 0.0

    def asked(self, ask: Ask | None) -> Question:
        """The question as a task keeps it; only the fields of its own form."""
        filled = self.blanks if self.form in FILLED else ()
        return Question(
            text=self.question.strip(),
            form=self.form,
            options=() if self.form in FILLED else _stripped(self.options),
            blanks=tuple(_stripped(blank.options) for blank in filled),
            blank_names=tuple(blank.name.strip() for blank in filled),
            targets=_stripped(self.targets) if self.form == "assignment" else (),
            note=self.note.strip(),
            ask=ask,
        )

    def unanswered(self) -> list[str]:
        """What is still to be filled in of options and right answer, each a sentence."""
        if self.form in FILLED:
            return self._unfilled()
        if self.form == "assignment":
            return self._unassigned()
        found, gold, options = [], self.accepted, _stripped(self.options)
        if not gold:
            found.append("Say which answer is right.")
        if self.form in ("choice", "yes_no", "sequence") and len(set(options)) < 2:
            found.append("Give at least two options.")
        elif problem := _listed(options, "An option"):
            found.append(problem)
        elif isinstance(gold, list) and sorted(gold) != sorted(options):
            found.append("The right order has to have every option once.")
        elif isinstance(gold, str) and gold and options and self.form != "free_text" and gold not in options:
            found.append(f"The right answer {gold!r} is not among the options.")
        if self.form == "yes_no" and {option.lower() for option in options} != {"yes", "no"}:
            found.append("A question of yes or no has the options yes and no.")
        if self.form == "count" and isinstance(gold, str) and gold and not (gold.isascii() and gold.isdecimal()):
            found.append("A count is a whole number.")
        if self.form == "number" and isinstance(gold, str) and gold and not _number(gold):
            found.append(f"The right answer {gold!r} is no number.")
        return found

    def _unfilled(self) -> list[str]:
        if len(self.blanks) < (least := 2 if self.form == "pair" else 1):
            return ["A pair has two blanks: add them." if least == 2 else "Add the blanks that are to be filled in."]
        found = []
        names = [blank.name.strip() for blank in self.blanks]
        if "" in names or len(set(names)) < len(names):
            found.append("Each blank needs a name of its own.")
        for n, blank in enumerate(self.blanks, 1):
            what, options = f"Blank {n}", _stripped(blank.options)
            if len(set(options)) < 2:
                found.append(f"{what}: give at least two options.")
            elif problem := _listed(options, f"{what}: an option"):
                found.append(problem)
            elif blank.right.strip() not in options:
                found.append(f"{what}: say which option is right.")
        return found

    def _unassigned(self) -> list[str]:
        items, targets = _stripped(self.options), _stripped(self.targets)
        found = ["Give what is to be assigned, one a line."] if not items else []
        if len(set(targets)) < 2:
            found.append("Give at least two targets to which things can be assigned.")
        found += [problem for words, what in ((items, "What is assigned"), (targets, "A target")) if (problem := _listed(words, what))]
        if not found:
            left = [
                item
                for item, target in zip(items, (self.assigned.get(o, "").strip() for o in self.options), strict=True)
                if target not in targets
            ]
            found += [f"Say where {item!r} belongs." for item in left]
        return found


def _stripped(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word.strip() for word in words)


def _listed(words: tuple[str, ...], what: str) -> str:
    """What is wrong with a list of words; empty: nothing."""
    return f"{what} is empty, or there twice." if "" in words or len(set(words)) < len(words) else ""


def _number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
