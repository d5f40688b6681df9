"""Headings of pages are no stops of the Tab key: none carries Streamlit's link to itself."""

from __future__ import annotations

import ast
from pathlib import Path

import app
from tests.sources import nodes

HEADINGS = {"title", "header", "subheader"}


def test_no_heading_has_a_link_to_itself() -> None:
    headings, linked = 0, []
    for path in sorted((Path(app.__file__).parent / "pages").glob("*.py")):
        for call in nodes(path):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in HEADINGS:
                headings += 1
                if "anchor=False" not in [ast.unparse(word) for word in call.keywords]:
                    linked.append(f"{path.name}:{call.lineno}")
    assert headings > 20 and linked == []
