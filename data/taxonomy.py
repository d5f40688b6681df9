"""The ten categories and twenty-nine subcategories of ESI-Bench: what each asks for, and how it is answered.

The names, runner modules and answer forms are the released benchmark's. The definitions are in our own words. ESI-Bench says that
its agents deploy perception, locomotion and manipulation, and that its tasks rest on four systems of core knowledge (objects, layout
and geometry, number, goal-directed agents); which subcategory leans on which is **our reading**, as are `needs` and `chance`.

Key = (category, subcategory): "Spatial Relations" is both a category and a subcategory of "Specular Reflection".
"""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True)
class Subcategory:
    """One kind of question."""

    category: str
    name: str
    definition: str
    """What is asked and why one view does not answer it; our words."""
    abilities: tuple[Ability, ...]
    knowledge: Knowledge
    faculties: tuple[Faculty, ...]
    runner: str
    """Module of the released exploration loop that plays it."""
    form: AnswerForm
    """Usual answer form (Rigid Containment rows also come as ``assignment``, Regional Boundary rows as ``yes_no``)."""
    chance: str
    """How the chance level of one item follows from it."""
    needs: tuple[str, ...] = ()
    """Actions and simulator features without which the question makes no sense; see `FEATURES`."""

    @property
    def key(self) -> tuple[str, str]:
        return (self.category, self.name)


FEATURES: dict[str, str] = {
    "native_scene": "the source's own building (rooms, doors, furniture)",
    "native_models": "the source's own object models, because their exact shape and physics decide the answer",
    "mirror": "a flat mirror",
    "phases": "a scene that changes between two phases",
    "transparent": "see-through vessels",
    "cloth": "a cloth that covers an object",
    "liquid": "water that can be filled and poured",
    "open_containers": "open boxes with things inside",
    "robot_walk": "a robot that walks before the observer",
    "light_change": "a change of light during the episode, with its recorded strength",
}
"""Feature → what it is, in the words of "what is missing"."""

_ONE = "one of the options: 1 / number of options"
_YES = "yes or no: 1/2"


def _kinds(category: str, *rows: tuple[object, ...]) -> list[Subcategory]:
    return [Subcategory(category, *row) for row in rows]  # type: ignore[arg-type]


_SEE: tuple[Ability, ...] = ("perception", "locomotion")
_ACT: tuple[Ability, ...] = ("perception", "locomotion", "manipulation")

SUBCATEGORIES: tuple[Subcategory, ...] = (
    *_kinds(
        "Physical Structure",
        (
            "Rigid Containment",
            "Decide which container each object fits best when container sizes and object sizes must be compared from several "
            "sides or by trying.",
            _ACT,
            "objects",
            ("physical reasoning", "comparison", "planning"),
            "storage",
            "choice",
            "choice: 1 / containers; assignment: (1 / containers) to the power of the items",
            ("pick_up", "put", "open_containers"),
        ),
        (
            "Liquid Volume",
            "Decide which of two vessels holds more, when their outer shape misleads and pouring from one into the other settles it.",
            _ACT,
            "objects",
            ("physical reasoning", "comparison"),
            "pour",
            "choice",
            _ONE,
            ("fill", "pour", "liquid", "native_models"),
        ),
        (
            "Deformable",
            "Name the object under a cloth from the shape that the cloth takes around it.",
            _SEE,
            "objects",
            ("seeing", "viewpoint change", "physical reasoning"),
            "deformable",
            "choice",
            _ONE,
            ("cloth",),
        ),
    ),
    *_kinds(
        "Physical Dynamics",
        (
            "Inclined Plane",
            "Predict whether an object rests on a slope or slides, from the slope's angle, the surfaces and a trial.",
            _ACT,
            "objects",
            ("physical reasoning",),
            "slope",
            "yes_no",
            _YES,
            ("place_on_slope", "native_models"),
        ),
        (
            "Stacking & Stability",
            "Find an order in which three objects can be stacked and stay up.",
            _ACT,
            "objects",
            ("physical reasoning", "planning"),
            "stacking",
            "sequence",
            "stable orders / all orders of the objects",
            ("pick_up", "put", "put_on_floor", "native_models"),
        ),
    ),
    *_kinds(
        "Specular Reflection",
        (
            "Reflection Authoring",
            "Tell whether an object is seen directly or in a mirror.",
            _SEE,
            "layout",
            ("reflection", "viewpoint change"),
            "mirror",
            "yes_no",
            _YES,
            ("mirror",),
        ),
        (
            "Spatial Relations",
            "Of two objects seen in a mirror, tell which is really nearer to where one stands.",
            _SEE,
            "layout",
            ("reflection", "comparison"),
            "mirror",
            "choice",
            _ONE,
            ("mirror",),
        ),
        (
            "Correspondence",
            "Of three like objects, find the one whose reflection the mirror shows.",
            _SEE,
            "layout",
            ("reflection", "viewpoint change"),
            "mirror",
            "choice",
            _ONE,
            ("mirror",),
        ),
    ),
    *_kinds(
        "Perceptual Grounding",
        (
            "Partial Occlusion",
            "Name an object of which another one hides the telling part.",
            _SEE,
            "objects",
            ("seeing", "viewpoint change"),
            "occlusion",
            "choice",
            _ONE,
        ),
        (
            "View Hallucination",
            "Name an object that from the first side looks like something else.",
            _SEE,
            "objects",
            ("seeing", "viewpoint change"),
            "angle_confusion",
            "choice",
            _ONE,
        ),
        (
            "Material Transparency",
            "Tell whether a small object is inside a see-through vessel or merely behind it.",
            _ACT,
            "objects",
            ("seeing", "viewpoint change"),
            "transparent",
            "yes_no",
            _YES,
            ("transparent",),
        ),
    ),
    *_kinds(
        "Metric Comparison",
        (
            "Dimensional Size",
            "Of two objects of one kind and slightly different size, standing at different distances, tell which is larger.",
            _ACT,
            "layout",
            ("comparison", "viewpoint change", "memory"),
            "size",
            "choice",
            _ONE,
        ),
        (
            "Spatial Distance",
            "Tell which of two objects is closer to a third, when perspective shortens one of the gaps.",
            _SEE,
            "layout",
            ("comparison", "viewpoint change"),
            "distance",
            "choice",
            _ONE,
        ),
    ),
    *_kinds(
        "Spatial Relations",
        (
            "Linear Alignment",
            "Tell whether three objects stand in a straight line, from a start view at floor level.",
            _SEE,
            "layout",
            ("viewpoint change",),
            "line",
            "yes_no",
            _YES,
        ),
        (
            "Geometric Configuration",
            "Tell which kind of triangle three objects form, from a start view at floor level.",
            _SEE,
            "layout",
            ("viewpoint change", "comparison"),
            "triangle",
            "choice",
            _ONE,
        ),
        (
            "Physical Contact",
            "Tell whether two objects touch, when from most sides one hides the gap.",
            _SEE,
            "layout",
            ("seeing", "viewpoint change"),
            "touching",
            "yes_no",
            _YES,
        ),
    ),
    *_kinds(
        "Cognitive Mapping",
        (
            "Connectivity",
            "Tell whether two rooms are joined directly.",
            _SEE,
            "layout",
            ("navigation", "memory"),
            "cognitivemap",
            "yes_no",
            _YES,
            ("native_scene",),
        ),
        (
            "Traversable Passage",
            "Name a room that the shortest way between two rooms leads through.",
            _SEE,
            "layout",
            ("navigation", "memory"),
            "cognitivemap",
            "choice",
            _ONE,
            ("native_scene",),
        ),
        (
            "Regional Boundary",
            "Tell which room an object belongs to or is closer to, or whether two objects share a room.",
            _SEE,
            "layout",
            ("navigation", "memory", "comparison"),
            "cognitivemap",
            "choice",
            _ONE,
            ("native_scene",),
        ),
        (
            "Long-Term Navigation",
            "Fill the gaps in a route through many rooms: the next room, or the next turn.",
            _SEE,
            "layout",
            ("navigation", "memory", "planning"),
            "cognitivemap",
            "blanks",
            "product over the blanks of 1 / options",
            ("native_scene",),
        ),
    ),
    *_kinds(
        "Enumerative Perception",
        (
            "Counting w Occlusion",
            "Count objects, each hidden from the start by furniture.",
            _SEE,
            "number",
            ("counting", "viewpoint change", "memory"),
            "counting",
            "count",
            _ONE,
        ),
        (
            "Spatial Segmentation",
            "Count objects spread over parts of a room that furniture divides.",
            _SEE,
            "number",
            ("counting", "viewpoint change", "memory"),
            "counting",
            "count",
            _ONE,
        ),
        (
            "Merged Observation",
            "Count objects that stand so close together that one view merges them.",
            _SEE,
            "number",
            ("counting", "viewpoint change"),
            "counting",
            "count",
            _ONE,
        ),
        (
            "Category Ambiguity",
            "Count objects of one kind among others that look alike.",
            _SEE,
            "number",
            ("counting", "seeing"),
            "counting",
            "count",
            _ONE,
        ),
        (
            "Structural Enclosure",
            "Count objects that may be inside closed containers.",
            _ACT,
            "number",
            ("counting", "memory"),
            "counting",
            "count",
            _ONE,
            ("open",),
        ),
        (
            "Illumination Variability",
            "Count the same objects although the light changes.",
            _SEE,
            "number",
            ("counting", "memory"),
            "counting",
            "count",
            _ONE,
            ("light_change",),
        ),
    ),
    *_kinds(
        "Temporal Understanding",
        (
            "Unobserved Change",
            "Tell what changed in boxes between two visits, the change itself being unseen.",
            _SEE,
            "objects",
            ("memory", "comparison"),
            "unobserved_changes",
            "choice",
            _ONE,
            ("phases", "open_containers"),
        ),
        (
            "Agent Observation",
            "Count the hidden objects that a walking robot passed closely.",
            _SEE,
            "agents",
            ("memory", "counting"),
            "multiagent",
            "count",
            _ONE,
            ("robot_walk",),
        ),
    ),
    *_kinds(
        "Action Sequencing",
        (
            "Action Order Inference",
            "Of two candidates for each role, find the base that can carry an object and the thing that can lie on top, and say "
            "where they stand.",
            _ACT,
            "agents",
            ("physical reasoning", "planning", "comparison"),
            "action",
            "pair",
            "product over the two blanks of 1 / options",
            ("pick_up", "put"),
        ),
    ),
)
"""All twenty-nine, in the paper's order of categories."""

BY_KEY: dict[tuple[str, str], Subcategory] = {s.key: s for s in SUBCATEGORIES}
CATEGORIES: tuple[str, ...] = tuple(dict.fromkeys(s.category for s in SUBCATEGORIES))
"""The ten categories."""
RUNNERS: tuple[str, ...] = tuple(sorted({s.runner for s in SUBCATEGORIES}))
"""The released runner modules."""


class UnknownSubcategory(Exception):
    """No such subcategory; the message lists those of the category, or the categories."""


def find(category: str, subcategory: str) -> Subcategory:
    """The subcategory with this key.

    Raises:
        UnknownSubcategory: the pair is not one of the twenty-nine.
    """
    if (found := BY_KEY.get((category, subcategory))) is not None:
        return found
    known = [s.name for s in SUBCATEGORIES if s.category == category]
    if known:
        raise UnknownSubcategory(f"{category!r} has no subcategory {subcategory!r}; it has: {', '.join(known)}.")
    raise UnknownSubcategory(f"There is no category {category!r}; known categories: {', '.join(CATEGORIES)}.")
