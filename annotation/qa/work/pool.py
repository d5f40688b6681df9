"""The pool: draft → in review → accepted or flagged → revised → in review, or discarded.

K reviewers judge an item, each alone and each with fresh eyes: one answers first, then sees the right answer, then finds the item clean
or flags it. Any flag sends it back; a revised item gets a new round with people who have not seen its answer yet. Every edit is a new
version; who, when and why stand in `qa_versions` and `events`.

The pool's parts, as the rest of the house uses them; each lives in a module of its own.
"""

from __future__ import annotations

from annotation.qa.work.authoring import admit, assign, assigned_so, create_item, edit, move, rebalance, save, save_marks, submit
from annotation.qa.work.comments import MAX_TEXT, Comment, Pin, comment, comments, pin_numbers, place_in_words
from annotation.qa.work.reviews import (
    Review,
    answer_review,
    can_take_back,
    decide,
    feedback,
    heard,
    next_review,
    reveal,
    reviews,
    skip,
    starved,
    take_back,
    waiting_for,
    words_needed,
)
from annotation.qa.work.stored import Made, Saved, Stored, by_state, counts, get, items, made, numbers, stand, trials
from annotation.qa.work.versions import Change, Version, at_version, diff, history
from annotation.reviewing.kinds.robot_questions import ITEM, REASONS, REVIEW

__all__ = [
    "ITEM",
    "MAX_TEXT",
    "REASONS",
    "REVIEW",
    "Change",
    "Comment",
    "Made",
    "Pin",
    "Review",
    "Saved",
    "Stored",
    "Version",
    "admit",
    "answer_review",
    "assign",
    "assigned_so",
    "at_version",
    "by_state",
    "can_take_back",
    "comment",
    "comments",
    "counts",
    "create_item",
    "decide",
    "diff",
    "edit",
    "feedback",
    "get",
    "heard",
    "history",
    "items",
    "made",
    "move",
    "next_review",
    "numbers",
    "pin_numbers",
    "place_in_words",
    "rebalance",
    "reveal",
    "reviews",
    "save",
    "save_marks",
    "skip",
    "stand",
    "starved",
    "submit",
    "take_back",
    "trials",
    "waiting_for",
    "words_needed",
]
