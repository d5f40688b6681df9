"""What a verifier gets to see, stage by stage, as plain values: the pages read these and nothing else of a task.

Lengths are metres and angles degrees in the world frame (z up); objects are named by the words of people, never by a scene's handles.
"""

from __future__ import annotations

import msgspec

from sim_bridge.spec import Pose


class Picture(msgspec.Struct, frozen=True):
    """One kept picture."""

    pixel_hash: str
    width: int
    height: int


class FirstView(msgspec.Struct, frozen=True):
    """All that is shown before the first vote: what a participant sees at the start, and no more."""

    question: str
    note: str
    form: str
    options: tuple[str, ...]
    """In the order in which this reviewer is shown them."""
    blanks: tuple[tuple[str, ...], ...]
    blank_names: tuple[str, ...]
    targets: tuple[str, ...]
    pictures: tuple[Picture, ...]
    """The start view; more than one where the task's first view is several pictures."""


class Thing(msgspec.Struct, frozen=True):
    """One object at one step, as people read it."""

    words: str
    """Its name in the question, or its category with a number."""
    category: str
    room: str
    present: bool
    pixels: int
    """Of the view of this step."""
    states: tuple[str, ...]
    """``open``, ``filled``, ``held``, with numbers where there are any: ``water 120 ml of 350``."""
    faults: tuple[str, ...]
    """What the simulator finds wrong with it: floats, intersects, moved after settling, outside the room."""
    centre_m: tuple[float, float, float]
    size_m: tuple[float, float, float]
    box: tuple[int, int, int, int] | None = None
    """(x0, y0, x1, y1) pixels around what is seen of it in the picture of this step; None: it is not seen, or not counted."""


class Moment(msgspec.Struct, frozen=True):
    """One step of the verified trajectory."""

    n: int
    picture: Picture
    action: str
    """What was done, in people's words; empty at the start."""
    result: str
    """What came of it, in people's words."""
    ok: bool
    phase: str
    """Part of the task; empty: it has one."""
    camera: Pose
    clipped: bool
    things: tuple[Thing, ...]
    relations: tuple[str, ...]
    """``the cherry is inside the flask``."""


class Map(msgspec.Struct, frozen=True):
    """The scene from above."""

    rooms: tuple[tuple[str, tuple[float, float, float, float]], ...]
    """(name, (x0, y0, x1, y1))."""
    things: tuple[tuple[str, tuple[float, float, float, float]], ...]
    """(words, (x0, y0, x1, y1)) at the end of the trajectory."""
    camera: tuple[tuple[float, float, float], ...]
    """(x, y, yaw°: 0 along +x, counter-clockwise) of every step."""


class Evidence(msgspec.Struct, frozen=True):
    """What a simulator made of a task's verified trajectory, once: a row of `task_evidence`."""

    moments: tuple[Moment, ...]
    map: Map | None
    notes: tuple[str, ...] = ()
    """What could not be made, and why: each a sentence."""
    derived: str = ""
    """The answer that a rule reads from the states along the trajectory, in words; empty: no rule does."""
    examined: bool = False
    """Whether the simulator looked for what is wrong with the scene (`Thing.faults`)."""
    path_of_actions: tuple[str, ...] = ()
    """The actions that were played, as the scene has them; for judges, never shown."""


class Check(msgspec.Struct, frozen=True):
    """One line of the checklist, from the declaration of the subcategory."""

    axis: str
    text: str
    """A question that is answered with yes where all is well."""
    holds: bool | None
    """What the simulator says; None: only a person can tell."""
    why: str = ""
    """What it is read from, as a sentence with numbers."""


class Flag(msgspec.Struct, frozen=True):
    """What a program noticed (`annotation.auditing`)."""

    check: str
    severity: str
    text: str


class Rest(msgspec.Struct, frozen=True):
    """What the server releases once the first stage is stored."""

    answers: tuple[str, ...]
    """The proposed right answers, the canonical one first."""
    derivation: str
    evidence: Evidence | None
    """None: it is not made yet, or cannot be made here; `why_none` says which."""
    why_none: str
    checklist: tuple[Check, ...]
    flags: tuple[Flag, ...]
    twin: FirstView | None
    """The twin's question and first view."""
    twin_answers: tuple[str, ...]
    definition: str
    """Of the subcategory."""
    budget: int
    can_take_over: bool
    """Whether a live simulator here can play the task."""
    fidelity: str
    """How near the scene comes to its source, in a sentence; empty: the scene was made here."""
