"""What a person's browser or a model may know of an episode: no gold, no ids or hashes from which it follows, no file names."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from data.task import Answer
from sim_bridge.spec import PixelBox


class _View(BaseModel):
    model_config = ConfigDict(frozen=True)

    def public(self) -> dict[str, Any]:
        """The view as JSON values, without what stays on the server."""
        return self.model_dump(mode="json")


class HandleView(_View):
    """One object that a picker offers."""

    handle: str
    """What stands in an action: ``object_2``."""
    label: str
    """What people read: the question's words, or "object 2"."""
    number: int | None = None
    """Its number on the picture; None: it carries none."""
    box: PixelBox | None = None
    """Where its number stands in this view: the box around its visible pixels, half-open. None: it carries none, or is not in view."""
    unseen: bool = False
    """The question names it, it will carry a number, and no view has shown enough of it yet: another of its kind in view is not it."""


class StepView(_View):
    """One acknowledged step: it is on disk."""

    seq: int
    """0 is the start view; observation number `seq` + 1."""
    action: str
    """Canonical action text; ``start``, ``phase:<name>`` or ``stay``."""
    ok: bool
    """False: a well-formed action that failed physically; it is a step all the same."""
    words: str
    """The result in words."""
    reason: str
    """Why it failed; of what was done, how it ended where that is not what the action says."""
    observations_left: int
    """How many further observations the budget allows."""
    forced: bool
    """The budget is used up: only an answer is possible."""
    phase: str
    """Name of the current part; empty where a task has one part."""
    phase_used: bool
    """This part's observations are used up; the next part (or an answer) is possible."""
    phase_next: bool
    part: int
    """Which part of the task it is, from 1; 0 where it has none."""
    parts: int
    """How many parts the task has; 0: it is not divided."""
    """There is a further part."""
    handles: tuple[HandleView, ...]
    """Objects that can be chosen now."""
    choices: dict[str, tuple[tuple[str, ...], ...]] = {}
    """Action, with its relation where it has one (``put inside``) → the handles for each of its objects. Empty: every action offers all."""
    reach: str = ""
    """How far a hand reaches, in words."""
    acts: bool = True
    """Whether an action can follow in this paradigm."""
    paged: bool = False
    """Whether it is one of pictures that exist and are shown one after the other."""
    next_ms: float | None = None
    """After how long the next picture comes by itself, milliseconds on the screen; None: it is asked for, or follows from an action."""
    frames: int
    """Frames of this step; the last is the observation."""
    held: HandleView | None
    """What is in the hand after this step."""
    saved_at: str
    """Server time (ISO-8601 UTC) at which the step was on disk."""
    image: bytes | None = Field(default=None, exclude=True, repr=False)
    """The observation, encoded (image/webp); not part of the JSON."""
    timing_ms: dict[str, float] = Field(default_factory=dict, exclude=True)
    """Milliseconds in the worker, for benchmarks; not part of the JSON."""


class BeliefView(_View):
    """The belief given last."""

    n: int
    answer: Answer | None
    confidence: int | None
    seq: int
    saved_at: str


class EpisodeView(_View):
    """Everything a play page or a model needs to begin or to go on."""

    episode_id: str
    epoch: int
    """Grows with every `open`; only the latest may act."""
    state: str
    """``active`` while something can be done; else how it ended."""
    question: str
    form: str
    """The answer form (`data.task.AnswerForm`)."""
    options: tuple[str, ...]
    """In the order of this showing; empty where the protocol asks for free text."""
    blanks: tuple[tuple[str, ...], ...]
    blank_names: tuple[str, ...]
    stacked: bool
    """Whether an order is given as a stack, its first part at the bottom."""
    targets: tuple[str, ...]
    note: str
    actions: tuple[str, ...]
    """Action names of this task."""
    by_itself: bool
    """Where pictures are shown one after the other: whether the next one comes by itself."""
    early_answer: bool
    """Where pictures are shown one after the other: whether the answer can be given before the last one was shown."""
    budget: int
    """Observations of the whole episode, the first view included."""
    opens: str
    """How the showing opens (`study.paradigms.paradigm.Opening`)."""
    step: StepView
    """The current step; where all is shown at once, the last one. With ``frames`` 0 there is no picture."""
    saved_at: str
    """When the last thing of this episode was kept: a step, what was thought, or the answer."""
    shown: tuple[int, ...]
    """Steps whose frames may be looked at under the history rule, oldest first, the current one last."""
    parts: tuple[int, ...] = ()
    """Where all is shown at once: which part of the task each picture of `shown` shows, from 1; 0: the task is not divided."""
    told: tuple[str, ...] = ()
    """What is told beside the question, in the order of this showing."""
    history: str
    """The history rule: none, last5 or all."""
    enlarge: bool
    belief_bar: bool
    probe_every: int = 1
    """At every so many views the current answer is noted."""
    confidence_required: bool
    belief: BeliefView | None
    seconds_left: float | None = None
    """Until the time limit that comes first; None: there is none, or it is over."""
    limit: str = ""
    """Which limit that is: of the ``task`` or of the ``session``; empty: none."""
    ended_by: str = ""
    """Of an episode that a time limit ended: ``time_limit`` (the task's) or ``session_time``; else empty."""
    answered: bool = False
    """Whether an answer is kept."""
    width: int
    """Image width in pixels."""
    height: int
    """Image height in pixels."""


class Saved(_View):
    """Word from the server that something is on disk."""

    saved_at: str


class FinalView(_View):
    """The episode's end."""

    state: str
    saved_at: str
    observations: int
    """How many observations were used."""
    answer: Answer | None
    """The answer as it was understood."""
    confidence: int | None
    correct: bool | None = None
    """Told only where the protocol shows feedback (training)."""
    right_answer: Answer | None = None
    """Told only where the protocol shows feedback (training)."""
