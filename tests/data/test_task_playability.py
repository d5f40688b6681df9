"""Playable means: everything the answer depends on can be recognised, everything else shown, every need met, nothing contradicted."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from data.abilities import BackendUnavailable, abilities_of
from data.playable import assess
from data.task import Gold, Provenance, Question, Task
from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.spec import Camera, Object, Pose, Room, Scene


@dataclass(frozen=True)
class Match:
    grade: str
    transparent: bool = False
    hollow: bool = False


class Shelf:
    """A catalogue of five things."""

    name, version = "shelf", "1"
    things = {
        "mug": Match("exact", hollow=True),
        "can_of_soda": Match("labelled"),
        "cup": Match("alias"),
        "beaker": Match("exact", transparent=True, hollow=True),
        "ice_cube": Match("exact", transparent=True),
    }

    def lookup(self, category: str) -> Match:
        return self.things.get(category, Match("none"))


def task(*categories: str, essential: int | None = None, features: tuple[str, ...] = (), **more: Any) -> Task:
    objects = tuple(Object(handle=f"object_{i}", category=c, pose=Pose((0.1 * i, 1, 0))) for i, c in enumerate(categories, 1))
    return Task(
        task_id="t-1",
        category="Spatial Relations",
        subcategory="Linear Alignment",
        question=Question(text="?", form="yes_no", options=("yes", "no")),
        gold=Gold(accepted=("yes",), chance=0.5),
        scene=Scene(camera=Camera(), room=Room(), objects=objects),
        start=Pose((0, 0, 0.1)),
        essential=tuple(o.handle for o in objects[: len(objects) if essential is None else essential]),
        required_features=features,
        provenance=Provenance(dataset="vantage"),
        **more,
    )


@pytest.mark.parametrize(
    ("made", "missing"),
    [
        (task("mug", "can_of_soda", "cup"), []),
        (task("mug", "yak"), ["no recognisable model of: yak"]),
        (task("mug", "yak", essential=1), ["nothing to show for: yak"]),
        (task("mug", features=("pick_up", "mirror")), ["the action pick_up"]),
        (task("mug", features=("native_scene",)), ["needs the source's own building (rooms, doors, furniture)"]),
        (task("ice_cube", "mug", features=("transparent",), vessels=("object_2",)), ["no see-through model of: mug"]),
        (task("ice_cube", "beaker", features=("transparent",), vessels=("object_2",)), []),
        (task("cup", features=("open_containers",), vessels=("object_1",)), ["no open model of: cup"]),
        (task("mug", defects=("a lies", "b lies")), ["a lies", "b lies"]),
    ],
)
def test_what_is_missing_is_said_in_words(made: Task, missing: list[str]) -> None:
    found = assess(made, Shelf(), ("mirror",))
    assert (found.playable, found.missing) == (not missing, missing)


def test_a_task_holds_no_number_that_is_none() -> None:
    with pytest.raises(ValueError, match="start: must be finite"):
        Task(**{**dict(task("mug")), "start": Pose((0.0, float("nan"), 0.0))})
    for bad in (float("nan"), float("inf")):
        with pytest.raises(ValueError):
            task("mug").model_copy(update={"source": {"a": [bad, None]}}).canonical_json()
        with pytest.raises(ValueError):
            task("mug").model_copy(update={"source": {"a": [bad]}}).canonical_json()


def test_simulators_are_asked_what_they_can_do_in_a_process_of_their_own() -> None:
    code = "import sys; from data.abilities import abilities_of; print(*abilities_of().capabilities); assert 'mujoco' not in sys.modules"
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if "renderer" in asked.stderr:
        pytest.skip(f"the embedded simulator does not load here: {asked.stderr.strip().splitlines()[-1:]}")
    assert {*CAMERA_ACTIONS, "pick_up", "pour", "phases", "mirror"} <= set(asked.stdout.split()), asked.stderr


def test_a_task_is_judged_by_the_simulator_that_is_meant() -> None:
    """The toy has no mirror and no catalogue: its models are not judged, what it cannot do is."""
    toy = abilities_of("toy")
    assert toy.catalogue.name == "toy" and "mirror" not in toy.capabilities
    assert assess(task("yak", essential=1, features=("mirror", "pick_up")), toy.catalogue, toy.capabilities).missing == [
        "needs a flat mirror"
    ]
    assert assess(task("yak", essential=1, features=("pick_up",)), toy.catalogue, toy.capabilities).playable


def test_a_simulator_that_is_not_there_is_named() -> None:
    with pytest.raises(BackendUnavailable, match="expected one of toy, mujoco, recorded, omnigibson or module:callable, got 'havok'"):
        abilities_of("havok")


class Shapes(Shelf):
    """Knows of each thing its look and its shape."""

    forms = {"mug": "cup", "cup": "cup", "can_of_soda": "can", "beaker": "can", "ice_cube": ""}

    def kind_of(self, category: str) -> str:
        return {"cup": "mug"}.get(category, category)

    def form_of(self, category: str) -> str:
        return self.forms.get(category, "")


def covered(thing: str, *options: str) -> Task:
    made = task(thing, "cup", essential=1, features=("cloth",))
    cloth = Object("object_2", "cup", Pose((0.2, 1, 0.3)), params={"drape": True})
    scene = Scene(camera=Camera(), room=Room(), objects=(made.scene.objects[0], cloth))
    question = Question(text="?", form="choice", options=options)
    released = {
        "provenance": Provenance(dataset="esi-bench"),
        "scene": scene,
        "question": question,
        "gold": Gold(accepted=(options[0],), chance=0.5),
    }
    return Task(**{**dict(made), **released})


@pytest.mark.parametrize(
    ("made", "missing"),
    [
        (covered("mug", "mug", "can of soda"), []),
        (covered("mug", "mug", "cup"), ["not told from another option under the cloth: mug"]),
        (covered("ice_cube", "ice cube", "mug"), ["not told from another option under the cloth: ice cube"]),
    ],
)
def test_under_a_cloth_shapes_alone_count(made: Task, missing: list[str]) -> None:
    assert assess(made, Shapes(), ("cloth",)).missing == missing


def test_things_that_look_alike_and_count_as_two_kinds_cannot_be_told_apart() -> None:
    made = task("mug", "cup").model_copy(update={"provenance": Provenance(dataset="esi-bench")})
    assert assess(made, Shapes(), ()).missing == ["look alike here: cup, mug"]


@dataclass(frozen=True)
class Sized(Match):
    real_size_m: tuple[float, float, float] | None = None


class Yard(Shelf):
    """A long thing, a slice and a tub, of their usual sizes."""

    things = {
        "hammer": Sized("exact", real_size_m=(0.36, 0.12, 0.04)),
        "slice": Sized("exact", real_size_m=(0.08, 0.08, 0.01)),
        "tub": Sized("exact", hollow=True, real_size_m=(0.5, 0.5, 0.3)),
    }


@pytest.mark.parametrize(
    ("large", "at", "turned", "missing"),
    [
        ("hammer", (0.1, 0.0), False, ["lies within a hammer of the usual size: slice"]),
        ("hammer", (0.0, 0.1), True, ["lies within a hammer of the usual size: slice"]),
        ("hammer", (0.1, 0.0), True, []),
        ("hammer", (0.2, 0.0), False, []),
        ("tub", (0.0, 0.0), False, []),
    ],
)
def test_what_a_larger_kind_than_the_row_shows_would_swallow_is_named(
    large: str, at: tuple[float, float], turned: bool, missing: list[str]
) -> None:
    half = math.sqrt(0.5)
    objects = (
        Object("object_1", large, Pose((0.0, 0.0, 0.0), (0.0, 0.0, half, half) if turned else (0.0, 0.0, 0.0, 1.0)), on_floor=True),
        Object("object_2", "slice", Pose((*at, 0.0)), on_floor=True),
    )
    scene = Scene(camera=Camera(), room=Room(), objects=objects)
    made = task("mug").model_copy(update={"scene": scene, "essential": ("object_1",), "provenance": Provenance(dataset="esi-bench")})
    assert assess(made, Yard(), ()).missing == missing


def test_what_an_earlier_import_left_standing_is_not_taken_for_a_walk() -> None:
    """A robot without a way, a cloth that was not let go."""
    still = task("mug", features=("robot_walk", "cloth"))
    assert assess(still, Shelf(), ("robot_walk", "cloth")).missing == [
        "needs a robot that walks before the observer",
        "needs a cloth that covers an object",
    ]
