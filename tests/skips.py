"""A pytest plugin: where every change is tested (``VANTAGE_CI`` or ``CI`` is set), a test that is left out is a failure.

What a test needs is installed by set-up, so that something is missing there means that nobody would notice if it broke. The reasons below
are the exceptions.
"""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

MAY_BE_LEFT_OUT = {
    "caddy is not installed; the page says that its Caddyfiles are untested": "Debian 12 has no package that set-up could ask for",
    "systemd is not installed; the page says that its unit is untested": "a container has none",
    "no released ESI-Bench rows at hand (set VANTAGE_ESI_ROWS to a folder of them)": "they are not part of the repository",
    "the released rows are not here": "the same",
    "no package index can be reached": "the index is somebody else's",
}
"""Reason of a skip → why nothing can be done about it."""


def refusal(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a report of something left out is a failure; empty where it is none."""
    if not report.skipped or hasattr(report, "wasxfail") or not (os.environ.get("VANTAGE_CI") or os.environ.get("CI")):
        return ""
    reason = (report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)).removeprefix("Skipped: ")
    if reason in MAY_BE_LEFT_OUT:
        return ""
    return f"{report.nodeid} was left out: {reason}. Install what it needs, or name the reason in tests/skips.py."


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if told := refusal(report):
        report.outcome, report.longrepr = "failed", told
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if told := refusal(report):
        report.outcome, report.longrepr = "failed", told
    return report
