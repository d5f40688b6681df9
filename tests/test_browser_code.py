"""The browser code is checked, all of it, by checkers that find what they are there to find."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import browser_code, check

CONFIG = browser_code.HERE / "tsconfig.json"


@pytest.fixture(scope="module", autouse=True)
def checkers() -> Iterator[None]:
    if not browser_code.installed() and not (os.environ.get("CI") or os.environ.get("VANTAGE_CI")):
        pytest.skip("ESLint and TypeScript are not installed; 'make setup' fetches them")
    browser_code.made()
    yield


def test_no_script_of_ours_is_left_out() -> None:
    rooms = ("app", "annotation", "study", "data", "sim_bridge", "bench", "tools", "tests")
    ours = {path for room in rooms for path in (browser_code.ROOT / room).rglob("*.js")}
    assert ours == {path for files in browser_code.FILES for path in browser_code.ROOT.glob(files)}
    config = json.loads(CONFIG.read_text())
    assert set(browser_code.FILES) <= {name.removeprefix("../../") for name in config["include"]}
    served_as_one = {path.parent for path in ours if "fixtures" not in path.parts} | {browser_code.MADE}
    assert {(CONFIG.parent / folder).resolve() for folder in config["compilerOptions"]["rootDirs"]} == served_as_one


def test_the_browser_code_has_no_fault(capfd: pytest.CaptureFixture[str]) -> None:
    assert browser_code.check() == 0, capfd.readouterr().out


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("export const a = document.nothing;", "'nothing' does not exist"),
        ("import { h } from '@/page/dom.js';\nexport const b = h('buton');", "'\"buton\"' is not assignable"),
        ("import { h } from '@/page/dom.js';\nexport const c = h('p').value;", "'value' does not exist on type 'HTMLParagraphElement'"),
        ("import { absent } from '@/page/dom.js';\nexport const d = absent;", "no exported member 'absent'"),
        ("/** @param {number} n */\nconst twice = (n) => 2 * n;\nexport const e = twice('two');", "'string' is not assignable"),
        ("export const g = (n) => n;", "implicitly has an 'any' type"),
        ("import { inside } from '@/canvas/geometry.js';\nexport const f = inside([0, 0]);", "Expected 2-3 arguments, but got 1"),
    ],
)
def test_the_checker_of_types_finds(text: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "faulty.js").write_text(text.replace("@/", f"{browser_code.ROOT}/app/components/"))
    (tmp_path / "tsconfig.json").write_text(json.dumps({"extends": str(CONFIG), "include": ["*.js", str(browser_code.HERE / "*.d.ts")]}))
    told = browser_code.types(tmp_path / "tsconfig.json")
    assert told.returncode != 0
    assert found in told.stdout


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("export const a = missing;", "no-undef"),
        ("const b = 1;", "no-unused-vars"),
        ("export const c = (one, other) => one == other;", "eqeqeq"),
        ("let d = 1;\nexport const e = () => d;", "prefer-const"),
        ("function f() {}\nexport const g = () => { const f = 2; return f; };\nf();", "no-shadow"),
        ("export const h = { one: 1, one: 2 };", "no-dupe-keys"),
        ("export const i = [1].map((n) => { n + 1; });", "array-callback-return"),
        (f"export const j = '{'x' * 160}';", "max-len"),
    ],
)
def test_the_linter_finds(text: str, rule: str, tmp_path: Path) -> None:
    (tmp_path / "faulty.js").write_text(text + "\n")
    told = browser_code.lint("faulty.js", at=tmp_path)
    assert told.returncode != 0
    assert rule in told.stdout


def test_the_lock_pins_by_content_and_names_no_address() -> None:
    packages = json.loads((browser_code.HERE / browser_code.LOCK).read_text())["packages"]
    wanted = json.loads((browser_code.HERE / "package.json").read_text())["devDependencies"]
    assert packages[""]["devDependencies"] == wanted
    assert all(version[0].isdigit() for version in wanted.values()), "exact versions"
    assert all("integrity" in package for name, package in packages.items() if name)
    assert "://" not in (browser_code.HERE / browser_code.LOCK).read_text()


@pytest.mark.parametrize(("where", "status"), [({}, browser_code.NOT_CHECKED), ({"CI": "true"}, 1), ({"VANTAGE_CI": "1"}, 1)])
def test_missing_checkers_are_told_and_fail_in_ci(
    where: dict[str, str], status: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("CI", "VANTAGE_CI"):
        monkeypatch.delenv(name, raising=False)
    for name, value in where.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(browser_code, "STAMP", tmp_path / "nothing")
    assert browser_code.main([]) == status
    assert capsys.readouterr().out == (
        "The browser code was not checked: ESLint and TypeScript are not installed; 'make setup' fetches them.\n"
    )


def test_a_check_that_could_not_look_is_told_as_such() -> None:
    assert browser_code.NOT_CHECKED == check.NOT_CHECKED
    assert check.NOT_CHECKED > 5, "no status of pytest, mypy or ruff"
