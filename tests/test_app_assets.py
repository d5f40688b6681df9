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
    patterns = _project()["package-data"]["*"]
    files = [p for folder in ("app/components", "app/theme") for p in (ROOT / folder).iterdir() if p.suffix in {".js", ".css", ".svg"}]
    assert len(files) >= 8
    assert [p.name for p in files if not any(fnmatch.fnmatch(p.name, pattern) for pattern in patterns)] == []


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
    assert set(assets()) == {p.name for p in FOLDER.iterdir() if p.suffix in SUFFIXES} | {"marks_style.js", "drawing.js", "drawing.css"}
