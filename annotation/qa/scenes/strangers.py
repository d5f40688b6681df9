"""Gripper images of other episodes than a moment's own: distractors where options are images."""

from __future__ import annotations

import random

from annotation.qa.items import ViewImage
from annotation.qa.scenes.moment import Moment, moments
from data.store import Store


def strangers(
    store: Store, moment: Moment, rng: random.Random, count: int, *, view: str | None = None
) -> list[tuple[ViewImage, Moment]]:  # fmt: skip
    """Gripper images of other episodes, one per moment: same task first, kept moments first; of `view`, or of either gripper."""
    others = [m for m in moments(store, moment.project_id, arm="dual") if m.episode_id != moment.episode_id and m.state != "filtered"]
    rng.shuffle(others)
    task = set(moment.task.casefold().split())

    def rank(other: Moment) -> tuple[float, bool]:
        words = set(other.task.casefold().split())
        return -len(task & words) / max(1, len(task | words)), other.state != "kept"

    found: list[tuple[ViewImage, Moment]] = []
    seen: set[str] = set()
    for other in sorted(others, key=rank):
        image = other.view(view or rng.choice(("left-gripper", "right-gripper")))
        if image is not None and image.image not in seen and other.episode_id not in {m.episode_id for _, m in found}:
            seen.add(image.image)
            found.append((image, other))
        if len(found) == count:
            return found
    return found
