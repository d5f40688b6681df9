"""What we write for spreadsheets, and how it is read again: CSV that Excel opens as it is, and in which no cell is a formula."""

from __future__ import annotations

import re
from typing import Any

ENCODING = "utf-8-sig"
"""Encoding of every CSV that people open: without the byte order mark Excel takes UTF-8 for the computer's own code page."""

STARTS = "=+-@＝＋－＠"
"""Signs with which a formula begins."""
_BLANK = "".join(map(chr, (*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x2010), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF)))
"""What a spreadsheet may pass over before it looks for one."""
LOOKED_AT = frozenset(STARTS + _BLANK + "'")
"""First letters of texts that may have to be escaped."""
_FORMULA = re.compile(rf"'*(?:[{re.escape(_BLANK)}]*[{re.escape(STARTS)}]|[\t\r\n])")
_WORDS = {None: "", True: "true", False: "false"}


def csv_cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: a text that begins as one, or with a tab or line break, gets an apostrophe before."""
    if isinstance(value, str) and _FORMULA.match(value):
        return "'" + value
    return _WORDS.get(value, value) if value is None or isinstance(value, bool) else value


def read_cell(cell: str) -> str:
    """The text that `csv_cell` made this cell of."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
