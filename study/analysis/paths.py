"""What all readers share of a trial's path: the last belief at each observation, an action's name, and what coders said of views."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from study.analysis.trials import Belief
from study.labels.views import CODERS

CONTRASTIVE = "contrastive"


def called(action: str) -> str:
    """An action's name without its objects: ``pick_up(object 1)`` is ``pick_up``."""
    return action.split("(", 1)[0]


def believed(said: Iterable[tuple[int, str | None, bool | None, int | None]]) -> tuple[Belief, ...]:
    """What was thought last at each observation, in order: the last that names an answer, where one does, since an answer is held until
    another one is stated.

    Args:
        said: (observation, answer, whether it is right, confidence) in the order in which they were said.
    """
    last: dict[int, Belief] = {}
    for one in (Belief(*each) for each in said):
        if one.answer is not None or one.seq not in last or last[one.seq].answer is None:
            last[one.seq] = one
    return tuple(last[seq] for seq in sorted(last))


def stated(beliefs: Iterable[Belief]) -> list[Belief]:
    """The beliefs that name an answer: "not sure" after an answer is no change of it."""
    return [belief for belief in beliefs if belief.answer is not None]


def changes(beliefs: Iterable[Belief]) -> list[int] | None:
    """The observations at which the stated answer changed; None: fewer than two were stated, so it cannot be said."""
    said = stated(beliefs)
    return [now.seq for before, now in pairwise(said) if now.answer != before.answer] if len(said) > 1 else None


def labelled(labels: Iterable[tuple[str, int, str]], last: int) -> list[dict[int, str]]:
    """What each coder said (observation → label) who labelled every view; empty where they are fewer than `study.labels.views.CODERS`.

    Args:
        labels: (coder, observation, label) of one trajectory.
        last: number of its last observation.
    """
    by_coder: dict[str, dict[int, str]] = defaultdict(dict)
    for coder, seq, label in labels:
        by_coder[coder][seq] = label
    whole = [said for said in by_coder.values() if len(said) >= last]
    return whole if len(whole) >= CODERS else []


def contrastive_of(
    labels: Iterable[tuple[str, int, str]], last: int, beliefs: Iterable[Belief]
) -> tuple[bool | None, bool | None]:  # fmt: skip
    """Whether a view is contrastive by most of its coders, and whether the stated answer changed at the first such view or after it.

    Args:
        labels: (coder, observation, label).
        last: number of the last observation.
        beliefs: from `believed`.

    Returns:
        Both None where too few coders labelled it (`labelled`); the second also where fewer than two beliefs were stated.
    """
    whole = labelled(labels, last)
    if not whole:
        return None, None
    found = [seq for seq in range(1, last + 1) if sum(said.get(seq) == CONTRASTIVE for said in whole) * 2 > len(whole)]
    changed = changes(beliefs)
    if changed is None:
        return bool(found), None
    return bool(found), bool(found) and any(seq >= found[0] for seq in changed)
