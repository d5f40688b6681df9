"""Disputed gold answers: one person who took no part answers the task without the gold, the votes and who answered what.

They say what they find and whether a defect shows (measurement 13). A gold that follows from physics falls for a demonstrated defect
alone; one that somebody recorded falls where the judge, too, finds another answer.
"""

from __future__ import annotations

from annotation.reviewing.kind import Axis, Choice, Kind, Move, Settings, Stage, Words
from annotation.reviewing.rows import Review, Thing
from annotation.reviewing.verdicts import Decision, Facts, Round
from data.store import Store
from study import disputes

NAME = "gold_dispute"
"""Name of the kind, as rows of reviews have it."""
PART = "judged_gold"
"""The part of somebody in a task whose gold they judge: they are never its participant, nor its verifier."""
SETTLED = "settled"
"""The part of somebody in a task to which they gave another gold."""
CANNOT_TELL = "(cannot tell)"
"""The judge finds no answer."""
_VERSIONS = (
    "(SELECT n.content_hash FROM disputes d JOIN tasks o ON o.content_hash = d.task_hash JOIN tasks n ON n.task_id = o.task_id "
    "WHERE d.subject = t.subject)"
)
"""SQL: every version of the task whose gold the dispute ``t`` is about."""
EXCLUDED = " UNION ALL ".join(
    (
        # takes part in the study, or met the task in another
        "SELECT 1 FROM grants g JOIN grants h ON h.session_id = g.session_id AND h.role = 'participant' AND h.study_id = t.scope "
        "WHERE g.staff_id = {person}",
        "SELECT 1 FROM grants g CROSS JOIN grants h ON h.session_id = g.session_id "
        f"CROSS JOIN slots l ON l.participant_id = h.participant_id WHERE g.staff_id = {{person}} AND l.task_hash IN {_VERSIONS}",
        # wrote, recorded, verified or settled it: all who have seen its answer
        f"SELECT 1 FROM task_people m WHERE m.staff_id = {{person}} AND m.part <> '{PART}' AND m.task_hash IN {_VERSIONS}",
        # coded answers or trajectories of it
        "SELECT 1 FROM disputes d JOIN coded_texts x ON x.task_hash = d.task_hash "
        "JOIN reviews r ON r.subject = x.subject AND r.kind = 'answer_in_words' WHERE d.subject = t.subject AND r.reviewer = {person}",
        *(
            f"SELECT 1 FROM {table} y JOIN episodes e USING (episode_id) WHERE y.coder = {{person}} AND e.task_hash IN {_VERSIONS}"
            for table in ("strategy_members", "view_labels", "failure_labels")
        ),
        # sees, or saw, the answers of the study on a researcher's pages
        "SELECT 1 FROM roles o WHERE o.staff_id = {person} AND o.role IN ('researcher', 'owner') AND o.study_id IN (t.scope, '*')",
    )
)
"""SQL: who may not judge the dispute ``t``: whoever took part, or can have seen the gold, votes, or what anybody did (measurement 13)."""


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
    about="A gold answer that is doubted because people who could look for themselves gave another.",
    states={
        "raised": {"submit": "in_adjudication"},
        "in_adjudication": {"uphold": "upheld", "overturn": "overturned"},
        "upheld": {"again": "in_adjudication", "take_back": "in_adjudication"},
        "overturned": {"settle": "settled", "again": "in_adjudication", "take_back": "in_adjudication"},
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
                    (Choice(CANNOT_TELL, "It cannot be told", key="n"),),
                    confidence=True,
                    offers=_offers,
                    reads=_reads,
                    ask="Answer the question in its own form.",
                ),
                Axis(
                    "finding",
                    "A finding",
                    (
                        Choice("sound", "The task is sound", key="y"),
                        Choice(
                            "defect", "A defect shows", key="x", explained=True, comment="Say what shows the defect, and where it is seen."
                        ),
                    ),
                    reasons={
                        "wording": "The question can be read in more than one way.",
                        "several": "More than one answer is right.",
                        "picture": "What decides is drawn wrongly, or cannot be seen.",
                        "physics": "The simulated course contradicts the rule of the gold.",
                        "record": "The recorded answer is a slip.",
                    },
                    ask="Say whether the task is sound or a defect shows.",
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
    excluded=EXCLUDED,
    reopens="take_back",
    settings=lambda store, study_id: Settings(1, study_id),
    nothing=(
        "No disputed answer waits for you now. You get those of tasks that you neither met, wrote, verified nor coded, in studies that you "
        "do not lead."
    ),
)
