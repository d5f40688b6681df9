"""axe-core finds nothing to mend on the pages where tasks are verified, audited, made and labelled, in the light and in the dark."""

from __future__ import annotations

from .test_axe import STREAMLITS, Bench, Checker, axe, bench, made
from .test_verifying import open_room
from .test_verifying_evidence import a_room_with_a_twin

__all__ = ["axe", "bench", "made"]

PARTS = ("Progress", "People", "Table 4", "Agreement", "Tasks")
"""Parts of the page Verification."""


def test_verify_tasks(bench: Bench, axe: Checker) -> None:
    page, room = bench.tab.page, a_room_with_a_twin(bench.server)
    bench.become("reviewer", room.verification.study_id or "")
    bench.go("verify", ".verify[data-stage=look]")
    page.wait_for_load_state("networkidle")
    axe.look(bench.tab, "first view")
    bench.tab.press("z")
    page.get_by_label("Why you cannot judge it").wait_for()
    axe.look(bench.tab, "cannot judge")
    page.keyboard.press("Escape")
    bench.tab.press("x", "Enter")
    page.locator(".verify[data-stage=judge]").wait_for()
    page.locator(".flags li").first.wait_for()
    axe.look(bench.tab, "evidence, objects")
    bench.tab.press("k")
    page.locator(".legend i").first.wait_for()
    axe.look(bench.tab, "evidence, masks")
    bench.tab.press("o", "m")
    page.locator("svg.map").wait_for()
    axe.look(bench.tab, "evidence, outlines and map")
    bench.tab.press("t")
    page.locator(".twin").wait_for()
    axe.look(bench.tab, "evidence, twin")
    bench.tab.press("x")
    page.locator(".axis .reason").first.wait_for()
    axe.look(bench.tab, "an axis fails")
    for key, state in (("g", "guide"), ("h", "own work")):
        bench.tab.press(key)
        page.locator("dialog[open]").wait_for()
        axe.look(bench.tab, state)
        page.keyboard.press("Escape")


def test_nothing_to_verify(bench: Bench, axe: Checker) -> None:
    bench.become("reviewer")
    bench.go("verify", "h1")
    axe.look(bench.tab, "no verification")


def test_verification(bench: Bench, axe: Checker) -> None:
    room = open_room(bench.server, range(41, 43), "Looked over too")
    bench.become("researcher", room.verification.study_id or "")
    for part in PARTS:
        bench.go(f"verification?part={part}", "[data-testid=stMain] button[data-selected=true]")
        axe.look(bench.tab, f"verification, {part}")


def test_audit(bench: Bench, axe: Checker) -> None:
    page = bench.tab.page
    bench.become("researcher")
    bench.go("audit", "h1")
    axe.look(bench.tab, "audit, none yet")
    page.get_by_role("button", name="Run the audit").click()
    page.get_by_text("checks found something").wait_for(timeout=60_000)
    page.locator("summary", has_text="Balance and diversity").click()
    page.get_by_text("Normalised entropy").wait_for()
    bench.settled()
    axe.look(bench.tab, "audit, report")


def test_make_a_task(bench: Bench, axe: Checker) -> None:
    bench.become("annotator")
    bench.go("author", "h1")
    axe.look(bench.tab, "make a task, none yet")


def test_trajectories(bench: Bench, axe: Checker) -> None:
    bench.become("annotator")
    bench.go("trajectories", "h1")
    axe.look(bench.tab, "trajectories, none yet")
    bench.go("adjudicate", "h1, .adjudicate")
    axe.look(bench.tab, "adjudicate, nothing")


def test_study_under_way(bench: Bench, axe: Checker) -> None:
    bench.become("participant")
    bench.become("researcher")
    for address in ("watch", "results", "log", "disputes"):
        bench.go(address, "h1")
        axe.look(bench.tab, address)


def test_nothing_was_found(axe: Checker) -> None:
    assert len(axe.seen) == 24
    assert axe.faults == [], "\n".join(axe.faults)
    assert set(axe.streamlits) <= set(STREAMLITS), axe.streamlits
