"""No language: English with every letter accented, each text in brackets, and longer by a third, as other languages are.

What still reads as plain English on a page does not come from the catalogue, and what ends without its bracket is cut off.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from study.wordings import english

NAME: str = "⟦Ƥşḗŭḓǿ⟧"
LETTERS = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "àƀçḓḗƒǵħĭĵķŀḿńǿƥɋřşŧŭṽẇẋẏẑÀƁÇḒḖƑǴĦĬĴĶĿḾŃǾƤɊŘŞŦŬṼẆẊẎẐ",
)
"""Each letter of English, and the one that stands for it here."""
LONGER = 3
"""One more sign for every third of the English ones: translations of short texts grow by so much at least."""


def pseudo(text: str) -> str:
    """`text` as it reads in the pseudo-language; places for values stay.

    Example:
        >>> pseudo("Task {number}")
        '⟦Ŧàşķ {number}~~⟧'
    """
    parts = re.split(r"(\{\w+\})", text)
    letters = "".join(part if index % 2 else part.translate(LETTERS) for index, part in enumerate(parts))
    count = sum(len(part) for part in parts[::2])
    return f"⟦{letters}{'~' * (count // LONGER)}⟧"


TEXTS: Mapping[str, str] = {key: pseudo(text) for key, text in english.TEXTS.items()}
