"""What is wrong with settings, in the words of their reader: neither types of the program nor values as it writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

LONGEST = 60
"""Characters of a value that are said again."""

_WORDS: Mapping[str, str] = {
    "greater_than_equal": "it has to be {ge} or more",
    "greater_than": "it has to be more than {gt}",
    "less_than_equal": "it has to be {le} or less",
    "less_than": "it has to be less than {lt}",
    "int_parsing": "it has to be a whole number",
    "int_type": "it has to be a whole number",
    "int_from_float": "it has to be a whole number",
    "float_parsing": "it has to be a number",
    "float_type": "it has to be a number",
    "decimal_parsing": "it has to be an amount such as 9.50",
    "decimal_type": "it has to be an amount such as 9.50",
    "decimal_max_places": "it has {decimal_places} decimals at most",
    "decimal_max_digits": "it has {max_digits} digits at most",
    "decimal_whole_digits": "it has {whole_digits} digits before the point at most",
    "string_too_long": "it has {max_length} characters at most",
    "string_type": "it has to be a text",
    "literal_error": "it has to be one of {expected}",
    "bool_parsing": "it has to be yes or no (true or false)",
    "bool_type": "it has to be yes or no (true or false)",
    "date_parsing": "it has to be a day such as 2026-03-31",
    "date_from_datetime_parsing": "it has to be a day such as 2026-03-31",
    "date_type": "it has to be a day such as 2026-03-31",
    "missing": "it is missing",
}
"""Pydantic's name of an error → what it means; what stands in braces is the error's own."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong."""

    where: str
    """The setting, as a settings file has it: ``protocol.budget``; of a rule over several of them, what they are in, or empty."""
    says: str
    """A clause that follows the setting's name; a whole sentence's words where it is a rule over several."""
    got: str = ""
    """The value, where it is short and one; empty: it is not said."""

    def sentence(self, called: str = "") -> str:
        """The fault in one sentence.

        Args:
            called: what the setting is called for this reader; empty: as a settings file has it.
        """
        name = called or self.where
        got = f", got “{self.got}”" if self.got else ""
        begin = f"{name}: {self.says}" if name else f"{self.says[:1].upper()}{self.says[1:]}"
        return f"{begin}{got}."


def faults(error: ValidationError) -> tuple[Fault, ...]:
    """All that a model refused."""
    return tuple(_fault(one) for one in error.errors())


def _fault(one: Any) -> Fault:
    where = ".".join(map(str, one["loc"]))
    if one["type"] == "extra_forbidden":
        return Fault("", f"there is no setting {where}")
    context = {name: value for name, value in one.get("ctx", {}).items() if name != "error"}
    words = _WORDS.get(one["type"])
    if words is not None:
        says = words.format(**context).replace("'", "").replace("one of , ", "one of ")
    else:
        says = one["msg"].removeprefix("Value error, ").rstrip(".")
        says = f"{says[:1].lower()}{says[1:]}"
    value = one["input"]
    plain = isinstance(value, (str, int, float)) and not isinstance(value, bool)
    text = str(value) if plain else ""
    return Fault(where, says, text if len(text) <= LONGEST else f"{text[:LONGEST]}…")
