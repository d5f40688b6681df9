"""Step Execution: which short motion most likely accomplishes the next step?"""

from __future__ import annotations

import random

from annotation.qa import directions
from annotation.qa.subtasks import motions
from annotation.qa.subtasks.base import (
    FRAME_TEXT,
    TASKS,
    VIEWS,
    Item,
    MarkRule,
    Problem,
    Scenery,
    Slot,
    Subtask,
    blank,
    finish,
    sentence,
    view_word,
)


def question(item: Item) -> str:
    task = sentence(item.slots.get("task", "")).rstrip(".")
    return f"{task}: which action most likely accomplishes it? The options are based on {view_word(item)}. {FRAME_TEXT}"


def check(item: Item) -> list[Problem]:
    return motions.check(item, 1)


def sample(rng: random.Random, scenery: Scenery) -> Item:
    item = blank(scenery, "step", rng.choice(VIEWS[scenery.arm]), {"task": rng.choice(TASKS)})
    texts = [directions.write(steps, "Move", "then close the gripper") for steps in directions.sequences(rng, 2)]
    item = finish(item, rng, texts, ["reordered", "reversed", "misses", "by_hand"])
    return item.change(question=question(item))


SUBTASK = Subtask(
    slug="step",
    name="Step Execution",
    asked="the next short motion",
    domain="robotic",
    arms=("dual", "single"),
    marks=MarkRule(),
    option_kind="directions",
    slots=(Slot("task", "The step that is next"),),
    distractors=motions.DISTRACTORS,
    question=question,
    options=motions.options,
    check=check,
    sample=sample,
    frame=True,
    advice="Keep to one pick or place: a few directions.",
    single_view=True,
)
