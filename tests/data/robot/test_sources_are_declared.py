"""Each kind of robot source is declared once; its name stands in one registry."""

from __future__ import annotations

import ast
from pathlib import Path

from data.robot.cameras import MATRICES
from data.robot.kinds import KINDS
from data.robot.sources import FORMS, SOURCES
from tests.sources import nodes

ROOT = Path(__file__).resolve().parents[3]
OTHERS = ("data/robot/sources/", "data/robot/kinds.py", "sim_bridge/")
"""The declarations, the registry, and the simulator, whose film sample writes such folders and whose rugs are plain."""
MAKING = ("annotation/qa/trying/demo.py", "annotation/qa/trying/simulate.py")
"""Files that make sources of a kind, for the demo and for simulated annotators."""


def test_kinds_are_those_of_the_registry_in_its_order() -> None:
    assert tuple(SOURCES) == KINDS == ("lerobot", "agibot", "bridge", "plain")


def test_no_other_file_tells_kinds_apart_by_name() -> None:
    wrong = []
    for room in ("app", "annotation", "study", "data", "sim_bridge"):
        for file in sorted((ROOT / room).rglob("*.py")):
            where = file.relative_to(ROOT).as_posix()
            if not where.startswith(OTHERS) and where not in MAKING:
                texts = [n for n in nodes(file) if isinstance(n, ast.Constant)]
                wrong += [f"{where}:{n.lineno}: {n.value}" for n in texts if n.value in KINDS]
    assert wrong == []


def test_forms_of_matrices_have_the_names_that_old_records_keep() -> None:
    assert set(FORMS) == {"matrices", "agibot"}
    assert FORMS[MATRICES.name] is MATRICES
