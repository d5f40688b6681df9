"""The registry of robot sources, apart from their modules, so that a command can name them without loading what reads videos and tables."""

from __future__ import annotations

KINDS: tuple[str, ...] = (
    "lerobot",
    "agibot",
    "bridge",
    "plain",
)
"""Modules of `data.robot.sources`, each with a ``SOURCE`` of its own name; in the order in which a folder is offered to them."""
