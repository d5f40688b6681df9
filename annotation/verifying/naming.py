"""What people call the things of a scene."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from data.task import Task

FAULTS: Mapping[str, str] = {
    "floating": "floats",
    "interpenetrating": "runs into something",
    "moved_after_settling": "had not come to rest",
    "out_of_room": "is outside the room",
    "never_visible": "can be seen from nowhere",
}
"""Flag of the simulator's own examination (`sim_bridge.protocol.State.audit`) → what is wrong."""
_HANDLE = re.compile(r"\bobject_\d+\b")


def words_of(task: Task) -> dict[str, str]:
    """Scene handle → what people call that object: its name in the question, else its category, with a number where there are several."""
    kinds = {one.handle: one.category.replace("_", " ") for one in task.scene.objects}
    taken = Counter(word for handle, word in kinds.items() if handle not in task.names)
    found, numbers = dict(task.names), Counter[str]()
    for handle, word in kinds.items():
        if handle not in task.names:
            numbers[word] += 1
            found[handle] = f"{word} {numbers[word]}" if taken[word] > 1 or word in task.names.values() else word
    return found


def without_handles(text: str, words: Mapping[str, str]) -> str:
    """A simulator's sentence with the words of people in the place of its handles."""
    return _HANDLE.sub(lambda found: f"the {words[found[0]]}" if found[0] in words else found[0].replace("_", " "), text)
