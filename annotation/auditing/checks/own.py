"""Rules of own tasks: proofs, twins, margins, and quantities that decide but cannot be seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from annotation.auditing.check import Audited, Check, Finding, Row
from data.task import Task
from sim_bridge.spec import Object

UNSEEN = ("friction", "mass_kg", "restitution", "damping")
"""Parameters of an object that change nothing that is drawn."""
TO_POSE_M = 1e-3
"""Twins' things that lie nearer than this to each other lie at one place."""


def _own(audited: Audited) -> list[tuple[Row, Task]]:
    return [(row, task) for row, task in audited.tasks if task.provenance.dataset == "vantage"]


def _long(audited: Audited) -> Iterator[Finding]:
    for row, task in audited.tasks:
        actions = len(task.gt_trajectory) + len(task.gt_phase_starts)
        most = (task.budget - 1) * 2 // 3
        if actions > most:
            yield Finding(
                row,
                f"Its ground-truth trajectory takes {actions} of the {task.budget - 1} actions that the budget of {task.budget} allows; "
                f"two thirds are {most}.",
            )


def _unargued(audited: Audited) -> Iterator[Finding]:
    here = {task.task_id for _, task in audited.tasks}
    for row, task in _own(audited):
        if task.twin is not None and task.twin not in here:
            yield Finding(row, f"Its twin {task.twin!r} is not in the set, so that its golds are not balanced.", (task.twin,))
        elif task.twin is None and not isinstance(task.first_view, str):
            yield Finding(row, "It has no twin (`twin` is empty) and no argument (`first_view` is no text) why one view does not suffice.")


def _no_margin(audited: Audited) -> Iterator[Finding]:
    for row, task in _own(audited):
        if "margin" not in task.gold.derivation:
            yield Finding(row, f"`gold.derivation` ({task.gold.derivation[:80]!r}) does not say how far the gold is from its threshold.")


def seen(thing: Object) -> dict[str, Any]:
    """What of an object's description is drawn."""
    told: dict[str, Any] = msgspec.to_builtins(thing)
    told.pop("pose")
    told["params"] = {name: value for name, value in thing.params.items() if name not in UNSEEN}
    return told


def _near(one: Object, other: Object) -> bool:
    a, b = one.pose, other.pose
    alike = abs(sum(p * q for p, q in zip(a.quaternion_xyzw, b.quaternion_xyzw, strict=True))) > 0.9999
    return alike and max(abs(p - q) for p, q in zip(a.position_m, b.position_m, strict=True)) < TO_POSE_M


def _unseen(audited: Audited) -> Iterator[Finding]:
    found = {task.task_id: task for _, task in audited.tasks}
    for row, task in audited.tasks:
        twin = found.get(task.twin or "")
        if twin is None or twin.gold.accepted == task.gold.accepted or _without_objects(task) != _without_objects(twin):
            continue
        own, other = ({o.handle: o for o in t.scene.objects} for t in (task, twin))
        if own.keys() != other.keys() or any(seen(own[h]) != seen(other[h]) or not _near(own[h], other[h]) for h in own):
            continue
        differ = [
            f"{name} of {handle} is {own[handle].params.get(name)} here and {other[handle].params.get(name)} there"
            for handle in own
            for name in UNSEEN
            if own[handle].params.get(name) != other[handle].params.get(name)
        ]
        if differ:
            yield Finding(
                row,
                f"Its gold is {task.gold.accepted[0]!r}, that of its twin {twin.task_id} {twin.gold.accepted[0]!r}, and nothing that is "
                f"drawn differs: {'; '.join(differ)}.",
                (twin.task_id,),
            )


def _without_objects(task: Task) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(task.scene)
    told.pop("objects")
    return told


CHECKS = (
    Check(
        id="proof-too-long",
        severity="warning",
        about="The ground-truth trajectory, which knows where to go, takes more than two thirds of the actions that the budget allows. "
        "Whoever has to explore first runs out of them: the score mixes ability with luck.",
        fix="Start nearer to the evidence, or allow a larger budget.",
        look=_long,
    ),
    Check(
        id="no-twin-no-argument",
        severity="warning",
        about="An own task without a twin (or whose twin is left out of the set) and without an argument why its first view does not "
        "suffice.",
        fix="Make the twin with the opposite gold and the same first view, or write the argument into `first_view`.",
        look=_unargued,
    ),
    Check(
        id="no-margin",
        severity="warning",
        about="An own task that does not say how far its gold lies from the threshold at which it would be another.",
        fix="State the margin in `gold.derivation`, and draw the task so that it is kept.",
        look=_no_margin,
    ),
    Check(
        id="decides-unseen",
        severity="error",
        about=f"Twins with different golds whose scenes differ in nothing that is drawn: only in {', '.join(UNSEEN)}. No view tells them "
        "apart, so that no reasoning finds the answer; only trying does.",
        fix="Let what decides be seen: another material, angle or shape; and take its value from what is seen.",
        look=_unseen,
    ),
)
