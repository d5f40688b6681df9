"""The guide that lies one key away from whoever verifies, and its versions: each vote says which one it was cast by."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

import msgspec

from data.store import Store, now

PAGES = ("correctness", "answerability", "nontriviality", "deciding")
"""Its parts in order: files ``guide/<name>.md`` of this package."""


class Guide(msgspec.Struct, frozen=True):
    """One version of the guide."""

    guide: str
    """SHA-256 hex of its text."""
    text: str
    """Markdown."""


@cache
def current() -> Guide:
    """The version that this program shows."""
    folder = resources.files("annotation.verifying") / "guide"
    text = "\n".join((folder / f"{name}.md").read_text(encoding="utf-8") for name in PAGES)
    return Guide(hashlib.sha256(text.encode()).hexdigest(), text)


def keep(store: Store) -> Guide:
    """Keep the current version beside the votes that are cast by it."""
    guide = current()
    with store.atomic() as db:
        db.execute("INSERT INTO guides (guide, text, made_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", [guide.guide, guide.text, now()])
    return guide


def text_of(store: Store, guide: str) -> str | None:
    """The text of a version that votes were cast by; None: there is none of this id."""
    kept = store.row("SELECT guide, text FROM guides WHERE guide = ?", Guide, [guide])
    return None if kept is None else kept.text
