"""Action Planning: which sequence of motions completes the task with the least collision?"""

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
    return (
        f"{sentence(item.slots.get('task', ''))} Which operation most likely completes the task with the least collision? "
        f"The options are based on {view_word(item)}. {FRAME_TEXT}"
    )


def check(item: Item) -> list[Problem]:
    return motions.check(item, 2)


def sample(rng: random.Random, scenery: Scenery) -> Item:
    item = blank(scenery, "planning", rng.choice(VIEWS[scenery.arm]), {"task": rng.choice(TASKS)})
    arm = f"the {rng.choice(('left', 'right'))} gripper" if scenery.arm == "dual" else "the gripper"
    texts = [directions.write(steps, f"Move {arm}", "then release") for steps in directions.sequences(rng, rng.randint(3, 5))]
    item = finish(item, rng, texts, ["reordered", "reversed", "collision", "by_hand"])
    return item.change(question=question(item))


SUBTASK = Subtask(
    slug="planning",
    name="Action Planning",
    asked="a sequence of motions that completes the task",
    domain="robotic",
    arms=("dual", "single"),
    marks=MarkRule(),
    option_kind="directions",
    slots=(Slot("task", "What the robot is to do"),),
    distractors=motions.DISTRACTORS,
    question=question,
    options=motions.options,
    check=check,
    sample=sample,
    frame=True,
    advice="The right way must be the only one without a collision under every reading.",
    single_view=True,
)
