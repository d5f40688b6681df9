"""The one list of actions: canonical names, arguments, parsing and printing.

Canonical text forms (design §3)::

    move_forward                      turn_left
    pick_up(object_1)                 put(object_1, inside, object_2)
    put(object_1, on, object_2)       fill(object_1, with_water)
    pour(object_1, from, object_2, to, object_3)
    open(object_1)  close(object_1)  put_on_floor(object_1)  put_back(object_1)
    remove_cloth(object_1)  place_on_slope(object_1)  wait

Objects are handles, never categories. Camera kinematics follow the released runner (ESI-Bench format page §4.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from sim_bridge.errors import ActionError

MOVE_STEP_M = 0.25
"""Translation of one move action, metres (ESI-Bench runner constant MOVE_STEP)."""
TURN_STEP_DEG = 15.0
"""Rotation of one turn action, degrees (ESI-Bench runner constant TURN_STEP)."""
MIN_CAMERA_Z_M = 0.01
"""`move_down` stops here, absolute world height (ESI-Bench format page §4.1)."""

CAMERA_ACTIONS: tuple[str, ...] = (
    "move_forward", "move_backward", "move_left", "move_right", "move_up", "move_down",
    "turn_left", "turn_right", "turn_up", "turn_down",
)  # fmt: skip
"""The ten camera actions every task allows."""

_INVERSES = ("forward backward", "left right", "up down")


def inverse_of(action: str) -> str:
    """The camera action that undoes another (`move_down` on the floor excepted, which does nothing).

    Example:
        >>> inverse_of("turn_left")
        'turn_right'
    """
    kind, way = action.split("_")
    pair = next(p.split() for p in _INVERSES if way in p.split())
    return f"{kind}_{pair[1 - pair.index(way)]}"


_FORMS: dict[str, str] = {
    **dict.fromkeys(CAMERA_ACTIONS, ""),
    "pick_up": "obj",
    "put": "obj,rel,obj",
    "put_on_floor": "obj",
    "put_back": "obj",
    "fill": "obj,with_water",
    "pour": "obj,from,obj,to,obj",
    "open": "obj",
    "close": "obj",
    "remove_cloth": "obj",
    "place_on_slope": "obj",
    "wait": "",
}
"""name → argument pattern: ``obj`` is a handle, ``rel`` one of `RELATIONS`, anything else a literal word."""

ACTIONS: tuple[str, ...] = tuple(_FORMS)
"""Every action name of the protocol."""
RELATIONS: tuple[str, ...] = ("inside", "on")
ARGUMENTS: dict[str, tuple[str, ...]] = {name: tuple(kind for kind in form.split(",") if kind) for name, form in _FORMS.items()}
"""name → kinds of its arguments in order: ``obj`` a handle, ``rel`` one of `RELATIONS`, anything else a literal word."""

_CALL = re.compile(r"^\s*([a-z_]+)\s*(?:\(\s*([^()]*?)\s*\))?\s*$")
_HANDLE = re.compile(r"^[A-Za-z0-9_\-]{1,64}$")


class Action(msgspec.Struct, frozen=True):
    """One well-formed action: a name and its arguments in canonical order (literal words included)."""

    name: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name if not self.args else f"{self.name}({', '.join(self.args)})"

    @property
    def objects(self) -> tuple[str, ...]:
        """The handles among the arguments, in order."""
        return tuple(a for a, kind in zip(self.args, _FORMS[self.name].split(","), strict=True) if kind == "obj") if self.args else ()


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
    if match is None or match[1] not in _FORMS:
        raise ActionError(f"This is no action: got {str(text)[:80]!r}. Use one of: {', '.join(allowed or ACTIONS)}.")
    name = match[1]
    args = tuple(a.strip() for a in match[2].split(",")) if match[2] else ()
    form = tuple(k for k in _FORMS[name].split(",") if k)
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
