"""Rules that leave answers out of figures, declared in a study before data are collected (measurement 17).

Nobody is left out for being fast, still or of another opinion: that is what is measured. Every figure exists with and without.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Exclusions(BaseModel):
    """Whose answers, and which, are left out of figures. They stay in exports, which say by which rule."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    attention_missed: int | None = Field(default=None, ge=1, le=50)
    """Everything of people who missed this many attention checks; None: no such rule."""
    comprehension_failed: bool = False
    """Everything of people who did not pass a comprehension check in the end."""
    checks_missed: bool = False
    """Everything of people who did not pass a check of screen or eyes."""
    stopped: bool = False
    """Everything of people who ended early and left what they did."""
    clipped: bool = False
    """Tasks in which the camera was inside a wall or a thing."""

    @property
    def any(self) -> bool:
        """Whether a rule is declared."""
        return self != Exclusions()
