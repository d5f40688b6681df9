"""Own tasks of Temporal Understanding: what changed in a box between two visits."""

from __future__ import annotations

import random

from data.generators.framework import Generator, Half, Pair
from data.generators.lab import Playing
from data.generators.layout import thing_inside
from data.generators.things import OPEN_BOX, SIZES_M, thing
from data.task import Answer

EYE_M = 0.12
"""Below the rim: the start view shows the box and nothing of its contents, so that twins begin with the same picture."""
PHASES = ("phase_1", "phase_2")
CONTENTS = ("tennis_ball", "mug", "bowl", "goblet", "pillar_candle")


def change(numbers: random.Random, number: int) -> Pair:
    """An open box with one thing in it; at the second visit it holds the same thing, or another, or none."""
    at = (numbers.uniform(-0.15, 0.15), numbers.uniform(1.25, 1.4))
    box = thing("box", OPEN_BOX, at, words="box", size_m=(0.42, 0.34, 0.24), vessel=True)
    before, after = numbers.sample(CONTENTS, 2)
    spot = (at[0] + numbers.uniform(-0.05, 0.05), at[1] + numbers.uniform(-0.03, 0.03))
    first = thing_inside(thing("first", before, spot, words=""), SIZES_M[before])
    second = thing_inside(thing("second", after, spot, words=""), SIZES_M[after])
    replaced = number % 2 == 0
    things = (box, first, second) if replaced else (box, first)
    spare = ("second",) if replaced else ()  # the twin has it too, hidden at both visits
    changed = Half(things, "yes", "neutral", {"phase_1": spare, "phase_2": ("first",)})
    same = Half(things, "no", "neutral", {"phase_1": spare, "phase_2": spare})
    look = ("move_up",) * 3 + ("move_forward",) * 4 + ("turn_down",) * 5
    return Pair(
        question="Comparing the first and the second visit, did the contents of the box change?",
        form="yes_no",
        options=("yes", "no"),
        halves=(changed, same),
        camera_z_m=EYE_M,
        path=look + look,
        phase_path=len(look),
        margin="another thing in the box" if replaced else "an empty box",
        note="There are two visits. Between them the room is not shown, and you cannot go back to the first.",
        phases=PHASES,
        tags={"change": "replace" if replaced else "remove"},
    )


def judge_change(playing: Playing) -> Answer:
    """Whether the box holds things of other categories at the end of the second visit than at the end of the first."""
    ends = [playing.steps[i - 1] for i, s in enumerate(playing.steps) if s.action.startswith("phase:")] + [playing.last]
    held = []
    for step in ends:
        state = step.state
        objects = {o.handle: o for o in (state.objects if state else ()) if o.present}
        inside = [r.subject for r in (state.relations if state else ()) if r.kind == "inside"]
        held.append(sorted(objects[h].category for h in inside if h in objects))
    return "no" if held[0] == held[-1] else "yes"


CHANGE = Generator(
    "change", "Temporal Understanding", "Unobserved Change", change, "what the box holds in the two phases", judge=judge_change, walk=False
)
GENERATORS = (CHANGE,)
