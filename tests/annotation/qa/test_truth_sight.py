"""What is seen of the objects, and grasps as they really happen."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import ImageDraw

from annotation.qa import moments as chosen
from annotation.qa import rules
from annotation.qa.parts.marks import length
from annotation.qa.projects import create_project
from annotation.qa.scenes import geometry
from annotation.qa.scenes.scene import scene_at
from annotation.qa.scenes.sight import Sight
from annotation.qa.trying.generating import propose
from data.robot import episodes
from data.store import Store
from tests.annotation.qa.conftest import Robots
from tests.present import present


@pytest.fixture
def moment(store: Store, robots: Robots) -> chosen.Moment:
    robots.add("dual", tasks=1, episodes=1)
    project = create_project(store, "P", trial_batch=0).project_id
    chosen.sample_moments(store, project, per_episode=2, seed=2)
    first = min(chosen.moments(store, project), key=lambda m: m.frame_index)
    return chosen.decide(store, first.moment_id, "keep", "useful", "ann")


def test_an_object_behind_the_robot_is_not_boxed(store: Store, robots: Robots, moment: chosen.Moment) -> None:
    before = Sight(store, scene_at(store, moment)).seen("head")
    assert len(before) >= 3 and [one.depth for one in before] == sorted(one.depth for one in before)
    hidden = before[0]

    def arm_in_front(image: Any) -> Any:
        (x0, y0), (x1, y1) = hidden.box
        ImageDraw.Draw(image).rectangle((x0 - 5, y0 - 5, x1 + 5, y1 + 5), fill=(15, 15, 15))
        return image

    robots.spoilt[moment.episode, "head", moment.frame_index] = arm_in_front
    after = Sight(store, scene_at(store, moment)).seen("head")
    assert [one.thing.name for one in after] == [one.thing.name for one in before[1:]]


def test_an_object_behind_another_or_at_the_edge_is_not_boxed(
    store: Store, robots: Robots, moment: chosen.Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = robots.truth
    first = Sight(store, scene_at(store, moment)).seen("head")[-1].thing

    def crowded(store: Store, episode: Any, index: Any) -> Any:
        truth = plain(store, episode, index)
        x, y, z = first.position
        # between the head, which stands at (0, -0.9, 1.0), and the object
        near = replace(first, name="wall", size=(0.3, 0.02, 0.3), pose=(0.8 * x, 0.8 * y - 0.18, 0.8 * z + 0.2, 1.0, 0.0, 0.0, 0.0))
        return replace(truth, objects=(*truth.objects, near))

    monkeypatch.setattr(episodes, "truth", crowded)
    assert first.name not in {one.thing.name for one in Sight(store, scene_at(store, moment)).seen("head")}


def test_the_right_grasp_is_where_the_fingers_will_close(
    store: Store, robots: Robots, moment: chosen.Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = robots.truth
    seen = Sight(store, scene_at(store, moment)).seen("head")
    thing = max((one for one in seen), key=lambda one: one.thing.size[1]).thing

    def grasping(store: Store, episode: Any, index: Any) -> Any:
        truth = plain(store, episode, index)
        events = tuple(replace(event, object=thing.name) for event in truth.events)
        hand = replace(truth.grippers["left"], pose=(*thing.position, 1.0, 0.0, 0.0, 0.0), opening_m=2.2 * thing.size[1])
        grippers = truth.grippers | ({"left": hand} if index == events[0].frame else {})
        return replace(truth, events=events, grippers=grippers)

    monkeypatch.setattr(episodes, "truth", grasping)
    item = propose(store, moment, "affordance", random.Random(1))
    assert item is not None and rules.check(item) == [] and item.slots == {"item": "block"}
    colour = item.options[present(item.gold)].lower()
    line = next(mark for mark in item.marks if mark.colour == colour)
    camera = robots.cameras(store, episodes.get_episode(store, moment.episode_id), moment.frame_index)["head"]
    x, y, z = thing.position
    half = 1.1 * thing.size[1]
    ends, _ = geometry.project(camera, [[x, y - half, z], [x, y + half, z]])
    assert np.abs(np.array(line.points) - ends).max() < 0.01
    assert length(line.points) > 10 and {origin.kind for origin in item.provenance.values()} == {"orientation", "collision", "instability"}
    late = chosen.get_moment(store, moment.moment_id)
    assert propose(store, replace(late, frame_index=80), "affordance", random.Random(1)) is None, "no grasp is to come"
