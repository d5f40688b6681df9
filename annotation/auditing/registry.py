"""Every check of the audit: a module of `annotation.auditing.checks` with its ``CHECKS``, and one line here.

Others add theirs as an entry point of the group ``vantage.audit`` that names such a tuple.
"""

from __future__ import annotations

from importlib import import_module

from annotation.auditing.check import Check

MODULES: tuple[str, ...] = ()
"""The registry, in the order of the report."""


def checks() -> dict[str, Check]:
    """Id → check."""
    found = [check for module in MODULES for check in import_module(f"annotation.auditing.checks.{module}").CHECKS]
    return {check.id: check for check in found}
