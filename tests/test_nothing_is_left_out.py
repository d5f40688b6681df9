"""Where every change is tested, a test that is left out is a failure, unless its reason is a named one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import LONG, WITH_A_BROWSER
from tests.skips import MAY_BE_LEFT_OUT

ROOT = Path(__file__).resolve().parents[1]
TOLD = "was left out"
WAYS = {
    "by a mark": "@pytest.mark.skipif(True, reason={reason!r})\ndef test_one() -> None: ...",
    "in the test": "def test_one() -> None:\n    pytest.skip({reason!r})",
    "in a fixture": "@pytest.fixture\ndef one() -> None:\n    pytest.skip({reason!r})\n\n\ndef test_one(one: None) -> None: ...",
    "the whole file": "pytest.skip({reason!r}, allow_module_level=True)\n\n\ndef test_one() -> None: ...",
    "a package": "pytest.importorskip('no_such_package', reason={reason!r})\n\n\ndef test_one() -> None: ...",
}
NAMED = next(iter(MAY_BE_LEFT_OUT))


def run(folder: Path, body: str, *more: str, ci: str) -> tuple[int, str]:
    """Exit status and output of pytest on one file of tests."""
    (folder / "test_one.py").write_text("import pytest\n\n\n" + body, encoding="utf-8")
    env = {k: v for k, v in os.environ.items() if k not in ("CI", "VANTAGE_CI", "PYTEST_ADDOPTS")} | {"PYTHONPATH": str(ROOT), ci: "1"}
    order = [sys.executable, "-P", "-m", "pytest", "-p", "tests.skips", "--rootdir", str(folder), "-c", "/dev/null", *more, str(folder)]
    done = subprocess.run(order, capture_output=True, text=True, env=env, cwd=folder, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("way", WAYS)
def test_a_test_left_out_is_a_failure(way: str, tmp_path: Path) -> None:
    status, said = run(tmp_path, WAYS[way].format(reason="the renderer is not installed"), ci="VANTAGE_CI")
    assert status != 0 and TOLD in said and "the renderer is not installed" in said, said


@pytest.mark.parametrize("way", ["in the test", "the whole file"])
def test_it_is_one_too_where_tests_share_the_cores(way: str, tmp_path: Path) -> None:
    status, said = run(tmp_path, WAYS[way].format(reason="the renderer is not installed"), "-n", "1", ci="CI")
    assert status != 0 and TOLD in said, said


@pytest.mark.parametrize(("ci", "reason"), [("VANTAGE_CI", NAMED), ("NOT_CI", "the renderer is not installed")])
def test_it_is_none_for_a_named_reason_or_elsewhere(ci: str, reason: str, tmp_path: Path) -> None:
    body = WAYS["by a mark"].format(reason=reason) + "\n\n\ndef test_two() -> None: ..."
    status, said = run(tmp_path, body, ci=ci)
    assert status == 0 and "1 passed, 1 skipped" in said, said


def test_an_expected_failure_is_no_test_left_out(tmp_path: Path) -> None:
    status, said = run(tmp_path, "@pytest.mark.xfail(strict=True)\ndef test_one() -> None:\n    assert False", ci="CI")
    assert status == 0 and "1 xfailed" in said, said


def test_every_named_reason_is_one_that_a_test_gives() -> None:
    here = {Path(__file__).name, "skips.py"}
    texts = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "tests").rglob("test_*.py") if p.name not in here)
    assert [reason for reason in MAY_BE_LEFT_OUT if not re.search(rf"[\"']{re.escape(reason)}[\"']", texts)] == []


def test_files_that_come_first_exist_and_what_is_not_read_is_asked_for_in_the_words_of_make() -> None:
    assert [name for name in LONG if not list((ROOT / "tests").rglob(name))] == []
    assert f'-m "{WITH_A_BROWSER}"' in (ROOT / "Makefile").read_text(encoding="utf-8")
