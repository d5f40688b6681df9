"""What was changed on purpose in what actions do, so that an episode recorded before may go on otherwise when it is replayed.

A backend that changes adds a line here and says in its fingerprint, as ``physics``, the number of its newest change; a fingerprint
without it is from before the first. Changes of pictures alone need none: pixels are compared only where fingerprints are equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """One change on purpose."""

    backend: str
    number: int
    """Of the backend's changes, from 1."""
    actions: frozenset[str]
    """Names of the actions after which a session may go on otherwise."""
    reason: str
    """One sentence."""


CHANGES = (
    Change(
        "mujoco",
        1,
        frozenset({"pick_up", "put_on_floor", "put_back", "pour"}),
        "The hand: what is held is above the floor, what is put on the floor hides nothing, "
        "and put back means the place before the first pick up.",
    ),
    Change(
        "mujoco",
        2,
        frozenset({"put"}),
        "What falls off, or into, the thing that it is put on is followed until it rests.",
    ),
    Change(
        "mujoco",
        3,
        frozenset({"pick_up", "put", "fill", "pour", "place_on_slope"}),
        "A glass that is seen through another one is in view for the hand; where nothing has a place on a thing, what is in it is named.",
    ),
)


def newest(backend: str) -> int:
    """The number of a backend's newest change; 0: none."""
    return max((change.number for change in CHANGES if change.backend == backend), default=0)


def since(fingerprint: Mapping[str, str], backend: str) -> tuple[Change, ...]:
    """Changes of a backend that what was recorded with `fingerprint` does not know."""
    known = fingerprint.get("physics", "0")
    return tuple(c for c in CHANGES if c.backend == backend and c.number > (int(known) if known.isdigit() else 0))
