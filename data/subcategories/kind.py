"""What a subcategory of questions declares about itself: what it asks, how its answers are read, and the quirks of its released rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from data.task import AnswerForm

Ability = Literal["perception", "locomotion", "manipulation"]
"""What an agent does to get evidence (the benchmark's three words). Locomotion is moving the camera."""
Knowledge = Literal["objects", "layout", "number", "agents"]
"""Core knowledge system that the question leans on most."""
Faculty = Literal[
    "seeing", "viewpoint change", "memory", "physical reasoning", "comparison", "counting", "navigation", "planning", "reflection"
]
"""What the person or model must do in the mind; our vocabulary."""

SEE: tuple[Ability, ...] = ("perception", "locomotion")
ACT: tuple[Ability, ...] = ("perception", "locomotion", "manipulation")
ONE = "one of the options: 1 / number of options"
YES = "yes or no: 1/2"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What the released scorer of a subcategory takes beyond the rules that hold for all (`study.scoring`)."""

    exact: bool = False
    """Only the exact option text is right, and "_" is no blank."""
    letters: bool = False
    """An option letter is an answer, even strictly, because the released form has letters."""
    yes_words: tuple[str, ...] = ()
    """What counts as yes, beside yes itself."""
    no_words: tuple[str, ...] = ()
    """What counts as no."""
    same_words: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Word → other name of the same answer: two words are one answer where these make them equal."""
    sides: tuple[str, ...] = ()
    """Words that stand for the options by their place: the first word for the first option."""
    gold_word: tuple[str, str] | None = None
    """A bare word that counts as the gold whatever its text, and one beside which it does not."""


@dataclass(frozen=True)
class Line:
    """One line of the checklist by which people verify a task."""

    axis: Literal["correctness", "answerability", "nontriviality"]
    text: str
    """A question that is answered with yes where all is well."""
    tells: str = ""
    """What fills it from the played trajectory (`annotation.verifying.checklist.TELLERS`); empty: people look."""


EVERY_TASK: tuple[Line, ...] = (
    Line("correctness", "Is everything that the question names there?", "instantiated"),
    Line("correctness", "Does everything stand where such a thing can stand?", "places"),
    Line("correctness", "Is every step of the trajectory possible?", "transitions"),
    Line("correctness", "Do the pictures agree with the state?", "drawn"),
    Line("correctness", "Does the proposed answer agree with the state?", "gold"),
    Line("answerability", "Is what decides reached with the allowed actions, within the budget?", "reachable"),
    Line("answerability", "Is there one right answer only?", "one_answer"),
    Line("nontriviality", "Does one have to look further than the first view?", "first_view"),
)
"""The lines of every task; each subcategory adds its own."""


@dataclass(frozen=True, kw_only=True)
class Subcategory:
    """One kind of question."""

    category: str
    name: str
    """Unique only together with the category."""
    definition: str
    """What is asked and why one view does not answer it; our words."""
    abilities: tuple[Ability, ...]
    knowledge: Knowledge
    faculties: tuple[Faculty, ...]
    form: AnswerForm
    """Usual answer form."""
    chance: str
    """How the chance level of one item follows from it."""
    needs: tuple[str, ...] = ()
    """Actions and simulator features without which the question makes no sense; see `FEATURES`."""

    checklist: tuple[Line, ...] = ()
    """What its verifiers have to make sure of beyond `EVERY_TASK`."""
    known_sound: bool = False
    """Its bundled tasks are sound beyond doubt, so that they serve as controls of people who verify."""
    last_view_tells: bool = False
    """The last view of a trajectory alone tells the answer."""
    reading: Reading = Reading()
    """How its answers are read, beyond the rules that hold for all."""
    runner: str = ""
    """Module of the released exploration loop that plays it; empty: the release has no such rows."""
    row_forms: Mapping[str, AnswerForm] = field(default_factory=dict, hash=False)
    """``answer_type`` of a released row → its form, where that is not the usual one. (Options yes and no always make ``yes_no``.)"""
    stacked: bool = False
    """Its answer is an order from bottom to top, so it is given as a stack and not as a list."""
    note: str = ""
    """What a question needs outside the released prompt, where the interface differs from the release; never a hint."""
    run_name: str = ""
    """How the release names a row whose payload has ``run_idx``, of ``scene``, ``room`` and ``index``; empty: by its file."""
    hidden_by_furniture: bool = False
    """What hides or divides the things is the source's furniture: where a row does not record it, the source's own building is needed."""
    asks_of_the_image: bool = False
    """The question says that its object is in the first image; in some rows the runner's narrower view does not show it."""
    tried: Literal["", "enclosure", "containment", "order"] = ""
    """By which doing a released answer is tried here (`data.trying`): it follows from doing (opening, putting in, putting on) with the
    source's models. A row is offered where doing it with ours gives the same answer. Own tasks are proven with our models."""

    @property
    def key(self) -> tuple[str, str]:
        """(category, name)."""
        return (self.category, self.name)


FEATURES: dict[str, str] = {
    "native_scene": "the source's own building (rooms, doors, furniture)",
    "native_models": "the source's own object models, because their exact shape and physics decide the answer",
    "mirror": "a flat mirror",
    "phases": "a scene that changes between two phases",
    "phase_light": "another light in each phase",
    "transparent": "see-through vessels",
    "cloth": "a cloth that covers an object",
    "liquid": "water that can be filled and poured",
    "open_containers": "open boxes with things inside",
    "robot_walk": "a robot that walks before the observer",
    "recorded": "a simulator of recorded views (`--backend recorded`)",
    "camera_steps": "a camera whose moves and turns lead as far as the scene says",
    "light_change": "a change of light during the episode, with its recorded strength",
}
"""Feature → what it is, in the words of "what is missing"."""
