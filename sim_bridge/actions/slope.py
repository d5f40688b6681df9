"""Placing what is in the hand on a slope (ESI-Bench's runner task slope)."""

from __future__ import annotations

from sim_bridge.actions.kind import ActionKind

KINDS = (
    ActionKind(
        "place_on_slope",
        label="Place on the slope",
        done="Placed {0} on the slope.",
        form=("obj",),
        needs=("take",),
        from_reach=True,
        hand="frees",
        published="put_on_slope",
    ),
)
