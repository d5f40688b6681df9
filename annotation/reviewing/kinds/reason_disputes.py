"""Disputed reasons of a rejection: two people fail a task on the same axis, and no reason of theirs is the same.

One person who took no part looks at the task with all the evidence and says which of the reasons hold. It is no vote on the task: the
rejection stands as the three have decided it (measurement 14).
"""

from __future__ import annotations

from annotation.reviewing.kind import Axis, Choice, Kind, Move, Settings, Stage, Words
from annotation.reviewing.kinds import tasks
from annotation.reviewing.rows import Review
from annotation.reviewing.verdicts import Decision, Round
from annotation.verifying import reasons, showing, verifications
from data.store import Store

NAME = "disputed_reasons"
"""Name of the kind, as rows of reviews have it."""
HOLD, NONE = "hold", "none"
"""Votes: the ticked reasons hold; none of them does."""
REASONS = {name: words for axis in tasks.KIND.stage(tasks.REST).axes for name, words in axis.reasons.items()}
"""Reason → its sentence, of every axis."""


def decide(round_: Round) -> Decision | None:
    """What becomes of the reasons by what one person finds."""
    if not round_.votes:
        return None
    said = round_.votes[0]["holds"]
    if said.vote == NONE:
        return Decision("resolve", f"None of the reasons holds: {said.comment}")
    return Decision("resolve", " ".join(REASONS[name] for name in said.reasons))


def _settings(store: Store, scope: str) -> Settings:
    found = verifications.get(store, scope)
    return Settings(1, found.study_id, found.protocol.hold_minutes)


def _shows(store: Store, review: Review) -> reasons.Disputed:
    return reasons.disputed(store, review.subject, tasks.NAME)


KIND = Kind(
    name=NAME,
    noun="disagreement",
    about="An axis on which two people reject a task for reasons of which none is the same.",
    states={
        "raised": {"submit": "in_adjudication"},
        "in_adjudication": {"resolve": "resolved"},
        "resolved": {"again": "in_adjudication", "take_back": "in_adjudication"},
    },
    waiting="in_adjudication",
    words={
        "raised": Words("Raised", "quiet", many="Reasons disputed", told="It is looked at as soon as somebody adjudicates."),
        "in_adjudication": Words("In adjudication", "busy", told="Somebody who took no part looks which reasons hold."),
        "resolved": Words("Resolved", "good", told="Somebody who took no part said which reasons hold. The rejection stands as it was."),
    },
    moves=(Move("again", "Have it looked at again"),),
    review={
        "assigned": {"judge": "judged", "void": "void"},
        "judged": {},
        "void": {},
    },
    stages=(
        Stage(
            "judge",
            (
                Axis(
                    "holds",
                    "Which reasons hold",
                    (
                        Choice(HOLD, "Those that I tick hold", key="y", explained=True),
                        Choice(NONE, "None of them holds", key="x", comment="Say in the note what you see instead."),
                    ),
                    reasons=REASONS,
                    ask="Tick the reasons that hold, or say that none does.",
                ),
            ),
            shows=_shows,
            event="judge",
        ),
    ),
    rule=decide,
    rule_words="One person who took no part says which of the reasons hold. It is no vote: the rejection stands.",
    # a thing's subject begins with that of the task under verification
    excluded=showing.EXCLUDED.replace("t.subject", "substr(t.subject, 1, instr(t.subject, '/') - 1)"),
    reopens="take_back",
    settings=_settings,
    nothing="No disputed reasons wait for you now. You get those of tasks that you neither verified, wrote nor met.",
)
