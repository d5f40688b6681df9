"""Which thing each pixel of a view of the evidence shows: from a simulator, over the kept picture, or a sentence why not."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from annotation.verifying.errors import NoMasks
from annotation.verifying.evidence import Moment
from annotation.verifying.masks import Overlay, drawn, overlay
from annotation.verifying.playing import play
from data.generators.practice import practice
from data.recordings import on_recording
from data.task import Task, View
from sim_bridge.backend import Backend
from sim_bridge.backends.recorded.backend import SAMPLE, RecordedBackend
from sim_bridge.backends.recorded.sample import sample
from sim_bridge.backends.toy import create
from sim_bridge.local import LocalClient
from sim_bridge.spec import Pose
from tests.study.conftest import build_task, two_parts


class OnePool:
    """One simulator in this process, spoken to through the wire's format."""

    def __init__(self, backend: Backend) -> None:
        self.client, self.held = LocalClient(backend), set[str]()

    def acquire(self, session: str, *, needs: Sequence[str] = (), wait_s: float = 0.0) -> LocalClient:
        self.held.add(session)
        return self.client

    def release(self, session: str) -> None:
        self.held.discard(session)
        self.client.close_session(session)


@pytest.fixture
def pool() -> Any:
    return OnePool(create())


def evidence(pool: Any, task: Task) -> tuple[Moment, ...]:
    return play(pool.acquire("evidence"), "evidence", task).evidence.moments


def pixels(found: Overlay) -> np.ndarray:
    """The overlay's picture, shape (H, W, 4)."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(found.image.removeprefix("data:image/png;base64,")))))


TASK = build_task(gt_trajectory=("turn_left", "turn_left", "move_forward"), actions=("turn_left", "move_forward"))


def test_every_view_has_the_masks_of_what_is_seen_in_it(pool: Any) -> None:
    moments = evidence(pool, TASK)
    for n, moment in enumerate(moments):
        found = overlay(pool, f"mask-{n}", TASK, moments, n)
        assert {thing.words: thing.pixels for thing in found.things} == {one.words: one.pixels for one in moment.things if one.pixels}
        shape = pixels(found).shape
        assert shape == (moment.picture.height, moment.picture.width, 4)
        assert int((pixels(found)[..., 3] > 0).sum()) == sum(thing.pixels for thing in found.things)
    colours = [{thing.words: thing.colour for thing in overlay(pool, "again", TASK, moments, n).things} for n in (0, 1)]
    assert all(colours[0][words] == colour for words, colour in colours[1].items() if words in colours[0]), "a thing keeps its colour"
    assert pool.held == {"evidence"}, "sessions are given back"


def test_a_later_part_of_a_task_is_reached(pool: Any) -> None:
    task = build_task(scene=two_parts(), gt_trajectory=("turn_left", "turn_left"), gt_phase_starts=(1,))
    moments = evidence(pool, task)
    words = [{thing.words for thing in overlay(pool, f"mask-{n}", task, moments, n).things} for n in range(len(moments))]
    assert [moment.phase for moment in moments] == ["before", "before", "after", "after"]
    assert all("bowl" not in seen for seen in words[2:]), "it is hidden in the second part"
    assert words == [{one.words for one in moment.things if one.pixels} for moment in moments]


def test_recorded_views_of_a_scene_have_masks_too(pool: Any) -> None:
    aside = View(label="corner 1", pose=Pose((1.0, -0.5, 1.0), TASK.start.quaternion_xyzw))
    task = build_task(views={"recorded": (aside,)})
    moments = evidence(pool, task)
    found = overlay(pool, "mask", task, moments, 1)
    assert {thing.words: thing.pixels for thing in found.things} == {one.words: one.pixels for one in moments[1].things if one.pixels}


def test_masks_that_would_not_fit_the_kept_picture_are_refused(pool: Any) -> None:
    first, *others = evidence(pool, TASK)
    other = replace(first, picture=replace(first.picture, pixel_hash="0" * 64))
    with pytest.raises(NoMasks, match=r"^The simulator here draws this view otherwise than it was kept, so its masks would not fit\.$"):
        overlay(pool, "mask", TASK, (other, *others), 0)


def test_recorded_pictures_say_that_they_have_none(pool: Any) -> None:
    kept = sample()
    recorded: Any = OnePool(RecordedBackend(None))
    task = on_recording(practice().model_copy(update={"gt_trajectory": ()}), SAMPLE, kept)
    moments = play(recorded.client, "s", task).evidence.moments
    with pytest.raises(NoMasks, match="were recorded: there is no simulator"):
        overlay(recorded, "mask", task, moments, 0)
    with pytest.raises(NoMasks, match="cannot play this task"):
        overlay(pool, "mask", task, moments, 0)


def test_an_edge_is_drawn_full_and_the_room_stays_clear() -> None:
    numbers = np.zeros((4, 6), np.uint16)
    numbers[1:3, 2:5] = 1
    found = drawn(TASK, numbers, ["object_2"])
    alpha = pixels(found)[..., 3]
    assert found.things[0].words == "lamp" and found.things[0].pixels == 6
    assert alpha[0].tolist() == [0] * 6 and alpha[1].tolist() == [0, 0, 255, 255, 255, 0] and alpha[2].tolist() == [0, 0, 255, 115, 115, 0]
