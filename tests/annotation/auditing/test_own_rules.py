"""Rules of own tasks: proof, twin, margin, and what decides without being seen; and what the bundled tasks are found to be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import data
from annotation.auditing.check import Audited
from annotation.auditing.reading import read_path
from annotation.auditing.registry import checks
from data.generators.practice import practice
from data.task import Task
from tests.annotation.auditing.made import found, made

BUNDLED = Path(data.__file__).parent / "bundled"
EARLIER = Path(__file__).parents[2] / "fixtures" / "tasks_v3"
"""Bundled tasks of an earlier version that were unsound."""


@pytest.fixture(scope="module")
def slopes() -> Sequence[Task]:
    """A pair of twins: the same thing on the same ramp, with another friction."""
    return [Task.from_json((EARLIER / f"own-slope-001{side}.json").read_text()) for side in "ab"]


def test_twins_that_differ_in_friction_alone_decide_unseen(slopes: Sequence[Task]) -> None:
    findings = found("decides-unseen", slopes)
    assert [f.row.row_id for f in findings] == ["own-slope-001a", "own-slope-001b"]
    assert findings[0].together == ("own-slope-001b",) and "friction of object_1 is 1.104 here and 0.592 there" in findings[0].evidence


def test_twins_of_which_something_drawn_differs_are_no_finding(slopes: Sequence[Task]) -> None:
    one, other = slopes
    things = tuple(
        thing.__class__(**{name: getattr(thing, name) for name in thing.__struct_fields__} | {"size_m": (0.1, 0.1, 0.1)})
        for thing in other.scene.objects
    )
    scene = other.scene.__class__(**{name: getattr(other.scene, name) for name in other.scene.__struct_fields__} | {"objects": things})
    assert found("decides-unseen", [one, other.model_copy(update={"scene": scene})]) == []
    assert found("decides-unseen", [one, other.model_copy(update={"gold": one.gold})]) == []
    assert found("decides-unseen", [one]) == []


def test_a_proof_of_two_thirds_of_the_budget_is_the_longest() -> None:
    def of(actions: int) -> Task:
        return practice().model_copy(update={"gt_trajectory": ("move_forward",) * actions, "gt_phase_starts": (), "budget": 30})

    assert found("proof-too-long", [of(19)]) == []
    (finding,) = found("proof-too-long", [of(20)])
    assert "20 of the 29" in finding.evidence


def test_an_own_task_has_a_twin_or_an_argument() -> None:
    one = made(1, "?", ("yes", "no"), "yes", twin="made-002", first_view=1.0)
    other = made(2, "?", ("yes", "no"), "no", twin="made-001", first_view=1.0)
    assert found("no-twin-no-argument", [one, other]) == []
    (finding,) = found("no-twin-no-argument", [one])
    assert "'made-002'" in finding.evidence
    assert found("no-twin-no-argument", [made(3, "?", ("yes", "no"), "no", first_view="argued: it is behind a wall")]) == []
    assert len(found("no-twin-no-argument", [made(4, "?", ("yes", "no"), "no", first_view=None)])) == 1


def test_an_own_task_states_its_margin() -> None:
    base = made(1, "?", ("yes", "no"), "yes", tags={})
    silent = base.model_copy(update={"gold": base.gold.model_copy(update={"derivation": "the larger box"})})
    assert len(found("no-margin", [silent])) == 1
    said = silent.gold.model_copy(update={"derivation": "the larger box; margin 0.2 m"})
    assert found("no-margin", [silent.model_copy(update={"gold": said})]) == []


@pytest.fixture(scope="module")
def bundled() -> Audited:
    kept = {"own-stack", "own-slope", "own-size", "own-line"}
    return Audited([row for row in read_path(BUNDLED).rows if row.row_id.rpartition("-")[0] in kept])


@pytest.fixture(scope="module")
def earlier() -> Audited:
    return Audited(read_path(EARLIER).rows)


@pytest.mark.parametrize("check_id", ["decides-unseen", "predictable-objects", "predictable-position", "gold-position", "no-margin"])
def test_the_bundled_kinds_are_sound(bundled: Audited, check_id: str) -> None:
    assert {finding.row.kind[1] for finding in checks()[check_id].look(bundled)} == set()


@pytest.mark.parametrize(("check_id", "kind"), [("decides-unseen", "Inclined Plane"), ("predictable-objects", "Stacking & Stability")])
def test_the_kinds_that_were_unsound_are_named(earlier: Audited, check_id: str, kind: str) -> None:
    assert {finding.row.kind[1] for finding in checks()[check_id].look(earlier)} == {kind}


def test_stacks_were_guessed_from_names_as_an_independent_model_guesses_them(earlier: Audited) -> None:
    """A logistic model of another program, one item left out at a time, had 16 of 20 at a chance of 0.375: p = 1.3e-4."""
    findings = list(checks()["predictable-objects"].look(earlier))
    assert len(findings) == 16 and "16 of 20" in findings[0].evidence and "0.80 [0.58, 0.92] against 0.38" in findings[0].evidence
