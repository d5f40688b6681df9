"""A study's worked examples, as they are set up."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from study.paradigms import DEFAULT


class Example(BaseModel):
    """One worked example: a task, met in one paradigm, with feedback and a list of things to do."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    task: str
    """Content hash."""
    paradigm: str = DEFAULT
    """How it is met."""


class Tutorial(BaseModel):
    """What is practised before the first task. An example is passed when everything on its list was done and its answer is right (where one
    only looks: was given); until then it is given again. Whether the instructions were understood is asked by forms of the moment
    ``comprehension``, which also say what follows for people who have not understood them."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    examples: tuple[Example, ...] = Field(default=(), max_length=20)
    """In order. Empty: they are chosen when the study is published, such that each of its paradigms has one and each control is used."""
    attempts: int = Field(default=3, ge=1, le=10)
    """How often an example is given to people who do not pass it; then they go on, and the export says so."""
