"""The figures of a study's results, each declared once: what it is, its rows, and how it is drawn. Another figure: a module and a line."""

from __future__ import annotations

import importlib

from study.analysis.figures.figure import Figure

MODULES: tuple[str, ...] = ("accuracy", "differences", "calibration", "on_the_way", "looking", "tasks")
"""The registry: modules of this package, each with its ``FIGURES``; in the order of the page and the report."""

FIGURES: tuple[Figure, ...] = tuple(
    figure for name in MODULES for figure in importlib.import_module(f"study.analysis.figures.{name}").FIGURES
)
"""Every figure."""
