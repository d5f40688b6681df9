"""What a study fixes for every participant, person or model: the protocol."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Protocol(BaseModel):
    """Settings of one showing of a task. The defaults give people what the released models had."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    paradigm: Literal["active"] = "active"
    """How the task is met. Active: every observation follows from an own action."""
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
    show_feedback: bool = False
    """Whether the right answer is told after the final one (training only)."""
