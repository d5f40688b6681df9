"""`make check`: lint, types, import directions, documentation. Prints each check and exits 1 when one fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = [sys.executable, "-P"]

CHECKS: list[tuple[str, list[str]]] = [
    ("lint", [*PYTHON, "-m", "ruff", "check", "."]),
    ("lint of sim_bridge for Python 3.10", [*PYTHON, "-m", "ruff", "check", "--target-version", "py310", "sim_bridge"]),
    ("types", [*PYTHON, "-m", "mypy"]),
    ("words of people are not read as Markdown", [*PYTHON, str(ROOT / "tools" / "plain_words.py")]),
    ("import directions and room READMEs", [*PYTHON, "-m", "pytest", "-q", "tests/test_house.py"]),
    ("links, and files that pages name", [*PYTHON, "-m", "pytest", "-q", "tests/test_links.py"]),
    ("generated documentation is current", [*PYTHON, str(ROOT / "tools" / "docs.py"), "--check"]),
]


def main() -> int:
    failed = []
    for name, command in CHECKS:
        print(f"== {name}", flush=True)
        if subprocess.run(command, cwd=ROOT).returncode:
            failed.append(name)
    print("== check: " + ("failed: " + ", ".join(failed) if failed else f"all {len(CHECKS)} passed"), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
