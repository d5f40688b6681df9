"""A kind of reviewed thing is its declaration: sound in itself, found by its registry line alone, in people's words everywhere."""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.reviewing.errors import BadKind
from annotation.reviewing.kind import Words
from annotation.reviewing.kinds import KINDS, MODULES
from tests.annotation.reviewing.conftest import Bench
from tests.sources import nodes

ROOT = Path(__file__).resolve().parents[3]
HERE = ROOT / "annotation" / "reviewing" / "kinds"


@functools.cache
def literals(path: Path) -> set[str]:
    """Every string literal of a Python file that is not documentation."""
    prose = {id(node.value) for node in nodes(path) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    found = (node for node in nodes(path) if isinstance(node, ast.Constant) and id(node) not in prose)
    return {node.value for node in found if isinstance(node.value, str)}


def test_every_module_of_the_package_is_registered() -> None:
    assert sorted(path.stem for path in HERE.glob("*.py") if path.stem != "__init__") == sorted(MODULES)


@pytest.mark.parametrize("name", KINDS)
def test_no_other_file_knows_a_kind_by_its_name(name: str) -> None:
    files = [path for room in ("app", "annotation", "study") for path in (ROOT / room).rglob("*.py") if HERE not in path.parents]
    # in a query too
    assert [path.name for path in files if any(re.search(rf"\b{name}\b", text) for text in literals(path))] == []
    scripts = (ROOT / "app").rglob("*.js")
    assert [path.name for path in scripts if re.search(rf"['\"`]{name}['\"`]", path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_what_people_read_of_a_state_stands_in_its_declaration(kind: Any) -> None:
    """No page has labels of states, reasons or sentences of its own."""
    words = {text for said in kind.words.values() for text in (said.many, said.told, said.short) if text}
    words |= {text for stage in kind.stages for axis in stage.axes for text in axis.reasons.values()}
    words |= {choice.comment for stage in kind.stages for axis in stage.axes for choice in axis.choices if choice.comment}
    assert words
    for path in [*(ROOT / "app").rglob("*.py"), *(ROOT / "app").rglob("*.js")]:
        text = path.read_text(encoding="utf-8")
        assert [said for said in words if len(said) > 12 and said in text] == [], path.name
        # a table from states to words
        assert not any(re.search(rf"['\"]?{state}['\"]?: *['\"]", text) for state in kind.states if state != "draft"), path.name


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"states": {"proposed": {"submit": "nowhere"}}}, "leads to nowhere, which is no state of it"),
        ({"words": {"proposed": Words("Proposed", "quiet")}}, "needs words for proposed, in_verification, kept, dropped"),
        ({"waiting": "later"}, "waiting state 'later' is not in its table"),
        ({"review": {"assigned": {}}}, "needs the state 'void'"),
        ({"review": {"assigned": {"look": "done"}, "done": {}, "void": {}}}, "cannot end as void in the state 'assigned'"),
        (
            {"review": {"assigned": {"void": "void", "see": "done"}, "done": {}, "void": {}}},
            "the stage 'look' needs the event look",
        ),
        (
            {"review": {"assigned": {"void": "void", "look": "a"}, "a": {"void": "void", "judge": "b"}, "b": {"void": "void"}, "void": {}}},
            "after its last stage a review is 'b', which is not an end",
        ),
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(bench: Bench, change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadKind, match=words):
        replace(bench.kind, **change)


def test_an_axis_has_one_name_in_all_stages(bench: Bench) -> None:
    look, judge = bench.kind.stages
    with pytest.raises(BadKind, match="two axes are called determinable, guess"):
        replace(bench.kind, stages=(look, replace(judge, axes=look.axes)))
