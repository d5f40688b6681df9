"""The result of an action in words, the same for people and models."""

from __future__ import annotations

from collections.abc import Mapping

from sim_bridge.actions import parse_action

_DONE = {
    "move_forward": "Moved forward.",
    "move_backward": "Moved backward.",
    "move_left": "Moved left.",
    "move_right": "Moved right.",
    "move_up": "Moved up.",
    "move_down": "Moved down.",
    "turn_left": "Turned left.",
    "turn_right": "Turned right.",
    "turn_up": "Looked up.",
    "turn_down": "Looked down.",
    "wait": "Waited.",
    "pick_up": "Picked up {0}.",
    "put_on_floor": "Put {0} on the floor.",
    "put_back": "Put {0} back.",
    "fill": "Filled {0} with water.",
    "pour": "Poured {0} from {1} into {2}.",
    "open": "Opened {0}.",
    "close": "Closed {0}.",
    "remove_cloth": "Took the cloth away.",
    "place_on_slope": "Placed {0} on the slope.",
}


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
    names = [labels.get(handle, handle.replace("_", " ")) for handle in parsed.objects]
    names = [name if name.startswith(("object ", "the ")) else f"the {name}" for name in names]
    if parsed.name == "put":
        return f"Put {names[0]} {'inside' if parsed.args[1] == 'inside' else 'on'} {names[1]}."
    if parsed.name == "pour" and parsed.objects[0] == parsed.objects[1]:
        return f"Poured from {names[1]} into {names[2]}."
    return _DONE[parsed.name].format(*names)
