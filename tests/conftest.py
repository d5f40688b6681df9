"""What tests of several rooms share."""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from data.generators.lab import Lab

pytest_plugins = ("tests.skips",)

LAST_CHARACTERS = 4000
"""So much of a failure is shown at once, its end; the whole stands in the summary."""

WITH_A_BROWSER = "browser or crash"
"""How `make test` asks for tests with a browser and for crash runs (`-m`)."""

LONG = (
    "test_watching_a_study.py", "test_qa_authoring.py", "test_marks_look_the_same.py", "test_time_limit.py",
    "test_through_nginx.py", "test_authoring.py", "test_the_whole_way.py", "test_three_ways_agree.py", "test_kills_lose_nothing.py",
    "test_axe.py", "test_verifying_evidence.py", "test_adjudicating.py", "test_types_are_strict.py", "test_mujoco_fingerprint.py",
    "test_generators_rules.py", "test_lived_in_rooms.py", "test_bench_load.py", "test_app_beside_another.py",
    "test_conformance_physical.py", "test_wheel.py", "test_illumination.py", "test_tampered.py", "test_robot_sample_tree.py",
    "test_bench_store.py", "test_burst.py", "test_watching.py",
)  # fmt: skip
"""Files that take longest for their number of tests, or have single tests of ten seconds and more."""


class Told:
    """Says what failed when it fails: a run that is ended before its summary has named its failures all the same."""

    def __init__(self, config: pytest.Config) -> None:
        self.terminal = config.pluginmanager.get_plugin("terminalreporter")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.terminal is not None:
            self.terminal.write_line(f"\nFAILED {report.nodeid} ({report.when})\n{report.longreprtext[-LAST_CHARACTERS:]}")


@pytest.hookimpl(trylast=True)  # the terminal has registered itself by then
def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Told(config))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collecting makes millions of objects that stay: looking through them for garbage again and again took more than half of its time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where tests with a browser and crash runs alone are asked for, files that have none are not read."""
    if config.option.markexpr != WITH_A_BROWSER or not collection_path.name.startswith("test_"):
        return None
    if {"browser", "crash"} & set(collection_path.parts):
        return None
    text = collection_path.read_text(encoding="utf-8")
    return None if "mark.browser" in text or "mark.crash" in text else True


@pytest.fixture(scope="session", autouse=True)
def _packages_are_scanned_once() -> Iterator[None]:
    from tests.streamlit_ground import packages_scanned_once

    with packages_scanned_once():
        yield


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files come first (`--no-loadscope-reorder`): else one worker plays them at the end while the other has nothing to do."""
    items.sort(key=lambda item: LONG.index(item.path.name) if item.path.name in LONG else len(LONG))


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """The embedded simulator in this process, for generators and checks; one for a file."""
    from sim_bridge.backends.mujoco import create
    from sim_bridge.backends.mujoco.engine import gl
    from sim_bridge.local import LocalClient

    if not gl.available():
        pytest.skip("the software renderer libOSMesa is not installed")
    client = LocalClient(create())
    yield Lab(client)
    client.close()
