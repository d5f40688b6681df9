"""The built wheel runs in a clean environment from a folder full of decoys, and sim_bridge installs and serves alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DECOYS = ("app", "data", "study", "annotation", "sim_bridge", "bench")


def build_wheel(source: Path, out: Path) -> Path:
    """Build one wheel offline, from a copy, so that no build product appears in the tree."""
    tree = out / "source"
    ignore = {".git", ".venv", ".vantage", ".cache", "build", "dist", "out"}
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        if path.is_file() and not ignore & set(relative.parts) and "__pycache__" not in relative.parts and ".egg-info" not in str(relative):
            target = tree / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    run = subprocess.run(
        [sys.executable, "-P", "-m", "pip", "wheel", "-q", "--no-deps", "--no-index", "--no-build-isolation", "-w", str(out), str(tree)],
        capture_output=True,
        text=True,
        cwd=out,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return next(out.glob("*.whl"))


def clean_environment(where: Path, wheel: Path) -> Path:
    """A new environment that holds only `wheel`; third-party packages come from a path entry, our own editable install does not."""
    venv.create(where, with_pip=False, symlinks=True)
    python = where / "bin" / "python"
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True, check=True
    ).stdout.strip()
    Path(site, "third_party.pth").write_text(sysconfig.get_path("purelib") + "\n")
    install = [sys.executable, "-P", "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", "--no-index", str(wheel)]
    run = subprocess.run(install, capture_output=True, text=True, env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    assert run.returncode == 0, run.stderr[-2000:]
    return python


def decoys(where: Path) -> Path:
    """A folder in which every package name of ours is also a file and a folder that explode when imported."""
    where.mkdir()
    for name in DECOYS:
        (where / f"{name}.py").write_text("raise SystemExit('decoy imported')\n")
        (where / name).mkdir()
        (where / name / "__init__.py").write_text("raise SystemExit('decoy imported')\n")
    return where


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(bin folder of the clean environment, wheel)."""
    out = tmp_path_factory.mktemp("wheel")
    wheel = build_wheel(ROOT, out)
    return clean_environment(tmp_path_factory.mktemp("env") / "venv", wheel).parent, wheel


def run_there(installed: tuple[Path, Path], tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    where = tmp_path / "decoys"
    if not where.exists():
        decoys(where)
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VANTAGE_HOME"}}
    environment["VANTAGE_HOME"] = str(tmp_path / "home")
    return subprocess.run(
        [str(installed[0] / arguments[0]), *arguments[1:]], cwd=where, env=environment, capture_output=True, text=True, timeout=120
    )


def test_the_wheel_carries_every_asset(installed: tuple[Path, Path]) -> None:
    names = set(zipfile.ZipFile(installed[1]).namelist())
    missing = [
        str(path.relative_to(ROOT))
        for room in ("app", "data", "study", "sim_bridge", "annotation")
        for path in (ROOT / room).rglob("*")
        if path.suffix in {".py", ".js", ".css", ".svg"} and str(path.relative_to(ROOT)) not in names
    ]
    assert missing == []


def test_the_command_runs_from_a_folder_of_decoys(installed: tuple[Path, Path], tmp_path: Path) -> None:
    help_page = run_there(installed, tmp_path, "vantage", "--help")
    assert help_page.returncode == 0, help_page.stderr
    listed = run_there(installed, tmp_path, "vantage", "tasks", "coverage", "--json")
    assert listed.returncode == 0, listed.stderr
    assert "subcategories" in json.loads(listed.stdout)


def test_a_worker_starts_from_a_folder_of_decoys(installed: tuple[Path, Path], tmp_path: Path) -> None:
    run = run_there(installed, tmp_path, "vantage", "conformance", "--backend", "toy", "--json")
    assert run.returncode == 0, run.stderr[-2000:] + run.stdout[-500:]


def test_sim_bridge_installs_and_serves_alone(tmp_path: Path) -> None:
    wheel = build_wheel(ROOT / "sim_bridge", tmp_path)
    python = clean_environment(tmp_path / "venv", wheel)
    foreign = "import sim_bridge.worker, sys; print(sorted({'app', 'data', 'study', 'streamlit', 'pydantic'} & set(sys.modules)))"
    probe = subprocess.run([str(python), "-P", "-c", foreign], capture_output=True, text=True, cwd=tmp_path)
    assert probe.stdout.strip() == "[]", probe.stderr
    run = subprocess.run(
        [str(python), "-P", "-m", "sim_bridge", "conformance", "--backend", "toy", "--json"], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr[-2000:]
    names = {n.split("/")[0] for n in zipfile.ZipFile(wheel).namelist()}
    assert {n for n in names if not n.endswith(".dist-info")} == {"sim_bridge"}


def test_what_sim_bridge_depends_on_resolves_for_python_310(tmp_path: Path) -> None:
    needed = tomllib.loads((ROOT / "sim_bridge" / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    pip = [sys.executable, "-P", "-m", "pip", "install", "--dry-run", "--quiet", "--report", str(tmp_path / "report.json")]
    pip += ["--python-version", "3.10", "--only-binary=:all:", "--target", str(tmp_path / "target"), *needed]
    run = subprocess.run(pip, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PIP_RETRIES": "1"})
    if run.returncode and re.search("connection|name resolution|timed out|proxy", run.stderr, re.I):
        pytest.skip("no package index can be reached")
    assert run.returncode == 0, run.stderr[-2000:]
    found = {item["metadata"]["name"].lower() for item in json.loads((tmp_path / "report.json").read_text())["install"]}
    assert {"msgspec", "websockets", "numpy", "pillow"} <= found
