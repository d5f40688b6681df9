"""What rules read of a row: its payload, its gold, and the words by which its question names things.

A rule that cannot read what it needs is silent: that fields are missing is told by the checks of `fields`, once.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

from annotation.auditing.check import Audited, Finding, Look, Row
from data.importers import fields
from data.importers.drafts import words_in
from data.importers.fields import FieldError

Rule = Callable[[Row], str | None]
"""A row → what is wrong with it as a sentence, or None."""
Key = tuple[str, str]
"""(category, subcategory)."""


def meta(row: Row) -> dict[str, Any]:
    """The decoded payload; empty where there is none."""
    found = row.raw.get("metadata")
    return found if isinstance(found, dict) else {}


def data_of(row: Row) -> dict[str, Any]:
    """The payload's inner part, of the kinds that have one."""
    found = meta(row).get("question_data")
    return found if isinstance(found, dict) else {}


def objects(row: Row) -> dict[str, dict[str, Any]]:
    """The payload's objects by their keys."""
    found: dict[str, dict[str, Any]] = fields.keyed(meta(row)["objects"], "objects")
    return found


def answer(row: Row) -> str:
    """The row's gold as written, in lower case and with plain blanks."""
    return plain(row.raw["answer"])


def question(row: Row) -> str:
    """The question of a row as its payload has it."""
    return str(row.raw["question"])


def plain(text: Any) -> str:
    """Lower case, "_" and runs of blanks as one blank."""
    return re.sub(r"[\s_]+", " ", str(text).strip().lower())


def names(row: Row, category: str) -> bool:
    """Whether the question names a category, as the release writes it: with "_" or blanks, also in the plural."""
    return bool(words_in(question(row), category))


def rules_by_kind(rules: dict[Key, Rule]) -> Look:
    """A check that asks every row of some kinds the rule of its kind."""

    def look(audited: Audited) -> Iterator[Finding]:
        for row, _ in audited.tasks:
            rule = rules.get(row.kind)
            if rule is not None and (said := rule(row)):
                yield Finding(row, said)

    return look


def tells(rule: Rule) -> Rule:
    """A rule that is silent about rows which do not record what it reads (also own tasks, which have no payload)."""

    @functools.wraps(rule)
    def asked(row: Row) -> str | None:
        if not row.raw:
            return None
        try:
            return rule(row)
        except (LookupError, TypeError, ValueError, AttributeError, ZeroDivisionError, FieldError):
            return None

    return asked
