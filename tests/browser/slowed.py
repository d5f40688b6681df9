"""The race finder: pages whose messages come one by one, so that every window between two things that follow each other stands open."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

SWITCH = "VANTAGE_TEST_SLOWED"
"""Names what is slowed, with commas between: parts of `Pauses`, each with `=` and its milliseconds where `PAUSE_MS` is not wanted."""

PAUSE_MS = 150
SCRIPT = (Path(__file__).parent / "fixtures" / "slowed.js").read_text(encoding="utf-8")


class Pauses(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Milliseconds: before each message of Streamlit is handed on, before a component's request leaves, before its reply is handed on."""

    stream: int = 0
    request: int = 0
    reply: int = 0


def pauses() -> Pauses | None:
    """What `SWITCH` asks for; None: nothing is slowed.

    Raises:
        msgspec.ValidationError: it names what cannot be slowed.
    """
    parts = [part.partition("=") for part in os.environ.get(SWITCH, "").split(",") if part]
    return msgspec.convert({name: int(ms or PAUSE_MS) for name, _, ms in parts}, Pauses) if parts else None


def slow(where: Any, wanted: Pauses) -> None:
    """Slow a page of the browser, or all pages of a context of it, from the next address on."""
    where.add_init_script(f"({SCRIPT.strip().rstrip(';')})({msgspec.json.encode(wanted).decode()})")


def slow_all(browser: Any, wanted: Pauses) -> None:
    """Slow the pages of every context that a browser makes from now on."""
    made = browser.new_context

    def new_context(**options: Any) -> Any:
        context = made(**options)
        slow(context, wanted)
        return context

    browser.new_context = new_context
