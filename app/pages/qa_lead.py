"""The lead's page of a project of robot questions."""

from __future__ import annotations

from study.access import Grant


def page(grant: Grant) -> None:
    """The project."""
