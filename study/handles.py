"""Which objects a picker offers, under which opaque handles (measurement 2).

Objects named in the question are offered by the question's words, others as "object N" once they have been visible; which of them, and for
which action, says `study.objects`.
A handle's number says nothing: named objects are numbered in an order drawn from the episode's seed, the others in the order in which
they first came into view (ties drawn from the seed), so neither roles nor the number of hidden objects can be read off.
People and models get the same list.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from data.task import Task
from sim_bridge.actions import FREEING_ACTIONS, OBJECT_ACTIONS, TAKING_ACTIONS, Action, parse_action
from sim_bridge.errors import ActionError
from sim_bridge.spec import Hands
from study.objects import ObjectRule, actionable, asked_about, least_pixels, told_apart


@dataclass(frozen=True)
class Handles:
    """The handles offered at one moment of an episode."""

    offers: tuple[tuple[str, str], ...]
    """(public handle, label) in picker order."""
    to_scene: Mapping[str, str]
    """Public handle → the scene's handle."""
    numbered: frozenset[str] = frozenset()
    """Public handles that carry their number on the picture once they have been seen."""

    def scene_action(self, action: Action) -> str:
        """`action` with the scene's handles.

        Raises:
            ActionError: it names a handle that is not offered.
        """
        offered = dict(self.offers)
        for handle in action.objects:
            if handle not in offered:
                raise ActionError(f"There is no object {handle!r} to choose now. Use one of: {', '.join(offered) or 'none'}.")
        objects = set(action.objects)
        return str(Action(action.name, tuple(self.to_scene[a] if a in objects else a for a in action.args)))

    def in_words(self, text: str) -> str:
        """`text` with the scene's handles replaced by labels, so that a simulator's reason cannot leak its numbering."""
        labels = {scene: dict(self.offers)[public] for public, scene in self.to_scene.items()}

        def label(match: re.Match[str]) -> str:
            words = labels.get(f"object_{match[1]}")
            return f"the {words}" if words and not words.startswith("object ") else words or "that object"

        return re.sub(r"\bobject[_ ](\w+)", label, text)


def held_after(steps: Iterable[tuple[str, bool]], held: str | None = None) -> str | None:
    """The public handle in the hand after `steps` (each: stored action text, whether it succeeded), oldest first; None: the hand is free.

    It follows from what was done, so it tells nobody more than they know. A new part begins with a free hand.

    Args:
        steps: what was done.
        held: what was in the hand before.
    """
    for text, ok in steps:
        if text.startswith("phase:"):
            held = None
        elif ok and (name := text.partition("(")[0]) in TAKING_ACTIONS | FREEING_ACTIONS:
            held = parse_action(text).objects[0] if name in TAKING_ACTIONS else None
    return held


def handles_needed(task: Task) -> bool:
    """Whether any action of this task takes an object."""
    return not OBJECT_ACTIONS.isdisjoint(task.actions)


def hand_needed(task: Task) -> bool:
    """Whether any action of this task takes something into the hand."""
    return not TAKING_ACTIONS.isdisjoint(task.actions)


def handles(task: Task, seed: int, rule: ObjectRule, hands: Hands | None, visible: Iterable[Mapping[str, int]]) -> Handles:
    """The handles after the observations `visible` (each: scene handle → pixels), oldest first."""
    seen: tuple[str, ...] = ()
    for observation in visible:
        seen = first_seen(seed, least_pixels(task, rule), observation, seen)
    return offered(task, seed, rule, hands, seen)


def first_seen(seed: int, least: int, observation: Mapping[str, int], known: tuple[str, ...]) -> tuple[str, ...]:
    """`known` and the objects of which the observation (scene handle → pixels) shows `least` pixels for the first time."""
    new = [h for h, pixels in observation.items() if pixels >= least and h not in known]
    return (*known, *sorted(new, key=lambda handle: _draw(seed, handle)))


def offered(task: Task, seed: int, rule: ObjectRule, hands: Hands | None, seen: Sequence[str]) -> Handles:
    """The handles when the objects `seen` have come into view, in this order, beside those that the question names.

    Args:
        task: the task.
        seed: the episode's.
        rule: how objects are told.
        hands: what the simulator says that hands can do; None: nothing.
        seen: scene handles.
    """
    if not handles_needed(task):
        return Handles((), {})
    named = sorted(task.names, key=lambda handle: _draw(seed, handle))
    others = [handle for handle in seen if handle not in task.names]
    if rule.sorted_out:
        those = actionable(task, hands) - asked_about(task)
        others = [handle for handle in others if handle in those]
    labels = [task.names[handle] for handle in named] + [f"object {n}" for n in range(len(named) + 1, len(named) + len(others) + 1)]
    for n, label in enumerate(labels):
        if labels.count(label) > 1:
            labels[n] = f"{label} ({n + 1})"
    public = [f"object_{n}" for n in range(1, len(labels) + 1)]
    to_scene = dict(zip(public, [*named, *others], strict=True))
    plain = told_apart(task)
    numbered = frozenset(p for p, scene in to_scene.items() if rule.numbered and scene not in plain)
    return Handles(tuple(zip(public, labels, strict=True)), to_scene, numbered)


def parse(task: Task, text: str, offered: Handles) -> tuple[str, str]:
    """Read one action as a participant gives it.

    Returns:
        Canonical text with public handles, and with the scene's handles.

    Raises:
        ActionError: no action, or not offered now.
    """
    action = parse_action(text, task.actions)
    return str(action), offered.scene_action(action)


def _draw(seed: int, handle: str) -> bytes:
    return hashlib.sha256(f"{seed}/{handle}".encode()).digest()
