"""A task's question in another language: what a page shows, and what is kept of an answer that was given in it.

The engine, the scorer and the exports know the question's own words alone; they are exchanged here, at the edge where a person reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from data.task import Said, Task


@dataclass(frozen=True)
class Tongue:
    """One task in one language."""

    said: Said
    forth: Mapping[str, str]
    """Words of the task → what is read."""
    back: Mapping[str, str]

    def question(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """What a page is told of the question, in this language."""
        shown = {name: self.answer(list(told[name])) for name in ("options", "blank_names", "targets")}
        blanks = [[self.forth.get(word, word) for word in blank] for blank in told["blanks"]]
        return dict(told) | shown | {"blanks": blanks, "text": self.said.text, "note": self.said.note or told["note"]}

    def step(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """What a page is told of a step: the names of things."""
        held = told["held"]
        things = [thing | {"name": self.forth.get(thing["name"], thing["name"])} for thing in told["objects"]]
        return dict(told) | {"objects": things, "held": held and held | {"name": self.forth.get(held["name"], held["name"])}}

    def answer(self, value: Any) -> Any:
        """An answer as it is read."""
        return _exchanged(value, self.forth)

    def given(self, value: Any) -> Any:
        """An answer as it is kept, of what was given."""
        return _exchanged(value, self.back)


def _exchanged(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return words.get(value, value)
    if isinstance(value, list):
        return [_exchanged(one, words) for one in value]
    if isinstance(value, dict):
        return {_exchanged(name, words): _exchanged(one, words) for name, one in value.items()}
    return value


def tongue(task: Task, language: str) -> Tongue | None:
    """The task in a language; None: its own words are read."""
    said = task.question.languages.get(language)
    if said is None or language == task.question.language:
        return None
    pairs = [
        *zip(task.question.options, said.options, strict=True),
        *zip(task.question.blank_names, said.blank_names, strict=True),
        *zip(task.question.targets, said.targets, strict=True),
        *(pair for own, other in zip(task.question.blanks, said.blanks, strict=True) for pair in zip(own, other, strict=True)),
    ]
    answers = dict(pairs)
    return Tongue(said, {**said.names, **answers}, {other: own for own, other in pairs})
