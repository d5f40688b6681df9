"""Which votes decide what becomes of a reviewed thing. A rule is a pure function of the completed reviews of one round."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.reviewing.rows import Vote

Votes = Mapping[str, Vote]
"""Axis → what one reviewer said on it, over all stages of the review."""


Facts = Mapping[str, Any]
"""What is known of the thing itself, such as its right answer; reviewers do not get it from here."""


@dataclass(frozen=True)
class Round:
    """A round as its rule sees it: no names, no order of people."""

    needed: int
    """Its slots."""
    votes: tuple[Votes, ...]
    """One entry per completed review, oldest first."""
    facts: Facts = field(default_factory=dict)
    """From `Kind.facts`."""


@dataclass(frozen=True)
class Decision:
    """What a round decided."""

    event: str
    """Event of the kind's state table."""
    why: str = ""
    """For the people who read it, such as the reasons of a flag."""
    axes: Mapping[str, bool] = field(default_factory=dict)
    """Axis → whether it passed, where the rule decides by axis."""
    contested: bool = False
    """Kept, although most reviewers, each on an axis of their own, would not have kept it: such things are listed, not reopened."""


Rule = Callable[[Round], Decision | None]
"""The decision, or None while the round goes on."""


def all_pass(axis: str, good: str, *, keep: str, drop: str) -> Rule:
    """Every slot must say `good`; anything else decides at once and ends the other reviews.

    Args:
        axis: the axis that counts.
        good: the vote in favour.
        keep: event when all slots are in favour.
        drop: event of the first vote that is not.
    """

    def decide(round_: Round) -> Decision | None:
        against = [votes[axis] for votes in round_.votes if votes[axis].vote != good]
        if against:
            return Decision(drop, ", ".join(against[0].reasons))
        return Decision(keep) if len(round_.votes) >= round_.needed else None

    return decide


def majority_per_axis(axes: Mapping[str, Callable[[Votes, Facts], bool]], *, keep: str, drop: str) -> Rule:
    """Each axis passes where more than half of the slots pass it; the thing is kept only where all axes pass (ESI-Bench, App. H.1).

    Nothing is decided before every slot has voted, so that no vote is cast knowing how the others stand. Two people may reject on different
    axes and the thing still pass: the decision is then marked `contested`.

    Args:
        axes: axis → whether one reviewer's votes pass it. It may weigh several votes, and facts of the thing: an axis such as
            non-triviality follows from what a reviewer answered at the first view and from whether that was right.
        keep: event where all axes pass.
        drop: event otherwise; `why` names the axes that failed.
    """

    def decide(round_: Round) -> Decision | None:
        if len(round_.votes) < round_.needed:
            return None
        passed = {name: sum(passes(votes, round_.facts) for votes in round_.votes) * 2 > len(round_.votes) for name, passes in axes.items()}
        failed = [name for name, ok in passed.items() if not ok]
        if failed:
            return Decision(drop, ", ".join(failed), passed)
        whole = sum(all(passes(votes, round_.facts) for passes in axes.values()) for votes in round_.votes)
        return Decision(keep, "", passed, contested=whole * 2 <= len(round_.votes))

    return decide


def two_then_third(axis: str, *, event: str) -> Rule:
    """Two people say what a thing is; where they say the same, that is it, and otherwise a third decides.

    The kind gives a round its third slot where the first two differ (`Things.slots`), so that nobody is asked for nothing.

    Args:
        axis: the axis that counts.
        event: the decision's event; `why` is the vote that holds.
    """

    def decide(round_: Round) -> Decision | None:
        said = [votes[axis].vote for votes in round_.votes]
        if len(said) < 2 or (len(said) == 2 and said[0] != said[1]):
            return None
        return Decision(event, said[-1])

    return decide
