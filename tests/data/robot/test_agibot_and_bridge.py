"""AgiBot World and BridgeData V2 folders: the sound part is imported, the rest is named, and stills are the frames asked for."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from data.robot import episodes as robot
from data.robot import video
from data.robot.errors import NoSource, UnknownEpisode
from data.robot.importing import import_source
from data.robot.records import VIEWS
from data.store import Store
from tests.data.robot.conftest import Make


def test_an_agibot_folder_becomes_episodes_with_labels_matrices_and_truth(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    root = tmp_path / "agibot"
    make.agibot(root)
    before = make.snapshot(root)
    done = import_source(store, root, licence="CC BY-NC-SA 4.0", actor="me")
    assert (done.kind, done.episodes, done.added) == ("agibot", 1, 1) and faults(done.report) == []
    (episode,) = robot.episodes(store, arm="dual")
    assert (episode.key, episode.task, episode.frames, episode.fps) == ("327/648642", "Tidy the table", 24, 30.0)
    assert tuple(episode.record.views) == VIEWS["dual"] and episode.record.complete
    assert [(s.start, s.end, s.skill) for s in episode.record.segments] == [(0, 12, "Pick"), (12, 24, "Place")]
    truth = robot.truth(store, episode, 5)
    assert truth is not None and truth.objects[0].name == "red mug" and truth.objects[0].position == pytest.approx((0.05, 0.2, 0.3))
    assert truth.grippers["left"].opening_m == 0.05 and truth.events[0].what == "grasp"
    cameras = robot.cameras(store, episode, 5)
    assert set(cameras) == set(VIEWS["dual"])
    head = cameras["head"]
    seen = np.array(head.world_to_camera) @ (0.0, 1.0, 0.5, 1.0)
    # the camera stands at y = −1 m, half a metre up, and looks along y
    assert seen[:3] == pytest.approx([0, 0, 2]) and (head.width, head.k[0]) == (64, (60.0, 0.0, 32.0))
    assert make.snapshot(root) == before
    assert robot.list_sources(store)[0].licence == "CC BY-NC-SA 4.0"


def test_every_frame_of_an_av1_video_is_the_one_asked_for(store: Store, make: type[Make], tmp_path: Path) -> None:
    make.agibot(tmp_path / "a", frames=40)
    import_source(store, tmp_path / "a")
    (episode,) = robot.episodes(store)
    for index in (39, 0, 17, 11, 12, 13, 23, 24, 25, 1, 38):
        for view in VIEWS["dual"]:
            still = robot.still(store, episode, view, index)
            assert make.number_in(still.data) == index
            assert (still.width, still.height) == Image.open(io.BytesIO(still.data)).size
            assert still.frame_index == index and still.timestamp_s == pytest.approx(index / 30, abs=1e-4)
    assert robot.still(store, episode, "left-gripper", 7).file == "observations/327/648642/videos/hand_left_color.mp4"
    with pytest.raises(UnknownEpisode, match="has 40 frames, number 40"):
        robot.still(store, episode, "head", 40)
    with pytest.raises(UnknownEpisode, match="no view 'view1'; there: left-gripper, head, right-gripper"):
        robot.still(store, episode, "view1", 0)


def test_a_bridge_folder_with_missing_views_is_imported_in_its_sound_part(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    root = tmp_path / "bridge"
    whole, partly = make.bridge(root), make.bridge(root, "traj1", cameras=2)
    (whole / "obs_dict.pkl").write_bytes(b"never opened")
    (partly / "images1" / "im_2.jpg").unlink()
    (root / "toykitchen/put_cup/00/2022-01-01_00-00-00/raw/traj_group0/traj2").mkdir()
    done = import_source(store, root)
    place = "toykitchen/put_cup/00/2022-01-01_00-00-00/raw/traj_group0"
    assert faults(done.report) == [
        ("missing_frames", f"{place}/traj1/images1"),
        ("missing_view", f"{place}/traj1"),
        ("empty", f"{place}/traj2"),
    ]
    first, second = robot.episodes(store, arm="single")
    assert (first.task, first.frames, first.fps, first.record.complete) == ("put the cup away", 6, 5.0, True)
    assert tuple(second.record.views) == ("view1", "view2") and not second.record.complete
    assert [second.record.sound(k) for k in range(6)] == [True, True, False, True, True, True]
    still = robot.still(store, first, "view3", 4)
    assert still.data == (whole / "images2/im_4.jpg").read_bytes()
    assert (still.file, still.frame_index, still.timestamp_s) == (f"{place}/traj0/images2/im_4.jpg", 4, 0.8)
    assert "Views are missing: view3, view4; there: view1 (images0), view2 (images1)." in json.dumps(done.report.as_json())


def test_importing_again_changes_nothing_and_finds_what_is_new(store: Store, make: type[Make], tmp_path: Path) -> None:
    root = tmp_path / "bridge"
    make.bridge(root)
    first = import_source(store, root)
    ids = [e.episode_id for e in robot.episodes(store)]
    again = import_source(store, root)
    assert (again.source_id, again.added, again.changed, again.unchanged) == (first.source_id, 0, 0, 1)
    make.bridge(root, "traj1")
    grown = import_source(store, root)
    assert (grown.added, grown.unchanged) == (1, 1)
    assert [e.episode_id for e in robot.episodes(store)][:1] == ids


def test_a_limit_takes_the_first_episodes_and_a_larger_one_adds_to_them(store: Store, make: type[Make], tmp_path: Path) -> None:
    for number in range(4):
        make.bridge(tmp_path / "b", f"traj{number}", frames=2)
    few = import_source(store, tmp_path / "b", limit=2)
    more = import_source(store, tmp_path / "b", limit=3)
    fewer = import_source(store, tmp_path / "b", limit=1)
    assert [(d.episodes, d.added, d.report.problems) for d in (few, more, fewer)] == [(2, 2, []), (3, 1, []), (1, 0, [])]
    assert [e.key[-5:] for e in robot.episodes(store)] == ["traj0", "traj1", "traj2"]


def test_a_camera_of_another_name_can_be_chosen(store: Store, make: type[Make], tmp_path: Path) -> None:
    where = make.agibot(tmp_path / "a", frames=14)
    (where / "videos/head_color.mp4").rename(where / "videos/top_camera_color.mp4")
    done = import_source(store, tmp_path / "a")
    assert any(p.what == "Other cameras are there: top_camera_color." for p in done.report.problems)
    again = import_source(store, tmp_path / "a", cameras={"top_camera_color": "head"})
    assert again.report.problems == [] and again.changed == 1
    assert robot.episodes(store)[0].record.views["head"].camera == "top_camera_color"


def test_writing_a_video_leaves_the_process_with_ordinary_scheduling(tmp_path: Path) -> None:
    """The encoder makes its caller real-time where root runs it; a busy loop would then starve the machine."""
    video.write(tmp_path / "x.mp4", (np.full((64, 64, 3), 9 * k, np.uint8) for k in range(12)), 10)
    threads = [int(thread.name) for thread in Path("/proc/self/task").iterdir()]
    assert not {os.sched_getscheduler(thread) for thread in threads} & {os.SCHED_FIFO, os.SCHED_RR}


def test_a_tar_unpacked_into_a_folder_of_its_own_name_is_found(store: Store, make: type[Make], tmp_path: Path) -> None:
    """observations/475/702578-743685/743559/videos: a range between the task and its episodes; parameters may have it above the task."""
    usual, nested = tmp_path / "usual", tmp_path / "nested"
    make.agibot(usual, 475, 743559, frames=14)
    make.agibot(usual, 475, 743560, frames=14)
    shutil.copytree(usual, nested)
    (nested / "observations/475/702578-743685").mkdir()
    for number in (743559, 743560):
        (nested / f"observations/475/{number}").rename(nested / f"observations/475/702578-743685/{number}")
    (nested / "parameters/475").rename(nested / "475")
    (nested / "parameters/648533-743685").mkdir(parents=True)
    (nested / "475").rename(nested / "parameters/648533-743685/475")
    done = import_source(store, nested)
    assert (done.episodes, done.report.problems, done.report.not_read) == (2, [], [])
    one = robot.episodes(store)[0]
    assert (one.key, one.task, len(one.record.segments)) == ("475/743559", "Tidy the table", 2)
    assert robot.truth(store, one, 5) is not None and set(robot.cameras(store, one, 5)) == set(VIEWS["dual"])
    assert make.number_in(robot.still(store, one, "head", 4).data) == 4
    plain = import_source(store, usual)
    assert [e.key for e in robot.episodes(store, source_id=plain.source_id)] == [
        e.key for e in robot.episodes(store, source_id=done.source_id)
    ]


def test_layouts_one_step_from_the_known_one_are_found_or_explained(store: Store, make: type[Make], tmp_path: Path) -> None:
    where = make.agibot(tmp_path / "flat", 327, 5, frames=14)
    for file in list((where / "videos").iterdir()):
        file.rename(where / file.name)
    (where / "videos").rmdir()
    assert import_source(store, tmp_path / "flat").report.problems == []  # the videos lie in the episode's own folder
    high = tmp_path / "high"
    where = make.agibot(high, 327, 5, frames=14)
    make.agibot(high, 328, 6, frames=14)
    where.rename(high / "observations/5")
    (high / "observations/327").rmdir()
    assert import_source(store, high).report.problems == []  # no folder of the task, but one task's labels name the episode
    assert {e.key for e in robot.episodes(store)} == {"327/5", "328/6"}
    (high / "task_info/task_327.json").unlink()
    done = import_source(store, high)
    assert [(p.fault, p.where, p.did) for p in done.report.problems][:1] == [("unsupported", "observations/5", "episode left out")]
    assert "its place is observations/<task>/5/videos" in done.report.problems[0].what
    with pytest.raises(NoSource, match=r"lies inside a source \(AgiBot World folder\): name .*high instead"):
        import_source(store, tmp_path / "high/observations/328")


def test_a_folder_that_is_nearly_a_source_is_told_what_it_lacks(store: Store, make: type[Make], tmp_path: Path) -> None:
    make.agibot(tmp_path / "a", 327, 5, frames=14)
    (tmp_path / "a/observations").rename(tmp_path / "b")
    with pytest.raises(NoSource, match=r"AgiBot videos lie in 327/5/videos, but not below a folder observations"):
        import_source(store, tmp_path / "b")
    make.lerobot_2(tmp_path / "l", (3,))
    (tmp_path / "l/meta/info.json").unlink()
    with pytest.raises(NoSource, match=r"looks like a LeRobot dataset .* but meta/info.json is not there"):
        import_source(store, tmp_path / "l")


@pytest.mark.parametrize(
    "place",
    ["475/1-9/743559", "475/1-9/475/743559", "475/743559/743559", "1-9/475/743559", "observations/475/743559", "475/1-9.tar/743559"],
)
def test_an_episode_has_its_task_and_name_wherever_it_lies(store: Store, make: type[Make], tmp_path: Path, place: str) -> None:
    where = make.agibot(tmp_path / "a", 475, 743559, frames=14)
    moved = tmp_path / "moved"
    where.rename(moved)
    shutil.rmtree(tmp_path / "a/observations")
    (tmp_path / "a/observations" / place).parent.mkdir(parents=True)
    moved.rename(tmp_path / "a/observations" / place)
    done = import_source(store, tmp_path / "a")
    (episode,) = robot.episodes(store)
    assert (episode.key, episode.task, done.report.problems) == ("475/743559", "Tidy the table", [])
    assert set(robot.cameras(store, episode, 3)) == set(VIEWS["dual"])


def test_both_spellings_of_the_labels_are_read(store: Store, make: type[Make], tmp_path: Path) -> None:
    make.agibot(tmp_path / "a", frames=24)
    info = tmp_path / "a/task_info/task_327.json"
    info.write_text(info.read_text().replace("label_info", "lable_info"))
    info.rename(info.with_name("327.json"))
    assert import_source(store, tmp_path / "a").report.problems == []
    (episode,) = robot.episodes(store)
    assert [(s.start, s.end, s.skill) for s in episode.record.segments] == [(0, 12, "Pick"), (12, 24, "Place")]


def test_cameras_of_other_names_are_said_and_can_be_chosen(store: Store, make: type[Make], tmp_path: Path) -> None:
    where = make.agibot(tmp_path / "a", frames=14)
    for side in ("left", "right"):
        (where / f"videos/hand_{side}_color.mp4").rename(where / f"videos/hand_{side}_fisheye_color.mp4")
    done = import_source(store, tmp_path / "a")
    said = [p.what for p in done.report.problems]
    assert "Other cameras are there: hand_left_fisheye_color, hand_right_fisheye_color." in said
    chosen = {f"hand_{side}_fisheye_color": f"{side}-gripper" for side in ("left", "right")}
    assert import_source(store, tmp_path / "a", cameras=chosen).report.problems == []


@pytest.mark.parametrize(
    ("words", "task"),
    [
        ("confidence: 1.0\nput the carrot on the plate\n", "put the carrot on the plate"),
        ("\n  \nput it down\nconfidence: 1\n", "put it down"),
        ("put it down\r\nlift it\r\n", "put it down"),
        ("Confidence: 0.3\n", "put cup"),
        ("カップを\u3000取る\u00a0: \t weg\n", "カップを\u3000取る\u00a0: weg"),
        ("", "put cup"),
    ],
)
def test_the_instruction_is_the_line_that_the_release_s_converter_reads(
    store: Store, make: type[Make], tmp_path: Path, words: str, task: str
) -> None:
    where = make.bridge(tmp_path / "b", frames=1)
    (where / "lang.txt").write_bytes(words.encode())
    import_source(store, tmp_path / "b")
    assert robot.episodes(store)[0].task == task
