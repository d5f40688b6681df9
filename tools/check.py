"""`make check`: lint, formatting, types, browser code, import directions, documentation. Prints each check and exits 1 when one fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = [sys.executable, "-P"]

NOT_CHECKED = 75
"""Exit status of a check that could not look: it has neither failed nor passed."""

CHECKS: list[tuple[str, list[str]]] = [
    ("lint", [*PYTHON, "-m", "ruff", "check", "."]),
    ("lint of sim_bridge for Python 3.10", [*PYTHON, "-m", "ruff", "check", "--target-version", "py310", "sim_bridge"]),
    ("formatting", [*PYTHON, "-m", "ruff", "format", "--check", "--quiet", "."]),
    ("types", [*PYTHON, "-m", "mypy"]),
    ("browser code: types and mistakes", [*PYTHON, str(ROOT / "tools" / "browser_code.py")]),
    ("words of people are not read as Markdown", [*PYTHON, str(ROOT / "tools" / "plain_words.py")]),
    ("import directions and room READMEs", [*PYTHON, "-m", "pytest", "-q", "tests/test_house.py"]),
    ("links, and files that pages name", [*PYTHON, "-m", "pytest", "-q", "tests/test_links.py"]),
    ("generated documentation is current", [*PYTHON, str(ROOT / "tools" / "docs.py"), "--check"]),
]


def main() -> int:
    failed: list[str] = []
    left: list[str] = []
    for name, command in CHECKS:
        print(f"== {name}", flush=True)
        code = subprocess.run(command, cwd=ROOT).returncode
        if code:
            (left if code == NOT_CHECKED else failed).append(name)
    passed = len(CHECKS) - len(failed) - len(left)
    told = [f"failed: {', '.join(failed)}"] if failed else []
    told += [f"not checked: {', '.join(left)}"] if left else []
    print("== check: " + "; ".join([*told, f"{passed} of {len(CHECKS)} passed"]), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
