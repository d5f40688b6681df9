"""Which objects an action may name, for people and models alike (measurement 2): what is offered, what carries a number, for which action.

Nothing here may answer a question. What a question counts, or compares or tells apart from others of its kind, never carries a number, and
is offered only where the question names it, so neither the picture nor the length of a list tells how many there are. What can be done with
a thing follows from its kind alone (`sim_bridge.spec.Hands`), never from a lock or from what is inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from data.task import Task
from sim_bridge.actions import BY_NAME, MOVE_STEP_M, RELATION_NEEDS, ActionKind
from sim_bridge.spec import Hands
from study.wording import say

Choices = dict[str, tuple[tuple[str, ...], ...]]
"""Action name, with its relation where it has one (``put inside``) → the handles for each of its object arguments, in order."""


@dataclass(frozen=True)
class ObjectRule:
    """One way of telling which objects there are to act on: a setting of the protocol."""

    name: str
    least_pixels: int
    """An object counts as seen from this many pixels of one view on, at 640×480 or more; in smaller frames from as large a share."""
    sorted_out: bool
    """Whether an action offers only what it can be done to at all, and nothing is offered that the question is about without naming it."""
    numbered: bool
    """Whether the numbers stand on the picture (for models: with a box in pixels)."""


RULES: tuple[ObjectRule, ...] = (
    ObjectRule("numbered", 400, sorted_out=True, numbered=True),
    ObjectRule("unnumbered", 400, sorted_out=True, numbered=False),
    ObjectRule("listed", 20, sorted_out=False, numbered=False),
)
"""Every rule. The released runner had names only: compare runs of it with ``unnumbered``. ``listed`` is what episodes had before there was
a choice: every object from 20 pixels on, for every action."""
BY_RULE: Mapping[str, ObjectRule] = {rule.name: rule for rule in RULES}
DEFAULT_RULE, FORMER_RULE = RULES[0], RULES[-1]
_WHOLE_FRAME = 640 * 480


def least_pixels(task: Task, rule: ObjectRule) -> int:
    """From how many pixels an object counts as seen in frames of this task's size."""
    frame = task.scene.camera.width * task.scene.camera.height
    return max(min(20, rule.least_pixels), min(rule.least_pixels, rule.least_pixels * frame // _WHOLE_FRAME))


def asked_about(task: Task) -> frozenset[str]:
    """Handles of objects that are of a kind which the question counts, compares or asks about, whether or not it names them."""
    ask, kind = task.question.ask, _kinds(task)
    if ask is not None:
        counted = ask.category
        things = {kind[handle] for handle in (*ask.things, *((ask.against,) if ask.against else ()))}
        return frozenset(h for h, k in kind.items() if k in things or _is_a(k, counted))
    # A released row says what it asks in its wording alone.
    words, things = task.question.text.lower(), {kind[handle] for handle in task.names}
    return frozenset(h for h, k in kind.items() if k in things or k.replace("_", " ") in words)


def spoken_of(task: Task) -> tuple[str, ...]:
    """Kinds of things that the question is about, in words, each once and sorted: those of what it names, and the one that it counts.

    What is hidden, or is to be told, counts or not, is not among them unless the question names it.
    """
    ask, kind = task.question.ask, _kinds(task)
    kinds = {kind[handle] for handle in task.names} | ({ask.category} if ask is not None and ask.category else set())
    return tuple(sorted(word.replace("_", " ") for word in kinds))


def told_apart(task: Task) -> frozenset[str]:
    """Handles of named objects whose number would say which is which: those of a kind that is counted, or of which several are named."""
    ask, kind = task.question.ask, _kinds(task)
    named = [kind[handle] for handle in task.names]
    return frozenset(h for h in task.names if named.count(kind[h]) > 1 or (ask is not None and _is_a(kind[h], ask.category)))


def _kinds(task: Task) -> dict[str, str]:
    return {o.handle: o.category for o in task.scene.objects}


def _is_a(kind: str, counted: str) -> bool:
    return bool(counted) and (kind == counted or kind.endswith(f"_{counted}"))


def actionable(task: Task, hands: Hands | None) -> frozenset[str]:
    """Scene handles to which some action of the task can be done, by their kinds."""
    needs = {need for kind in _acting(task) for _, places in _forms(kind) for need in places}
    return frozenset(o.handle for o in task.scene.objects if any(able(task, hands, o.handle, need) for need in needs))


def able(task: Task, hands: Hands | None, handle: str, need: str) -> bool:
    """Whether the object's kind meets what an argument of an action needs. Whether a thing that the question names carries another may be
    what it asks, so that is always offered."""
    if not need or hands is None or handle not in hands.can:
        return True
    return need in hands.can[handle] or (need == "carry" and handle in task.names)


def choices(task: Task, hands: Hands | None, to_scene: Mapping[str, str], held: str | None) -> Choices:
    """What each argument of each action may be now.

    Args:
        task: the task.
        hands: what the simulator says of the scene; None: it says nothing, so every object is offered.
        to_scene: public handle → the scene's, of what is offered, in order.
        held: public handle of what is in the hand.
    """
    found: Choices = {}
    for kind in _acting(task):
        for form, needs in _forms(kind):
            found[form] = tuple(
                tuple(h for h in _kept(kind, index, held, tuple(to_scene)) if able(task, hands, to_scene[h], need))
                for index, need in enumerate(needs)
            )
    return found


def _acting(task: Task) -> Iterator[ActionKind]:
    return (BY_NAME[name] for name in task.actions if BY_NAME[name].takes_objects)


def _forms(kind: ActionKind) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The key in `Choices` of each relation (or of the action alone), with what each object argument needs."""
    if "rel" not in kind.form:
        yield kind.name, kind.needs
        return
    for relation, need in RELATION_NEEDS.items():
        yield f"{kind.name} {relation}", tuple(need if place == "rel" else place for place in kind.needs)


def _kept(kind: ActionKind, index: int, held: str | None, offered: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the offered that the hand leaves possible for object argument `index`."""
    frees, takes = kind.hand == "frees" and index == 0, kind.hand == "takes" and index == 0
    if held is None:
        return () if frees and not kind.from_reach else offered
    if frees or index in kind.likely_held:
        return (held,)
    return () if takes else tuple(handle for handle in offered if handle != held)


def reach(hands: Hands | None, step_m: float = MOVE_STEP_M) -> str:
    """How far a hand reaches, in words; empty where it is not known or has no end. A step of the camera is `step_m` long."""
    if hands is None or hands.reach_m is None:
        return ""
    steps = int(hands.reach_m / step_m + 1e-9)
    return say("done.reach", metres=f"{hands.reach_m:g}", steps=steps)
