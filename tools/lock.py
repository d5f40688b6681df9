"""Resolves the lock files again from pyproject.toml: `requirements.lock` for use, `requirements-dev.lock` for what tests and checks add.

Both are pinned by hash. What the first lock has is left out of the second one, because set-up installs them one after the other.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPTIONS = ["-q", "--strip-extras", "--generate-hashes", "--allow-unsafe", "--no-header", "--no-annotate"]
OPTIONS += ["--no-emit-index-url", "--no-emit-trusted-host", "--no-emit-find-links"]
HEAD = "# Resolved by pip-tools for Python 3.11 (`make lock`); every file is pinned by its hash.\n"
# set-up builds the package itself without isolation, so what builds it is locked too
USE = ("--extra", "assets", "--extra", "gym", "--extra", "robot", "--build-deps-for", "editable")
DEV = ("--extra", "dev", "-c", "requirements.lock")
INSTALLER = {"pip"}
"""pip-tools depends on it; the environment has its own."""


def resolved(kept: Path, options: tuple[str, ...]) -> dict[str, str]:
    """Package → its lines, as pip-tools resolves them; what `kept` pins stays where it still fits."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "lock.txt"
        out.write_text(kept.read_text())
        command = [sys.executable, "-m", "piptools", "compile", *OPTIONS, *options, "-o", str(out), "pyproject.toml"]
        subprocess.run(command, cwd=ROOT, check=True)
        return {found[1]: found[0].rstrip() for found in re.finditer(r"^([A-Za-z0-9._-]+)==.*?(?=^\S|\Z)", out.read_text(), re.M | re.S)}


def main() -> None:
    """Write both."""
    use, dev = ROOT / "requirements.lock", ROOT / "requirements-dev.lock"
    pins = resolved(use, USE)
    use.write_text(HEAD + "# What the app needs.\n\n" + "\n".join(pins[name] for name in sorted(pins)) + "\n")
    more = {name: lines for name, lines in resolved(dev, DEV).items() if name not in pins and name not in INSTALLER}
    dev.write_text(HEAD + "# What tests and checks need on top of requirements.lock.\n\n" + "\n".join(more[n] for n in sorted(more)) + "\n")


if __name__ == "__main__":
    main()
