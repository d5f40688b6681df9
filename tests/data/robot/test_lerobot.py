"""LeRobot v3.0 and v2.1: what is imported where the metadata agree, and what is said where they do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.robot import episodes as robot
from data.robot.folder import Unreadable
from data.robot.importing import import_source
from data.robot.lerobot.metadata import filled
from data.robot.records import VIEWS
from data.robot.sources.lerobot import assign
from data.store import Store
from tests.data.robot.conftest import Make

EPISODES = "meta/episodes/chunk-000/file-000.parquet"


def test_each_camera_has_its_own_file_and_seconds(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    root = make.lerobot_3(tmp_path / "set")
    before = make.snapshot(root)
    done = import_source(store, root)
    assert (done.kind, done.episodes, faults(done.report)) == ("lerobot", 3, [])
    episodes = robot.episodes(store, arm="dual")
    assert [(e.key, e.frames, e.task, e.fps) for e in episodes] == [
        ("000000", 10, "fold the towel", 10.0), ("000001", 12, "open the drawer", 10.0), ("000002", 8, "fold the towel", 10.0)
    ]  # fmt: skip
    for episode, start in zip(episodes, (0, 10, 22), strict=True):
        for view in VIEWS["dual"]:
            for index in (episode.frames - 1, 0, 4):
                still = robot.still(store, episode, view, index)
                assert make.number_in(still.data) == start + index
                assert still.timestamp_s == pytest.approx(index / 10)
    still = robot.still(store, episodes[2], "right-gripper", 3)
    assert (still.file, still.frame_index) == ("videos/observation.images.cam_right_wrist/chunk-000/file-001.mp4", 3)
    assert robot.still(store, episodes[2], "head", 3).frame_index == 25
    assert make.snapshot(root) == before


def test_contradicting_metadata_are_named_and_the_sound_part_is_imported(store: Store, make: type[Make], tmp_path: Path) -> None:
    root = make.lerobot_3(tmp_path / "set", (10, 12, 8, 9))
    wrist = "videos/observation.images.cam_left_wrist"
    make.change_json(root / "meta/info.json", total_episodes=7, total_frames=900)
    make.change_table(
        root / EPISODES,
        # a task that tasks.parquet lacks; a stale data file; a length that its seconds contradict; a video file that is not there
        tasks=lambda old: [*old[:1], ["sweep the floor"], *old[2:]],
        data__file_index=lambda old: [*old[:2], 1, old[3]],
        **{f"{wrist}/to_timestamp".replace("/", "__"): lambda old: [*old[:2], old[2] + 0.5, old[3]]},
        **{f"{wrist}/file_index".replace("/", "__"): lambda old: [*old[:3], 77]},
    )
    done = import_source(store, root)
    said = [(p.fault, p.where, p.what, p.did) for p in done.report.problems]
    found = {(fault, where) for fault, where, _, _ in said}
    assert found == {
        ("contradiction", "meta/info.json"), ("contradiction", "meta/tasks.parquet"), ("contradiction", "meta/episodes"),
        ("contradiction", "episode 2"), ("missing_view", "episode 2"), ("unreadable", "episode 3"), ("missing_view", "episode 3"),
    }  # fmt: skip
    sentences = " ".join(what for _, _, what, _ in said)
    assert "total_episodes 7, the episodes' metadata make 4" in sentences and "total_frames 900" in sentences
    assert "1 of 4 episodes (1) name a task that the table of tasks lacks, as “sweep the floor”" in sentences
    assert "Episodes 2 point to a data file that is not there" in sentences
    assert "Its length is 8 frames, but its place (seconds 0.000 to 1.300" in sentences and "file-077.mp4 is not there" in sentences
    episodes = robot.episodes(store)
    assert [e.record.complete for e in episodes] == [True, True, False, False] and episodes[1].task == "sweep the floor"
    assert make.number_in(robot.still(store, episodes[3], "head", 8).data) == 30 + 8


def test_two_episodes_that_claim_the_same_seconds_are_not_guessed_apart(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    root = make.lerobot_3(tmp_path / "set", (10, 10, 8))
    high = "videos__observation.images.cam_high"
    stale = {f"{high}__from_timestamp": lambda old: [0.0, 0.0, old[2]], f"{high}__to_timestamp": lambda old: [1.0, 1.0, old[2]]}
    make.change_table(root / EPISODES, **stale)
    done = import_source(store, root)
    assert ("contradiction", "episode 1") in faults(done.report)
    assert [tuple(e.record.views) for e in robot.episodes(store)] == [("left-gripper", "right-gripper")] * 2 + [VIEWS["dual"]]


def test_a_place_beyond_the_end_of_the_video_is_stale(store: Store, make: type[Make], tmp_path: Path) -> None:
    root = make.lerobot_3(tmp_path / "set", (10, 12, 8))
    wrist = "videos__observation.images.cam_left_wrist"
    # episode 2 begins the second file, its metadata still point behind the first
    make.change_table(
        root / EPISODES,
        **{f"{wrist}__file_index": lambda old: [0, 0, 0], f"{wrist}__from_timestamp": lambda old: [*old[:2], 2.2]},
        **{f"{wrist}__to_timestamp": lambda old: [*old[:2], 3.0]},
    )
    done = import_source(store, root)
    assert any("reaches beyond the video's 2.200 seconds: stale numbers?" in p.what for p in done.report.problems)
    assert [e.record.complete for e in robot.episodes(store)] == [True, True, False]


def test_version_2_has_a_file_per_episode(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    root = make.lerobot_2(tmp_path / "set")
    done = import_source(store, root, cameras={"cam_high": "view1", "cam_left_wrist": "view2"})
    assert {fault for fault, _ in faults(done.report)} == {"missing_view"}
    one, two = robot.episodes(store, arm="single")
    assert (two.key, two.frames, two.task) == ("000001", 8, "stack the blocks")
    assert make.number_in(robot.still(store, two, "view2", 5).data) == 45
    assert robot.still(store, one, "view1", 5).file == "videos/chunk-000/observation.images.cam_high/episode_000000.mp4"


def test_version_2_lengths_that_differ_from_the_video_are_named(store: Store, make: type[Make], tmp_path: Path) -> None:
    root = make.lerobot_2(tmp_path / "set")
    lines = (root / "meta/episodes.jsonl").read_text().replace('"length": 8', '"length": 11') + "no json\n"
    (root / "meta/episodes.jsonl").write_text(lines)
    done = import_source(store, root)
    said = " ".join(p.what for p in done.report.problems)
    assert "Its length is 11, videos/chunk-000/observation.images.cam_high/episode_000001.mp4 has 8 frames." in said
    assert "Line 3 is no JSON object." in said and "Its table has 8 rows, its length is another." in said
    assert [e.frames for e in robot.episodes(store)] == [6, 8]


def test_paths_in_metadata_cannot_leave_the_dataset(store: Store, make: type[Make], tmp_path: Path) -> None:
    root = make.lerobot_2(tmp_path / "set")
    make.video(tmp_path / "outside" / "0.mp4", 6, 10, codec="libx264")
    make.change_json(root / "meta/info.json", video_path="../outside/{episode_index}.mp4")
    with pytest.raises(Exception, match="has no sound episode") as refused:
        import_source(store, root)
    assert {p.fault for p in refused.value.report.problems} >= {"outside"}  # type: ignore[attr-defined]
    assert store.one("SELECT count(*) AS n FROM robot_sources") == {"n": 0}
    with pytest.raises(Unreadable, match="unknown field 'video_key'"):
        filled("{video_key}", {})
    with pytest.raises(Unreadable, match="cannot be filled in"):
        filled("{video_key.__class__}", {"video_key": "a"})


def test_cameras_become_views() -> None:
    high, left, right = "observation.images.cam_high", "observation.images.cam_left_wrist", "observation.images.cam_right_wrist"
    assert assign([right, high, left], {}) == ("dual", {left: "left-gripper", high: "head", right: "right-gripper"})
    assert assign(["observation.images.image_0", "observation.images.image_1"], {}) == (
        "single", {"observation.images.image_0": "view1", "observation.images.image_1": "view2"}
    )  # fmt: skip
    assert assign([left, high], {"cam_high": "view3"}) == ("single", {high: "view3"})
    with pytest.raises(Unreadable, match="no camera 'front'; there: cam_high"):
        assign([high], {"front": "head"})


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"codebase_version": "v1.6"}, "says codebase_version 'v1.6'; v3.0 and v2.1 are read"),
        ({"fps": 0}, "says fps 0; a number above 0 is needed"),
        ({"fps": "ten"}, "says fps ten"),
        ({"features": {}}, "names no camera with video"),
        ({"features": 3}, "holds no features"),
    ],
)
def test_a_dataset_that_cannot_be_read_at_all_is_one_sentence(
    store: Store, make: type[Make], tmp_path: Path, change: dict[str, Any], sentence: str
) -> None:
    root = make.lerobot_2(tmp_path / "set", (3,))
    make.change_json(root / "meta/info.json", **change)
    with pytest.raises(Unreadable, match=sentence):
        import_source(store, root)
