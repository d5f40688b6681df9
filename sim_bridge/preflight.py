"""Before a study: whether the buildings and models that its tasks need are installed beside a simulator."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from sim_bridge.errors import BadRequest
from sim_bridge.host import create_backend


class Need(msgspec.Struct, forbid_unknown_fields=True):
    """One line: a building, or a category with a model."""

    tasks: int = 0
    """How many tasks need it."""
    building: str = ""
    category: str = ""
    model: str | None = None


def read_needs(path: Path) -> list[Need]:
    """The lines of a file.

    Raises:
        BadRequest: it cannot be read; the message names the line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise BadRequest(f"preflight: {path.name} cannot be read: {problem}") from None
    needs = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            need = msgspec.json.decode(line, type=Need)
        except (msgspec.MsgspecError, RecursionError) as problem:
            raise BadRequest(
                f"preflight: line {number} of {path.name}: expected a building, or a category and a model: {problem}"
            ) from None
        if bool(need.building) == bool(need.category):
            raise BadRequest(f"preflight: line {number} of {path.name}: expected either a building or a category")
        needs.append(need)
    return needs


def run(backend: str, path: Path) -> int:
    """The command: prints what is missing; returns 0 if nothing is."""
    needs = read_needs(path)
    simulator: Any = create_backend(backend)
    if not hasattr(simulator, "lacks"):
        raise BadRequest(f"preflight: the {simulator.name} backend needs nothing of the source's to be installed")
    missing = simulator.lacks([n.building for n in needs if n.building], [(n.category, n.model) for n in needs if n.category])
    for line in missing:
        print(line)
    print(f"{len(missing)} of {len(needs)} are missing.", file=sys.stderr)
    return 1 if missing else 0
