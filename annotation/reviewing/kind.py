"""What a kind of reviewed thing declares: its states, who judges it in how many slots, in which blind stages, and which rule decides.

Everything else (`claims`, `votes`, `things`, the pages, the reference) follows from it; `docs/how-to/extend.md` has a whole one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from annotation.reviewing.errors import BadKind
from annotation.reviewing.rows import Review, Thing
from annotation.reviewing.verdicts import Facts, Rule, Votes
from data.store import Store
from study.states import Machine

VOID = "void"
"""State, and event, of a review that ends without counting: overtaken, or not finished in time. Every kind's table of a review has it."""

Tone = Literal["quiet", "busy", "warn", "good", "gone"]
TONES: Mapping[Tone, str] = {"quiet": "#5b6673", "busy": "#1f6feb", "warn": "#b98900", "good": "#146c2e", "gone": "#8a8f98"}
"""Tone of a state → colour (CSS)."""


@dataclass(frozen=True)
class Words:
    """A state in people's words."""

    label: str
    """``Sent back``."""
    tone: Tone
    many: str = ""
    """Above a column that counts them; the label, where empty."""
    told: str = ""
    """A sentence for its maker on what can be done now; empty: it is theirs to change."""
    short: str = ""
    """The same in a few words, beside the field that cannot be changed."""
    button: str = "Open"
    """What the way to it says to its maker."""
    returned: bool = False
    """Whether it came back to its maker, who says what they changed: such things come first in their list."""

    @property
    def heading(self) -> str:
        """Above a column of such things."""
        return self.many or self.label

    @property
    def colour(self) -> str:
        """Its colour (CSS)."""
        return TONES[self.tone]


@dataclass(frozen=True)
class Move:
    """Something that a person does to a thing outside of a review; each needs a reason."""

    event: str
    """Event of the state table."""
    lead: str
    """What the button says to a lead."""
    maker: str = ""
    """What it says to whoever made it; empty: a lead's alone."""
    maker_not_in: frozenset[str] = frozenset()
    """States in which it is a lead's alone."""
    title: str = ""
    """In a heading: ``take back``."""


@dataclass(frozen=True)
class Choice:
    """One vote that an axis takes."""

    vote: str
    label: str
    key: str = ""
    """Key that chooses it on the page."""
    explained: bool = False
    """Whether one or more of the axis's reasons belong to it; a vote that is not explained has none."""
    comment: str = ""
    """Why a comment belongs to it, always; empty: only where `Stage.comment` says so."""
    done: str = ""
    """Said when it is stored."""


@dataclass(frozen=True)
class Axis:
    """One question to the reviewer."""

    name: str
    label: str
    choices: tuple[Choice, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Reason → its sentence."""
    confidence: bool = False
    """Whether a confidence (0–100) may come with it."""
    ask: str = ""
    """Said to somebody who goes on without having chosen."""
    offers: Callable[[Store, Review], tuple[Choice, ...]] | None = None
    """Further choices, before the others, that depend on the thing under review; None: there are none."""
    reads: Callable[[Store, Review, str], str | None] | None = None
    """What a vote that is no choice says, in the form in which it is kept; None: it says nothing that can be read. Where the axis has no
    such function, only choices are votes."""

    def choice(self, vote: str) -> Choice:
        """The choice of this name.

        Raises:
            KeyError: there is none.
        """
        return self.choices_by_vote[vote]

    @property
    def choices_by_vote(self) -> dict[str, Choice]:
        """Vote → its choice."""
        return {choice.vote: choice for choice in self.choices}


@dataclass(frozen=True)
class Stage:
    """One blind step of a review: what the reviewer sees, and what they are then asked. What a later stage shows is released by the server
    only when the votes of the stages before it are stored."""

    name: str
    axes: tuple[Axis, ...]
    shows: Callable[[Store, Review], Any]
    """What may be shown while this stage is asked (and afterwards, until the next)."""
    event: str = ""
    """Event of the review's table when it is stored; empty: the vote itself is the event (one axis)."""
    comment: Callable[[Store, Review, Votes, str], str] = lambda store, review, before, vote: ""
    """(…, votes of the stages before, vote) → why this vote needs a comment, as a sentence; empty: it needs none."""

    def asked(self, store: Store, review: Review) -> Stage:
        """The stage with what its axes offer for the thing under review."""
        axes = tuple(replace(axis, choices=(*axis.offers(store, review), *axis.choices)) if axis.offers else axis for axis in self.axes)
        return replace(self, axes=axes)

    def axis(self, name: str) -> Axis:
        """The axis of this name.

        Raises:
            KeyError: there is none.
        """
        return {axis.name: axis for axis in self.axes}[name]


@dataclass(frozen=True)
class Things:
    """Where the things of a kind stand: a table with the columns ``state``, ``version``, ``round``, ``live``, ``queued`` and
    ``updated_at``, and an index on (scope, state, live DESC, queued) that holds all columns named here."""

    table: str = "reviewed"
    key: str = "subject"
    scope: str = "scope"
    own: bool = False
    """Whether the table is the kind's own; otherwise it shares `reviewed`, where a column names the kind."""
    slots: str = ":slots"
    """SQL: reviews that a round of the thing ``t`` has; ``:slots`` is what its scope says, and the most there can be."""
    makers: str = ""
    """SQL: `Kind.excluded` bars no more people than this from the thing ``t``; empty: that is not known, and costs a longer look for the
    starved."""


@dataclass(frozen=True)
class Settings:
    """What a project or study says about its reviews."""

    slots: int
    """Reviews per round."""
    study_id: str | None = None
    hold_minutes: int = 120
    """A review that is not finished after so long is given to somebody else."""


@dataclass(frozen=True)
class Kind:
    """One kind of reviewed thing."""

    name: str
    noun: str
    """What people call one; also the name of its id in events."""
    about: str
    """A sentence for the reference."""
    states: Machine
    """State table of a thing. Every event that leads from elsewhere into `waiting` begins a new round, but for `reopens`."""
    waiting: str
    """The state in which reviews are given out."""
    words: Mapping[str, Words]
    review: Machine
    """State table of one review."""
    stages: tuple[Stage, ...]
    rule: Rule
    rule_words: str
    """What the rule says, for the reference."""
    excluded: str
    """SQL: a SELECT that finds a row where ``{person}`` may not review the thing ``t``, because they made it or took part in it."""
    settings: Callable[[Store, str], Settings]
    """(store, scope) → settings."""
    facts: Callable[[Store, Thing], Facts] = lambda store, thing: {}
    """What the rule has to know of a thing, such as its right answer."""
    things: Things = Things()
    postponed: str = ""
    """SQL: a SELECT that finds a row where ``{person}`` is not given the thing ``t`` yet, because another that they can be given comes
    first; empty: there is no such order."""
    moves: tuple[Move, ...] = ()
    reopens: str = ""
    """Event by which the thing waits again in the same round, because the verdict that decided it was taken back; empty: a verdict that has
    decided stays."""
    edit: str = "edit"
    """Event that a change of the thing is: where the state has no such event, nothing can be changed."""
    first: str = "assigned"
    """State of a review that has just been given out."""
    thing_event: str = ""
    """Kind of the events that tell what became of a thing; from the name, where empty."""
    review_event: str = ""
    """Beginning of the kinds of a review's events; from the name, where empty."""
    nothing: str = "Nothing waits for you now: all is reviewed, made by you, or known to you."
    """Said when nothing waits for a reviewer."""
    early: str = "Answer first; then the rest is shown."
    """Said when a reviewer asks for what is not released yet."""

    def __post_init__(self) -> None:
        for machine in (self.states, self.review):
            if lost := {to for events in machine.values() for to in events.values()} - set(machine):
                self._refuse(f"its table leads to {', '.join(sorted(lost))}, which is no state of it")
        if set(self.words) != set(self.states):
            self._refuse(f"it needs words for {', '.join(self.states)}, and has them for {', '.join(self.words)}")
        if self.waiting not in self.states:
            self._refuse(f"its waiting state {self.waiting!r} is not in its table")
        if VOID not in self.review or self.review[VOID]:
            self._refuse(f"the table of a review needs the state {VOID!r}, which nothing leaves")
        if unknown := [move.event for move in self.moves if not any(move.event in events for events in self.states.values())]:
            self._refuse(f"its moves {', '.join(unknown)} are in no state's events")
        if wrong := [
            state for state, events in self.states.items() if self.reopens and events.get(self.reopens, self.waiting) != self.waiting
        ]:
            self._refuse(f"{self.reopens!r} leads from {', '.join(wrong)} elsewhere than to {self.waiting!r}")
        axes = [axis.name for stage in self.stages for axis in stage.axes]
        if twice := sorted({name for name in axes if axes.count(name) > 1}):
            self._refuse(f"two axes are called {', '.join(twice)}")
        state = self.first
        for stage in self.stages:
            if VOID not in self.review.get(state, {}):
                self._refuse(f"a review cannot end as {VOID} in the state {state!r}")
            events = (stage.event,) if stage.event else tuple(choice.vote for choice in stage.axes[0].choices)
            if missing := [event for event in events if event not in self.review[state]]:
                self._refuse(f"in the state {state!r} of a review the stage {stage.name!r} needs the event {', '.join(missing)}")
            state = self.review[state][events[0]]
        if self.review[state]:
            self._refuse(f"after its last stage a review is {state!r}, which is not an end")

    def _refuse(self, why: str) -> None:
        raise BadKind(f"The kind {self.name!r} of reviewed thing contradicts itself: {why}. Mend its declaration.")

    def stage(self, name: str) -> Stage:
        """The stage of this name.

        Raises:
            KeyError: there is none.
        """
        return {stage.name: stage for stage in self.stages}[name]

    def place(self, stage: str) -> int:
        """Which stage it is, from 0."""
        return [each.name for each in self.stages].index(stage)

    @property
    def open_states(self) -> tuple[str, ...]:
        """States of a review that is under way."""
        return tuple(state for state, events in self.review.items() if VOID in events)

    @property
    def ends(self) -> tuple[str, ...]:
        """States of a review that counts."""
        return tuple(state for state, events in self.review.items() if not events and state != VOID)

    @property
    def before_last(self) -> str:
        """State of a review that lacks its last stage alone."""
        state = self.first
        for stage in self.stages[:-1]:
            state = self.review[state][stage.event or stage.axes[0].choices[0].vote]
        return state

    def moves_of(self, state: str, *, maker: bool) -> list[Move]:
        """What a lead, or the maker, may do with a thing in this state."""
        possible = [move for move in self.moves if move.event in self.states[state]]
        return [move for move in possible if not maker or (move.maker and state not in move.maker_not_in)]

    def changeable(self, state: str) -> bool:
        """Whether a thing in this state can be changed."""
        return self.edit in self.states[state]

    @property
    def told_of(self) -> str:
        """Kind of the events of a thing."""
        return self.thing_event or f"{self.name}_moved"

    @property
    def review_told(self) -> str:
        """Beginning of the kinds of a review's events."""
        return self.review_event or f"{self.name}_review"
