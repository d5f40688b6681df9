"""A misspelt field of a row or a step is an error of the type check, before anything runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MISSPELT = """
from data.store import Store
from study.records import EpisodeRecord
from study.steps import Step

def last(store: Store, step: Step) -> int | None:
    row = store.row("SELECT * FROM episodes", EpisodeRecord)
    reveal = step.pixel_hsh
    return None if row is None else row.last_sq

def dictionary(store: Store) -> int:
    return store.rows("SELECT * FROM episodes", EpisodeRecord)[0]["last_seq"]
"""


def test_a_misspelt_field_of_a_row_or_a_step_does_not_pass(tmp_path: Path) -> None:
    file = tmp_path / "misspelt.py"
    file.write_text(MISSPELT)
    command = [sys.executable, "-P", "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "MYPYPATH": str(ROOT)}, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    for fault in ('"Step" has no attribute "pixel_hsh"', '"EpisodeRecord" has no attribute "last_sq"', '"EpisodeRecord" is not indexable'):
        assert fault in done.stdout, done.stdout
