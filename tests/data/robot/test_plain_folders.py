"""Plain folders of images: one folder per moment, or one folder per view."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.robot import episodes as robot
from data.robot.importing import import_source
from data.robot.records import VIEWS
from data.store import Store
from tests.data.robot.conftest import Make


def test_one_folder_per_moment(store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]) -> None:
    root = tmp_path / "plain"
    for number, moment in enumerate(("kitchen/moment-2", "kitchen/moment-10", "office")):
        for place, view in enumerate(("left_gripper", "head", "Right Gripper")):
            make.image(root / moment / f"{view}.png", 10 * number + place)
        (root / moment / "task.txt").write_text("tidy up\n")
    done = import_source(store, root, name="My pictures")
    assert (done.kind, done.episodes, faults(done.report)) == ("plain", 3, [])
    episodes = robot.episodes(store, arm="dual")
    assert [e.key for e in episodes] == ["kitchen/moment-2", "kitchen/moment-10", "office"]
    assert {(e.source_name, e.task, e.frames, e.fps, e.record.complete) for e in episodes} == {("My pictures", "tidy up", 1, None, True)}
    still = robot.still(store, episodes[1], "right-gripper", 0)
    assert make.number_in(still.data) == 12 and still.data == (root / "kitchen/moment-10/Right Gripper.png").read_bytes()
    assert (still.file, still.frame_index, still.timestamp_s) == ("kitchen/moment-10/Right Gripper.png", 0, None)


def test_one_folder_per_view_is_matched_by_the_numbers_in_the_names(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    root = tmp_path / "plain"
    for place, view in enumerate(VIEWS["single"]):
        for number in (8, 9, 10, 11):
            if (view, number) != ("view2", 9):
                make.image(root / f"run/{view}/frame{number}.jpg", number + 20 * place)
    matrices = {view: {"k": [[60, 0, 32], [0, 60, 24], [0, 0, 1]], "world_to_camera": None} for view in VIEWS["single"]}
    make.json(root / "run/cameras.json", matrices)
    done = import_source(store, root)
    assert faults(done.report) == [("missing_frames", "run/view2")]
    (episode,) = robot.episodes(store)
    assert (episode.frames, [episode.record.sound(k) for k in range(4)]) == (4, [True, False, True, True])
    assert [make.number_in(robot.still(store, episode, view, 2).data) for view in VIEWS["single"]] == [10, 30, 50, 70]
    assert robot.cameras(store, episode, 0)["view1"].k[0] == (60.0, 0.0, 32.0)
    with pytest.raises(robot.RobotError, match="view2 has no readable image at frame 1 of run"):  # type: ignore[attr-defined]
        robot.still(store, episode, "view2", 1)


def test_numbers_that_do_not_agree_are_named_and_files_matched_by_their_order(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    root = tmp_path / "plain"
    for place, view in enumerate(VIEWS["dual"]):
        for k in range(3):
            make.image(root / view / f"{1_700_000_000 + 1000 * k + 7 * place}.png", k + 10 * place)
    done = import_source(store, root)
    assert faults(done.report) == [("unsynchronised", ".")]
    (episode,) = robot.episodes(store)
    assert [make.number_in(robot.still(store, episode, view, 1).data) for view in VIEWS["dual"]] == [1, 11, 21]


def test_images_without_a_views_name_are_named_and_can_be_assigned(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    root = tmp_path / "plain"
    make.image(root / "a/top.png", 1)
    make.image(root / "a/wrist_left.png", 2)
    make.image(root / "a/wrist_right.png", 3)
    (root / "empty").mkdir()
    with pytest.raises(Exception, match="no sound episode") as refused:
        import_source(store, root)
    assert faults(refused.value.report) == [("missing_view", "a"), ("empty", "empty")]  # type: ignore[attr-defined]
    done = import_source(store, root, cameras={"top": "head", "wrist_left": "left-gripper", "wrist_right": "right-gripper"})
    assert done.episodes == 1 and robot.episodes(store)[0].record.complete


def test_a_view_may_be_a_video(store: Store, make: type[Make], tmp_path: Path) -> None:
    root = tmp_path / "plain"
    for place, view in enumerate(VIEWS["dual"]):
        make.video(root / f"run/{view}.mp4", 8, 10, start=20 * place, codec="libx264")
    import_source(store, root)
    (episode,) = robot.episodes(store)
    assert (episode.frames, episode.fps) == (8, 10.0)
    assert [make.number_in(robot.still(store, episode, view, 6).data) for view in VIEWS["dual"]] == [6, 26, 46]


def test_views_of_two_robots_in_one_folder_are_a_contradiction(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    for name in ("head", "left-gripper", "right-gripper", "view1"):
        make.image(tmp_path / f"plain/{name}.png", 1)
    done = import_source(store, tmp_path / "plain")
    assert faults(done.report) == [("contradiction", ".")] and tuple(robot.episodes(store)[0].record.views) == VIEWS["dual"]


def test_two_files_that_are_one_view_are_a_contradiction(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    for name in ("head.jpg", "head.png", "left_gripper.png", "right-gripper.png"):
        make.image(tmp_path / f"plain/a/{name}", 4)
    done = import_source(store, tmp_path / "plain")
    assert faults(done.report) == [("contradiction", "a/head.png")]
    assert robot.still(store, robot.episodes(store)[0], "head", 0).file == "a/head.jpg"
