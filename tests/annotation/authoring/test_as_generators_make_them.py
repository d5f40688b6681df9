"""What generators make, an author can make too: a bundled task of each subcategory, built again as a draft, passes the same checks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.authoring import drafts, proving
from data.generators.lab import Lab
from data.generators.registry import GENERATORS, benchmark
from data.store import now
from data.task import Task
from sim_bridge.kinematics import angles_deg
from sim_bridge.pool import Pool
from sim_bridge.spec import Object
from tests.homes import fresh_store

OF_THEIR_OWN_HOUSE = {"connect", "passage", "region", "route"}
"""Generators that change a house's walls; an author takes it as it is."""


KNOWN = ("two thirds", "runs into something", "floats")
"""What some of the bundled tasks are found to have, by the same checks in the audit."""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Pool(backend="mujoco", workers=1) as running:
        yield Lab(running.acquire("lab", wait_s=60.0))


def thing(task: Task, key: str, made: Object) -> dict[str, Any]:
    """An object of a task as an author places it."""
    x, y, z = made.pose.position_m
    _, _, qz, qw = made.pose.quaternion_xyzw
    assert made.scale[0] == made.scale[1] == made.scale[2]
    fields: dict[str, Any] = {
        "key": key, "category": made.category, "x_m": x, "y_m": y, "turn_deg": math.degrees(2 * math.atan2(qz, qw)), "scale": made.scale[0],
        "size_m": made.size_m, "loose": made.dynamic, "words": task.names.get(made.handle, ""), "params": made.params,
        "essential": made.handle in _shown(task), "vessel": made.handle in task.vessels,
        "absent": [n for n, phase in enumerate(task.scene.phases, 1) if made.handle in phase.hidden],
    }  # fmt: skip
    if made.origin == "center":
        fields["rest"] = {"position_m": made.pose.position_m, "quaternion_xyzw": made.pose.quaternion_xyzw}
    elif not made.on_floor:
        fields["z_m"] = z
    if task.scene.phases and (there := task.scene.phases[1].moved.get(made.handle)):
        fields["moved"] = there.position_m[:2]
    return fields


def _shown(task: Task) -> set[str]:
    """What an author marks: what the answer depends on and the way shows. What lies under a cloth is seen by the cloth alone."""
    assert task.question.ask is not None
    hidden = {evidence.handle for evidence in task.evidence if evidence.kind == "unseen" and evidence.step == len(task.gt_trajectory)}
    return set(task.essential) - hidden or {task.question.ask.against}


def document(task: Task, family: str) -> dict[str, Any]:
    """A task as the draft that somebody could have made."""
    scene, question, ask = task.scene, task.question, task.question.ask
    assert ask is not None
    keys = {o.handle: f"k{n}" for n, o in enumerate(scene.objects, 1)}
    yaw, _, pitch = angles_deg(task.start.quaternion_xyzw)
    x, y, z = task.start.position_m
    gold = task.gold.accepted[0]
    fields: dict[str, Any] = {
        "room_kind": scene.room.kind, "seed": scene.room.seed, "furnished": scene.room.furnished, "bounds_m": scene.room.bounds_m,
        "clear_m": scene.room.keep_clear_m, "lighting": scene.lighting, "settle_steps": scene.settle_steps,
        "things": [thing(task, keys[o.handle], o) for o in scene.objects], "parts": 2 if scene.phases else 1,
        "eye": {"x_m": x, "y_m": y, "z_m": z, "yaw_deg": yaw, "pitch_deg": pitch - 90}, "width": scene.camera.width,
        "height": scene.camera.height, "hfov_deg": scene.camera.hfov_deg, "asks": ask.what, "about": [keys[h] for h in ask.things],
        "against": keys.get(ask.against, ""), "counted": ask.category, "given": ask.given, "question": question.text, "form": question.form,
        "options": question.options, "argument": "as its generator says", "actions": task.actions, "path_starts": task.gt_phase_starts,
    }  # fmt: skip
    if question.form == "pair":
        assert isinstance(gold, dict)
        names = zip(question.blank_names, question.blanks, strict=True)
        fields["blanks"] = [{"name": name, "options": options, "right": gold[name]} for name, options in names]
    else:
        fields["gold"] = "\n".join(gold) if isinstance(gold, list) else gold
    handles = proving.drafting.handles(proving.drafting.Draft(category=task.category, subcategory=task.subcategory, **fields), family)  # type: ignore[attr-defined]
    fields["path"] = [_named(action, keys, handles) for action in task.gt_trajectory]
    return fields


def _named(action: str, keys: dict[str, str], handles: dict[str, str]) -> str:
    """An action with the draft's handles instead of the task's."""
    for handle in sorted(keys, key=len, reverse=True):
        action = action.replace(handle, f"<{keys[handle]}>")
    for key, handle in handles.items():
        action = action.replace(f"<{key}>", handle)
    return action


SWITCHED = {"lighting"}
"""Kinds whose lamps are lit in one part and not in the other, which a draft cannot say yet."""
LEFT = OF_THEIR_OWN_HOUSE | SWITCHED
MADE = [next(t for t in benchmark() if t.provenance.generator.split()[0] == g.slug) for g in GENERATORS if g.slug not in LEFT]


@pytest.mark.parametrize("task", MADE, ids=[task.task_id for task in MADE])
def test_a_task_of_a_generator_can_be_authored(task: Task, tmp_path: Path, lab: Lab) -> None:
    store = fresh_store(tmp_path)
    store.insert("staff", {"staff_id": "ada", "name": "Ada", "created_at": now()})
    begun = drafts.get(store, drafts.begin(store, "ada", task.category, task.subcategory), "ada")
    kept = drafts.change(store, begun.draft_id, "ada", **document(task, begun.family))
    proof = proving.prove(lab, kept, None)
    gold = task.gold.accepted[0]
    assert proof.derived == (gold if isinstance(gold, str) else proving._text(gold)), proof.found
    assert [found for found in proof.stops if not any(known in found for known in KNOWN)] == []
