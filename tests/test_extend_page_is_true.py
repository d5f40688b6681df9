"""Each section of docs/how-to/extend.md, applied to a copy of the tree, adds what it says: one module and one registry line, nothing else.

Block syntax, by the words after the opening fence: ``python FILE`` (or ``js FILE``, ``css FILE``) is a new file, ``diff FILE`` holds
one line of the file (after a space) and the line to add below it (after a plus), ``python try`` is run in the copy and must end well.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "how-to" / "extend.md"
ROOMS = ("app", "annotation", "study", "data", "sim_bridge", "bench")
_BLOCK = re.compile(r"^```(\w+) (\S+)\n(.*?)^```$", re.M | re.S)


def sections() -> dict[str, list[tuple[str, str, str]]]:
    """Heading → its blocks (language, file or ``try``, text); sections without a block are descriptions only."""
    found = {}
    for part in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)[1:]:
        heading, _, body = part.partition("\n")
        if blocks := _BLOCK.findall(body):
            found[heading.strip()] = blocks
    return found


def copy_of_the_tree(where: Path) -> Path:
    """With what is compiled: whatever the page changes is compiled again, since it is younger and longer."""
    for room in ROOMS:
        shutil.copytree(ROOT / room, where / room, ignore=shutil.ignore_patterns("tests"))
    return where


def add_line(file: Path, diff: str) -> None:
    """Add the one ``+`` line of a diff below its context line."""
    lines = diff.splitlines()
    added = [line[1:] for line in lines if line.startswith("+")]
    context = [line[1:] for line in lines if line.startswith(" ")]
    assert len(added) == 1 and len(context) == 1, f"a diff block shows one line that is there and one to add: {diff!r}"
    text = file.read_text(encoding="utf-8")
    assert text.count(f"{context[0]}\n") == 1, f"{file.name} has the line {context[0]!r} {text.count(context[0])} times, expected once"
    file.write_text(text.replace(f"{context[0]}\n", f"{context[0]}\n{added[0]}\n"), encoding="utf-8")


@pytest.mark.parametrize("heading", sections())
def test_one_module_and_one_line_are_enough(heading: str, tmp_path: Path) -> None:
    blocks = sections()[heading]
    modules = [name for kind, name, _ in blocks if kind == "python" and name != "try"]
    lines = [name for kind, name, _ in blocks if kind == "diff"]
    assert len(modules) == 1 and len(lines) == 1, f"{heading}: one new module and one registry line, got {modules} and {lines}"
    tree = copy_of_the_tree(tmp_path / "tree")
    for kind, name, text in blocks:
        if kind == "diff":
            add_line(tree / name, text)
        elif name != "try":
            assert not (tree / name).exists(), f"{name} is there already"
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text, encoding="utf-8")
    tries = [text for kind, name, text in blocks if name == "try"]
    assert tries, f"{heading} shows nothing to try"
    env = {**os.environ, "PYTHONPATH": str(tree), "VANTAGE_HOME": str(tmp_path / "home")}
    for code in tries:
        done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, env=env, cwd=tmp_path, check=False)
        assert done.returncode == 0, f"{heading}:\n{done.stdout}\n{done.stderr}"
        assert done.stdout.strip(), f"{heading}: what is tried prints what it shows"
