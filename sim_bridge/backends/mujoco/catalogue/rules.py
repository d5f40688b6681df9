"""What a rule of the catalogue says: how a category is graded, and what shows it, in order of preference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union


@dataclass(frozen=True)
class FromPack:
    """A model of the asset pack."""

    model: str
    turn_deg: float = 0.0
    solid: bool = True
    hollow: bool = False
    transparent: bool = False
    collider: str = "hull"


@dataclass(frozen=True)
class Made:
    """A procedural model."""

    maker: str
    settings: tuple[tuple[str, Any], ...] = ()


Source = Union[FromPack, Made]  # noqa: UP007 - evaluated on 3.10


@dataclass(frozen=True)
class Rule:
    """How a category is shown."""

    grade: str
    sources: tuple[Source, ...] = ()
    reason: str = ""


def made(maker: str, **settings: Any) -> Made:
    """Shown by a maker with these settings."""
    return Made(maker, tuple(sorted(settings.items())))


def pack(model: str, **how: Any) -> FromPack:
    """Shown by a model of the asset pack."""
    return FromPack(model, **how)


def furniture(model: str) -> FromPack:
    """A pack model one can stand beneath or between: its box is not solid."""
    return FromPack(model, solid=False, collider="box")


def chest(model: str) -> FromPack:
    """A closed piece of furniture or machine."""
    return FromPack(model, hollow=True, collider="box")


def exact(*sources: Source) -> Rule:
    """A category that is shown as what it is."""
    return Rule("exact", sources)


def alias(seen_as: str, *sources: Source) -> Rule:
    """A category that is shown as something that looks like it."""
    return Rule("alias", sources, f"shown as {seen_as}")


def labelled(*sources: Source) -> Rule:
    """A category that is shown as a package that bears its name."""
    return Rule("labelled", sources, "a package that bears its name")


def no(reason: str) -> Rule:
    """A category that cannot be shown, and why."""
    return Rule("none", reason=reason)


PACKED = "a package of it that bears its name"
"""Reason of what is shown as the package in which it is sold, and not as itself."""


def packed(shape: str, text: str) -> Rule:
    """A thing shown as the package in which it is sold."""
    return Rule("labelled", (made(shape, text=text),), PACKED)
