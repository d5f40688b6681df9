"""What a test takes for granted to be there."""

from __future__ import annotations

from typing import TypeVar

Value = TypeVar("Value")


def present(value: Value | None) -> Value:
    """The value; a test that meets nothing in its place fails here."""
    assert value is not None
    return value
