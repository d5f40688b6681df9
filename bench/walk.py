"""The walk that `bench loop` presses: all ten camera actions in a seeded order that never leads far from the start."""

from __future__ import annotations

import random

KEYS: dict[str, str] = {
    "w": "move_forward",
    "s": "move_backward",
    "a": "move_left",
    "d": "move_right",
    "q": "move_up",
    "e": "move_down",
    "j": "turn_left",
    "l": "turn_right",
    "i": "turn_up",
    "k": "turn_down",
}
"""Key → action in the peer page. (The play page has its own keys; Streamlit buttons take letters only.)"""

_AXES = {
    "move_forward": ("z", 1, 2),
    "move_backward": ("z", -1, 2),
    "move_left": ("x", 1, 2),
    "move_right": ("x", -1, 2),
    "move_up": ("y", 1, 1),
    "move_down": ("y", -1, 1),
    "turn_left": ("yaw", 1, 3),
    "turn_right": ("yaw", -1, 3),
    "turn_up": ("pitch", 1, 1),
    "turn_down": ("pitch", -1, 1),
}
"""Action → axis, direction, and how many steps from the start that axis may go."""


def walk(count: int, seed: int = 7) -> list[str]:
    """`count` camera actions: a random walk bounded on every axis, the same for the same seed."""
    chance = random.Random(seed)
    at = dict.fromkeys(("x", "y", "z", "yaw", "pitch"), 0)
    taken: list[str] = []
    while len(taken) < count:
        name = chance.choice(list(_AXES))
        axis, by, most = _AXES[name]
        if abs(at[axis] + by) <= most:
            at[axis] += by
            taken.append(name)
    return taken
