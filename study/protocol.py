"""What a study fixes for every participant, person or model: the protocol."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from data.task import Task
from study import backends
from study.objects import BY_RULE, DEFAULT_RULE, FORMER_RULE, ObjectRule
from study.paradigms import DEFAULT, paradigm


class Protocol(BaseModel):
    """Settings of one showing of a task. The defaults give people what the released models had."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    paradigm: str = DEFAULT
    """How the task is met: the name of one of `study.paradigms.PARADIGMS`."""
    budget: int | None = Field(default=None, ge=1, le=1000)
    """Observations allowed, the first view included; None: the task's own (30; accuracy saturates by 30, ESI-Bench App. P)."""
    history: Literal["none", "last5", "all"] = "last5"
    """Which earlier frames may be looked at: none, the five before the current one (as in the released runner), or all."""
    enlarge: bool = False
    """Whether frames may be enlarged."""
    answer_form: Literal["options", "free_text"] = "options"
    """Whether options are shown; the same for people and models (measurement 9)."""
    shuffle_options: bool = True
    """Whether options are shown in a random order, recorded per episode."""
    belief_bar: bool = True
    """Whether the current answer and confidence can be given at every step."""
    probe_every: int = Field(default=1, ge=1, le=50)
    """With `belief_bar`: at which views the current answer can be given: 1: at each; 5: at the fifth, the tenth and so on. Between them a
    person's answer is not noted. The final answer always asks."""
    confidence_required: bool = True
    """Whether a final answer needs a confidence; otherwise untouched means missing."""
    clipping: Literal["task", "flag", "forbid"] = "task"
    """What happens when a move would end with the camera inside a wall or a thing: ``flag``: it is done and the view flagged (as in the
    released runner); ``forbid``: the camera stays and the move is a failed step; ``task``: as the task's document says (own houses forbid,
    all else flags). The same for people and models (measurement 7)."""
    objects: str = DEFAULT_RULE.name
    """Which objects an action can name, and how they are told (a name of `study.objects.RULES`). ``numbered``: each thing that can be acted
    on carries its number on the picture once enough of it was seen. ``unnumbered``: the same things by name alone, as the released runner
    had it. ``listed``: every object once seen, as it was before there was a choice. The same for people and models (measurement 2)."""
    time_limit_s: float | None = Field(default=None, gt=0)
    """Seconds that people have for one task, by the server's clock (`study.clocks`); then what was chosen last is the answer. None: no
    limit. Practice has none."""
    external_references: bool = True
    """Multi-view QA: whether people may look things up; the instructions say which, and nothing watches them."""
    window_width: int = Field(default=1024, ge=0, le=4000)
    """Width of the window that the study needs, CSS pixels; 0: any. The default shows a picture of 640 × 480 whole, beside its answer."""
    window_height: int = Field(default=600, ge=0, le=4000)
    """Height of the window that the study needs, CSS pixels; 0: any."""
    small_window: Literal["told", "refused"] = "told"
    """What meets people before the consent while their window is smaller than that: words that say so (the picture is then shown whole and
    smaller, and its scale is recorded), or words in place of the consent."""
    early_answer: bool = False
    """Paradigms that show one picture after the other: whether the answer can be given before the last one was shown. By default all are
    seen, as a study of what the pictures tell needs it."""
    pace: Literal["own_key", "partner"] = "own_key"
    """Yoked: whether the next picture comes at the person's own key, or when the partner went on (a picture stays for as long as they
    looked at it, at most a minute). Everywhere else it is the own key."""
    backends: tuple[str, ...] = ()
    """Which simulator plays the tasks of a source, as SOURCE=SIMULATOR (a data set's name and a simulator's). Sources that are not named
    are played on the server's own. An episode stays on the simulator on which it was begun; tasks on recorded views are played on those."""
    show_feedback: bool = False
    """Whether the right answer is told after the final one (training only)."""

    @field_validator("paradigm")
    @classmethod
    def _known(cls, name: str) -> str:
        return paradigm(name).name

    @field_validator("objects")
    @classmethod
    def _rule(cls, name: str) -> str:
        if name not in BY_RULE:
            raise ValueError(f"objects: expected one of {', '.join(BY_RULE)}, got {name[:40]!r}")
        return name

    @field_validator("backends", mode="before")
    @classmethod
    def _backends(cls, given: object) -> tuple[str, ...]:
        return backends.read(given)

    def backend_of(self, task: Task) -> str:
        """The simulator that is named for a task; empty: the server's own."""
        return backends.backend_of(self.backends, task)

    def probes_at(self, seq: int) -> bool:
        """Whether a person can give the current answer at a step: `seq` 0 is the first view."""
        return self.belief_bar and (seq + 1) % self.probe_every == 0

    def forbids_clipping(self, task: Task) -> bool:
        """Whether a move into a wall or a thing fails in a task."""
        return (task.clipping if self.clipping == "task" else self.clipping) == "forbid"

    @property
    def object_rule(self) -> ObjectRule:
        """How objects are told."""
        return BY_RULE[self.objects]


def as_kept(protocol: dict[str, Any]) -> dict[str, Any]:
    """A protocol's fields as they were kept, with what was so before there was a choice: a setting that came later has the default for new
    studies, and what was kept without it goes on as it began."""
    return {"objects": FORMER_RULE.name, "clipping": "flag"} | protocol


@lru_cache(maxsize=512)
def read_protocol(text: str) -> Protocol:
    """The protocol that an episode's row holds as JSON; the same text is read once."""
    return Protocol.model_validate(as_kept(json.loads(text)))
