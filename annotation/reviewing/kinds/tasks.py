"""Tasks under verification (ESI-Bench, App. H.1): three people, blind, first at the first view and then with all the evidence.

The things are rows of `verification_items`. Hidden controls and the training batch are kinds of their own with the same stages, so that
nobody can tell them apart by what they are asked, and no rule decides on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from annotation.reviewing.kind import Axis, Choice, Kind, Move, Stage, Words
from annotation.reviewing.rows import Review, Thing
from annotation.reviewing.verdicts import Facts, Round, Votes, majority_per_axis
from annotation.verifying import showing
from data.store import Store

NAME = "proposed_task"
"""Name of the kind, as rows of reviews have it."""
CONTROL = "hidden_control"
TRAINING = "verifying_exercise"
BY_PART = {"task": NAME, "control": CONTROL, "training": TRAINING}
"""Part of a verification → the name of the kind of its things."""
FIRST = "first_view"
"""Name of the stage before anything is released."""
REST = "evidence"
"""Name of the stage with all the evidence."""
CANNOT_TELL = "(cannot tell)"
"""The first view does not tell."""
AXES = ("correctness", "answerability", "nontriviality")
"""The three axes of the second stage, in the paper's order."""


def _pass(votes: Votes, facts: Facts, axis: str) -> bool:
    return votes[axis].vote == "pass"


def is_nontrivial(votes: Votes, facts: Facts) -> bool:
    """Whether one reviewer's votes pass non-triviality: not where the first view told them and they were right, nor where they named a
    prior or a cue that settles it (measurement 15)."""
    told = votes["told"].vote == "yes" and votes["answer"].vote in facts["right"]
    return not told and _pass(votes, facts, "nontriviality")


PASSES = {
    "correctness": lambda votes, facts: _pass(votes, facts, "correctness"),
    "answerability": lambda votes, facts: _pass(votes, facts, "answerability"),
    "nontriviality": is_nontrivial,
}
"""Axis → whether one reviewer's votes pass it, given the thing's facts."""


def facts(store: Store, thing: Thing) -> Facts:
    """Which of the first stage's answers are right."""
    return {"right": showing.right_answers(store, thing.subject, BY_PART)}


def _axis(name: str, label: str, reasons: dict[str, str]) -> Axis:
    return Axis(
        name,
        label,
        (Choice("pass", "Pass", key="y"), Choice("fail", "Fail", key="x", explained=True)),
        reasons=reasons,
        ask=f"Say whether it passes on {label.lower()}.",
    )


STAGES = (
    Stage(
        FIRST,
        (
            Axis(
                "told",
                "Can you already tell?",
                (Choice("yes", "Yes, the first view tells it", key="y"), Choice("no", "No, one has to look further", key="x")),
                ask="Say whether the first view tells it.",
            ),
            Axis(
                "answer",
                "Your answer",
                (Choice(CANNOT_TELL, "I cannot tell"),),
                confidence=True,
                offers=showing.offers,
                reads=showing.reads,
                ask="Answer the question in its own form, or say that you cannot tell.",
            ),
        ),
        shows=showing.first_view,
        event="look",
    ),
    Stage(
        REST,
        (
            _axis(
                "correctness",
                "Correctness",
                {
                    "not_instantiated": "Something that the question names is not there.",
                    "floats": "Something floats.",
                    "intersects": "Things run into each other.",
                    "vanished": "Something vanishes.",
                    "did_not_settle": "Something does not come to rest.",
                    "invalid_transition": "A step of the trajectory is not possible.",
                    "view_contradicts_state": "The picture and the state disagree.",
                    "gold_contradicts_state": "The proposed answer and the state disagree.",
                },
            ),
            _axis(
                "answerability",
                "Answerability",
                {
                    "never_observable": "What decides can never be seen.",
                    "subjective": "It is a matter of taste.",
                    "several_answers": "More than one answer fits.",
                    "actions_cannot_reveal": "The allowed actions cannot reveal it.",
                    "beyond_budget": "It takes more steps than there are.",
                },
            ),
            _axis(
                "nontriviality",
                "Non-triviality",
                {
                    "first_view": "It can be read in the first view.",
                    "category_prior": "What kind of thing it is tells the answer.",
                    "superficial_cue": "Something beside the point tells the answer.",
                },
            ),
        ),
        shows=showing.rest,
        event="judge",
    ),
)
"""What is asked when."""

KIND = Kind(
    name=NAME,
    noun="task",
    about="A task that people verify before it may count: correct, answerable, not trivial.",
    states={
        "proposed": {"submit": "in_verification", "replace": "replaced"},
        "in_verification": {"keep": "retained", "drop": "rejected", "replace": "replaced"},
        "retained": {"again": "in_verification", "replace": "replaced"},
        "rejected": {"again": "in_verification", "replace": "replaced"},
        "replaced": {},
    },
    waiting="in_verification",
    words={
        "proposed": Words("Proposed", "quiet"),
        "in_verification": Words("In verification", "busy"),
        "retained": Words("Retained", "good", told="It passed all three axes."),
        "rejected": Words("Rejected", "warn", told="It failed on at least one axis; the reasons say why."),
        "replaced": Words("Replaced", "gone", told="A new version of the task took its place."),
    },
    moves=(Move("again", "Have it verified again", title="verify again"),),
    review={
        "assigned": {"look": "looked", "void": "void"},
        "looked": {"judge": "judged", "void": "void"},
        "judged": {},
        "void": {},
    },
    stages=STAGES,
    rule=majority_per_axis(PASSES, keep="keep", drop="drop"),
    rule_words=(
        "Each axis passes where more than half of the votes pass it (of three people, two), and a task is kept only where all three axes "
        "pass. Non-triviality fails for whoever found the answer in the first view and was right. Nobody sees another's votes before all "
        "are in."
    ),
    facts=facts,
    excluded=showing.EXCLUDED,
    settings=lambda store, scope: showing.settings(store, scope),
    nothing="No task waits for you now: all are verified, made by you, or known to you.",
    early="Say first what the first view tells you; then the rest is shown.",
)
"""Tasks that count."""


def _never(round_: Round) -> None:
    """Controls and training decide nothing."""
    return


def _beside(name: str, noun: str, about: str) -> Kind:
    return replace(
        KIND,
        name=name,
        noun=noun,
        about=about,
        rule=_never,
        rule_words="Nothing: it stays open for everybody, and is counted in no table.",
        settings=lambda store, scope: showing.settings(store, scope, everybody=True),
        moves=(),
    )


CONTROL_KIND = _beside(CONTROL, "control", "A task whose verdict is known, hidden among the others to see how well each person judges.")
TRAINING_KIND = _beside(TRAINING, "exercise", "A task whose verdict is known, judged for practice and explained afterwards.")
KIND_OF: Mapping[str, Kind] = {"task": KIND, "control": CONTROL_KIND, "training": TRAINING_KIND}
"""Part of a verification → the kind of its things."""
EVERY_KIND: tuple[Kind, ...] = tuple(KIND_OF.values())
"""All three, which share their stages."""
ANY_KIND = "(" + ", ".join(f"'{kind.name}'" for kind in EVERY_KIND) + ")"
"""SQL: their names, behind ``IN``."""


def kind_of(review: Review) -> Kind:
    """The kind of a review.

    Raises:
        KeyError: it is none of these.
    """
    return {kind.name: kind for kind in EVERY_KIND}[review.kind]
