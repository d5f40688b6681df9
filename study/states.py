"""State machines as tables ``{state: {event: next state}}``."""

from __future__ import annotations

from collections.abc import Mapping

from study.errors import BadTransition

Machine = Mapping[str, Mapping[str, str]]

STUDY: Machine = {
    "draft": {"pilot": "pilot", "open": "live", "close": "closed"},
    "pilot": {"open": "live", "close": "closed"},
    "live": {"close": "closed"},
    "closed": {"open": "live"},
}
"""A study. What each state means: `study.admission.STATES_IN_WORDS`."""

MODES: tuple[str, ...] = ("live", "pilot", "preview", "bot")
"""Kinds of runs, which never mix: the study itself, a pilot of it, staff who try it out, simulated people."""
LIVE = MODES[0]
"""The kind that is meant where none is named: what every list, count, figure and export is of."""
MODES_IN_WORDS: Mapping[str, str] = {
    "live": "The study itself",
    "pilot": "Pilot",
    "preview": "Tried out by staff",
    "bot": "Simulated people",
}
"""Kind of run → as a choice calls it."""

MODE_OF: Mapping[str, str] = {"draft": "preview", "pilot": "pilot", "live": "live", "closed": "live"}
"""State of a study → the kind of run that people belong to who come in then."""

EPISODE: Machine = {
    "created": {"open": "active", "return": "returned", "time_out": "timed_out", "withdraw": "withdrawn"},
    "active": {"open": "active", "answer": "completed", "return": "returned", "time_out": "timed_out", "withdraw": "withdrawn"},
    "completed": {"reject": "rejected", "withdraw": "withdrawn"},
    "returned": {"withdraw": "withdrawn"},
    "timed_out": {"withdraw": "withdrawn"},
    "rejected": {"withdraw": "withdrawn"},
    "withdrawn": {},
}
"""An episode. ``returned``: given back by the person; ``timed_out``: not finished in time; ``rejected``: a researcher did not accept it;
``withdrawn``: the person withdrew their data."""

SLOT: Machine = {
    "free": {"assign": "held", "close": "closed"},
    "held": {"answer": "completed", "return": "returned", "time_out": "timed_out", "withdraw": "withdrawn"},
    "completed": {"reject": "rejected", "withdraw": "withdrawn"},
    "returned": {"withdraw": "withdrawn"},
    "timed_out": {"withdraw": "withdrawn"},
    "rejected": {"withdraw": "withdrawn"},
    "withdrawn": {},
    "closed": {},
}
"""A slot: one place for one person at one task. It never goes back to ``free``: a new slot with `replaces` takes its place."""

FREES_SLOT: Mapping[str, bool] = {
    "free": False,
    "held": False,
    "closed": False,
    "completed": False,
    "returned": True,
    "timed_out": True,
    "rejected": True,
    "withdrawn": True,
}
"""Slot state → whether reaching it opens the place again for somebody else."""

OVER: frozenset[str] = frozenset(("completed", "returned", "timed_out", "rejected", "withdrawn"))
"""Episode states in which nothing can be added."""


def after(machine: Machine, state: str, event: str) -> str:
    """The state after `event`.

    Raises:
        BadTransition: the event is impossible in this state.
    """
    try:
        return machine[state][event]
    except KeyError:
        possible = ", ".join(machine.get(state, {})) or "nothing"
        raise BadTransition(f"{event!r} is impossible in the state {state!r}; possible: {possible}.") from None
