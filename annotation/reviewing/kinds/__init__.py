"""Every kind of reviewed thing: a module of this package, and one line here."""

from __future__ import annotations

from importlib import import_module

from annotation.reviewing.errors import BadKind
from annotation.reviewing.kind import Kind

MODULES: tuple[str, ...] = (
    "robot_questions",
    "answers_in_words",
    "gold_disputes",
    "tasks",
    "reason_disputes",
)  # fmt: skip
"""The registry: modules of this package, each with its `KIND`, in the order of the reference. A module whose kinds belong together declares
`EVERY_KIND`, a tuple of them."""


def _declared(module: str) -> tuple[Kind, ...]:
    found = import_module(f"{__name__}.{module}")
    kinds = getattr(found, "EVERY_KIND", None) or (getattr(found, "KIND", None),)
    for kind in kinds:
        if not isinstance(kind, Kind):
            raise BadKind(f"{__name__}.{module} is registered, so it must declare KIND, a kind of reviewed thing; got {kind!r}.")
    return tuple(kinds)


KINDS: dict[str, Kind] = {kind.name: kind for module in MODULES for kind in _declared(module)}
"""Name → kind."""
