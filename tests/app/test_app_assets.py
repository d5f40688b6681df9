"""The browser's modules are shipped with the package and can be loaded without a build step."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from pathlib import Path
from typing import Any

import app
from app.components import SUFFIXES, assets, assets_version

ROOT = Path(app.__file__).parent.parent
FOLDER = ROOT / "app" / "components"


def _project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    return found


def test_every_asset_matches_the_wheels_package_data() -> None:
    data = _project()["package-data"]
    named = [(p, data["app.components"], p.relative_to(FOLDER).as_posix()) for p in FOLDER.rglob("*")]
    named += [(p, data["*"], p.name) for p in (ROOT / "app" / "theme").iterdir()]
    files = [(pattern, name) for p, pattern, name in named if p.suffix in {".js", ".css", ".svg"}]
    assert len(files) >= 90
    assert [name for patterns, name in files if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns)] == []


def test_a_module_is_found_by_its_name_alone() -> None:
    names = [p.name for p in FOLDER.rglob("*") if p.suffix in SUFFIXES]
    assert sorted(set(names)) == sorted(names)


def test_every_package_of_the_app_is_listed_for_the_wheel() -> None:
    found = {".".join(p.parent.relative_to(ROOT).parts) for p in (ROOT / "app").rglob("*.py")}
    assert found <= set(_project()["packages"])


def test_every_import_of_a_module_names_a_shipped_file() -> None:
    for name, (data, _) in assets().items():
        if name.endswith(".js"):
            for target in re.findall(r"from '\./([\w.]+)'", data.decode()):
                assert target in assets(), f"{name} imports {target}"


def test_assets_name_no_foreign_address() -> None:
    for name, (data, _) in assets().items():
        assert not re.search(r"https?://", data.decode()), name


def test_the_address_changes_with_the_content() -> None:
    assert re.fullmatch(r"[0-9a-f]{16}", assets_version())
    assert set(assets()) == {p.name for p in FOLDER.rglob("*") if p.suffix in SUFFIXES} | {"marks_style.js", "drawing.js", "drawing.css"}
