"""Help from geometry: epipolar lines and boxes of known objects where there is calibration, otherwise nothing; never an answer."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from annotation.qa import moments as chosen
from annotation.qa.drawn import assist
from annotation.qa.items import VIEWS, Item
from annotation.qa.projects import create_project
from annotation.qa.scenes import geometry
from data.robot import episodes
from data.store import Store
from tests.annotation.qa.conftest import Robots
from tests.present import present


@pytest.fixture
def project(store: Store) -> str:
    return create_project(store, "P", trial_batch=0).project_id


def draft(store: Store, robots: Robots, project: str, arm: str, slug: str) -> Item:
    robots.add(arm, tasks=1, episodes=2)
    chosen.sample_moments(store, project, per_episode=1)
    for moment in chosen.moments(store, project, state="candidate"):
        chosen.decide(store, moment.moment_id, "keep", "useful", "ann")
    return chosen.begin(store, chosen.moments(store, project)[0], slug)


@pytest.mark.parametrize("arm", ["dual", "single"])
def test_every_ordered_pair_of_views_gets_a_matrix_that_fits_the_objects(store: Store, robots: Robots, project: str, arm: str) -> None:
    item = draft(store, robots, project, arm, "distance")
    found = assist.help_for(store, item)
    assert found is not None and json.loads(json.dumps(found)) == found
    assert {(p["from"], p["to"]) for p in found["pairs"]} == set(permutations(VIEWS[arm], 2))
    moment = chosen.get_moment(store, item.moment)
    episode = episodes.get_episode(store, moment.episode_id)
    cameras, truth = episodes.cameras(store, episode, moment.frame_index), episodes.truth(store, episode, moment.frame_index)
    for pair in found["pairs"]:
        a, b, c = np.array(pair["matrix"]).reshape(3, 3) @ [
            *geometry.project(cameras[pair["from"]], [present(truth).objects[0].position])[0][0], 1.0,
        ]  # fmt: skip
        x, y = geometry.project(cameras[pair["to"]], [present(truth).objects[0].position])[0][0]
        assert abs(a * x + b * y + c) / np.hypot(a, b) < 0.01


def test_boxes_hold_the_projected_objects_and_say_only_their_names(store: Store, robots: Robots, project: str) -> None:
    item = draft(store, robots, project, "single", "distance")
    found = assist.help_for(store, item)
    assert found is not None and found["lines"] == []
    boxes = found["boxes"]
    assert {tuple(sorted(box)) for box in boxes} == {("label", "points", "view")}
    moment = chosen.get_moment(store, item.moment)
    episode = episodes.get_episode(store, moment.episode_id)
    cameras, truth = episodes.cameras(store, episode, moment.frame_index), episodes.truth(store, episode, moment.frame_index)
    for box in boxes:
        thing = next(t for t in present(truth).objects if t.name == box["label"])
        x, y = geometry.project(cameras[box["view"]], [thing.position])[0][0]
        (x0, y0), (x1, y1) = box["points"]
        assert 0 <= x0 < x1 <= 320 and 0 <= y0 < y1 <= 240
        if 0 < x < 320 and 0 < y < 240:
            assert x0 < x < x1 and y0 < y < y1


def test_help_does_not_change_with_the_answer(store: Store, robots: Robots, project: str) -> None:
    item = draft(store, robots, project, "single", "distance")
    told = {
        json.dumps(assist.help_for(store, item.change(gold=gold, slots={"extreme": extreme})))
        for gold in ("A", "E", None)
        for extreme in ("shortest", "longest")
    }
    assert len(told) == 1


def test_without_calibration_there_is_no_help_and_no_grid(store: Store, robots: Robots, project: str) -> None:
    robots.known = False
    item = draft(store, robots, project, "single", "consistency")
    assert assist.help_for(store, item) is None and assist.grid_matrix(store, item) is None


def test_a_view_without_calibration_or_of_another_size_is_left_out(
    store: Store, robots: Robots, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = draft(store, robots, project, "dual", "distance")

    def some(store: Store, episode: Any, index: Any) -> Any:
        from data.robot.records import Camera

        found = robots.cameras(store, episode, index)
        head = found["head"]
        return {"head": head, "left-gripper": Camera(head.width * 2, head.height * 2, head.k, head.world_to_camera)} | {
            "right-gripper": Camera(head.width, head.height, head.k, None)
        }

    monkeypatch.setattr(episodes, "cameras", some)
    found = assist.help_for(store, item)
    assert found is not None and found["pairs"] == [] and {box["view"] for box in found["boxes"]} == {"head"}


def test_an_imported_item_and_one_without_drawing_have_no_help(store: Store, robots: Robots, project: str) -> None:
    item = draft(store, robots, project, "single", "distance")
    assert assist.help_for(store, item.change(moment="somewhere else")) is None
    assert assist.grid_matrix(store, item.change(moment="somewhere else")) is None
    assert assist.help_for(store, chosen.begin(store, chosen.moments(store, project)[0], "planning")) is None


def test_a_source_that_is_gone_gives_no_help_rather_than_an_error(
    store: Store, robots: Robots, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = draft(store, robots, project, "single", "distance")
    monkeypatch.undo()
    assert assist.help_for(store, item) is None


@pytest.mark.parametrize("arm", ["dual", "single"])
def test_the_grid_holds_the_objects_in_the_camera_bound_frame(store: Store, robots: Robots, project: str, arm: str) -> None:
    item = draft(store, robots, project, arm, "consistency")
    numbers = assist.grid_matrix(store, item)
    assert numbers is not None and len(numbers) == 12 and all(isinstance(v, float) for v in numbers)
    matrix = np.array(numbers).reshape(3, 4)
    scene = assist.scene_of(store, item)  # type: ignore[attr-defined]
    assert scene is not None
    grid = assist.grid_for(scene, item.reference_view)  # type: ignore[attr-defined]
    assert grid is not None and scene.truth is not None
    places = grid.coordinates([t.position for t in scene.truth.objects])
    assert places.min() > 0 and places.max() < 5
    flat = np.c_[places, np.ones(len(places))] @ matrix.T
    seen = geometry.project(scene.cameras[item.reference_view], [t.position for t in scene.truth.objects])[0]
    assert flat[:, :2] / flat[:, 2:] == pytest.approx(seen, abs=1e-6)

    def pixel(x: float, y: float, z: float) -> np.ndarray:
        u, v, w = matrix @ [x, y, z, 1]
        return np.array([u / w, v / w])

    middle = pixel(2.5, 2.5, 2.5)
    assert pixel(4, 2.5, 2.5)[0] > middle[0], "x to the right"
    assert pixel(2.5, 2.5, 4)[1] < middle[1], "z up"
    assert pixel(2.5, 4, 2.5)[1] < middle[1], "y forward: farther, which a camera from above sees higher"
