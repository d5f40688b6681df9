"""What a subtask declares, and the checks that several of them share."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from annotation.qa.errors import Problem
from annotation.qa.items import LETTERS, VIEW_WORDS, Arm, Distractor, Item, Kind, Letter, Mark, ViewImage
from annotation.qa.parts.colours import Colour, named
from annotation.qa.scenes.findings import Finding
from annotation.qa.scenes.moment import Moment
from annotation.qa.scenes.scene import Scene
from annotation.qa.scenes.sight import Sight
from data.store import Store

Domain = Literal["spatial", "robotic"]
OptionKind = Literal["colour", "images", "triplets", "directions", "text"]
"""What options are, and so how the editor offers them: names of drawn colours, images, sets of grid triplets, sequences of directions, or
words that the author writes."""

FRAME_TEXT = (
    "Directions are those of the reference camera: z points straight up against gravity, y is the camera's viewing direction laid level, "
    "x completes the right-handed frame. +z is upward and -z downward, +y is forward and -y backward, +x is right and -x left."
)
"""The camera-bound frame in words; ends every question of the subtasks that need it."""
FRAME_WORDS = ("+z", "upward", "-z", "downward", "+y", "forward", "-y", "backward", "+x", "right", "-x", "left")
"""What a definition of the frame must say, in whatever words."""
NONE_TEXT = "None of the bounding boxes is correct"
"""Cross-View Matching: the option that no candidate box is right."""
NONE_ABOVE = "None of the above"
"""The right option of a rejection set."""

_NUMBER = {1: "One", 2: "Two", 3: "Three", 4: "Four"}


@dataclass(frozen=True)
class Slot:
    """One brace of a template."""

    name: str
    label: str
    """What the author is asked for."""
    choices: tuple[str, ...] = ()
    """The only values, where there are any."""
    required: bool = True


@dataclass(frozen=True)
class MarkRule:
    """What the author draws. `where`: ``none`` nothing; ``one`` all marks in one view; ``reference`` all in the reference view;
    ``any`` in any views; ``apart`` the red one in the reference view, the others elsewhere."""

    kinds: tuple[Kind, ...] = ()
    colours: tuple[Colour, ...] = ()
    where: Literal["none", "one", "reference", "any", "apart"] = "none"
    absent: bool = False
    """Whether a view may be said not to show what a colour marks elsewhere."""


@dataclass(frozen=True)
class Proposal:
    """Options that follow from what the author has drawn or chosen; the author may change them."""

    options: dict[Letter, str]
    gold: Letter | None = None
    hard: tuple[Letter, ...] = ()
    provenance: dict[Letter, Distractor] = field(default_factory=dict)


@dataclass(frozen=True)
class Scenery:
    """What `Subtask.sample` builds an item on: a moment's images, and others for options that are images."""

    source: str
    arm: Arm
    episode: str
    moment: str
    views: tuple[ViewImage, ...]
    strangers: tuple[ViewImage, ...] = ()
    """Gripper images of other moments, best three or more."""


@dataclass(frozen=True)
class NoneCell:
    """Where the right option may be that nothing fits: such items are a cell of their own in the quota, `Project.none_share` of it."""

    holds: Callable[[Item], bool]
    """Whether the right option says that nothing fits."""
    sample: Callable[[random.Random, Scenery, bool], Item]
    """As `Subtask.sample`, in this cell or in the other."""
    others: str
    """How the quota calls the items of the other cell: ``with a right box``."""


@dataclass(frozen=True)
class Picture:
    """An image that could be an option, and how the distractor would be made."""

    image: ViewImage
    origin: Distractor


@dataclass(frozen=True)
class OptionImages:
    """Where options are images: how they are found among the project's moments."""

    propose: Callable[[Store, Item, Moment, random.Random], Item]
    """The item with images under drawn letters; what is not found is left out for the author to choose."""
    others: Callable[[Store, Item, str], Sequence[Picture]]
    """Images for one kind of distractor, the best first."""
    follow: Callable[[Item], dict[str, Any]]
    """Field → value, where the slots of an item say something else than its images now."""
    holds: Callable[[Store, Item], list[Problem]]
    """What the pictures and what is known of their frames say against them: each has to be what is said of it. Empty: nothing."""


def _all_fit(item: Item, letter: Letter) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class Subtask:
    """One kind of question about a moment, declared: nothing else in the program knows one from another."""

    slug: str
    """The name of its module and its line in `annotation.qa.registry`."""
    name: str
    """As published."""
    asked: str
    """What it asks, in a few words: a model that triages moments reads it."""
    domain: Domain
    arms: tuple[Arm, ...]
    marks: MarkRule
    option_kind: OptionKind
    slots: tuple[Slot, ...]
    distractors: Mapping[str, str]
    """How a distractor can be made: kind → description."""
    question: Callable[[Item], str]
    """The template, filled."""
    options: Callable[[Item], Proposal]
    """Options that follow from the item; what the author has already decided is kept where it still holds."""
    check: Callable[[Item], list[Problem]]
    """The rules of this subtask alone; `rules.check` adds those of all."""
    sample: Callable[[random.Random, Scenery], Item]
    """A sound item, drawn at random; without id (``qa-sample``): for simulations and tests."""
    frame: bool = False
    """Whether the question ends with the definition of the frame."""
    uses_cubes: bool = False
    """Whether its author places cubes in the grid."""
    only_reference: bool = False
    """Whether who answers sees the reference view alone: the other views would give the right option away."""
    none_cell: NoneCell | None = None
    """Where None may be right."""
    slots_from: Callable[[Store, Moment, random.Random], dict[str, str]] | None = None
    """What a moment says of the slots, and a drawn choice where the template has one; None: the author fills them."""
    images: OptionImages | None = None
    """Where options are images."""
    two_arms: tuple[str, ...] = ()
    """Kinds of distractors that only a robot with two arms can have."""
    unfit: Callable[[Item, Letter], Mapping[str, str]] = _all_fit
    """Kinds in which this wrong option cannot have been made, by what it says: kind → why, as a sentence."""
    known: Callable[[Item], dict[Letter, str]] | None = None
    """How wrong options were made, as far as the item itself tells once one is right: letter → kind. The author may say otherwise."""
    redraw: Callable[[Item, int], Proposal] | None = None
    """Other options than the last ones, by a number; None: `options` says all there is. Raises `QaError` where nothing can be made yet."""
    make: Callable[[Sight, random.Random, bool], Item | None] | None = None
    """The generator: (what is seen of a moment, the draw, whether None shall be right) → an item that may still break a rule, or None where
    the moment does not allow one. None: people make its items."""
    per_moment: int = 1
    """Items that are generated from one moment; one where a second would ask the same again."""
    attempts: int = 12
    """Draws of the generator with one moment."""
    needs_poses: bool = True
    """Whether the generator needs a moment whose poses are known."""
    truth: Callable[[Scene, Item], Finding] | None = None
    """The judge: what known poses say of an item; None: they say nothing."""
    demo_items: int = 1
    """Items that the demo's project begins with."""
    advice: str = ""
    """A good practice that no rule can see."""
    single_view: bool = False
    """Whether a single-view set is derived from it."""
    rejection: bool = True
    """Whether a rejection set is derived from it."""

    def gold_colour(self, item: Item) -> str | None:
        """The colour of the right answer; None where the answer is no colour."""
        if self.option_kind != "colour" or item.gold is None:
            return None
        words = named(item.options.get(item.gold, ""))
        return words[0] if len(words) == 1 else None

    def kinds(self, arm: Arm) -> dict[str, str]:
        """How a distractor can be made on a robot with these arms: kind → description."""
        return {kind: words for kind, words in self.distractors.items() if arm == "dual" or kind not in self.two_arms}

    def asks(self, item: Item) -> tuple[str, ...]:
        """What turns the question round where it changes: the choices in its template, and the view in whose frame it speaks."""
        chosen = (item.slots.get(slot.name, "") for slot in self.slots if slot.choices)
        return (*chosen, item.reference_view if self.frame else "")

    @property
    def draws(self) -> bool:
        """Whether its author draws on the views."""
        return bool(self.marks.kinds)

    def shown(self, item: Item) -> list[ViewImage]:
        """The views that belong to the question: those that are shown to whoever answers, and published."""
        return [view for view in item.views if not self.only_reference or view.view == item.reference_view]

    @property
    def palette(self) -> tuple[str, ...]:
        """The colours that the right answer can have."""
        return tuple(c for c in self.marks.colours if not (self.marks.where == "apart" and c == "red"))


def view_word(item: Item) -> str:
    """How the question calls the reference view: ``the head view``, ``view 2``."""
    words = VIEW_WORDS.get(item.reference_view, item.reference_view)
    return words if words[-1:].isdigit() else f"the {words}"


def count_views(item: Item) -> str:
    """``Three synchronized views``, or ``One view``."""
    n = len(item.views)
    return "One view" if n == 1 else f"{_NUMBER.get(n, str(n))} synchronized views"


def sentence(text: str) -> str:
    """A slot's text as a sentence of its own."""
    text = text.strip()
    return text[:1].upper() + text[1:].rstrip(".") + "." if text else ""


def is_none(text: str) -> bool:
    """Whether an option says that no candidate is right."""
    return bool(re.match(r"\s*none of the\b", text, re.IGNORECASE))


def folded(text: str) -> str:
    """A text for comparison: case, blanks and punctuation aside."""
    return re.sub(r"[^\w+\-]+", " ", text.casefold()).strip()


def confirmed(item: Item) -> tuple[Any, ...]:
    """What an author confirms with the tick that only one reading is right: the words, the options with their pictures, which is right, and
    what the views show for it. A tick holds for this and for nothing else."""
    return (
        folded(item.question), item.reference_view, item.gold,
        {letter: folded(text) for letter, text in item.options.items()},
        {letter: image.image for letter, image in item.option_images.items()},
        {(mark.view, mark.kind, mark.colour, mark.points) for mark in item.marks},
        {(unseen.view, unseen.colour) for unseen in item.absent},
        {(cube.colour, cube.cell) for cube in item.cubes},
    )  # fmt: skip


def option_colours(item: Item) -> tuple[dict[Letter, str], list[Problem]]:
    """The colour that each option names (``none`` for a None option), and what is wrong."""
    colours: dict[Letter, str] = {}
    problems: list[Problem] = []
    for letter, text in item.options.items():
        words = named(text)
        if is_none(text):
            colours[letter] = "none"
        elif len(set(words)) == 1:
            colours[letter] = words[0]
        elif text.strip():
            what = "names no colour" if not words else "names more than one colour"
            problems.append(Problem(f"options.{letter}", f"Option {letter} {what}: it must name the colour of one mark."))
    return colours, problems


def colours_drawn(marks: Iterable[Mark]) -> list[Colour]:
    """The colours of the marks, in the order of `COLOURS`."""
    used = {mark.colour for mark in marks}
    return [colour for colour in get_args(Colour) if colour in used]


def same_colours(item: Item, colours: Mapping[Letter, str], allowed: Sequence[str]) -> list[Problem]:
    """Options and marks must name the same colours, and only allowed ones."""
    problems = []
    drawn = colours_drawn(item.marks)
    # in a rejection set the right option is gone, its mark is still there
    rejection = item.derived is not None and item.derived.kind == "reject"
    for letter, colour in colours.items():
        if colour != "none" and colour not in drawn:
            problems.append(Problem(f"options.{letter}", f"Option {letter} names {colour}, but nothing {colour} is drawn."))
    for colour in drawn:
        if colour not in allowed:
            problems.append(Problem("marks", f"{colour.capitalize()} is not used in this subtask: use {', '.join(allowed)}."))
        elif colours and colour not in colours.values() and not rejection:
            problems.append(Problem("marks", f"The {colour} mark is in no option: delete it, or name it in an option."))
    return problems


def one_per_view(marks: Iterable[Mark], what: str) -> list[Problem]:
    """No colour twice in one view."""
    seen: set[tuple[str, str]] = set()
    problems = []
    for mark in marks:
        if (mark.view, mark.colour) in seen:
            problems.append(Problem(f"marks.{mark.id}", f"There are two {mark.colour} {what} in {mark.view}: keep one."))
        seen.add((mark.view, mark.colour))
    return problems


def as_written(item: Item) -> Proposal:
    """The options as they are: the author writes them."""
    return Proposal(dict(item.options), item.gold, item.hard, dict(item.provenance))


def about(text: str) -> str | None:
    """What an option is about: the one colour it names, ``none``, or None where it is about neither."""
    colours = set(named(text))
    return "none" if is_none(text) else colours.pop() if len(colours) == 1 else None


def by_name(colour: str) -> tuple[str, ...]:
    """How options that are colours are written."""
    return (colour.capitalize(),)


def colour_options(item: Item, texts: Sequence[str], wording: Callable[[str], Collection[str]] = by_name) -> Proposal:
    """Options by colour; gold, hard letters and provenance stay where the option's text stayed.

    An option goes when its colour is no longer drawn and its text is one that is made here. What an author wrote stays, whatever it says:
    it stands for its colour or, where it names none that is drawn, for the first colour that lacks an option. The rules say what it lacks.

    Args:
        item: as it stands.
        texts: one for each colour that is drawn, in order, and what else is offered.
        wording: colour → every text that is made for it.
    """

    def stays(text: str) -> bool:
        subject = about(text)
        made = (NONE_TEXT,) if subject == "none" else () if subject is None else wording(subject)
        return bool(text.strip()) and (subject in wanted or text not in made)

    wanted = {about(text) for text in texts}
    options = {letter: text for letter, text in item.options.items() if stays(text)}
    touched = {item.gold, *item.hard, *item.provenance}
    if wanted - {about(text) for text in options.values()}:  # whatever was saved in between, “None” comes after the colours
        options = {letter: text for letter, text in options.items() if text != NONE_TEXT or letter in touched}
    said = {about(text) for text in options.values()}
    missing = [text for text in texts if about(text) not in said]
    free = [letter for letter in LETTERS if letter not in options]
    options |= dict(zip(free, missing[sum(about(text) not in wanted for text in options.values()) :], strict=False))
    options = dict(sorted(options.items()))
    same = {letter for letter in options if item.options.get(letter) == options[letter]}
    return Proposal(
        options,
        item.gold if item.gold in same else None,
        tuple(letter for letter in item.hard if letter in same),
        {letter: d for letter, d in item.provenance.items() if letter in same},
    )
