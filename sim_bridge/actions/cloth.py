"""Taking a cloth away. No released runner has it, so it is published as it stands."""

from __future__ import annotations

from sim_bridge.actions.kind import ActionKind

KINDS = (ActionKind("remove_cloth", label="Remove the cloth", done="Took the cloth away.", form=("obj",), needs=("cloth",)),)
