"""Evidence time: the first observation by which what was seen holds all that a task declares its evidence to be (measurement 27).

A task's `evidence` says what its ground-truth trajectory shows. Of its pieces, things *seen* (with at least so many pixels, in that part
of the task) can be looked for on anybody's path. Where a task declares something else too (a relation, a flag, what an action did), or
where its first view already holds all of it, so that pixels do not express what decides, evidence is not declared here and evidence time
is missing, never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from data.task import Task

ENOUGH_PIXELS = 60
"""Pixels at which a thing counts as seen where its evidence says no number, as in the proof of a task (`data.generators.framework`)."""


class Wanted(msgspec.Struct, frozen=True):
    """A thing that has to be seen."""

    handle: str
    pixels: float
    part: int
    """Of the task, from 0."""


class Seen(msgspec.Struct, frozen=True):
    """One observation: its number, its part of the task, and what was visible."""

    seq: int
    part: int
    visible: Mapping[str, int]


def wanted(task: Task) -> tuple[Wanted, ...]:
    """What has to be seen; empty: it is not declared, or not by what is seen."""
    if any(piece.kind not in ("seen", "unseen") for piece in task.evidence):
        return ()
    last = len(task.gt_trajectory) + len(task.gt_phase_starts)
    found = []
    for piece in task.evidence:
        if piece.kind == "seen":
            step = piece.step if piece.step >= 0 else last + 1 + piece.step
            # a phase change is a step of its own, after the actions of the phases before it
            part = sum(step >= starts + number + 1 for number, starts in enumerate(task.gt_phase_starts))
            found.append(Wanted(piece.handle, ENOUGH_PIXELS if piece.low is None else piece.low, part))
    return tuple(found)


def observed(steps: Iterable[tuple[int, str, Mapping[str, int]]]) -> list[Seen]:
    """Observations with the part of the task that each belongs to.

    Args:
        steps: (number, kind of step, what was visible) in order.
    """
    found, part = [], 0
    for seq, kind, visible in steps:
        part += kind == "phase"
        found.append(Seen(seq, part, visible))
    return found


def reached(pieces: Sequence[Wanted], seen: Iterable[Seen]) -> tuple[bool, int | None]:
    """Whether evidence is declared for an episode, and its evidence time.

    Args:
        pieces: from `wanted`.
        seen: the observations in order.

    Returns:
        (declared, number of the first observation by which all of it was seen; None: not reached, or not declared).
    """
    left = set(pieces)
    if not left:
        return False, None
    for one in seen:
        left -= {piece for piece in left if piece.part == one.part and one.visible.get(piece.handle, 0) >= piece.pixels}
        if not left:
            return (False, None) if one.seq == 0 else (True, one.seq)
    return True, None
