"""The result of an action in words, the same for people and models."""

from __future__ import annotations

from collections.abc import Mapping

from sim_bridge.actions import parse_action

ONLY_VIEW = "This is the only view."
"""What is said of the first view where nobody acts."""
AT_ONCE: Mapping[str, str] = {
    "start_view": ONLY_VIEW,
    "grid": "These are all views, in no order; the first is the start view.",
    "words": "There is no picture in this task.",
}
"""How a showing opens in which nobody acts (`study.paradigms.paradigm.Opening`) → what is said of it."""


def in_words(action: str, ok: bool, reason: str, labels: Mapping[str, str]) -> str:
    """One sentence on what an action did.

    Args:
        action: the stored action text.
        ok: whether it succeeded.
        reason: why not.
        labels: public handle → label.
    """
    if action == "start":
        return "This is the first view."
    if action == "stay":
        return "That was no action: you stayed where you were."
    if action.startswith("phase:"):
        return "The next part has begun; you are back at the start."
    if not ok:
        return f"That did not work: {reason.rstrip('.') or 'not possible here'}."
    parsed = parse_action(action)
    return parsed.told(parsed.kind.done, lambda handle: _named(handle, labels))


def _named(handle: str, labels: Mapping[str, str]) -> str:
    name = labels.get(handle, handle.replace("_", " "))
    return name if name.startswith(("object ", "the ")) else f"the {name}"


def person(number: int) -> str:
    """What a participant is called where staff read of them: ``P012``, a number within the study and nobody's id."""
    return f"P{number:03d}"
