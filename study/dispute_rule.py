"""When answers dispute a gold by themselves: a setting of a study."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class DisputeRule(BaseModel):
    """When answers dispute a gold by themselves. Declared before data are collected."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    least: int = Field(default=3, ge=1)
    """So many people give the same answer that is not the gold."""
    share: float = Field(default=0.5, gt=0.0, le=1.0)
    """And they are at least this share of all who answered the task in such a paradigm."""
