"""The forms in which items leave Vantage. A new one is its module and one line of `MODULES`.

The command line, the page and the reference are made from this list; `annotation.qa.published.exporting` writes the forms that are
asked for in one pass, with each item's pictures beside them.
"""

from __future__ import annotations

import importlib

from annotation.qa.exports.form import Format

MODULES: tuple[str, ...] = (
    "published",
    "tables",
    "coco",
    "loadable",
)
"""The registry: modules of this package, each with its ``FORMAT``."""

FORMATS: tuple[Format, ...] = tuple(importlib.import_module(f"{__name__}.{name}").FORMAT for name in MODULES)
"""Every form, in the order in which they are offered and counted."""
