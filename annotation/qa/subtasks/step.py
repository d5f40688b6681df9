"""Step Execution: which short motion most likely accomplishes the next step?"""

from __future__ import annotations

import random

from annotation.qa.errors import Problem
from annotation.qa.items import VIEWS, Item
from annotation.qa.parts import directions
from annotation.qa.scenes.moment import Moment, segment_text
from annotation.qa.scenes.motion import step_of
from annotation.qa.scenes.sight import Sight
from annotation.qa.subtasks import motions
from annotation.qa.subtasks.base import FRAME_TEXT, MarkRule, Scenery, Slot, Subtask, as_written, sentence, view_word
from annotation.qa.subtasks.making import TASKS, blank, finish
from data.store import Store


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


def slots_from(store: Store, moment: Moment, rng: random.Random) -> dict[str, str]:
    words = segment_text(store, moment) or moment.task
    return {"task": words} if words.strip() else {}


def make(sight: Sight, rng: random.Random, none: bool) -> Item | None:
    """Up to the next deed."""
    return motions.make(SUBTASK, sight, rng, events=1, fewest=1, most=4, task=step_of)


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
    two_arms=motions.TWO_ARMS,
    question=question,
    options=as_written,
    check=check,
    sample=sample,
    slots_from=slots_from,
    make=make,
    frame=True,
    advice="Keep to one pick or place: a few directions.",
    single_view=True,
)
