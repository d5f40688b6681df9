"""Every check of the audit: a module of `annotation.auditing.checks` with its ``CHECKS``, and one line here.

Others add theirs as an entry point of the group ``vantage.audit`` that names such a tuple.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points

from annotation.auditing.check import Check

MODULES: tuple[str, ...] = (
    "fields",
    "answers",
    "duplicates",
    "questions",
    "geometry",
    "records",
    "placed",
    "world",
    "conditions",
    "predictable",
    "balance",
    "own",
    "drawn",
)  # fmt: skip
"""The registry, in the order of the report."""


GROUP = "vantage.audit"
"""Entry points of installed packages, each of which names a tuple of checks."""


class BadCheck(Exception):
    """An installed package offers what is no check; the message names it."""


def checks() -> dict[str, Check]:
    """Id → check: the own ones, then those of installed packages.

    Raises:
        BadCheck: an entry point cannot be loaded or names no tuple of checks, or a check takes an id that is there.
    """
    found = {check.id: check for module in MODULES for check in import_module(f"annotation.auditing.checks.{module}").CHECKS}
    for point in entry_points(group=GROUP):
        try:
            offered = point.load()
        except Exception as error:  # whatever a package of others raises while it is imported
            raise BadCheck(f"The entry point {point.name} of {GROUP} ({point.value}) cannot be loaded: {error}.") from error
        if not isinstance(offered, tuple) or not all(isinstance(check, Check) for check in offered):
            raise BadCheck(f"The entry point {point.name} of {GROUP} ({point.value}) names no tuple of checks.")
        for check in offered:
            if check.id in found:
                raise BadCheck(f"The entry point {point.name} of {GROUP} ({point.value}) has a check {check.id!r}, and there is one.")
            found[check.id] = check
    return found
