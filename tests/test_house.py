"""The house stands in one line: app → annotation → study → data → sim_bridge; each room imports only to its right."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("app", "annotation", "study", "data", "sim_bridge")
"""From left to right."""


def imports_of(path: Path) -> set[str]:
    """Absolute module names imported anywhere in a file, at any depth."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def files_of(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_to_its_right(room: str) -> None:
    forbidden = {*ROOMS[: ROOMS.index(room)], "bench", "tests", "tools"} - ({"bench"} if room == "app" else set())
    wrong = [f"{f.relative_to(ROOT)} imports {m}" for f in files_of(room) for m in imports_of(f) if m.split(".")[0] in forbidden]
    assert wrong == []


def test_only_the_app_imports_streamlit() -> None:
    wrong = [
        str(f.relative_to(ROOT)) for room in ROOMS[1:] for f in files_of(room) for m in imports_of(f) if m.split(".")[0] == "streamlit"
    ]
    assert wrong == []


def test_only_the_mujoco_backend_imports_mujoco() -> None:
    home = ROOT / "sim_bridge" / "backends" / "mujoco"
    wrong = [
        str(f.relative_to(ROOT))
        for room in ROOMS
        for f in files_of(room)
        for m in imports_of(f)
        if m.split(".")[0] == "mujoco" and home not in f.parents
    ]
    assert wrong == []


def test_nothing_pickles() -> None:
    wrong = [
        str(f.relative_to(ROOT)) for room in ROOMS for f in files_of(room) for m in imports_of(f) if m.split(".")[0] in {"pickle", "dill"}
    ]
    assert wrong == []


@pytest.mark.parametrize("room", [*ROOMS, "tests", "bench", "docs", "design"])
def test_every_room_says_what_lives_there(room: str) -> None:
    readme = ROOT / room / "README.md"
    assert readme.is_file(), f"{room}/README.md is missing: a few lines on what lives here and what may not"
    assert len(readme.read_text(encoding="utf-8").split()) >= 15


def test_every_package_is_listed_for_the_wheel() -> None:
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"])
    found = {
        ".".join(f.parent.relative_to(ROOT).parts)
        for room in (*ROOMS, "bench")
        for f in (ROOT / room).rglob("*.py")
        if "tests" not in f.parts
    }
    assert found == listed
