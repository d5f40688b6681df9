"""Reading what is audited, running checks over it, and the report."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from annotation.auditing.reading import read_path
from annotation.auditing.registry import checks
from annotation.auditing.report import lines, summary, where_in_words
from annotation.auditing.running import audit, chosen
from app.cli import main
from tests.annotation.auditing.rows import released, write


def test_a_folder_of_mixed_broken_and_foreign_files_is_told_and_never_raises(tmp_path: Path) -> None:
    write(tmp_path / "a.json", released("0001"))
    write(tmp_path / "copy.json", released("0002"))
    (tmp_path / "broken.json").write_text('{"id": "0003", "question":', encoding="utf-8")
    (tmp_path / "list.json").write_text("[1, 2]", encoding="utf-8")
    (tmp_path / "package.json").write_text('{"name": "x", "version": "1"}', encoding="utf-8")
    (tmp_path / "sum.json").write_text('{"json_paths": ["a.json"]}', encoding="utf-8")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00\x01")
    (tmp_path / "picture.png").write_bytes(b"x")
    write(tmp_path / "half.json", {"id": "0009", "question": "What?", "answer": "this"})
    audited = read_path(tmp_path)
    assert [row.row_id for row in audited.rows if row.task] == ["0001", "0002"]
    assert {row.file for row in audited.rows if row.rejected} == {"broken.json", "binary.json", "half.json"}
    assert set(audited.others) == {"list.json", "package.json", "sum.json", "*.png"}
    report = audit(audited, chosen())
    found = summary(report)
    assert found["rows"] == 5
    assert [entry["id"] for entry in found["checks"]] == [c.id for c in checks().values() if c.needs == "rows"]
    exact = next(entry for entry in found["checks"] if entry["id"] == "duplicate-exact")
    assert (exact["rows"], exact["severity"], exact["examples"][0]["row_id"]) == (1, "error", "0002")
    assert all(set(line) == {"row_id", "file", "check_id", "evidence"} for line in lines(report))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "Is empty."),
        (b'{"id": "0003", "question": "Wha', "Is no JSON: Unterminated string starting at line 1, column 28."),
        ("{}".encode("utf-16"), "Is UTF-16 or UTF-32 text; it must be UTF-8."),
        (b'{"id": NaN}', "Holds NaN, which is no JSON number."),
        (b"[" * 10_000 + b"]" * 10_000, "Nests deeper than 64 levels."),
        (b'{"id": "1", "id": "2"}', "Names the key 'id' twice in one object."),
        (b"\x89PNG\r\n\x1a\n\xff\x00", "Is no UTF-8 text (byte 0, line 1)"),
        (b'{"task_id": "own-1", "scene": {}, "schema_version": 9}', "Is no task: schema_version: this program reads 1 and 2, got 9"),
        (b'{"task_id": "own-1", "scene": {}, "gold": 5}', "Is no task: category: Field required."),
    ],
)
def test_a_broken_file_is_one_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "broken.json").write_bytes(content)
    [row] = read_path(tmp_path).rows
    assert row.rejected.startswith(said) and "\n" not in row.rejected, row.rejected


def test_a_pipe_and_a_link_to_nowhere_do_not_hold_the_audit_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / "round").symlink_to(tmp_path)
    told = {row.file: row.rejected for row in read_path(tmp_path).rows}
    assert told == {"gone.json": "Cannot be read: No such file or directory.", "pipe.json": "Is no regular file."}


def test_a_folder_without_rows_says_that_nothing_was_audited(tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_text("Hello", encoding="utf-8")
    told = CliRunner().invoke(main, ["audit", str(tmp_path)])
    assert told.exit_code == 0 and "Nothing was audited: there is no released row and no own task here." in told.output


def test_the_command_prints_the_summary_and_writes_a_line_for_every_finding(tmp_path: Path) -> None:
    write(tmp_path / "set" / "a.json", released("0001"))
    write(tmp_path / "set" / "b.json", released("0002"))
    out = tmp_path / "findings.jsonl"
    done = CliRunner().invoke(main, ["audit", str(tmp_path / "set"), "--json", "--out", str(out)])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["rows"] == 2
    assert [(line["category"], line["n"]) for line in found["balance"]] == [("Spatial Relations", 2), ("", 2)]
    text = CliRunner().invoke(main, ["audit", str(tmp_path / "set")]).output
    assert "option places" in text and "Mean of the categories" in text
    assert found["subcategories"]["duplicate-exact"] == [["Spatial Relations", "Linear Alignment", 1]]
    assert re.search(r"duplicate-exact\n +in: Linear Alignment 1\n", text)
    assert where_in_words([["A", "Size", 2], ["B", "Size", 1], ["B", "Line", 1]]) == "A: Size 2, B: Size 1, Line 1"
    written = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert {"row_id": "0002", "file": "b.json"}.items() <= next(w for w in written if w["check_id"] == "duplicate-exact").items()


def test_one_check_alone_and_an_unknown_one(tmp_path: Path) -> None:
    write(tmp_path / "a.json", released("0001"))
    alone = CliRunner().invoke(main, ["audit", str(tmp_path), "--json", "--check", "duplicate-id"])
    assert [entry["id"] for entry in json.loads(alone.stdout)["checks"]] == ["duplicate-id"]
    unknown = CliRunner().invoke(main, ["audit", str(tmp_path), "--check", "no-such"])
    assert unknown.exit_code == 2
    assert "No check is called 'no-such'" in unknown.output
    nothing = CliRunner().invoke(main, ["audit"])
    assert "Name one thing to audit" in nothing.output


def test_every_check_says_what_it_is() -> None:
    for check in checks().values():
        assert check.about.endswith(".") and check.fix.endswith("."), check.id
        assert check.id == check.id.lower() and " " not in check.id


THEIRS = """
from annotation.auditing.check import Check, Finding

def shouted(audited):
    for row, task in audited.tasks:
        yield Finding(row, f"It asks {len(task.question.text)} characters.")

CHECKS = (Check(id="their-check", severity="note", about="Long questions.", fix="Ask less.", look=shouted),)
TWICE = (Check(id="duplicate-id", severity="note", about="Long questions.", fix="Ask less.", look=shouted),)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """A package of others is installed, whose entry point names what is given."""

    def install(value: str) -> None:
        site = tmp_path / "site"
        write_text = {
            "their_checks.py": THEIRS,
            "their_checks-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: their-checks\nVersion: 1.0\n",
            "their_checks-1.0.dist-info/entry_points.txt": f"[vantage.audit]\nmine = {value}\n",
        }
        for name, text in write_text.items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(site)

    yield install
    sys.modules.pop("their_checks", None)


def test_a_check_of_an_installed_package_is_found_listed_and_run(tmp_path: Path, installed: Callable[[str], None]) -> None:
    write(tmp_path / "set" / "a.json", released("0001"))
    installed("their_checks:CHECKS")
    assert list(checks())[-1] == "their-check"
    listed = CliRunner().invoke(main, ["audit", "--list"])
    assert "their-check" in listed.output and "Long questions." in listed.output
    done = CliRunner().invoke(main, ["audit", str(tmp_path / "set"), "--json"])
    entry = json.loads(done.stdout)["checks"][-1]
    assert (entry["id"], entry["rows"], entry["fix"]) == ("their-check", 1, "Ask less.")
    assert entry["examples"][0]["evidence"].startswith("It asks ")


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("their_checks:TWICE", "has a check 'duplicate-id', and there is one"),
        ("their_checks:THEIRS", "cannot be loaded: module 'their_checks' has no attribute 'THEIRS'"),
        ("their_checks:shouted", "names no tuple of checks"),
        ("not_there:CHECKS", "cannot be loaded: No module named 'not_there'"),
    ],
)
def test_what_an_installed_package_offers_wrongly_is_a_sentence(value: str, sentence: str, installed: Callable[[str], None]) -> None:
    installed(value)
    told = CliRunner().invoke(main, ["audit", "--list"])
    assert told.exit_code == 1 and f"The entry point mine of vantage.audit ({value})" in told.output and sentence in told.output
