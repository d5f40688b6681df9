"""What people call the things of a scene."""

from __future__ import annotations

from collections import Counter

from data.task import Task


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
