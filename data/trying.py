"""Released rows whose answer follows from doing, tried with the models that are here, row by row; the outcomes are kept in the log.

What is tried: things at the recorded places, scaled to the recorded boxes, and the deeds of hands. Where the outcome is the recorded
answer, the row can be played; where it is another one, or none, it cannot, and says so. Rows admitted this way are **selected on their
answer**: what people or models do in them says nothing about how often the release's answers hold here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from data.fidelity import needs_trying, selected_on_answer
from data.importers.drafts import words_in
from data.importers.geometry import look_at
from data.rows import Json
from data.store import Store
from data.subcategories import BY_KEY
from data.task import Answer, Task
from sim_bridge.actions import TURN_STEP_DEG
from sim_bridge.errors import BridgeError, WorkerLost
from sim_bridge.kinematics import heading, rotation_matrix
from sim_bridge.lost import once_more
from sim_bridge.rotations import yaw_of
from sim_bridge.spec import Object, ObjectState, Pose, Vec3

if TYPE_CHECKING:
    from data.generators.lab import Lab, Trial

KIND = "task_tried"
"""Kind of the events that keep outcomes; their subject is the task's content hash."""
AWAY_M = 0.55
"""From the middle of a thing to the eye before it; hands reach 1.5 m."""
TURNS = ("turn_left", "turn_right")
SEEN_PIXELS = 60
"""A thing in an open container counts as seen from there on (of 960 × 540)."""
OVERHANG_M = 0.005
"""A thing lies within the outline of what carries it where it reaches over its edge by no more."""


@dataclass(frozen=True)
class Outcome:
    """What came of trying one task."""

    answer: Answer | None
    """What doing gives; None: nothing that answers the question."""
    agrees: bool
    """Whether it is the recorded answer."""
    why: str = ""
    """What happened, in a few words, where it does not agree."""


def attempt(lab: Lab, task: Task) -> Outcome:
    """Try one task.

    Args:
        lab: a simulator.
        task: one whose subcategory names a rule.

    Returns:
        The outcome; a scene that the simulator refuses is one that gives no answer.

    Raises:
        WorkerLost: the simulator was lost with it twice, or there is no other. That says nothing of the row.
    """
    try:
        answer = once_more(lambda: RULES[needs_trying(task)](lab, task), lab.renew)
    except WorkerLost:
        raise
    except BridgeError as error:
        return Outcome(None, False, f"the simulator refuses the scene: {str(error)[:160]}")
    if isinstance(answer, _Nothing):
        return Outcome(None, False, answer.why)
    if answer in task.gold.accepted:
        return Outcome(answer, True)
    return Outcome(answer, False, "doing it here gives another answer")


@dataclass(frozen=True)
class _Nothing:
    """No answer, and why."""

    why: str


# --- rules ------------------------------------------------------------------------------------------------------------


def _enclosure(lab: Lab, task: Task) -> Answer | _Nothing:
    """Open every container and count what is asked for and then seen in it, from whichever side it opens to."""
    things = {o.handle: o for o in task.scene.objects}
    counted = {h for h in task.essential if h not in task.vessels and words_in(task.question.text, things[h].category)}
    with lab.open(task.scene, task.start, actions=("open",)) as trial:
        holds = {r.subject: r.object for r in trial.state().relations if r.kind == "inside"}
    seen: set[str] = set()
    for vessel in task.vessels:
        wanted = {h for h in counted if holds.get(h) == vessel}
        for side in range(4):
            with lab.open(task.scene, _before(things[vessel], side), actions=("open",)) as trial:
                reply = trial.act(f"open({vessel})")
            if not reply.ok:
                return _Nothing(f"a container does not open: {reply.reason.replace('_', ' ')}")
            seen |= {h for h, pixels in reply.observation.visible.items() if h in wanted and pixels >= SEEN_PIXELS}
            if wanted <= seen:
                break
    return str(len(seen))


def _containment(lab: Lab, task: Task) -> Answer | _Nothing:
    """Put every thing into every container: the smallest that takes it fits it best."""
    things = {o.handle: o for o in task.scene.objects}
    words = {w.lower().replace("_", " "): h for h, w in task.names.items()}
    targets = task.question.targets or task.question.options
    containers = {t: words.get(t.lower().replace("_", " ")) for t in targets}
    if None in containers.values():
        return _Nothing("a container of the answer is none of the scene's")
    items = {t: words.get(t.lower().replace("_", " ")) for t in (task.question.options if task.question.targets else ())}
    if not items:
        loose = [h for h in task.essential if h not in task.vessels]
        if len(loose) != 1:
            return _Nothing("the thing that is put in is not one")
        items = {"": loose[0]}
    best: dict[str, str] = {}
    for item, handle in items.items():
        takes = [t for t, vessel in containers.items() if handle and vessel and _goes_in(lab, task, things[handle], things[vessel])]
        if not takes:
            return _Nothing("no container takes it")
        best[item] = min(takes, key=lambda t: math.prod(things[str(containers[t])].size_m or (1.0,)))
    return best if task.question.targets else best[""]


def _goes_in(lab: Lab, task: Task, thing: Object, vessel: Object) -> bool:
    for trial in _taken(lab, task, thing, vessel):
        return trial.act(f"put({thing.handle}, inside, {vessel.handle})", pictures=False).ok
    return False


def _taken(lab: Lab, task: Task, thing: Object, other: Object) -> Iterator[Trial]:
    """The scene with a thing in the hand and the other open, from the first place from which a hand takes it; nothing where none does."""
    for side in range(4):
        with lab.open(task.scene, _beside(thing, other, side), actions=("pick_up", "put", "open", *TURNS)) as trial:
            trial.act(f"open({other.handle})", pictures=False)
            _face(trial, thing)
            if trial.act(f"pick_up({thing.handle})", pictures=False).ok:
                _face(trial, other)
                yield trial
                return


def _face(trial: Trial, thing: Object) -> None:
    """Turn until a thing is straight ahead, as nearly as the published steps allow."""
    camera = trial.last.observation.camera
    x, y = heading(camera)
    ahead = math.atan2(y, x)
    wanted = math.atan2(thing.pose.position_m[1] - camera.position_m[1], thing.pose.position_m[0] - camera.position_m[0])
    off = math.degrees(math.remainder(wanted - ahead, 2 * math.pi))
    for _ in range(round(abs(off) / TURN_STEP_DEG)):
        trial.act(TURNS[off < 0], pictures=False)


def _order(lab: Lab, task: Task) -> Answer | _Nothing:
    """Put the thing in the middle on either base, and either top on it: right is the one that carries, or lies on it, without reaching
    over an edge. The answer says where it stands, seen from the start."""
    things = {o.handle: o for o in task.scene.objects}
    middles = [h for h in task.names if [o.category for o in things.values()].count(things[h].category) == 1]
    if len(middles) != 1:
        return _Nothing("the thing in the middle is not one")
    middle = things[middles[0]]
    groups: dict[str, list[Object]] = {}
    for thing in task.scene.objects:
        if thing.handle != middle.handle:
            groups.setdefault(thing.category, []).append(thing)
    asked = sorted(groups, key=lambda c: task.question.text.lower().replace("_", " ").find(c.replace("_", " ")))
    if len(asked) != len(task.question.blank_names) or any(len(g) != 2 for g in groups.values()):
        return _Nothing("there are not two candidates for each place")
    answer: dict[str, str] = {}
    for blank, options, category, below in zip(task.question.blank_names, task.question.blanks, asked, (True, False), strict=True):
        pairs = [(middle, c) if below else (c, middle) for c in groups[category]]
        right = [c for c, (upper, lower) in zip(groups[category], pairs, strict=True) if _lies_on(lab, task, upper, lower)]
        if len(right) != 1:
            return _Nothing("both candidates of one place serve" if right else "no candidate of one place serves")
        word = _where(task.start, middle.pose.position_m, right[0].pose.position_m, options)
        if not word:
            return _Nothing("the two places are not told apart by the words of the answer")
        answer[blank] = word
    return answer


def _lies_on(lab: Lab, task: Task, upper: Object, lower: Object) -> bool:
    for trial in _taken(lab, task, upper, lower):
        if not trial.act(f"put({upper.handle}, on, {lower.handle})", pictures=False).ok:
            return False
        state = trial.state()
        found = {o.handle: o for o in state.objects}
        on = any((r.kind, r.subject, r.object) == ("on", upper.handle, lower.handle) for r in state.relations)
        return on and _within(found[upper.handle], found[lower.handle])
    return False


def _within(upper: ObjectState, lower: ObjectState) -> bool:
    return all(
        lower.aabb_min_m[i] - OVERHANG_M <= upper.aabb_min_m[i] and upper.aabb_max_m[i] <= lower.aabb_max_m[i] + OVERHANG_M for i in (0, 1)
    )


def _where(eye: Pose, middle: Vec3, at: Vec3, options: tuple[str, ...]) -> str:
    """The word among the options for where a place lies from another in the start view: left or right, above (farther) or below."""
    axes = tuple(zip(*rotation_matrix(eye.quaternion_xyzw), strict=True))
    offset = [a - m for a, m in zip(at, middle, strict=True)]
    right, up = (sum(a * o for a, o in zip(axes[k], offset, strict=True)) for k in (0, 1))
    word = ("right" if right > 0 else "left") if set(options) <= {"left", "right"} else ("above" if up > 0 else "below")
    return word if word in options else ""


RULES: dict[str, Callable[[Lab, Task], Answer | _Nothing]] = {"enclosure": _enclosure, "containment": _containment, "order": _order}


# --- where one stands -------------------------------------------------------------------------------------------------


def _before(thing: Object, side: int) -> Pose:
    """Before one of a thing's four sides (0: its own −y, then counter-clockwise), a little higher than its middle."""
    x, y, z = thing.pose.position_m
    yaw = yaw_of(thing.pose.quaternion_xyzw) + (side - 1) * math.pi / 2
    return look_at((x + AWAY_M * math.cos(yaw), y + AWAY_M * math.sin(yaw), z + 0.1), (x, y, z))


def _beside(one: Object, other: Object, side: int) -> Pose:
    """Beside the middle between two things, so that a hand reaches both, looking at the other; sides lie across and along their line."""
    (x0, y0, z0), (x1, y1, z1) = one.pose.position_m, other.pose.position_m
    middle = ((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2)
    yaw = math.atan2(y1 - y0, x1 - x0) + (side + 1) * math.pi / 2
    return look_at((middle[0] + AWAY_M * math.cos(yaw), middle[1] + AWAY_M * math.sin(yaw), middle[2] + 0.5), other.pose.position_m)


# --- outcomes ---------------------------------------------------------------------------------------------------------


def keep(store: Store, task: Task, outcome: Outcome, pack: str) -> None:
    """Keep an outcome; a later one stands for an earlier one with the same object models."""
    with store.atomic():
        told = {"pack": pack, "agrees": outcome.agrees, "answer": outcome.answer, "why": outcome.why}
        store.event(KIND, told, actor="vantage", subject=task.content_hash)


class _Kept(msgspec.Struct, frozen=True):
    subject: str
    data: Annotated[dict[str, Any], Json]


def outcomes(store: Store, pack: str) -> Mapping[str, Outcome]:
    """Content hash → the last outcome with these object models."""
    found: dict[str, Outcome] = {}
    for row in store.rows("SELECT subject, data FROM events WHERE kind = ? ORDER BY seq", _Kept, [KIND]):
        if row.data["pack"] == pack:
            found[row.subject] = Outcome(row.data["answer"], row.data["agrees"], row.data["why"])
    return found


def untried(store: Store, pack: str) -> Iterator[Task]:
    """Imported tasks that a rule could try and that nobody has tried with these object models."""
    known = outcomes(store, pack)
    for kind in BY_KEY.values():
        if kind.tried:
            for task in store.tasks(category=kind.category, subcategory=kind.name):
                if selected_on_answer(task) and task.content_hash not in known:
                    yield task
