"""Tasks as pictures beside what their rows say: which second view is taken, and what stands beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import structs
from PIL import Image

from app.cli import main
from data.generators.lab import Lab
from data.sheets import HEIGHT, TEXT_WIDTH, WIDTH, most_telling, told, views_of
from data.task import Task, View
from sim_bridge.backends.toy import create
from sim_bridge.kinematics import looking
from sim_bridge.local import LocalClient
from sim_bridge.spec import Camera, Scene
from tests.homes import fresh_store
from tests.study.conftest import build_task, two_parts

COUNTS = {
    "a": {"object_1": 900, "object_2": 59},
    "b": {"object_1": 100, "object_2": 80},
    "c": {"object_1": 5000, "object_2": 70},
    "d": {"object_3": 9000},
}


@contextmanager
def toy_lab() -> Iterator[Lab]:
    yield Lab(LocalClient(create()))


@pytest.mark.parametrize(
    ("essential", "best"), [(("object_1", "object_2"), "b"), (("object_1",), "c"), (("object_3",), "d"), (("object_4",), "a")]
)
def test_the_view_is_taken_that_shows_all_and_of_those_the_one_that_shows_the_least_of_them_best(
    essential: tuple[str, ...], best: str
) -> None:
    assert most_telling(COUNTS, essential) == best


def made(task_id: str = "toy-001", scene: Scene | None = None) -> Task:
    """A task whose answer depends on two of its three things."""
    scene = structs.replace(scene or build_task().scene, camera=Camera(320, 240))
    return build_task(task_id, scene=scene, essential=("object_1", "object_2"))


def with_views(task: Task) -> Task:
    aside, at_it = View(label="away", pose=looking(0.0, 9.0, 1.0, yaw_deg=0.0)), View(label="at it", pose=task.start)
    return task.model_copy(update={"views": {"recorded": (aside, at_it)}})


def test_a_recorded_view_is_preferred_and_a_task_in_parts_is_shown_in_its_last_one() -> None:
    with toy_lab() as lab:
        assert views_of(lab, with_views(made())).label == "recorded view at it"
        assert views_of(lab, made()).label == "from above"
        changed = views_of(lab, made(scene=two_parts()))
    assert changed.label.endswith(", part 2")


def test_beside_them_stand_question_answer_places_and_how_near_it_comes() -> None:
    with toy_lab() as lab:
        task = made()
        lines = "\n".join(told(task, views_of(lab, task)))
    thing = next(o for o in task.scene.objects if o.handle in task.essential)
    for part in (task.task_id, task.question.text, f"Answer: {task.gold.accepted[0]}", f"- {thing.category.replace('_', ' ')} at ("):
        assert part in lines


def test_the_command_makes_one_picture_for_each_task_and_names_the_scenes_that_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("data.generators.lab.laboratory", toy_lab)
    store = fresh_store(tmp_path)
    scene = build_task().scene
    broken = (structs.replace(scene.objects[0], params={"color": "mauve"}), *scene.objects[1:])
    for task in (made("sound"), made("faulty", structs.replace(scene, objects=broken))):
        store.put_task(task)
    argv = ["tasks", "sheet", "sound", "faulty", "--out", str(tmp_path / "out"), "--db", str(tmp_path / "vantage.db"), "--json"]
    done = CliRunner().invoke(main, argv)
    said = json.loads(done.stdout)
    assert done.exit_code == 1 and list(said["made"]) == ["sound"] and list(said["refused"]) == ["faulty"], done.output
    assert Image.open(tmp_path / "out" / "sound.png").size == (2 * WIDTH + TEXT_WIDTH, HEIGHT)
    unknown = CliRunner().invoke(main, ["tasks", "sheet", "nobody", "--out", str(tmp_path / "out"), "--db", str(tmp_path / "vantage.db")])
    assert unknown.exit_code != 0 and "nobody" in unknown.output and "Traceback" not in unknown.output
