"""The one list of actions: each is declared once, in a module of this package; parsing and printing follow from the declarations.

Canonical text forms::

    move_forward                      turn_left
    pick_up(object_1)                 put(object_1, inside, object_2)
    put(object_1, on, object_2)       fill(object_1, with_water)
    pour(object_1, from, object_2, to, object_3)
    open(object_1)  close(object_1)  put_on_floor(object_1)  put_back(object_1)
    remove_cloth(object_1)  place_on_slope(object_1)  wait

Objects are handles, never categories. Camera kinematics follow ESI-Bench's released runner.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Mapping

import msgspec

from sim_bridge.actions.kind import ActionKind, Text, said
from sim_bridge.actions.steps import MIN_CAMERA_Z_M, MOVE_STEP_M, TURN_STEP_DEG
from sim_bridge.errors import ActionError

MODULES: tuple[str, ...] = (
    "moves",
    "turns",
    "hands",
    "water",
    "doors",
    "cloth",
    "slope",
    "waiting",
)
"""The registry: modules of this package, each with a tuple ``KINDS`` of the actions it declares."""


def _declared() -> tuple[ActionKind, ...]:
    return tuple(kind for name in MODULES for kind in importlib.import_module(f"{__name__}.{name}").KINDS)


KINDS: tuple[ActionKind, ...] = _declared()
"""Every action, in the order of the registry."""
BY_NAME: dict[str, ActionKind] = {kind.name: kind for kind in KINDS}
ACTIONS: tuple[str, ...] = tuple(BY_NAME)
"""Every action name of the protocol."""
CAMERA_ACTIONS: tuple[str, ...] = tuple(kind.name for kind in KINDS if kind.camera)
"""The ten camera actions every task allows."""
OBJECT_ACTIONS: frozenset[str] = frozenset(kind.name for kind in KINDS if kind.takes_objects)
"""Actions that take objects; tasks without any offer no handles."""
TAKING_ACTIONS: frozenset[str] = frozenset(kind.name for kind in KINDS if kind.hand == "takes")
"""Actions after which the hand holds their first object, when they work."""
FREEING_ACTIONS: frozenset[str] = frozenset(kind.name for kind in KINDS if kind.hand == "frees")
"""Actions that free the hand when they work."""
RELATION_NEEDS: Mapping[str, str] = {"inside": "hold", "on": "carry"}
"""Relation → what the object must be able to that something is put inside or on."""
RELATIONS: tuple[str, ...] = tuple(RELATION_NEEDS)
ARGUMENTS: dict[str, tuple[str, ...]] = {kind.name: kind.form for kind in KINDS}
"""name → kinds of its arguments in order: ``obj`` a handle, ``rel`` one of `RELATIONS`, anything else a literal word."""

__all__ = [
    "ACTIONS",
    "ARGUMENTS",
    "BY_NAME",
    "CAMERA_ACTIONS",
    "FREEING_ACTIONS",
    "KINDS",
    "MIN_CAMERA_Z_M",
    "MODULES",
    "MOVE_STEP_M",
    "OBJECT_ACTIONS",
    "RELATIONS",
    "RELATION_NEEDS",
    "TAKING_ACTIONS",
    "TURN_STEP_DEG",
    "Action",
    "ActionKind",
    "Text",
    "inverse_of",
    "parse_action",
    "pattern",
    "said",
    "written",
]


def inverse_of(action: str) -> str:
    """The camera action that undoes another (`move_down` on the floor excepted, which does nothing).

    Example:
        >>> inverse_of("turn_left")
        'turn_right'
    """
    return BY_NAME[action].inverse


_CALL = re.compile(r"^\s*([a-z_]+)\s*(?:\(\s*([^()]*?)\s*\))?\s*$")
_HANDLE = re.compile(r"^[A-Za-z0-9_\-]{1,64}$")


class Action(msgspec.Struct, frozen=True):
    """One well-formed action: a name and its arguments in canonical order (literal words included)."""

    name: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name if not self.args else f"{self.name}({', '.join(self.args)})"

    @property
    def kind(self) -> ActionKind:
        """Its declaration."""
        return BY_NAME[self.name]

    @property
    def objects(self) -> tuple[str, ...]:
        """The handles among the arguments, in order."""
        return tuple(a for a, kind in zip(self.args, ARGUMENTS[self.name], strict=True) if kind == "obj") if self.args else ()

    def told(self, text: Text, name: Callable[[str], str]) -> str:
        """Text of its declaration with its arguments in their places.

        Args:
            text: one of its declaration's texts.
            name: handle → what the object is called.
        """
        words = (name(arg) if kind == "obj" else arg for arg, kind in zip(self.args, ARGUMENTS[self.name], strict=True))
        return said(text, *words)


def written(name: str, *objects: str, relation: str = RELATIONS[0]) -> str:
    """Canonical text of an action with these objects, the literal words filled in.

    Args:
        name: the action.
        objects: a handle for each object argument, in order.
        relation: for actions that have one.

    Example:
        >>> written("pour", "object_1", "object_1", "object_2")
        'pour(object_1, from, object_1, to, object_2)'
    """
    rest = iter(objects)
    return str(Action(name, tuple(next(rest) if kind == "obj" else relation if kind == "rel" else kind for kind in ARGUMENTS[name])))


def pattern(name: str) -> str:
    """How an action is written, with ``OBJECT`` for each handle and the words to choose from where there is a choice.

    Example:
        >>> pattern("put"), pattern("move_up")
        ('put(OBJECT, inside|on, OBJECT)', 'move_up')
    """
    words = {"obj": "OBJECT", "rel": "|".join(RELATIONS)}
    return str(Action(name, tuple(words.get(kind, kind) for kind in ARGUMENTS[name])))


def parse_action(text: str, allowed: Iterable[str] | None = None) -> Action:
    """Parse canonical action text.

    Args:
        text: one action in canonical form; surrounding and inner blanks are ignored.
        allowed: action names this task permits; None permits all.

    Returns:
        The action.

    Raises:
        ActionError: not an action, wrong arguments, or not allowed here.
    """
    match = _CALL.match(text) if isinstance(text, str) and len(text) <= 400 else None
    if match is None or match[1] not in BY_NAME:
        raise ActionError(f"This is no action: got {str(text)[:80]!r}. Use one of: {', '.join(allowed or ACTIONS)}.")
    name = match[1]
    args = tuple(a.strip() for a in match[2].split(",")) if match[2] else ()
    form = ARGUMENTS[name]
    if len(args) != len(form):
        raise ActionError(f"Action {name} takes {len(form)} argument(s) ({', '.join(form) or 'none'}), got {len(args)}: {text!r}.")
    for arg, kind in zip(args, form, strict=True):
        good = bool(_HANDLE.match(arg)) if kind == "obj" else arg in RELATIONS if kind == "rel" else arg == kind
        if not good:
            expected = "an object" if kind == "obj" else " or ".join(RELATIONS) if kind == "rel" else kind
            raise ActionError(f"Action {name}: expected {expected}, got {arg!r}.")
    if allowed is not None and name not in tuple(allowed):
        raise ActionError(f"Action {name} is not available in this task. Use one of: {', '.join(allowed)}.")
    return Action(name, args)
