"""Water: filling a vessel, and pouring from one into another (ESI-Bench's runner task pour)."""

from __future__ import annotations

from sim_bridge.actions.kind import ActionKind


def _poured(what: str, _from: str, source: str, _to: str, target: str) -> str:
    """A vessel poured from itself is its water."""
    return f"Poured from {source} into {target}." if what == source else f"Poured {what} from {source} into {target}."


KINDS = (
    ActionKind(
        "fill",
        label="Fill",
        done="Filled {0} with water.",
        form=("obj", "with_water"),
        needs=("water",),
        published="fill water in {0}",
    ),
    ActionKind(
        "pour",
        label="Pour",
        done=_poured,
        form=("obj", "from", "obj", "to", "obj"),
        needs=("water", "water", "water"),
        words="from {1} into {2}",
        same=((0, 1),),
        asks=("which object", "from which object", "into which object"),
        likely_held=(0, 1),
        published="pour {2} into {4}",
        published_by={"transparent": "pour"},
    ),
)
