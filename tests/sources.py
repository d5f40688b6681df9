"""Files of the house as trees, for tests that look through all of them: each is parsed and walked once."""

from __future__ import annotations

import ast
import functools
from pathlib import Path


@functools.cache
def parsed(path: Path) -> ast.Module:
    """The tree of a Python file, which stays as it is while the tests run; not to be changed."""
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a Python file, in the order of `ast.walk`."""
    return tuple(ast.walk(parsed(path)))
