"""Answers in words that the normaliser cannot read exactly: two people say, without knowing of each other, which answer a text gives; where
they differ, a third decides.

They see the question and the text: not whether it is right, who or what wrote it, or how the task was met. The third sees the two codes,
without names.
"""

from __future__ import annotations

from typing import Any

from annotation.reviewing.kind import Axis, Choice, Kind, Move, Settings, Stage, Things, Words
from annotation.reviewing.rows import Review, StoredVote
from annotation.reviewing.verdicts import two_then_third
from data.store import Store
from study import coding
from study.coding import NO_ANSWER, OTHER, UNCLEAR

NAME = "answer_in_words"
"""Name of the kind, as rows of reviews have it."""
CODE = "code"
"""The one axis."""
THIRD = 3
"""The slot of whoever decides between two."""


def earlier_codes(store: Store, review: Review) -> list[str]:
    """The codes between which the third decides; for the first two there are none to see."""
    if review.slot != THIRD:
        return []
    rows = store.rows(
        "SELECT v.* FROM reviews r JOIN review_votes v USING (review_id) WHERE r.kind = ? AND r.subject = ? AND r.round = ? "
        "AND r.decided_at IS NOT NULL AND v.axis = ? ORDER BY v.vote",
        StoredVote, [NAME, review.subject, review.round, CODE],
    )  # fmt: skip
    return sorted({row.vote for row in rows})


def _shows(store: Store, review: Review) -> dict[str, Any]:
    return {**coding.shown(store, review.subject), "codes": earlier_codes(store, review)}


def _offers(store: Store, review: Review) -> tuple[Choice, ...]:
    told = coding.shown(store, review.subject)
    options = told["options"] if told["form"] in ("choice", "yes_no", "count") else ()
    return tuple(Choice(option, option) for option in options)


_DIFFER = (
    f"(SELECT min(v.vote) <> max(v.vote) FROM reviews r JOIN review_votes v USING (review_id) WHERE r.kind = '{NAME}' "
    f"AND r.subject = t.subject AND r.round = t.round AND r.decided_at IS NOT NULL AND v.axis = '{CODE}')"
)
"""SQL: two people have coded ``t`` in its round, and differ."""

KIND = Kind(
    name=NAME,
    noun="text",
    about="An answer in words that the normaliser cannot read exactly, of people or models.",
    states={
        "found": {"submit": "to_code"},
        "to_code": {"code": "coded"},
        "coded": {"again": "to_code"},
    },
    waiting="to_code",
    words={
        "found": Words("Found", "quiet"),
        "to_code": Words("To code", "busy", many="Answers to code", told="Two people say what it means, each for themselves."),
        "coded": Words("Coded", "good", many="Coded answers", told="What it means is settled."),
    },
    moves=(Move("again", "Have it coded again"),),
    review={
        "assigned": {"say": "said", "void": "void"},
        "said": {},
        "void": {},
    },
    stages=(
        Stage(
            CODE,
            (
                Axis(
                    CODE,
                    "A code",
                    (
                        Choice(OTHER, "It names something else"),
                        Choice(UNCLEAR, "It cannot be told which answer it gives"),
                        Choice(NO_ANSWER, "It gives no answer"),
                    ),
                    offers=_offers,
                    reads=lambda store, review, written: coding.read_code(store, review.subject, written),
                    ask="Say which answer the text gives, in the form that the question asks for.",
                ),
            ),
            shows=_shows,
            event="say",
        ),
    ),
    rule=two_then_third(CODE, event="code"),
    rule_words="Two people code it blind; where they say the same, that is the code, and otherwise a third decides, who sees both codes.",
    # who took part in the study at this browser, or as this person, may have written it
    excluded=(
        "SELECT 1 FROM grants g JOIN grants h ON h.session_id = g.session_id AND h.role = 'participant' AND h.study_id = t.scope "
        "WHERE g.staff_id = {person}"
    ),
    settings=lambda store, study_id: Settings(THIRD, study_id),
    things=Things(slots=f"CASE WHEN {_DIFFER} THEN :slots ELSE :slots - 1 END"),
    nothing="No answer waits for you now: all are coded, or others are at them.",
    early="Say first which answer it gives.",
)
