"""Disputed gold answers: one person who took no part answers the task without the gold, the votes and who answered what.

They say what they find and whether a defect shows (`science.md` 13). A gold that follows from physics falls for a demonstrated defect
alone; one that somebody recorded falls where the judge, too, finds another answer.
"""

from __future__ import annotations

from annotation.reviewing.kind import Axis, Choice, Kind, Move, Settings, Stage, Words
from annotation.reviewing.rows import Review, Thing
from annotation.reviewing.rules import Decision, Facts, Round
from data.store import Store
from study import disputes

NAME = "gold_dispute"
"""Name of the kind, as rows of reviews have it."""
CANNOT_TELL = "(cannot tell)"
"""The judge finds no answer."""


def decide(round_: Round) -> Decision | None:
    """What becomes of a gold by the judge's answer and finding."""
    if not round_.votes:
        return None
    cast = round_.votes[0]
    answer, defect = cast["answer"].vote, cast["finding"].vote == "defect"
    if answer in round_.facts["right"]:
        return Decision("uphold", "The judge, too, finds the gold answer.")
    if defect:
        return Decision("overturn", ", ".join(cast["finding"].reasons))
    if answer == CANNOT_TELL:
        return Decision("uphold", "The judge finds no answer, and no defect is shown.")
    if round_.facts["derived"]:
        return Decision("uphold", "The gold follows from physics, and no defect is shown.")
    return Decision("overturn", "The judge finds another answer than the recorded one.")


def _facts(store: Store, thing: Thing) -> Facts:
    task = store.get_task(disputes.dispute_of(store, thing.subject).task_hash)
    said = store.query(
        "SELECT v.vote FROM reviews r JOIN review_votes v USING (review_id) WHERE r.kind = ? AND r.subject = ? AND v.axis = 'answer'",
        [NAME, thing.subject],
    )
    right = frozenset(row["vote"] for row in said if row["vote"] != CANNOT_TELL and disputes.is_gold(task, row["vote"]))
    return {"right": right, "derived": disputes.derived(task)}


def _offers(store: Store, review: Review) -> tuple[Choice, ...]:
    told = disputes.shown(store, review.subject)
    options = told["options"] if told["form"] in ("choice", "yes_no", "count") else ()
    return tuple(Choice(option, option) for option in options)


def _reads(store: Store, review: Review, written: str) -> str | None:
    return disputes.read(store.get_task(disputes.dispute_of(store, review.subject).task_hash), written)


KIND = Kind(
    name=NAME,
    noun="dispute",
    about="A gold answer that answers of people, given where they could look for themselves, cast doubt on.",
    states={
        "raised": {"submit": "in_adjudication"},
        "in_adjudication": {"uphold": "upheld", "overturn": "overturned"},
        "upheld": {"again": "in_adjudication"},
        "overturned": {"settle": "settled", "again": "in_adjudication"},
        "settled": {},
    },
    waiting="in_adjudication",
    words={
        "raised": Words("Raised", "quiet", many="Disputes raised"),
        "in_adjudication": Words("In adjudication", "busy", told="Somebody who took no part judges it."),
        "upheld": Words("Upheld", "good", told="The gold answer stands."),
        "overturned": Words("Does not hold", "warn", told="The gold answer does not hold: the task needs a new version."),
        "settled": Words("Settled", "gone", told="A new version of the task has another gold; both scorings are reported."),
    },
    moves=(Move("again", "Have it judged again"),),
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
                    "answer",
                    "An answer",
                    (Choice(CANNOT_TELL, "It cannot be told"),),
                    confidence=True,
                    offers=_offers,
                    reads=_reads,
                    ask="Answer the question in its own form.",
                ),
                Axis(
                    "finding",
                    "A finding",
                    (
                        Choice("sound", "The task is sound"),
                        Choice("defect", "A defect shows", explained=True, comment="Say what shows the defect, and where it is seen."),
                    ),
                    reasons={
                        "wording": "The question can be read in more than one way.",
                        "several": "More than one answer is right.",
                        "picture": "What decides is drawn wrongly, or cannot be seen.",
                        "physics": "The simulated course contradicts the rule of the gold.",
                        "record": "The recorded answer is a slip.",
                    },
                ),
            ),
            shows=lambda store, review: disputes.shown(store, review.subject),
            event="judge",
        ),
    ),
    rule=decide,
    rule_words=(
        "One person who took no part answers without the gold. Where they find it, it stands; where they find another answer, a recorded "
        "gold falls, and one that follows from physics only with a demonstrated defect."
    ),
    facts=_facts,
    # who took part in the study, or has judged or coded answers to the task
    excluded=(
        "SELECT 1 FROM grants g JOIN grants h ON h.session_id = g.session_id AND h.role = 'participant' AND h.study_id = t.scope "
        "WHERE g.staff_id = {person} UNION ALL SELECT 1 FROM disputes d JOIN coded_texts x ON x.task_hash = d.task_hash "
        "JOIN reviews r ON r.subject = x.subject AND r.kind = 'answer_in_words' WHERE d.subject = t.subject AND r.reviewer = {person}"
    ),
    settings=lambda store, study_id: Settings(1, study_id),
    nothing="No disputed answer waits for you now.",
)
