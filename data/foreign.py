"""Text that comes from outside: files of other programs, uploads, replies of models. The one place where it is read.

What is refused is refused in one sentence that says where, what, and what to do; nothing else is raised. What is read is Unicode text that
can be stored and written again.

Encodings: UTF-8, with or without a byte order mark; UTF-16 and UTF-32 with one. Where a table of another program is none of these, it may
be Windows-1252, which Excel writes in Western Europe and America: it is read so only where each byte beyond ASCII stands alone as a Western
letter or a typographic mark, and the reader is told of the guess. Other code pages (Cyrillic, Greek, Chinese, Japanese, Macintosh) put such
bytes side by side or use others; no program can tell them apart for certain, so they are refused with the way to save the file.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import re
import stat
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from data.names import printed
from data.spreadsheets import read_cell
from sim_bridge.errors import Refusal

MAX_TEXT_BYTES = 256 * 1024 * 1024
"""Largest text file read where a caller says no other limit: a table of 1,400 answers with 180,000 characters of reasoning each."""
MAX_CELL = 8 * 1024 * 1024
"""Longest cell of a table, in characters."""
MAX_DEPTH = 64
"""Nesting allowed in JSON; released rows need 12."""
SEPARATORS = ",;\t|"
"""What may stand between the cells of a table, as its header shows."""
UNKNOWN = "\N{REPLACEMENT CHARACTER}"
"""Stands for half a surrogate pair and for NUL where text is mended: neither can be stored."""

Halves = Literal["refuse", "mend", "keep"]
"""What becomes of half a surrogate pair, which JSON can write and no text can hold: ``keep`` leaves it to the caller's own checks."""

# The module's own limit is `MAX_CELL`, asked of every cell; Python's would end the reading of the whole table.
csv.field_size_limit(MAX_TEXT_BYTES)

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PACKED = (
    (b"PK\x03\x04", "a packed file or an Excel workbook"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"\x1f\x8b", "a gzip file"),
    (b"PAR1", "a Parquet file"),
    (b"%PDF", "a PDF"),
)
_HOW = "save it as UTF-8 (in Excel: “CSV UTF-8”)"
_WESTERN = "".join(map(chr, range(0xC0, 0x100))).replace("×", "").replace("÷", "")
_MARKS_1252 = "€‚„…‘’“”•–—™¡£§©ª«®°±¹²³´µ·º»¼½¾¿×÷\xa0"
_FOREIGN_RUN = re.compile(
    rf"[{_WESTERN}]{{2,}}|(?<=\w)[‚„]|(?<=\w)[…•](?=\w)|[^\x00-\x7f]{{5,}}|[^\x00-\x7f{_WESTERN}{re.escape(_MARKS_1252)}]"
)
"""Two letters side by side, marks where no word has them (DOS accents), longer runs, what is no Western letter or typographic mark."""
_BEYOND_ASCII = re.compile("[^\x00-\x7f]+")
_PAIRS = re.compile("éé|ää|öö|üü|[äöü]ß|ç[ãõ]", re.IGNORECASE)
"""Letters that do stand side by side in Western words: créée, Ääni, größer, posição."""
_HALF = re.compile("[\ud800-\udfff]")
_HALF_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
_NO_BRACKETS = bytes(b for b in range(256) if b not in b"[]{}")
_LINE_END = re.compile(r"\r\n|\n|\r")


class Unreadable(Refusal):
    """Text from outside that cannot be read. The message is a sentence about the file, without its name: ``Is empty.``"""

    code = "unreadable"

    @property
    def reason(self) -> str:
        """The sentence."""
        return str(self)

    @property
    def clause(self) -> str:
        """The same behind a colon: ``it is empty.``"""
        return f"it {self.reason[:1].lower()}{self.reason[1:]}"


@dataclass(frozen=True)
class Decoded:
    """Text, and what had to be assumed to read it."""

    text: str
    note: str = ""
    """A sentence for whoever imports it; empty: nothing was assumed."""


@dataclass(frozen=True)
class Table:
    """A table of another program."""

    columns: tuple[str, ...]
    """Names in its header, in lower case, with one underline for spaces and hyphens inside."""
    rows: Iterator[tuple[int, dict[str, str] | Unreadable]]
    """(line of the file where the row begins, its cells by column, or why it cannot be read)."""
    notes: list[str] = field(default_factory=list)
    """What had to be assumed; whole when the rows have been read."""


def file_bytes(path: Path, limit: int = MAX_TEXT_BYTES) -> bytes:
    """A whole file.

    Args:
        path: the file; a pipe or a device is refused, since it could block.
        limit: most bytes.

    Raises:
        Unreadable: no regular file, too large, or the system refuses.
    """
    try:
        status = os.stat(path)  # noqa: PTH116 - a name with a NUL must raise ValueError here, not later
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable("Is no regular file.")
        if status.st_size > limit:
            raise _too_large(status.st_size, limit)
        with path.open("rb") as handle:
            data = handle.read(limit + 1)
    except OSError as error:
        raise Unreadable(f"Cannot be read: {error.strerror or error}.") from None
    except ValueError:
        raise Unreadable("Has a name that is no file name.") from None
    if len(data) > limit:
        raise _too_large(len(data), limit)
    return data


def _too_large(size: int, limit: int) -> Unreadable:
    return Unreadable(f"Is too large: {size / 2**20:.0f} MiB, at most {limit // 2**20} MiB are read.")


def decoded(data: bytes, *, only_utf8: bool = False, guess: bool = False) -> Decoded:
    """The text of a file.

    Args:
        data: its bytes.
        only_utf8: UTF-16 and UTF-32 are refused even with a byte order mark, where a format knows UTF-8 alone.
        guess: Windows-1252 is read where it can be nothing else that is common (see the module); the note says so.

    Raises:
        Unreadable: no text, or in an encoding that cannot be known.
    """
    for start, what in _PACKED:
        if data.startswith(start):
            raise Unreadable(f"Is {what}, no text: unpack it, or {_HOW}.")
    for mark, name in _MARKS:
        if data.startswith(mark):
            if only_utf8 and name != "utf-8":
                raise Unreadable("Is UTF-16 or UTF-32 text; it must be UTF-8.")
            try:
                return Decoded(data[len(mark) :].decode(name))
            except UnicodeDecodeError as error:
                where = len(mark) + error.start
                raise Unreadable(f"Begins as {name.upper()} text and is none (byte {where}): it was cut off or damaged; {_HOW}.") from None
    if data[:4].count(0) >= 2:
        raise Unreadable(f"Is UTF-16 or UTF-32 text without a byte order mark; it must be UTF-8: {_HOW}.")
    try:
        return Decoded(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        at, line = error.start, data.count(b"\n", 0, error.start) + 1
    if guess and (text := _western(data)) is not None:
        return Decoded(text, f"It is no UTF-8 text (line {line}): it was read as Windows-1252, which is a guess. Look at its accents.")
    raise Unreadable(f"Is no UTF-8 text (byte {at}, line {line}): {_HOW}.") from None


def _western(data: bytes) -> str | None:
    """The text, where the bytes are plausibly Windows-1252 and nothing else that is common."""
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    # a page of words has a few dozen of these, however often
    runs = {text[max(0, found.start() - 1) : found.end() + 1] for found in _BEYOND_ASCII.finditer(text)}
    return None if any(_FOREIGN_RUN.search(_PAIRS.sub("", run)) for run in runs) else text


def text_file(path: Path, limit: int = MAX_TEXT_BYTES, *, guess: bool = False) -> Decoded:
    """The text of a file: `file_bytes`, `decoded`."""
    return decoded(file_bytes(path, limit), guess=guess)


# JSON


def json_value(data: bytes | str, *, nan: Literal["refuse", "null"] = "refuse", halves: Halves = "refuse", only_utf8: bool = False) -> Any:
    """A JSON value: no repeated keys, bounded depth, numbers that can be read.

    Args:
        data: bytes of a whole file, or text.
        nan: what becomes of NaN and infinities, which are no JSON but which pandas and numpy write.
        halves: what becomes of half a surrogate pair.
        only_utf8: as `decoded`.

    Raises:
        Unreadable: saying what and where.
    """
    if not data.strip():
        raise Unreadable("Is empty.")
    text = data if isinstance(data, str) else decoded(data, only_utf8=only_utf8).text

    def constant(word: str) -> None:
        if nan == "refuse":
            raise Unreadable(f"Holds {word}, which is no JSON number.")

    try:
        value = json.loads(text, parse_constant=constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise Unreadable(f"Is no JSON: {error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise Unreadable(f"Nests deeper than {MAX_DEPTH} levels.") from None
    except ValueError as error:  # an integer of more than 4,300 digits
        raise Unreadable(f"Holds a number that cannot be read: {error}.") from None
    if _seems_deep(text) and _deep(value):
        raise Unreadable(f"Nests deeper than {MAX_DEPTH} levels.")
    if halves != "keep" and (_HALF_ESCAPED.search(text) or _HALF.search(text)):
        return _whole(value, halves)
    return value


def json_file(path: Path, limit: int = MAX_TEXT_BYTES, *, nan: Literal["refuse", "null"] = "refuse", halves: Halves = "refuse") -> Any:
    """The JSON value of a file: `file_bytes`, `json_value`."""
    return json_value(file_bytes(path, limit), nan=nan, halves=halves)


def json_lines(text: str, *, nan: Literal["refuse", "null"] = "refuse", halves: Halves = "refuse") -> Iterator[tuple[int, Any]]:
    """One JSON value a line; empty lines are passed over.

    Yields:
        (line, the value, or `Unreadable` for a line that holds none).
    """
    for number, line in enumerate(_LINE_END.split(text), start=1):
        if line.strip():
            try:
                yield number, json_value(line, nan=nan, halves=halves)
            except Unreadable as error:
                yield number, Unreadable(error.reason.replace(" at line 1, column ", " at column "))


def _seems_deep(valid_json: str) -> bool:
    """Whether lists and objects may nest deeper than `MAX_DEPTH`: by the brackets alone, because walking every number of a row is ten times
    slower. Brackets inside texts count too, so that `_deep` must look."""
    if valid_json.count("[") + valid_json.count("{") <= MAX_DEPTH:
        return False
    brackets = valid_json.encode("ascii", "replace").translate(None, _NO_BRACKETS)
    for _ in range(MAX_DEPTH):  # each pass removes the innermost level
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return bool(brackets)


def _deep(value: Any) -> bool:
    """Whether lists and objects nest deeper than `MAX_DEPTH`."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [part for one in level if isinstance(one, (list, dict)) for part in (one.values() if isinstance(one, dict) else one)]
        if not level:
            return False
    return any(isinstance(one, (list, dict)) for one in level)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        names = [k for k, _ in pairs]
        twice = next(k for k in names if names.count(k) > 1)
        raise Unreadable(f"Names the key {printed(twice)[:60]!r} twice in one object.")
    return record


def _whole(value: Any, halves: Halves) -> Any:
    """The value with halves of surrogate pairs mended, or refused where there are any; its depth is bounded already."""
    if isinstance(value, str) and _HALF.search(value):
        if halves == "refuse":
            raise Unreadable("Holds half a surrogate pair, which is no text.")
        return _HALF.sub(UNKNOWN, value)
    if isinstance(value, list):
        return [_whole(part, halves) for part in value]
    if isinstance(value, dict):
        return {_whole(name, halves): _whole(part, halves) for name, part in value.items()}
    return value


# TOML


def toml_file(path: Path, limit: int = MAX_TEXT_BYTES) -> dict[str, Any]:
    """The tables of a TOML file.

    Raises:
        Unreadable: saying what and where.
    """
    text = text_file(path, limit).text
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise Unreadable("Is nested too deeply.") from None
    except ValueError as error:
        raise Unreadable(f"Is no TOML: {error}.") from None


# tables


def table(data: bytes, *, wanted: Collection[str]) -> Table:
    """A table as spreadsheets and programs write it, separated by commas, semicolons, tabs or bars.

    The separator is the one that makes most of the `wanted` columns in the header; a first line ``sep=;`` (Excel) decides. An apostrophe
    that stands before a formula, as our own exports write it, is taken off.

    Args:
        data: the file.
        wanted: names of columns that the caller knows, in lower case.

    Raises:
        Unreadable: no text, no header, or a column is named twice.
    """
    read = decoded(data, guess=True)
    text, told = read.text.lstrip("\ufeff"), ""
    if found := re.match(r"(?i)[\"']?sep=(.)[\"']?(?:\r\n|\n|\r)", text):
        told, text = found[1], text[found.end() :]
    skipped = 1 if told else 0
    if not text.strip():
        raise Unreadable("Is empty.")
    made = [(mark, _header(text, mark)) for mark in (told or SEPARATORS)]
    separator, columns = max(made, key=lambda one: (len(set(one[1]) & set(wanted)), len(one[1])))
    twice = next((name for name in columns if name and columns.count(name) > 1), None)
    if twice is not None:
        raise Unreadable(f"Names the column {twice[:60]!r} twice in its header.")
    notes = [read.note] if read.note else []
    return Table(tuple(columns), _rows(text, separator, columns, skipped, notes), notes)


def _header(text: str, separator: str) -> list[str]:
    try:
        cells: list[str] = next(_reader(text, separator), [])
    except csv.Error:
        return []
    return [re.sub(r"[\s-]+", "_", cell.strip().lower()) for cell in cells]


def _reader(text: str, separator: str) -> Any:
    # newline="" leaves line ends inside cells as they are; strict, so that a file cut off inside quotation marks is noticed
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)


def _rows(
    text: str, separator: str, columns: list[str], skipped: int, notes: list[str]
) -> Iterator[tuple[int, dict[str, str] | Unreadable]]:
    reader, first, mended = _reader(text, separator), True, 0
    cells: list[str] | None
    while True:
        line = reader.line_num + 1 + skipped
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield line, _not_a_row(error)
            continue
        if cells is None:
            break
        if first or not any(cell.strip() for cell in cells):
            first = False
            continue
        if len(cells) > len(columns) and any(cells[len(columns) :]):
            yield (
                line,
                Unreadable(f"Has {len(cells)} cells, the header {len(columns)}: a cell with {separator!r} in it needs quotation marks."),
            )
            continue
        if any(len(cell) > MAX_CELL for cell in cells):
            yield line, Unreadable(f"Has a cell of more than {MAX_CELL:,} characters.")
            continue
        mended += sum(cell.count("\0") for cell in cells)
        yield line, {name: _cell(cell) for name, cell in zip(columns, cells, strict=False) if name}
    if mended:
        notes.append(f"It holds NUL characters ({mended}), which are no text: they were read as {UNKNOWN}.")


def _cell(cell: str) -> str:
    return read_cell(cell).replace("\0", UNKNOWN)


def _not_a_row(error: csv.Error) -> Unreadable:
    if "unexpected end" in str(error):
        return Unreadable("Begins quotation marks that are never closed: the file was cut off, or a mark inside a cell is not doubled.")
    return Unreadable(f"Is no row: {error}; a quotation mark inside a cell must be doubled.")
