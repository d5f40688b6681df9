"""The lines that a verifier goes through: declared, and filled where the trajectory tells."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from annotation.reviewing.kinds.tasks import AXES
from annotation.verifying.checklist import TELLERS, filled
from annotation.verifying.evidence import Check, Evidence
from annotation.verifying.playing import play
from data.subcategories import SUBCATEGORIES
from data.subcategories.kind import EVERY_TASK
from data.task import Gold, Task
from tests.study.conftest import InlinePool, build_task, two_parts


def evidence(task: Task) -> Evidence:
    return play(InlinePool().acquire("s"), "s", task).evidence  # type: ignore[arg-type]


def line(checks: tuple[Check, ...], text: str) -> Check:
    (found,) = [check for check in checks if text in check.text]
    return found


def test_every_teller_that_a_line_names_is_there_and_used() -> None:
    named = {line.tells for line in EVERY_TASK} | {line.tells for one in SUBCATEGORIES for line in one.checklist}
    assert named - {""} == set(TELLERS)


@pytest.mark.parametrize("one", SUBCATEGORIES, ids=lambda one: f"{one.category}/{one.name}")
def test_every_subcategory_has_lines_of_its_own(one: Any) -> None:
    assert one.checklist and all(line.text.endswith("?") for line in one.checklist)


def test_without_evidence_every_line_is_left_to_people() -> None:
    checks = filled(build_task(), None)
    assert {check.holds for check in checks} == {None} and {check.why for check in checks} == {""}
    assert list(dict.fromkeys(check.axis for check in checks)) == list(AXES)


def test_a_sound_trajectory_fills_its_lines() -> None:
    task = build_task(gt_trajectory=("turn_left", "move_forward"), actions=("turn_left", "move_forward"))
    checks = filled(task, evidence(task))
    assert line(checks, "every step").holds is True
    assert line(checks, "within the budget").why == "The trajectory takes 3 of 30 views."
    assert line(checks, "stand where").holds is True
    assert "bowl, lamp" in line(checks, "question names").why


def test_what_is_wrong_is_said_with_what_it_is_read_from() -> None:
    task = build_task(gt_trajectory=("turn_left", "move_forward"), actions=("turn_left",), budget=2)
    found = evidence(task)
    assert line(filled(task, found), "within the budget").holds is False
    assert "move forward" in line(filled(task, found), "within the budget").why
    assert line(filled(build_task(budget=2), found), "within the budget").why == "The trajectory takes 3 of 2 views."
    failed = msgspec.structs.replace(found.moments[2], ok=False, result="Did not work.")
    tried = line(filled(task, msgspec.structs.replace(found, moments=(*found.moments[:2], failed))), "every step")
    assert tried.holds is None and "step 2 (Move forward)" in tried.why, "what fails may be the proof"
    inside = msgspec.structs.replace(found.moments[2], clipped=True)
    assert line(filled(task, msgspec.structs.replace(found, moments=(*found.moments[:2], inside))), "every step").holds is False
    gone = msgspec.structs.replace(found.moments[0], things=tuple(t for t in found.moments[0].things if t.words != "lamp"))
    absent = line(filled(task, msgspec.structs.replace(found, moments=(gone,))), "question names")
    assert (absent.holds, absent.why) == (False, "Not in the scene: lamp.")


@pytest.mark.parametrize(
    ("fault", "relations", "holds"),
    [("floats", (), False), ("floats", ("the cup is inside the bowl",), None), ("runs into something", (), None), ("", (), True)],
)
def test_what_the_simulator_finds_is_certain_only_of_what_stands_alone(fault: str, relations: tuple[str, ...], holds: bool | None) -> None:
    task = build_task(gt_trajectory=("turn_left",))
    found = evidence(task)
    things = tuple(msgspec.structs.replace(t, faults=(fault,) if fault and t.words == "cup" else ()) for t in found.moments[0].things)
    first = msgspec.structs.replace(found.moments[0], things=things, relations=relations)
    check = line(filled(task, msgspec.structs.replace(found, moments=(first, *found.moments[1:]))), "stand where")
    assert check.holds is holds and fault in check.why


def test_the_answer_that_a_rule_reads_is_held_against_the_gold() -> None:
    task = build_task(gt_trajectory=("turn_left",))
    found = msgspec.structs.replace(evidence(task), derived="near the lamp")
    assert line(filled(task, found), "proposed answer").holds is True
    other = task.model_copy(update={"gold": Gold(accepted=("near the bowl",), chance=0.5)})
    assert line(filled(other, found), "proposed answer").holds is False


def test_a_change_between_parts_is_told() -> None:
    scene = two_parts()
    task = build_task(
        scene=scene, gt_trajectory=("turn_left",), gt_phase_starts=(1,), category="Temporal Understanding", subcategory="Unobserved Change"
    )
    assert line(filled(task, evidence(task)), "exactly that change").why == "Between the parts these change: bowl."
