"""A number in front of a word is said as English says it: 1 study, 2 studies."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import app
from data.plurals import number_of

ROOT = Path(app.__file__).parent.parent
WORDS = re.compile(
    "studies|tasks|people|rows|votes|verdicts|questions|answers|items|episodes|participants|pictures|places|sessions|moments|findings|"
    "checks|simulators|reviews|exercises|controls|trajectories|categories|messages|payments|frames|keys"
)
MANY = {
    "app/commands/qa_moments.py: SUBTASKS[slug].name items", "app/pages/disputes.py: study.disputes.least people",
    "app/pages/qa_lead_out.py: job.total or '…' items", "app/pages/qa_moments.py: job.total or '…' moments",
    "app/commands/study_demo.py: study.per_task places",
    "app/commands/verify_simulate.py: run['tasks'] tasks",
}  # fmt: skip
"""What is no number, is two at the least, or is not known yet."""


def test_one_has_its_own_word_and_thousands_are_set_apart() -> None:
    assert [number_of(n, "study", "studies") for n in (0, 1, 2)] == ["0 studies", "1 study", "2 studies"]
    assert number_of(12480, "task") == "12,480 tasks" and number_of(1, "view is", "views are") == "1 view is"


def test_pages_and_commands_put_no_number_before_a_plural() -> None:
    found = {f"{path.relative_to(ROOT)}: {said}" for room in ("commands", "pages") for path in (ROOT / "app" / room).rglob("*.py")
             for said in before_a_plural(path.read_text(encoding="utf-8"))}  # fmt: skip
    assert found == MANY
    assert list(before_a_plural('f"{len(found)} studies, {n} rowers, {5} tasks"')) == ["len(found) studies", "5 tasks"]


def before_a_plural(code: str) -> Iterator[str]:
    """Values that an f-string puts right before a plural; a column of a table has two spaces."""
    for text in ast.walk(ast.parse(code)):
        if isinstance(text, ast.JoinedStr):
            for value, after in pairwise(text.values):
                words = re.match(rf" ({WORDS.pattern})\b", str(after.value)) if isinstance(after, ast.Constant) else None
                if isinstance(value, ast.FormattedValue) and words:
                    yield f"{ast.unparse(value.value)} {words[1]}"
