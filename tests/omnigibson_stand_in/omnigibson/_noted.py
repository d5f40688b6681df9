"""Which names are used: each is written to a file once, as the adapter's list of calls prints it."""

from __future__ import annotations

import functools
import os
from typing import Any

_seen: set[str] = set()


def note(name: str) -> None:
    """Write a name down, once."""
    path = os.environ.get("OMNIGIBSON_STAND_IN_CALLS")
    if path and name not in _seen:
        _seen.add(name)
        with open(path, "a", encoding="utf-8") as out:  # noqa: PTH123
            out.write(name + "\n")


def module_of(name: str) -> str:
    """``omnigibson.envs.env_base`` → ``envs.env_base``; the package itself is ``__init__``."""
    return name.partition(".")[2] or "__init__"


def noted(thing: Any) -> Any:
    """A function or class whose uses are written down."""
    if not isinstance(thing, type):
        text = f"{module_of(thing.__module__)}.{thing.__name__}"
        return _wrapped(thing, text)
    for name, member in list(vars(thing).items()):
        text = f"{module_of(thing.__module__)}.{thing.__name__}.{name}"
        if isinstance(member, property):
            setattr(thing, name, property(*(f and _wrapped(f, text) for f in (member.fget, member.fset))))
        elif isinstance(member, classmethod):
            setattr(thing, name, classmethod(_wrapped(member.__func__, text)))
        elif callable(member) and (not name.startswith("_") or name in ("__init__", "_get_value", "_set_value")):
            setattr(thing, name, _wrapped(member, text))
    return thing


def _wrapped(function: Any, text: str) -> Any:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        note(text)
        return function(*args, **kwargs)

    return call
