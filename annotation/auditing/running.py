"""Running the checks over a set, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from annotation.auditing.check import Audited, Check, Finding, Needs
from annotation.auditing.registry import checks


@dataclass(frozen=True)
class Report:
    """What an audit found."""

    audited: Audited
    ran: tuple[Check, ...]
    """In the order of the registry; each looked at the whole set."""
    findings: Mapping[str, tuple[Finding, ...]]
    """Check → what it found; empty: nothing."""
    skipped: Mapping[str, str]
    """Check that did not run → why."""
    seconds: Mapping[str, float]
    """Check → how long it took."""


class UnknownCheck(Exception):
    """No check has this id; the message lists those that are."""


def chosen(only: Collection[str] = ()) -> list[Check]:
    """The named checks, or all.

    Raises:
        UnknownCheck: one is not in the registry.
    """
    every = checks()
    if unknown := [name for name in only if name not in every]:
        raise UnknownCheck(f"No check is called {', '.join(map(repr, unknown))}; there are: {', '.join(every)}.")
    return [check for name, check in every.items() if not only or name in only]


def audit(audited: Audited, which: Iterable[Check], also: Collection[Needs] = ()) -> Report:
    """Let checks look at a set, one after another.

    Args:
        audited: the set; told how far it is.
        which: the checks, in the order in which they look (`chosen`).
        also: what checks may cost beside reading rows.
    """
    which = tuple(which)
    ran: list[Check] = []
    findings: dict[str, tuple[Finding, ...]] = {}
    skipped: dict[str, str] = {}
    seconds: dict[str, float] = {}
    for n, check in enumerate(which):
        if check.needs != "rows" and check.needs not in also:
            skipped[check.id] = _WHY[check.needs]
            continue
        audited.progress(n, len(which), check.id)
        begin = time.perf_counter()
        findings[check.id] = tuple(check.look(audited))
        seconds[check.id] = time.perf_counter() - begin
        ran.append(check)
    audited.progress(len(which), len(which), "done")
    return Report(audited, tuple(ran), findings, skipped, seconds)


_WHY = {"render": "It renders or loads meshes: run the audit with --render.", "endpoint": "It asks a model: set an endpoint for it."}
