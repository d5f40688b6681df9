"""Category → model: the table behind the catalogue, written by hand and by pattern."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


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


@dataclass(frozen=True)
class Rule:
    """How a category is shown."""

    grade: str
    sources: tuple[FromPack | Made, ...] = ()
    reason: str = ""


def made(maker: str, **settings: Any) -> Made:
    return Made(maker, tuple(sorted(settings.items())))


RULES: dict[str, Rule] = {
    "tennis_ball": Rule("exact", (made("sports_ball", kind="tennis"),)),
    "mug": Rule("exact", (made("mug"),)),
    "box_of_crackers": Rule("labelled", (made("carton", text="crackers"),)),
    "mirror": Rule("exact", (made("mirror"),)),
}


def rule(category: str) -> Rule:
    """The rule of a category; grade none with a reason for unknown ones."""
    return RULES.get(category) or Rule("none", reason="this category is not in the vocabulary")


@functools.lru_cache(maxsize=1)
def source_hash() -> str:
    """SHA-256 of the modules that decide what procedural objects look like."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem in ("vocabulary", "shapes", "textures", "rooms", "world") or path.stem.startswith("makers"):
            digest.update(path.read_bytes())
    return digest.hexdigest()
