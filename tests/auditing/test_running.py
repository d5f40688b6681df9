"""Reading what is audited, running checks over it, and the report."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from annotation.auditing.reading import read_path
from annotation.auditing.registry import checks
from annotation.auditing.report import lines, summary
from annotation.auditing.running import audit, chosen
from app.cli import main
from tests.auditing.rows import released, write


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


def test_the_command_prints_the_summary_and_writes_a_line_for_every_finding(tmp_path: Path) -> None:
    write(tmp_path / "set" / "a.json", released("0001"))
    write(tmp_path / "set" / "b.json", released("0002"))
    out = tmp_path / "findings.jsonl"
    done = CliRunner().invoke(main, ["audit", str(tmp_path / "set"), "--json", "--out", str(out)])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["rows"] == 2
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
