"""Tasks of the worked examples, beside the practice task: hands, and parts with an order. They are easy on purpose and resemble no task of
a study: what has to be found out is in plain sight."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from data.generators.things import SIZES_M
from data.task import Gold, Provenance, Question, Task
from sim_bridge.actions import CAMERA_ACTIONS, KINDS
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene

ROOM = Room(bounds_m=(-2.4, -1.2, 2.4, 3.8), seed=11, keep_clear_m=(-1.5, -0.5, 1.5, 2.9))
PLAIN: tuple[str, ...] = ("pick_up", "put", "put_back", "put_on_floor", "fill", "pour", "open", "close", "wait")
"""What hands can do with the things that are always there."""
COVERED_XY = (-0.12, 1.5)
"""Where a thing lies under a cloth."""
HAND_ACTIONS: tuple[str, ...] = (*PLAIN, "place_on_slope", "remove_cloth")
"""What hands can do in the worked example of hands."""


def hands(wanted: Iterable[str] = HAND_ACTIONS) -> Task:
    """A closed box, an open one, a ball to put into it, and two vessels: what is in the closed box? Where a study's tasks have them, also a
    slope to put a thing on, and a cloth to take away.

    Args:
        wanted: which of `HAND_ACTIONS` it offers, as far as a study's tasks need them; opening is always there, for the answer's sake.
    """
    asked = {*wanted, "open"}
    objects: tuple[Object, ...] = (
        _thing(1, "gift_box", (0.0, 1.05), (0.25, 0.25, 0.245)),
        _thing(2, "tennis_ball", (0.0, 1.05), SIZES_M["tennis_ball"], up_m=0.012),
        _thing(3, "soccer_ball", (-0.45, 0.85), (0.12, 0.12, 0.12), dynamic=True),
        _thing(4, "storage_box", (-0.5, 1.25), (0.30, 0.24, 0.15), params={"open": True}),
        _thing(5, "beaker", (0.40, 1.0), (0.11, 0.098, 0.125), dynamic=True, params={"fillable": True}),
        _thing(6, "bowl", (0.65, 1.05), (0.16, 0.16, 0.065), dynamic=True, params={"fillable": True}),
    )
    names = {"object_1": "gift box", "object_3": "soccer ball", "object_4": "storage box", "object_5": "beaker", "object_6": "bowl"}
    if "place_on_slope" in asked:
        objects += (_thing(7, "ramp", (0.45, 1.36), (0.40, 0.30, 0.09)),)
        names["object_7"] = "slope"
    if "remove_cloth" in asked:
        objects += (_thing(8, "vase", COVERED_XY, (0.14, 0.14, 0.18)), _thing(9, "cloth", COVERED_XY, (0.40, 0.40, 0.003), up_m=0.4))
        names["object_9"] = "cloth"
    return Task(
        task_id="own-practice-hands" if asked == set(PLAIN) else f"own-practice-hands-{_brief(asked)}",
        category="Perceptual Grounding",
        subcategory="Partial Occlusion",
        question=Question(text="What is in the gift box: a tennis ball or a mug?", form="choice", options=("tennis ball", "mug")),
        gold=Gold(accepted=("tennis ball",), chance=0.5, derivation="the thing placed"),
        scene=Scene(camera=Camera(), room=ROOM, objects=objects),
        start=looking(0.0, 0.0, 0.75),
        actions=(*CAMERA_ACTIONS, *(kind.name for kind in KINDS if kind.name in asked)),
        names=names,
        essential=("object_1", "object_2"),
        gt_trajectory=("turn_down", "turn_down", "open(object_1)", "move_up", "move_up", "move_forward", "turn_down", "turn_down"),
        tags={"practice": "yes"},
        provenance=Provenance(dataset="vantage", licence="CC0-1.0", generator="worked 1"),
    )


def parts() -> Task:
    """Three things in a row, in two parts; in the first one is not there yet. Their order from left to right is the answer."""
    objects = (
        _thing(1, "soccer_ball", (-0.6, 1.6), SIZES_M["soccer_ball"]),
        _thing(2, "bucket", (0.0, 1.6), SIZES_M["bucket"]),
        _thing(3, "vase", (0.6, 1.6), SIZES_M["vase"]),
    )
    return Task(
        task_id="own-practice-parts",
        category="Temporal Understanding",
        subcategory="Unobserved Change",
        question=Question(
            text="In which order do the soccer ball, the bucket and the vase stand, from left to right?",
            form="sequence",
            options=("bucket", "vase", "soccer ball"),
            note="There are two parts. All three are there in the second one.",
        ),
        gold=Gold(accepted=(["soccer ball", "bucket", "vase"],), chance=1 / 6, derivation="the things placed"),
        scene=Scene(
            camera=Camera(),
            room=ROOM,
            objects=objects,
            phases=(Phase("before", hidden=("object_3",), budget_share=0.5), Phase("after", budget_share=0.5)),
        ),
        start=looking(0.0, 0.0, 0.75),
        names={"object_1": "soccer ball", "object_2": "bucket", "object_3": "vase"},
        essential=("object_1", "object_2", "object_3"),
        tags={"practice": "yes"},
        provenance=Provenance(dataset="vantage", licence="CC0-1.0", generator="worked 1"),
    )


def _brief(names: set[str]) -> str:
    """Six characters that tell a set of names apart."""
    return hashlib.sha256(" ".join(sorted(names)).encode()).hexdigest()[:6]


def _thing(
    number: int,
    category: str,
    xy: tuple[float, float],
    size_m: tuple[float, float, float],
    *,
    up_m: float = 0.0,
    dynamic: bool = False,
    params: dict[str, bool] | None = None,
) -> Object:
    return Object(
        handle=f"object_{number}",
        category=category,
        pose=Pose((*xy, up_m)),
        origin="base",
        size_m=size_m,
        on_floor=up_m == 0.0 and not dynamic,
        dynamic=dynamic,
        params=dict(params or {}),
    )
