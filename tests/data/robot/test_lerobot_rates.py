"""A declared rate that is not the video's: the times of the frames decide, for long episodes as for short ones, and it is said once."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from data.robot import episodes as robot
from data.robot import video
from data.robot.importing import import_source
from data.robot.lerobot import places
from data.robot.lerobot.places import Placed
from data.store import Store
from tests.data.robot.conftest import Make
from tests.present import present

LENGTHS = (300, 600, 700)
CAMERAS = tuple(f"observation.images.{name}" for name in ("top", "left_wrist", "right_wrist"))
NTSC = Fraction(30_000, 1001)


@pytest.fixture(scope="module")
def filmed(make: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,600 frames, frame k with the number k mod 256, at 1 frame per tick; a test gives them their times."""
    path = tmp_path_factory.mktemp("film") / "film.mp4"
    options = {"crf": "30", "g": "25", "preset": "ultrafast"}
    video.write(path, (make.drawn(k % 256) for k in range(sum(LENGTHS))), 1, codec="libx264", options=options)
    return path


def timed(filmed: Path, path: Path, rate: Fraction, frames: int | None = None) -> Path:
    """The same frames at a rate, without encoding them anew."""
    av = video.library()
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(filmed)) as read, av.open(str(path), "w") as container:
        stream = container.add_stream_from_template(read.streams.video[0])
        base, scale = 1 / (rate * 100), 100 * read.streams.video[0].time_base
        for number, packet in enumerate(read.demux(video=0)):
            if packet.size and (frames is None or number < frames):
                packet.stream = stream
                packet.pts, packet.dts = (int(tick * scale) for tick in (packet.pts, packet.dts))
                packet.duration, packet.time_base = 100, base
                container.mux(packet)
    return path


def set_of(make: Any, root: Path, filmed: Path, rate: Fraction, declared: float, counted: float) -> Path:
    """A v3.0 dataset of three episodes in one video per camera, their seconds counted at a rate."""
    starts = [sum(LENGTHS[:k]) for k in range(3)]
    columns: dict[str, list[Any]] = {"episode_index": [0, 1, 2], "length": list(LENGTHS), "tasks": [["t"]] * 3}
    for camera in CAMERAS:
        timed(filmed, root / f"videos/{camera}/chunk-000/file-000.mp4", rate)
        columns[f"videos/{camera}/chunk_index"] = columns[f"videos/{camera}/file_index"] = [0, 0, 0]
        columns[f"videos/{camera}/from_timestamp"] = [float(start / counted) for start in starts]
        columns[f"videos/{camera}/to_timestamp"] = [float((start + n) / counted) for start, n in zip(starts, LENGTHS, strict=True)]
    make.table(root / "meta/episodes/chunk-000/file-000.parquet", columns)
    make.table(root / "meta/tasks.parquet", {"task_index": [0], "task": ["t"]})
    feature = {"dtype": "video", "shape": [48, 64, 3], "names": ["height", "width", "channels"]}
    make.json(root / "meta/info.json", {"codebase_version": "v3.0", "fps": declared, "features": dict.fromkeys(CAMERAS, feature)})
    return root


@pytest.mark.parametrize(
    ("rate", "counted", "words"),
    [
        (NTSC, NTSC, "says fps 30, the times of"),
        (Fraction(25), Fraction(25), "says fps 30, the times of"),
        (NTSC, Fraction(30), "count frames at the declared rate, not at the video's"),
        (Fraction(30), Fraction(30), ""),
    ],
    ids=["29.97", "25", "29.97 counted at 30", "30"],
)
def test_every_episode_is_imported_whatever_its_length(
    store: Store, make: type[Make], filmed: Path, tmp_path: Path, rate: Any, counted: Any, words: str
) -> None:
    done = import_source(store, set_of(make, tmp_path / "set", filmed, rate, 30, counted))
    said = [p.what for p in done.report.problems]
    assert [e.frames for e in robot.episodes(store)] == list(LENGTHS) and all(e.record.complete for e in robot.episodes(store))
    assert bool(said) == bool(words) and all(p.fault == "contradiction" for p in done.report.problems)
    assert not words or sum(words in what for what in said) in (1, len(CAMERAS))
    for episode, start in zip(robot.episodes(store), (0, 300, 900), strict=True):
        for index in (0, episode.frames // 2, episode.frames - 1):
            still = robot.still(store, episode, "right-gripper", index)
            assert (make.number_in(still.data), still.frame_index) == ((start + index) % 256, start + index)
            assert still.timestamp_s == pytest.approx(float(index / rate), abs=1e-4)


def test_a_place_that_fits_no_reading_is_left_out_and_the_others_are_not(
    store: Store, make: type[Make], filmed: Path, tmp_path: Path
) -> None:
    root = set_of(make, tmp_path / "set", filmed, NTSC, 30, NTSC)  # type: ignore[arg-type]
    end = f"videos/{CAMERAS[0]}/to_timestamp".replace("/", "__")
    make.change_table(root / "meta/episodes/chunk-000/file-000.parquet", **{end: lambda old: [old[0], old[1] - 0.1, old[2]]})
    done = import_source(store, root)
    assert any("Its length is 600 frames, but its place" in p.what and p.what.endswith("holds 597.") for p in done.report.problems)
    assert [e.record.complete for e in robot.episodes(store)] == [True, False, True]


def test_version_2_is_read_by_the_video_s_times_too(store: Store, make: type[Make], filmed: Path, tmp_path: Path) -> None:
    root = make.lerobot_2(tmp_path / "set", (6,), 30, CAMERAS)
    feature = {"dtype": "video", "info": {"video.fps": 30.0}}
    make.change_json(root / "meta/info.json", features=dict.fromkeys(CAMERAS, feature))
    (root / "meta/episodes.jsonl").write_text(json.dumps({"episode_index": 0, "tasks": ["stack the blocks"], "length": 1600}) + "\n")
    make.table(root / "data/chunk-000/episode_000000.parquet", {"episode_index": [0] * 1600})
    for camera in CAMERAS:
        timed(filmed, root / f"videos/chunk-000/{camera}/episode_000000.mp4", NTSC)
    done = import_source(store, root)
    (episode,) = robot.episodes(store)
    assert (episode.frames, round(present(episode.fps), 2)) == (1600, 29.97)
    assert sum("says fps 30, the times of" in p.what for p in done.report.problems) == 1
    assert {p.fault for p in done.report.problems} == {"contradiction"}
    assert robot.still(store, episode, "head", 1599).timestamp_s == pytest.approx(1599 / 29.97, abs=1e-2)
    shutil.rmtree(root)


def facts(rate: float, frames: int, first: float = 0.0) -> video.Facts:
    times = tuple(first + k / rate for k in range(frames))
    ticks = tuple(round(time * 90_000) for time in times)
    return video.Facts(64, 48, times, ticks, 1 / 90_000, frames, rate, "h264", None, {}, 1)


@pytest.mark.parametrize("declared", [30.0, 29.97, 29.9, 25.0, 60.0])
@pytest.mark.parametrize("counted", [0, 1, 2])
def test_hours_of_drift_do_not_move_a_frame(declared: float, counted: int) -> None:
    """Two hundred episodes of up to a minute in one file, their seconds counted in each of the three ways."""
    rate, lengths = 30_000 / 1001, [900 + 37 * (k % 25) for k in range(200)]
    starts = [sum(lengths[:k]) for k in range(200)]
    known = facts(rate, sum(lengths))
    begin = [start / (declared if counted == 1 else rate) for start in starts]
    placed = [
        Placed(k, n, start, start + n / (rate if counted == 0 else declared))
        for k, (n, start) in enumerate(zip(lengths, begin, strict=True))
    ]
    how = places.reading(known, declared, placed)
    assert [places.first_frame(known, declared, how, one, "f") for one in placed] == starts


def test_a_difference_of_rates_is_told_from_the_grain_of_the_clock() -> None:
    assert places.differs(facts(30_000 / 1001, 300), 30) and places.differs(facts(25, 20), 30)
    assert not places.differs(facts(30_000 / 1001, 300), 29.97) and not places.differs(facts(30, 300), 30)
    coarse = video.Facts(64, 48, (0.0, 0.033, 0.067, 0.1), (0, 33, 67, 100), 0.001, 4, 30.0, "h264", None, {}, 1)
    assert not places.differs(coarse, 29.97)  # whole milliseconds over a tenth of a second do not tell
