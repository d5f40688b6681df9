"""One thing at a time in the hand (ESI-Bench's runner tasks stacking, storage and transparent)."""

from __future__ import annotations

from sim_bridge.actions.kind import ActionKind


def _put(thing: str, relation: str, target: str) -> str:
    return f"put {thing} inside {target}" if relation == "inside" else f"place {thing} on top of {target}"


KINDS = (
    ActionKind(
        "pick_up",
        label="Pick up",
        done="Picked up {0}.",
        form=("obj",),
        needs=("take",),
        hand="takes",
        published="pick up {0}",
        published_by={"transparent": "pickup"},
    ),
    ActionKind(
        "put",
        label="Put",
        done="Put {0} {1} {2}.",
        form=("obj", "rel", "obj"),
        needs=("take", "rel"),
        asks=("which object", "inside or on which object"),
        hand="frees",
        rests="inside",
        published=_put,
    ),
    ActionKind(
        "put_back",
        label="Put back at its first place",
        done="Put {0} back where it was at first.",
        form=("obj",),
        needs=("take",),
        hand="frees",
        rests="always",
        published="put back {0}",
    ),
    ActionKind(
        "put_on_floor",
        label="Put on the floor",
        done="Put {0} on the floor, where it is least in the way.",
        form=("obj",),
        needs=("take",),
        hand="frees",
        rests="always",
        published="place {0} on the floor",
    ),
)
