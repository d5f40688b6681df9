"""The practice task: easy, needs two or three actions, and resembles no task of the study."""

from __future__ import annotations

from data.generators.things import BLOCK, thing
from data.task import Gold, Provenance, Question, Task
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Pose, Room, Scene


def practice() -> Task:
    """A ball lies behind a box: is it a soccer ball or a vase? Looking over the box tells."""
    things = (thing("box", BLOCK, (0.0, 1.3), size_m=(0.5, 0.25, 0.4)), thing("ball", "soccer_ball", (0.0, 1.75)))
    objects = tuple(
        Object(handle=f"object_{i}", category=t.category, pose=Pose((*t.xy, 0.0)), origin="base", size_m=t.size_m, on_floor=True)
        for i, t in enumerate(things, start=1)
    )
    return Task(
        task_id="own-practice-001",
        category="Perceptual Grounding",
        subcategory="Partial Occlusion",
        question=Question(text="What is behind the box: a soccer ball or a vase?", form="choice", options=("soccer ball", "vase")),
        gold=Gold(accepted=("soccer ball",), chance=0.5, derivation="the thing placed"),
        scene=Scene(
            camera=Camera(), room=Room(bounds_m=(-2.4, -1.2, 2.4, 3.8), seed=11, keep_clear_m=(-1.5, -0.5, 1.5, 2.9)), objects=objects
        ),
        start=looking(0.0, 0.0, 0.25),
        names={"object_1": "box"},
        essential=("object_1", "object_2"),
        gt_trajectory=("move_up",) * 4 + ("move_forward",) * 4 + ("turn_down",) * 4,
        tags={"practice": "yes"},
        provenance=Provenance(dataset="vantage", licence="CC0-1.0", generator="practice 1"),
    )
