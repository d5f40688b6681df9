"""Kinds of items: how each is declared, read and judged. One line of `KINDS` each; the page draws each by its name."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from study.errors import StudyError
from study.wording import say

if TYPE_CHECKING:
    from study.forms.form import Item

Value = str | int | float | list[str]
"""An answer to one item: an option, a point of a scale, a number, a text, or the options that were ticked."""
MOST_CHARACTERS = 5000
"""Longest answer in words."""


class BadFormAnswer(StudyError):
    """An answer that its item does not have; nothing was lost, it can be given again."""

    code = "bad_form_answer"
    status = 422


@dataclass(frozen=True)
class Kind:
    """A way of asking."""

    name: str
    """As it stands in studies and exports."""
    meaning: str
    """A clause for the reference."""
    fault: Callable[[Item], str]
    """What is wrong with how an item is declared, as a clause; empty: nothing."""
    read: Callable[[Item, Any], Value]
    """An answer as it is kept. Raises `BadFormAnswer`."""
    passes: Callable[[Item, Value], bool]
    """Whether an answer is among those that pass; asked only of items that are judged."""
    drawn: Callable[[Item, random.Random], Value]
    """An answer that a simulated person may give, by chance."""
    right: Callable[[Item], Value]
    """An answer that passes; asked only of items that are judged."""


def kind(name: str) -> Kind:
    """The kind of that name.

    Raises:
        ValueError: there is none; the message lists them.
    """
    if name not in _BY_NAME:
        raise ValueError(f"kind: expected one of {', '.join(_BY_NAME)}, got {name[:40]!r}")
    return _BY_NAME[name]


def _two_options(item: Item) -> str:
    if len(item.options) < 2 or len(set(item.options)) < len(item.options):
        return "needs two or more options, each once"
    strange = [one for one in (*item.passes, *item.either) if one not in item.options]
    return f"passes names {strange[0]!r}, which is none of its options" if strange else ""


def _choice(item: Item, value: Any) -> Value:
    if value not in item.options:
        raise BadFormAnswer(say("form.choose"))
    return str(value)


def _several(item: Item, value: Any) -> Value:
    if not isinstance(value, list) or any(one not in item.options for one in value) or len(set(value)) < len(value):
        raise BadFormAnswer(say("form.tick"))
    return [one for one in item.options if one in value]


def _scale_fault(item: Item) -> str:
    if not (item.low and item.high):
        return "needs words for both ends of its scale: low and high"
    return ""


def _scale(item: Item, value: Any) -> Value:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= item.points:
        raise BadFormAnswer(say("form.point", points=item.points))
    return value


def _number_fault(item: Item) -> str:
    if item.least is not None and item.most is not None and item.least >= item.most:
        return f"has least {item.least} and most {item.most}: least must be the smaller one"
    return ""


def _number(item: Item, value: Any) -> Value:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadFormAnswer(say("form.number"))
    if item.whole and value != int(value):
        raise BadFormAnswer(say("form.whole"))
    if (item.least is not None and value < item.least) or (item.most is not None and value > item.most):
        raise BadFormAnswer(_between(item))
    return int(value) if item.whole else float(value)


def _between(item: Item) -> str:
    """The range of a number in words."""
    least, most = (None if end is None else f"{end:g}" for end in (item.least, item.most))
    if least is not None and most is not None:
        return say("form.number_from_to", least=least, most=most)
    return say("form.number_from", least=least) if least is not None else say("form.number_to", most=most)


def _text(item: Item, value: Any) -> Value:
    if not isinstance(value, str) or not value.strip() or len(value) > MOST_CHARACTERS:
        raise BadFormAnswer(say("form.text", most=MOST_CHARACTERS))
    return value.strip()


def _in_range(item: Item, value: Value) -> bool:
    assert isinstance(value, int | float)
    low = -math.inf if item.passes_from is None else item.passes_from
    high = math.inf if item.passes_to is None else item.passes_to
    return low <= value <= high


def _said(item: Item, value: Value) -> bool:
    return str(value).casefold() in {one.casefold() for one in item.passes}


def _any_number(item: Item, chance: random.Random) -> Value:
    least = item.least if item.least is not None else 0.0
    most = item.most if item.most is not None else least + 40
    return int(chance.uniform(least, most)) if item.whole else round(chance.uniform(least, most), 2)


def _in_range_number(item: Item) -> Value:
    found = item.passes_from if item.passes_from is not None else item.passes_to
    assert found is not None
    return math.ceil(found) if item.whole else found


KINDS: tuple[Kind, ...] = (
    Kind(
        "choice",
        "one of several options",
        _two_options,
        _choice,
        lambda item, value: value in item.passes,
        lambda item, chance: chance.choice(item.options),
        lambda item: item.passes[0],
    ),
    Kind(
        "several",
        "any of several options",
        _two_options,
        _several,
        lambda item, value: isinstance(value, list) and set(value) - set(item.either) == set(item.passes),
        lambda item, chance: [one for one in item.options if chance.random() < 0.3],
        lambda item: [one for one in item.options if one in item.passes],
    ),
    Kind(
        "scale",
        "a point of a scale whose ends have words",
        _scale_fault,
        _scale,
        _in_range,
        lambda item, chance: chance.randint(1, item.points),
        _in_range_number,
    ),
    Kind("number", "a number, with its unit and range", _number_fault, _number, _in_range, _any_number, _in_range_number),
    Kind(
        "text",
        "words of one's own",
        lambda item: "",
        _text,
        _said,
        lambda item, chance: "(simulated)",
        lambda item: item.passes[0],
    ),
)
"""Every kind of item."""
_BY_NAME = {one.name: one for one in KINDS}
