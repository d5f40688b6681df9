"""Action Planning: which sequence of motions completes the task with the least collision?"""

from __future__ import annotations

import random

from annotation.qa.errors import Problem
from annotation.qa.items import VIEWS, Item
from annotation.qa.parts import directions
from annotation.qa.scenes.moment import Moment
from annotation.qa.scenes.motion import task_of
from annotation.qa.scenes.sight import Sight
from annotation.qa.subtasks import motions
from annotation.qa.subtasks.base import FRAME_TEXT, MarkRule, Scenery, Slot, Subtask, as_written, sentence, view_word
from annotation.qa.subtasks.making import TASKS, blank, finish
from data.store import Store


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


def slots_from(store: Store, moment: Moment, rng: random.Random) -> dict[str, str]:
    return {"task": moment.task} if moment.task.strip() else {}


def make(sight: Sight, rng: random.Random, none: bool) -> Item | None:
    """The whole of a pick and place."""
    return motions.make(SUBTASK, sight, rng, events=2, fewest=3, most=7, task=task_of)


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
    two_arms=motions.TWO_ARMS,
    question=question,
    options=as_written,
    check=check,
    sample=sample,
    slots_from=slots_from,
    make=make,
    frame=True,
    advice="The right way must be the only one without a collision under every reading.",
    single_view=True,
)
