"""Opening and closing: lids, doors, drawers. No released runner has these, so they are published as they stand."""

from __future__ import annotations

from sim_bridge.actions.kind import ActionKind

KINDS = (
    ActionKind("open", label="Open", done="Opened {0}.", form=("obj",), needs=("open",)),
    ActionKind("close", label="Close", done="Closed {0}.", form=("obj",), needs=("open",)),
)
OPENING = KINDS[0].name
"""What opens a thing that is shut."""
