"""What playing shows: with a made-up playing, and once with the simulator on stacks that are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.auditing.checks import drawn
from annotation.auditing.checks.drawn import Drawn, playable
from annotation.auditing.reading import of_tasks
from annotation.auditing.registry import checks
from annotation.auditing.running import audit, chosen
from data.generators.lab import Playing, Step, laboratory
from data.generators.practice import practice
from data.task import Evidence, Task
from sim_bridge.protocol import StateReply
from sim_bridge.spec import ObjectState, Pose

EARLIER = Path(__file__).parents[2] / "fixtures" / "tasks_v3"
"""Bundled tasks of an earlier version."""
AT = Pose((0.0, 0.0, 0.0))


def state(**flags: bool) -> StateReply:
    thing = ObjectState("object_1", "mug", AT, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), 10, flags=flags)
    return StateReply(objects=(thing,), relations=())


def step(told: StateReply | None, clipped: bool = False, **visible: int) -> Step:
    return Step("", True, "", visible, clipped, AT, None, 1, told)


def looked(check_id: str, *steps: Step, **changes: object) -> list[str]:
    """Evidence of a check on one playing."""
    task = practice().model_copy(update={"evidence": (), "essential": (), **changes})
    audited = of_tasks([task])
    audited.kept["played"] = [Drawn(audited.rows[0], task, Playing(task, steps))]
    return [finding.evidence for finding in checks()[check_id].look(audited)]


def test_solids_that_cross_or_float_are_told_with_when_and_what() -> None:
    sound, crossing, floating = state(), state(interpenetrating=True), state(floating=True)
    assert looked("solids-cross", step(sound), step(sound)) == looked("solids-float", step(sound), step(sound)) == []
    (told,) = looked("solids-cross", step(sound), step(None), step(crossing))
    assert told.endswith("after the ground-truth trajectory: mug (object_1).") and "start" not in told
    (told,) = looked("solids-float", step(floating), step(sound))
    assert "at the start: mug (object_1)" in told
    assert looked("solids-float", step(sound), step(floating)) == []  # it slides or falls, as it should


def test_a_camera_inside_something_is_told_by_step() -> None:
    assert looked("camera-inside", step(state()), step(state())) == []
    (told,) = looked("camera-inside", step(state()), step(state(), clipped=True))
    assert "at step 1 " in told


def test_a_trajectory_that_does_not_show_its_evidence_is_told() -> None:
    seen = (Evidence(kind="seen", handle="object_1", low=200),)
    assert looked("evidence-never-shown", step(state()), step(state(), object_1=300), evidence=seen) == []
    (told,) = looked("evidence-never-shown", step(state()), step(state(), object_1=100), evidence=seen)
    assert "seen object_1 at step -1" in told
    (told,) = looked("evidence-never-shown", step(state(), object_1=9), essential=("object_1",))
    assert "9 pixels at most, of 60" in told


def test_released_rows_are_not_played_and_nothing_is_played_without_render() -> None:
    task = practice()
    released = task.model_copy(update={"provenance": task.provenance.model_copy(update={"dataset": "esi-bench"})})
    assert playable(task) and not playable(released)
    report = audit(of_tasks([task]), chosen(["solids-cross"]))
    assert "solids-cross" in report.skipped


def test_a_stem_that_goes_into_the_thing_above_is_found_and_a_flat_stack_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured by another program on the boxes: 2.4 cm in stack 012; in 001 everything lies flat. Each is played once for all checks."""
    tasks = [Task.from_json((EARLIER / f"{name}.json").read_text()) for name in ("own-stack-012", "own-stack-001")]
    told: list[str] = []
    count: list[str] = []
    play = drawn.play  # type: ignore[attr-defined]

    def counted(lab: Any, task: Task, **more: Any) -> Playing:
        count.append(task.task_id)
        return play(lab, task, **more)

    monkeypatch.setattr(drawn, "play", counted)
    audited = of_tasks(tasks, lambda done, total, what: told.append(what))
    with laboratory() as audited.lab:
        report = audit(audited, [check for check in chosen() if check.needs == "render"], ("render",))  # type: ignore[arg-type]
    found = {check: [f.row.row_id for f in findings] for check, findings in report.findings.items() if findings}
    assert found == {"solids-cross": ["own-stack-012"]}
    assert "cookie_tin" in report.findings["solids-cross"][0].evidence
    assert any("min to go" in word for word in told) and count == ["own-stack-012", "own-stack-001"]
