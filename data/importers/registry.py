"""The importers of data sets: each is a module of this package that declares one, and one line here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

from data.importers.importer import Importer

FORMATS: tuple[str, ...] = (
    "esi",
)  # fmt: skip
"""Modules of this package, each with an ``IMPORTER`` of its own name; in the order in which paths are offered to them."""


@cache
def importers() -> Mapping[str, Importer]:
    """Format → importer, in the order of the registry.

    Raises:
        TypeError: a registered module declares none of its own name.
    """
    found = {}
    for name in FORMATS:
        importer = getattr(import_module(f"data.importers.{name}"), "IMPORTER", None)
        if not isinstance(importer, Importer) or importer.name != name:
            raise TypeError(f"data.importers.{name} is registered, so it must declare IMPORTER, an Importer of its name; got {importer!r}.")
        found[name] = importer
    return found


def detect(paths: Iterable[Path]) -> Importer:
    """The importer of the first of some paths that any takes for its own.

    Where none does (nothing is there, or nothing known), the first importer: its report says what is wrong with each path.
    """
    every = list(importers().values())
    return next((importer for path in paths for importer in every if importer.holds(path)), every[0])
