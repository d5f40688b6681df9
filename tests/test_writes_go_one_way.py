"""What a component of ours wants written goes by a route; a page's own forms call one function of a room, and lose nothing on a refusal."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import parsed
from tests.test_house import ROOT, imports_in

PAGES = sorted((ROOT / "app" / "pages").rglob("*.py"))
ROOMS = ("annotation", "study", "data")
"""Where what writes lies."""
DOES = {"tried", "guarded"}
"""Helpers of pages that do something and tell what came of it."""


def _functions(tree: ast.AST) -> dict[str, ast.AST]:
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def _names(node: ast.AST) -> set[str]:
    inside = list(ast.walk(node))
    called = {inner.attr for inner in inside if isinstance(inner, ast.Attribute) and inner.attr in DOES}
    return {inner.id for inner in inside if isinstance(inner, ast.Name)} | called


def _reached(callback: ast.AST, functions: dict[str, ast.AST]) -> set[str]:
    """Every name that a callback, and the functions of its file that it names, mention."""
    found: set[str] = set()
    waiting = _names(callback)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting |= _names(functions[name]) if name in functions else set()
    return found


def _called_back(path: Path) -> Iterator[tuple[int, set[str]]]:
    """(line, names that are mentioned) of each callback that a page of this file gives to a component of ours."""
    tree = parsed(path)
    ours = {name for module, name in imports_in(path) if module.startswith("app.components")}
    functions = _functions(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ours:
            for given in node.keywords:
                if (given.arg or "").startswith("on_"):
                    yield node.lineno, _reached(given.value, functions)


def test_callbacks_of_components_are_found() -> None:
    files = {path.name for path in PAGES if any(True for _ in _called_back(path))}
    assert {"qa_author.py", "qa_list.py", "qa_moments.py", "qa_review.py", "verify.py", "adjudicate.py"} <= files


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_callback_of_a_component_calls_what_writes(path: Path) -> None:
    """It notes for its tab where to go, no more: what the browser says arrives by a route, which answers when it is stored."""
    rooms = {name or module.rpartition(".")[2] for module, name in imports_in(path) if module.split(".")[0] in ROOMS}
    found = [(line, sorted(names & (rooms | DOES))) for line, names in _called_back(path)]
    assert [(line, names) for line, names in found if names] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_form_forgets_what_is_refused(path: Path) -> None:
    """`clear_on_submit` empties a form whatever came of it; `app.pages.parts.sheet` one whose work is done."""
    calls = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.Call)]
    assert [node.lineno for node in calls if any(given.arg == "clear_on_submit" for given in node.keywords)] == []
