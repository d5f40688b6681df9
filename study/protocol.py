"""What a study fixes for every participant, person or model: the protocol."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from data.store import now
from data.task import Task
from study.errors import WrongParadigm


class Protocol(BaseModel):
    """Settings of one showing of a task. The defaults give people what the released models had."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    paradigm: Literal["active", "multiview_qa"] = "active"
    """How the task is met. Active: every observation follows from an own action. Multi-view QA: all pictures of a question at once, and
    no action (design 0008)."""
    budget: int | None = Field(default=None, ge=1, le=1000)
    """Observations allowed, the first view included; None: the task's own (30; accuracy saturates by 30, ESI-Bench App. P)."""
    history: Literal["none", "last5", "all"] = "last5"
    """Which earlier frames may be looked at: none, the five before the current one (as in the released runner), or all."""
    enlarge: bool = False
    """Whether frames may be enlarged."""
    answer_form: Literal["options", "free_text"] = "options"
    """Whether options are shown; the same for people and models (`science.md` 9)."""
    shuffle_options: bool = True
    """Whether options are shown in a random order, recorded per episode."""
    belief_bar: bool = True
    """Whether the current answer and confidence can be given at every step."""
    confidence_required: bool = False
    """Whether a final answer needs a confidence; otherwise untouched means missing."""
    clipping: Literal["flag", "forbid"] = "flag"
    """What happens when a move would end with the camera inside a wall or a thing: it is done and the view flagged (as in the released
    runner), or the camera stays and the move is a failed step. The same for people and models (`science.md` 7)."""
    time_limit_s: float | None = Field(default=None, gt=0)
    """Multi-view QA: seconds after the first showing of a question when the server takes the last choice as the answer; None: no limit."""
    external_references: bool = True
    """Multi-view QA: whether people may look things up; the instructions say which, and nothing watches them."""
    show_feedback: bool = False
    """Whether the right answer is told after the final one (training only)."""


def check_fit(task: Task, protocol: Protocol) -> None:
    """Can the task be met as the protocol says?

    Raises:
        WrongParadigm: it is a question about pictures and the paradigm needs a scene, or the other way round.
    """
    if bool(task.shown) != (protocol.paradigm == "multiview_qa"):
        what = "a question about pictures, so the paradigm must be multiview_qa" if task.shown else "a task in a scene, not a question"
        raise WrongParadigm(f"{task.task_id} is {what}; got {protocol.paradigm}.")


def seconds_left(protocol: Protocol, started_at: str | None) -> float | None:
    """Seconds until the time limit, negative afterwards; None where there is no limit or nothing was shown yet."""
    if protocol.paradigm != "multiview_qa" or protocol.time_limit_s is None or started_at is None:
        return None
    return protocol.time_limit_s - (datetime.fromisoformat(now()) - datetime.fromisoformat(started_at)).total_seconds()
