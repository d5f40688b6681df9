"""English words of actions, as each action's declaration has them (`sim_bridge.actions`): another action brings its own.

``{0}``, ``{1}``, … stand for its objects in order, ``{rel}`` for a relation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sim_bridge.actions import KINDS, RELATIONS, said
from sim_bridge.actions.kind import ActionKind


def _words(kind: ActionKind) -> Iterator[tuple[str, str]]:
    key = f"action.{kind.name}"
    yield key, kind.label
    yield f"{key}_short", kind.short or kind.label
    yield f"{key}_done", _done(kind)
    if kind.same:
        yield f"{key}_done_one", _done(kind, dict(kind.same))
    if kind.sentence():
        yield f"{key}_sentence", kind.sentence()
    for index in range(kind.form.count("obj")):
        yield f"{key}_ask_{index}", kind.ask(index)


def _done(kind: ActionKind, one: Mapping[int, int] | None = None) -> str:
    """The sentence when it has worked, with places for its objects; `one`: object → the other that it is as well."""
    objects = iter(range(len(kind.form)))
    words = []
    for part in kind.form:
        number = next(objects) if part == "obj" else None
        words.append(part if number is None and part != "rel" else "{rel}" if number is None else f"{{{(one or {}).get(number, number)}}}")
    return said(kind.done, *words)


ACTION: Mapping[str, str] = {
    **dict(pair for kind in KINDS for pair in _words(kind)),
    **{f"action.rel_{relation}": relation for relation in RELATIONS},
    **{f"action.pad_{title.lower()}": title for title in dict.fromkeys(kind.pad[0] for kind in KINDS if kind.pad)},
}
"""Action, and what of it is said → words."""
