"""Text of other programs: read where it can be known, refused in one sentence otherwise, and never by another reader."""

from __future__ import annotations

import ast
import csv
import io
import json
from pathlib import Path

import pandas as pd
import pytest

import app
from data import foreign
from data.foreign import UNKNOWN as GAP
from data.foreign import Unreadable, decoded, json_lines, json_value, table
from tests.sources import nodes

ROOT = Path(app.__file__).parents[1]
WANTED = ("item_id", "model", "answer", "raw")


def rows(data: bytes) -> list[dict[str, str]]:
    found = list(table(data, wanted=WANTED).rows)
    assert not [row for _, row in found if isinstance(row, Unreadable)], found
    return [row for _, row in found if isinstance(row, dict)]


def refused(data: bytes) -> list[tuple[int, str]]:
    return [(line, row.reason) for line, row in table(data, wanted=WANTED).rows if isinstance(row, Unreadable)]


WORDS = "Größe: „Ääni“, créée à gauche, posição — 5 €"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-mark", "utf-16-be-mark", "utf-32", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_a_table_is_read_in_every_encoding_separator_and_line_end_that_programs_write(encoding: str, separator: str, end: str) -> None:
    text = separator.join(("Item_ID", "Model", "raw")) + end + separator.join(("qa_1", "m", f'"{WORDS}{end}Answer: B"')) + end
    marks = {"utf-16-le-mark": b"\xff\xfe", "utf-16-be-mark": b"\xfe\xff"}
    data = marks.get(encoding, b"") + text.encode(encoding.removesuffix("-mark"))
    read = table(data, wanted=WANTED)
    [(line, row)] = read.rows
    assert line == 2 and row == {"item_id": "qa_1", "model": "m", "raw": f"{WORDS}{end}Answer: B"}
    assert bool(read.notes) == (encoding == "cp1252")
    assert not read.notes or "guess" in read.notes[0]


@pytest.mark.parametrize(
    "options", [{}, {"sep": ";"}, {"encoding": "utf-16", "sep": "\t"}, {"encoding": "utf-8-sig"}, {"quoting": csv.QUOTE_ALL}]
)
def test_what_pandas_writes_comes_back(options: dict[str, object], tmp_path: Path) -> None:
    table_of = pd.DataFrame({"item_id": ["a", "b"], "model": ["m,1", 'm"2'], "raw": ["line\nAnswer: A", "箱 é 😄; x\ty"]})
    table_of.to_csv(tmp_path / "x.csv", **options)
    assert [(row["item_id"], row["model"], row["raw"]) for row in rows((tmp_path / "x.csv").read_bytes())] == [
        tuple(row) for row in table_of.to_numpy()
    ]


@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        ("коробка слева", "cp1251"), ("το κουτί", "cp1253"), ("箱は左", "shift_jis"), ("ア", "shift_jis"), ("盒子在左边", "gbk"),
        ("상자", "euc_kr"), ("箱は左", "euc_jp"), ("café à gauche", "mac_roman"), ("žluťoučký kůň", "cp1250"), ("café", "cp850"),
    ],
)  # fmt: skip
def test_what_may_be_another_code_page_is_refused_with_the_way_to_save_it(words: str, encoding: str) -> None:
    with pytest.raises(Unreadable, match=r"Is no UTF-8 text \(byte 20, line 2\)|line 2.*save it as UTF-8"):
        table(f"item_id,model,raw\nx,{words}\n".encode(encoding), wanted=WANTED)


def test_a_first_line_of_excel_decides_the_separator_and_lines_are_counted_with_it() -> None:
    read = table(b"sep=;\r\nitem_id;model;raw\r\nx;m,1;Answer: A, B\r\n", wanted=WANTED)
    assert list(read.rows) == [(3, {"item_id": "x", "model": "m,1", "raw": "Answer: A, B"})]
    assert table(b" Item ID ,Model\nx,m\n", wanted=WANTED).columns == ("item_id", "model")


def test_a_cell_may_be_long_and_a_longer_one_costs_its_row_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(rows(b"item_id,model,raw\nx,m," + b"t" * 3_000_000 + b"\n")[0]["raw"]) == 3_000_000
    monkeypatch.setattr(foreign, "MAX_CELL", 10)
    assert refused(b"item_id,model,raw\nx,m," + b"t" * 11 + b"\ny,m,z\n") == [(2, "Has a cell of more than 10 characters.")]


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"item_id,model,raw\na,m,x\nb,m,one, two\n", 3, "4 cells, the header 3"),
        (b'item_id,model,raw\na,m,"x\n\nb,m,y\n', 2, "never closed"),
        (b'item_id,model,raw\na,m,"x"y\nb,m,z\n', 2, "must be doubled"),
    ],
)
def test_a_row_that_is_none_is_named_by_its_line(data: bytes, line: int, words: str) -> None:
    [(where, why)] = refused(data)
    assert where == line and words in why


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"), (b"\xef\xbb\xbf", "empty"), (b"sep=;\r\n", "empty"), (b"item_id,model,Model\nx,y,z\n", "'model' twice"),
        (b"PK\x03\x04rest", "Excel workbook"), (b"\xff\xfea", "cut off"), ("item_id,model".encode("utf-16-le"), "byte order mark"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table_is_refused_in_a_sentence(data: bytes, words: str) -> None:
    with pytest.raises(Unreadable, match=words) as caught:
        table(data, wanted=WANTED)
    assert str(caught.value).endswith((".", ").")) and "\n" not in str(caught.value)


def test_nul_is_no_text_and_is_told() -> None:
    read = table(b"item_id,model,raw\nx,m,a\0b\n", wanted=WANTED)
    assert [row for _, row in read.rows] == [{"item_id": "x", "model": "m", "raw": f"a{GAP}b"}]
    assert "NUL" in read.notes[0]


def test_what_our_own_tables_escape_is_read_as_it_was() -> None:
    from data.spreadsheets import csv_cell

    texts = ["=1+1", "-- no", "@x", "+", "'quoted'", "  =2", "\t", "plain", "'=kept", "\u00a0=1", "＝1", "''-", "\ufeff@"]
    out = io.StringIO()
    csv.writer(out).writerows([["item_id", "model", "raw"], *(["x", "m", csv_cell(text)] for text in texts)])
    assert [row["raw"] for row in rows(out.getvalue().encode())] == texts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"), ("[" * 5_000, "levels"), ("[" * 200 + "]" * 200, "levels"), ('{"a":1,"a":2}', "twice"), ("NaN", "NaN"),
        ('"\\ud83d"', "half a surrogate"), ('{"\\ude00":1}', "half a surrogate"), ("9" * 5000, "number"), ('{"a":}', "line 1, column 6"),
        ('{"a": "\n"}', "line 1"),
    ],
)  # fmt: skip
def test_json_that_is_none_is_refused_in_a_sentence(text: str, words: str) -> None:
    with pytest.raises(Unreadable, match=words) as caught:
        json_value(text)
    assert str(caught.value).endswith(".") and str(caught.value).isprintable()
    str(caught.value).encode()


def test_brackets_in_texts_are_no_nesting() -> None:
    text = json.dumps({"raw": "[" * 500 + "{" * 300})
    assert json_value(text)["raw"].startswith("[[")
    for deep, fine in ((64, True), (66, False)):
        nested = "[" * deep + "]" * deep
        if fine:
            assert json_value(nested)
        else:
            with pytest.raises(Unreadable, match="deeper than 64"):
                json_value(nested)


def test_json_is_mended_only_where_it_is_asked() -> None:
    text = '{"raw": "bad \\ud83d half", "score": NaN, "\\udc00": ["\\ud83d\\ude00"]}'
    assert json_value(text, nan="null", halves="mend") == {"raw": f"bad {GAP} half", "score": None, GAP: ["😀"]}
    assert json_value('"\\ud83d"', halves="keep") == "\ud83d"


def test_each_line_of_json_stands_for_itself_and_only_line_ends_end_one() -> None:
    lines = list(json_lines('{"a": "x\u2028y\x85z"}\r\n\n{"a": }\n{"b": 1}'))
    assert lines[0] == (1, {"a": "x\u2028y\x85z"}) and lines[2] == (4, {"b": 1})
    assert lines[1][0] == 3 and "column 7" in str(lines[1][1])


def test_pipes_folders_and_large_files_are_not_read(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "big").write_bytes(b"x" * 11)
    for name, words in (("pipe", "regular"), (".", "regular"), ("big", "too large"), ("none", "No such file"), ("a\0", "file name")):
        with pytest.raises(Unreadable, match=words):
            foreign.file_bytes(tmp_path / name, 10)


def test_every_byte_order_mark_alone_is_text_without_words() -> None:
    for mark, _ in foreign._MARKS:
        assert decoded(mark).text == ""


OWN = {
    "data/foreign.py": "the reader itself",
    "data/disks.py": "the system's list of mounts",
    "app/beside.py": "locks of this program",
    "app/components/__init__.py": "shipped files",
    "app/bodies.py": "bodies of requests, bounded where their types are declared",
    "app/streamlit_seam/shell.py": "Streamlit's shipped page",
    "app/pages/qa_parts.py": "a shipped style",
    "app/theme/__init__.py": "shipped styles",
    "data/abilities.py": "what a subprocess of this program printed",
    "data/generators/registry.py": "shipped task files",
    "data/jobs.py": "logs and rows of this program",
    "annotation/verifying/guides.py": "shipped texts",
    "annotation/auditing/checks/geometry.py": "golds of rows that an importer has read",
    "annotation/verifying/simulate.py": "what this program has written into its own row",
    "app/staff_api.py": "findings of an audit that this program has written",
    "study/labels/shown.py": "beliefs that the store keeps",
    "app/verify_api.py": "drafts and votes that the store keeps",
    "app/adjudicate_api.py": "the draft of an adjudicator, as this store keeps it",
    "study/analysis/report/page.py": "shipped scripts and styles",
    "study/demo.py": "links that this program wrote",
    "study/protocol.py": "protocols that the store keeps",
    "study/erasure.py": "the ledger that this program wrote",
    "data/rows.py": "columns that this program wrote",
    "data/task.py": "documents of the store; files of people are bounded before",
}
"""Files that read text of this program itself."""
COLUMN = ("row[", "row.", "answer.", "belief.", "held[", "last.", "self.", "record.", "done[", "argv", "actions", "stored.", "written[")
"""What a column of the database is called where it is decoded."""
READERS = {"json.loads", "json.load", "tomllib.loads", "tomllib.load", "csv.reader", "csv.DictReader", "msgspec.json.decode"}
READING = {name.rpartition(".")[2] for name in READERS} | {"read_text", "open"}


def test_no_other_module_reads_foreign_text() -> None:
    found = []
    for package in ("data", "study", "annotation", "app"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if name in OWN:
                continue
            for node in nodes(path):
                # to write the call out takes long
                if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in READING:
                    continue
                called, given = ast.unparse(node.func), ast.unparse(node.args[0]) if node.args else ""
                if called in READERS and not given.startswith(COLUMN):
                    found.append(f"{name}:{node.lineno} {called}({given})")
                elif "__file__" in called:
                    continue  # what is shipped with the program
                elif called.endswith(".read_text") or (called.endswith(".open") and given in ("", "'r'", "'rt'") and "path" in called):
                    found.append(f"{name}:{node.lineno} {called}")
    assert found == []


def test_the_scan_can_fail() -> None:
    assert "json.loads" in READERS and json.loads("1") == 1
    assert set(OWN) == {name for name in OWN if (ROOT / name).is_file()}
