"""Every kind of reviewed thing: a module of this package, and one line here."""

from __future__ import annotations

from importlib import import_module

from annotation.reviewing.errors import BadKind
from annotation.reviewing.kind import Kind

MODULES: tuple[str, ...] = (
    "robot_questions",
    "answers_in_words",
    "gold_disputes",
)  # fmt: skip
"""The registry: modules of this package, each with its `KIND`, in the order of the reference."""


def _declared(module: str) -> Kind:
    kind = getattr(import_module(f"{__name__}.{module}"), "KIND", None)
    if not isinstance(kind, Kind):
        raise BadKind(f"{__name__}.{module} is registered, so it must declare KIND, a kind of reviewed thing; got {kind!r}.")
    return kind


KINDS: dict[str, Kind] = {kind.name: kind for kind in map(_declared, MODULES)}
"""Name → kind."""
