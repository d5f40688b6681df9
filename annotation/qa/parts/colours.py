"""The seven colours of marks: names, keys, and colour words in texts. How they look: `annotation.qa.drawn.marks_style`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

Colour = Literal["red", "yellow", "green", "blue", "pink", "purple", "orange"]
COLOURS: tuple[Colour, ...] = ("red", "yellow", "green", "blue", "pink", "purple", "orange")
"""All colours, in the order of their keys 1 to 7."""
STANDARD: tuple[Colour, ...] = COLOURS[:5]
"""The five colours of a question with five marks."""
CANDIDATES: tuple[Colour, ...] = COLOURS[1:]
"""Colours of candidate boxes where red marks the reference."""
_WORD = re.compile(r"\b(" + "|".join(COLOURS) + r")\b", re.IGNORECASE)


def named(text: str) -> list[str]:
    """The colours that a text names, in order, repeats included."""
    return [word.lower() for word in _WORD.findall(text)]


def recolour(text: str, mapping: Mapping[str, str]) -> str:
    """The text with every colour word replaced by `mapping` (at once, so that colours can be exchanged); capitals stay.

    Example:
        >>> recolour("The Red box, not the blue one", {"red": "blue", "blue": "red"})
        'The Blue box, not the red one'
    """

    def new(match: re.Match[str]) -> str:
        word = match[0]
        other = mapping.get(word.lower(), word.lower())
        return other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other

    return _WORD.sub(new, text)
