"""Names that people give their files, folders, cameras and tasks: whatever a file system can hold and text can say is a name."""

from __future__ import annotations

import unicodedata

LONGEST_BYTES = 255
"""Of one name, as UTF-8: what the usual file systems hold."""


def fault(name: str) -> str:
    """Why a text is no name of a file, in words that follow "it"; empty where it is one.

    Spaces of every kind, joiners, marks of the writing direction and symbols belong to names: only what a path cannot hold, or what
    would break a line or a terminal, is refused.
    """
    if not name:
        return "is empty"
    if name in (".", ".."):
        return "means a folder, not a file"
    if "/" in name or "\\" in name:
        return "holds a slash or backslash"
    kinds = {unicodedata.category(letter) for letter in name} if not name.isascii() or not name.isprintable() else set()
    if "Cs" in kinds:
        return "is no valid text"
    if "Cc" in kinds:
        return "holds a control character"
    if len(name.encode()) > LONGEST_BYTES:
        return f"is longer than {LONGEST_BYTES} bytes"
    return ""


def same(one: str, other: str) -> bool:
    """Whether two names are written with the same letters; systems differ in how they put an accented letter together."""
    return unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)


def printed(text: object, most: int | None = 1000) -> str:
    """A text with names in it on one line, as it is written, fit to be stored and shown.

    Control characters become blanks, what is no text its code (names on disk may hold such), and the end is cut (`most` None: it is not).
    """
    words = str(text)
    if not (words.isascii() and words.isprintable()):
        words = words.encode("utf-8", "backslashreplace").decode()
        words = "".join(" " if letter in "\u2028\u2029" or unicodedata.category(letter) == "Cc" else letter for letter in words)
    return words if most is None or len(words) <= most else words[: most - 1] + "…"
