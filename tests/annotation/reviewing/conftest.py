"""A second kind of reviewed thing, declared here alone: three slots, two blind stages, a majority on each of three axes."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.reviewing import claims, things, votes
from annotation.reviewing.kind import Axis, Choice, Kind, Move, Settings, Stage, Words
from annotation.reviewing.rows import Review, Vote
from annotation.reviewing.verdicts import Facts, Votes, majority_per_axis
from data.store import Store

SCENES = {"scene_1": ("two doors", "the path goes left", "left"), "scene_2": ("a box", "the lid opens", "open")}
"""Thing → what the first view shows, what the trajectory shows, the answer."""


def not_trivial(cast: Votes, facts: Facts) -> bool:
    """Trivial: the reviewer says that the first view tells the answer, and is right."""
    return not (cast["determinable"].vote == "yes" and cast["guess"].vote == facts["gold"])


REASONS = {"floats": "A thing floats.", "state": "The answer contradicts the state."}
PASS = (Choice("pass", "Pass", "p"), Choice("fail", "Fail", "f", explained=True))
LOOK = Stage(
    "look",
    (
        Axis("guess", "A guess", (Choice("left", "Left"), Choice("right", "Right")), confidence=True),
        Axis("determinable", "Whether the first view tells", (Choice("yes", "Yes"), Choice("no", "No"))),
    ),
    shows=lambda store, review: {"view": SCENES[review.subject][0]},
    event="look",
)
JUDGE = Stage(
    "judge",
    (Axis("correctness", "Correctness", PASS, reasons=REASONS), Axis("answerability", "Answerability", PASS)),
    shows=lambda store, review: {"trajectory": SCENES[review.subject][1], "answer": SCENES[review.subject][2]},
    event="judge",
)
KIND = Kind(
    name="scene",
    noun="scene",
    about="A scene with an answer, from a program.",
    states={
        "proposed": {"submit": "in_verification"},
        "in_verification": {"keep": "kept", "drop": "dropped"},
        "kept": {"second_look": "in_verification", "edit": "proposed"},
        "dropped": {"second_look": "in_verification"},
    },
    waiting="in_verification",
    words={
        "proposed": Words("Proposed", "quiet"),
        "in_verification": Words("In verification", "busy"),
        "kept": Words("Kept", "good"),
        "dropped": Words("Dropped", "gone"),
    },
    moves=(Move("second_look", "Ask for a second look"),),
    review={
        "assigned": {"look": "looked", "void": "void"},
        "looked": {"judge": "judged", "void": "void"},
        "judged": {},
        "void": {},
    },
    stages=(LOOK, JUDGE),
    rule=majority_per_axis(
        {
            "correctness": lambda cast, facts: cast["correctness"].vote == "pass",
            "answerability": lambda cast, facts: cast["answerability"].vote == "pass",
            "non_triviality": not_trivial,
        },
        keep="keep",
        drop="drop",
    ),
    rule_words="More than half must pass each axis; all axes must pass.",
    facts=lambda store, thing: {"gold": SCENES[thing.subject][2]},
    excluded="SELECT 1 FROM slots s WHERE s.task_hash = t.subject AND s.participant_id = {person}",
    settings=lambda store, scope: Settings(slots=3, hold_minutes=60),
)


class Bench:
    """The kind at work in a store."""

    kind = KIND

    def __init__(self, store: Store) -> None:
        self.store = store

    def propose(self, subject: str = "scene_1") -> None:
        things.put(self.store, KIND, subject, "study", "proposed", actor="generator")
        things.move(self.store, KIND, subject, "submit", "generator")

    def claim(self, who: str) -> Review:
        return claims.next_review(self.store, KIND, "study", who)

    def look(self, review: Review, guess: str = "right", determinable: str = "no") -> Review:
        cast = {"guess": Vote(guess, 60), "determinable": Vote(determinable)}
        return votes.give(self.store, KIND, review.review_id, review.reviewer, "look", cast)

    def judge(self, review: Review, correctness: str = "pass", answerability: str = "pass") -> Review:
        cast = {
            "correctness": Vote(correctness, reasons=() if correctness == "pass" else ("floats",)),
            "answerability": Vote(answerability),
        }
        return votes.give(self.store, KIND, review.review_id, review.reviewer, "judge", cast)

    def verify(self, who: str, guess: str = "right", determinable: str = "no", **axes: str) -> Review:
        """One whole review."""
        return self.judge(self.look(self.claim(who), guess, determinable), **axes)

    def stands(self, subject: str = "scene_1") -> str:
        return things.get(self.store, KIND, subject).state

    def told(self) -> list[dict[str, Any]]:
        """The events of scenes, oldest first."""
        return self.store.query("SELECT json(data) AS data, actor, subject FROM events WHERE kind = 'scene_moved' ORDER BY seq")


@pytest.fixture
def bench(store: Store) -> Bench:
    return Bench(store)
