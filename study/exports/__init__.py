"""The forms in which what happened leaves Vantage. A new one is its module and one line of `MODULES`.

The command line, the page and the reference are made from this list; `study.export` writes the forms that are asked for in one pass.
"""

from __future__ import annotations

import importlib

from study.errors import ExportRefused
from study.exports.form import Format

MODULES: tuple[str, ...] = (
    "tables",
    "results",
    "trajectories",
)
"""The registry: modules of this package, each with its ``FORMAT``."""

FORMATS: tuple[Format, ...] = tuple(importlib.import_module(f"{__name__}.{name}").FORMAT for name in MODULES)
"""Every form, in the order in which they are offered and counted."""


def formats(names: tuple[str, ...]) -> tuple[Format, ...]:
    """The forms with these names, in the order of the list; all of them where none is named.

    Raises:
        ExportRefused: there is no form of that name; the message lists them.
    """
    known = {form.name: form for form in FORMATS}
    for name in names:
        if name not in known:
            raise ExportRefused(f"There is no export format {name[:40]!r}: choose from {', '.join(known)}.")
    return tuple(form for form in FORMATS if not names or form.name in names)
