"""Multi-view questions about robot episodes: K reviewers each answer blind, then see the right answer, then find the item clean or flag it.

All must find it clean; any flag sends it back to its author, and a revised item goes to people who have not seen its answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.qa.items import LETTERS, Item
from annotation.qa.projects import get_project
from annotation.qa.work.blind import blind
from annotation.qa.work.versions import at_version
from annotation.reviewing.kind import Axis, Choice, Kind, Move, Settings, Stage, Things, Words
from annotation.reviewing.rows import Review
from annotation.reviewing.verdicts import Votes, all_pass
from data.store import Store
from study.states import Machine

NAME = "robot_question"
"""Name of the kind, as rows of reviews have it."""

ITEM: Machine = {
    "draft": {"edit": "draft", "submit": "in_review", "discard": "discarded"},
    "in_review": {"accept": "accepted", "flag": "flagged", "recall": "flagged", "discard": "discarded"},
    "flagged": {"edit": "flagged", "submit": "in_review", "discard": "discarded"},
    "accepted": {"balance": "accepted", "reopen": "flagged", "discard": "discarded"},
    "discarded": {"restore": "flagged"},
}
"""An item. ``recall``: its author takes it back; ``reopen``: a lead sends an accepted one back; ``restore``: out of the bin."""

REVIEW: Machine = {
    "assigned": {"answer": "answered", "void": "void"},
    "answered": {"clean": "clean", "flag": "flagged", "void": "void"},
    "clean": {},
    "flagged": {},
    "void": {},
}
"""One person's review in one round. ``void``: overtaken by a flag, or not finished in time."""

FLAGGED = REVIEW["answered"]["flag"]
"""A review that sent its item back."""

REASONS: Mapping[str, str] = {
    "ambiguous": "More than one option can be right.",
    "weak_distractor": "A wrong option is wrong at a glance.",
    "wrong": "The marked answer is not right.",
    "off_target": "It does not ask what its subtask asks.",
    "image_problem": "An image or a mark is bad.",
}
"""Why an item can be flagged."""


def _blind(store: Store, review: Review) -> dict[str, Any]:
    return blind(at_version(store, review.subject, review.version))


def _whole(store: Store, review: Review) -> Item:
    return at_version(store, review.subject, review.version)


def _words(store: Store, review: Review, before: Votes, vote: str) -> str:
    if store.one("SELECT 1 AS yes FROM qa_items WHERE item_id = ? AND trial = 1", [review.subject]):
        return "This is a trial item: give its author a few words of feedback."
    if before["answer"].vote != _whole(store, review).gold:
        return "You answered differently from the author. If the item is clean all the same, say why."
    return ""


def _settings(store: Store, project_id: str) -> Settings:
    project = get_project(store, project_id)
    return Settings(project.reviewers_per_item, project.study_id, project.hold_minutes)


ANSWER = Stage(
    "answer",
    (Axis("answer", "An answer", tuple(Choice(letter, letter, letter.lower()) for letter in LETTERS), confidence=True),),
    shows=_blind,
    event="answer",
)
VERDICT = Stage(
    "verdict",
    (
        Axis(
            "verdict",
            "A verdict",
            (
                Choice("clean", "Clean", "y", done="The last item is saved: clean."),
                Choice(
                    "flag",
                    "Flag",
                    "x",
                    explained=True,
                    comment="Say in a few words what is wrong: the author has to mend it.",
                    done="The last item is saved: flagged, with your words for its author.",
                ),
            ),
            reasons=REASONS,
            ask="Say first whether the item is clean, or flag it.",
        ),
    ),
    shows=_whole,
    comment=_words,
)


def _made(item: str) -> str:
    """SQL: a person wrote or changed the item, or it was given to them to go on with."""
    return (
        f"SELECT 1 FROM qa_versions v WHERE v.item_id = {item}.item_id AND v.editor = {{person}} "
        f"UNION ALL SELECT 1 FROM qa_items w WHERE w.item_id = {item}.item_id AND w.author = {{person}}"
    )


def _met(item: str) -> str:
    """SQL: a person met the views that the item keeps back (its options are pictures) in another item, which they wrote or reviewed."""
    return (
        "SELECT 1 FROM qa_pictures m CROSS JOIN qa_pictures e ON e.image = m.image AND e.part <> 'option' AND e.item_id <> m.item_id "
        f"WHERE m.item_id = {item}.item_id AND m.part = 'kept' AND ("
        "EXISTS (SELECT 1 FROM qa_versions v WHERE v.item_id = e.item_id AND v.editor = {person}) OR "
        f"EXISTS (SELECT 1 FROM reviews r WHERE r.kind = '{NAME}' AND r.subject = e.item_id AND r.reviewer = {{person}}))"
    )


# CROSS JOIN: the pictures of the one item first, each of which few items have, however many wait in the project
_FIRST = (
    "SELECT 1 FROM qa_pictures s CROSS JOIN qa_pictures k ON k.image = s.image AND k.part = 'kept' "
    "CROSS JOIN qa_items o ON o.item_id = k.item_id WHERE s.item_id = t.item_id AND s.part = 'shown' "
    "AND o.project_id = :scope AND o.state = :waiting "
    # of two that keep views back neither waits for the other
    "AND NOT EXISTS (SELECT 1 FROM qa_pictures t_kept WHERE t_kept.item_id = t.item_id AND t_kept.part = 'kept') "
    f"AND o.live < (CASE WHEN o.trial THEN 1 ELSE :slots END) AND NOT EXISTS ({_made('o')}) AND NOT EXISTS ({_met('o')}) "
    f"AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.kind = '{NAME}' AND r.subject = o.item_id AND r.reviewer = {{person}} "
    "AND (r.stages > 0 OR r.skipped IS NOT NULL OR r.state <> 'void'))"
)
"""SQL: another item of the moment of ``t``, which keeps views back that ``t`` shows, waits for the person: it comes first."""

KIND = Kind(
    name=NAME,
    noun="item",
    about="A multi-view question about a robot episode, made by an author.",
    states=ITEM,
    waiting="in_review",
    words={
        "draft": Words("Draft", "busy", many="Drafts", button="Go on"),
        "in_review": Words(
            "In review",
            "busy",
            told="It is in review. Nobody can change it now; below you can take it back.",
            short="In review: it cannot be changed now",
        ),
        "flagged": Words("Sent back", "warn", button="Revise", returned=True),
        "accepted": Words("Accepted", "good", told="It is accepted. A lead can reopen it where something has to change.", short="Accepted"),
        "discarded": Words("Discarded", "gone", told="It is discarded. Below you can bring it back.", short="Discarded"),
    },
    moves=(
        Move("recall", "Take it out of review", "Take it back", title="take back"),
        Move("reopen", "Reopen it"),
        Move("discard", "Discard it", "Discard it", maker_not_in=frozenset({"accepted"}), title="discard"),
        Move("restore", "Bring it back", "Bring it back", title="bring back"),
    ),
    review=REVIEW,
    stages=(ANSWER, VERDICT),
    rule=all_pass("verdict", "clean", keep="accept", drop="flag"),
    rule_words="All reviewers of the round must find it clean; the first flag sends it back and ends the other reviews.",
    excluded=f"{_made('t')} UNION ALL {_met('t')}",
    postponed=_FIRST,
    settings=_settings,
    things=Things(
        "qa_items",
        "item_id",
        "project_id",
        own=True,
        slots="CASE WHEN t.trial THEN 1 ELSE :slots END",
        # each version has one editor, and one may be its author without; those who met its moment elsewhere may be any number
        makers="CASE WHEN EXISTS (SELECT 1 FROM qa_pictures k WHERE k.item_id = t.item_id AND k.part = 'kept') THEN :n "
        "ELSE t.version + 1 END",
    ),
    thing_event="qa_item",
    review_event="qa_review",
    nothing="No item waits for you now: all are reviewed, written by you, or known to you.",
    early="Answer the question first; then the author's answer is shown.",
)
