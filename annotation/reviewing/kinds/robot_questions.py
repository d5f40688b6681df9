"""Multi-view questions about robot episodes: K reviewers each answer blind, then see the right answer, then find the item clean or flag it.

All must find it clean; any flag sends it back to its author, and a revised item goes to people who have not seen its answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.qa.blind import blind
from annotation.qa.items import LETTERS, Item
from annotation.qa.projects import get_project
from annotation.qa.versions import at_version
from annotation.reviewing.kind import Axis, Choice, Kind, Move, Settings, Stage, Things, Words
from annotation.reviewing.rows import Review
from annotation.reviewing.rules import Votes, all_pass
from data.store import Store
from study.states import Machine

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
        return "You answered otherwise than the author. If the item is clean all the same, say why."
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

KIND = Kind(
    name="robot_question",
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
        "accepted": Words(
            "Accepted", "good", told="It is accepted. A lead can reopen it where something has to change.", short="Accepted"
        ),
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
    excluded="SELECT 1 FROM qa_versions v WHERE v.item_id = t.item_id AND v.editor = {person}",
    settings=_settings,
    things=Things(
        "qa_items", "item_id", "project_id", own=True, slots="CASE WHEN t.trial THEN 1 ELSE :slots END",
        # each version has one editor
        makers="t.version",
    ),
    thing_event="qa_item",
    review_event="qa_review",
    nothing="No item waits for you now: all are reviewed, written by you, or known to you.",
    early="Answer the question first; then the author's answer is shown.",
)
