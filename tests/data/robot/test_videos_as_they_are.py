"""Videos as other programs write them: what is imported can be used, pixel by pixel, and what a player would show otherwise is named."""

from __future__ import annotations

import io
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from data.robot import episodes as robot
from data.robot import video
from data.robot.importing import import_source
from data.robot.records import VIEWS
from data.store import Store
from tests.data.robot.conftest import Make


def written(
    path: Path,
    pictures: Sequence[np.ndarray],
    *,
    codec: str = "libx264rgb",
    form: str = "rgb24",
    pts: Sequence[int] | None = None,
    rate: int | Fraction = 10,
    matrix: Sequence[int] | None = None,
    tags: dict[str, str] | None = None,
    aspect: Fraction | None = None,
    options: dict[str, str] | None = None,
    streams: int = 1,
) -> Path:
    """A video of pictures, lossless where the codec can be; `matrix` is a display matrix a, b, c, d."""
    av = video.library()
    path.parent.mkdir(parents=True, exist_ok=True)
    lossless = {"qp": "0", "g": "4"} if codec.startswith("libx264") else {}
    with av.open(str(path), "w") as container:
        made = [container.add_stream(codec, rate=rate, options=lossless | (options or {})) for _ in range(streams)]
        for stream in made:
            stream.height, stream.width = pictures[0].shape[:2]
            stream.pix_fmt = form
            stream.metadata.update(tags or {})
            if aspect:
                stream.codec_context.sample_aspect_ratio = aspect
            if matrix:
                a, b, c, d = (value * 65536 for value in matrix)
                stream.set_display_matrix([a, b, 0, c, d, 0, 0, 0, 1 << 30])
        for stream in made:
            for number, picture in enumerate(pictures):
                frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
                frame.pts, frame.time_base = (number if pts is None else pts[number]), 1 / Fraction(rate)
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))
    return path


def noise(count: int = 8, width: int = 64, height: int = 48) -> list[np.ndarray]:
    rng = np.random.default_rng(4)
    return [rng.integers(0, 255, (height, width, 3), np.uint8) for _ in range(count)]


@pytest.fixture
def source(make: type[Make], tmp_path: Path) -> Path:
    """A source whose other three views are ordinary videos of eight frames."""
    for view in ("view1", "view3", "view4"):
        make.video(tmp_path / f"s/run/{view}.mp4", 8, 10, codec="libx264")
    return tmp_path / "s"


def used(store: Any, episode: Any, view: str) -> list[np.ndarray]:
    return [np.asarray(Image.open(io.BytesIO(robot.still(store, episode, view, k).data)).convert("RGB")) for k in range(episode.frames)]


TURNS = {
    "90° counter-clockwise": ((0, -1, 1, 0), lambda p: np.rot90(p)),
    "180°": ((-1, 0, 0, -1), lambda p: np.rot90(p, 2)),
    "90° clockwise": ((0, 1, -1, 0), lambda p: np.rot90(p, -1)),
    "mirrored": ((-1, 0, 0, 1), lambda p: p[:, ::-1]),
    "upside down": ((1, 0, 0, -1), lambda p: p[::-1]),
    "clockwise and mirrored": ((0, 1, 1, 0), lambda p: p.transpose(1, 0, 2)),
}


@pytest.mark.parametrize(("turn", "ending"), [*((turn, "mp4") for turn in TURNS), *((turn, "mkv") for turn in list(TURNS)[:3])])
def test_a_video_turned_by_its_display_matrix_is_named_and_shown_upright(store: Store, source: Path, turn: str, ending: str) -> None:
    matrix, upright = TURNS[turn]
    pictures = noise()
    file = written(source / f"run/view2.{ending}", pictures, matrix=matrix)
    before = file.read_bytes()
    done = import_source(store, source)
    assert [p.where for p in done.report.problems if p.fault == "turned"] == [f"run/view2.{ending}"]
    assert any(turn.split("°")[0] in p.what and p.did == "shown upright; the file is as it was" for p in done.report.problems)
    (episode,) = robot.episodes(store)
    assert tuple(episode.record.views) == VIEWS["single"] and all(episode.record.sound(k) for k in range(8))
    shown = used(store, episode, "view2")
    record = episode.record.views["view2"]
    assert all(np.array_equal(one, upright(stored)) for one, stored in zip(shown, pictures, strict=True))  # type: ignore[no-untyped-call]
    assert (record.width, record.height, record.turned) == (*reversed(shown[0].shape[:2]), True) and file.read_bytes() == before


def test_matrices_of_a_camera_that_is_turned_are_not_used(store: Store, make: type[Make], source: Path) -> None:
    written(source / "run/view2.mp4", noise(), matrix=(0, 1, -1, 0))
    make.json(source / "run/cameras.json", {name: {"k": [[60, 0, 32], [0, 60, 24], [0, 0, 1]]} for name in ("view1", "view2")})
    done = import_source(store, source)
    assert any(p.fault == "calibration" and "view2 has images turned by their metadata" in p.what for p in done.report.problems)
    assert set(robot.cameras(store, robot.episodes(store)[0], 0)) == {"view1"}


@pytest.mark.parametrize(
    ("how", "fault", "sentence"),
    [
        ({"tags": {"rotate": "90"}}, "turned", "has a tag “rotate=90” without a display matrix"),
        ({"aspect": Fraction(4, 3)}, "form", "has pixels that are not square (4:3)"),
        ({"codec": "libx264", "form": "yuv420p", "options": {"x264-params": "interlaced=1"}}, "form", "is interlaced"),
        ({"codec": "ffv1", "form": "yuv420p10le"}, "bit_depth", "has 10 bits per channel"),
        ({"codec": "ffv1", "form": "yuva420p"}, "form", "is partly transparent"),
        ({"codec": "ffv1", "form": "yuv420p", "options": {"color_trc": "smpte2084"}}, "form", "has colours of a wide range"),
        ({"streams": 2}, "unsupported", "holds 2 videos"),
    ],
    ids=["tag", "aspect", "interlaced", "10-bit", "alpha", "hdr", "two"],
)
def test_what_a_player_would_show_otherwise_is_named_and_every_frame_can_be_used(
    store: Store, source: Path, how: dict[str, Any], fault: str, sentence: str
) -> None:
    written(source / "run/view2.mkv", noise(), **how)
    done = import_source(store, source)
    assert (fault, "run/view2.mkv") in [(p.fault, p.where) for p in done.report.problems]
    assert any(sentence in p.what for p in done.report.problems)
    (episode,) = robot.episodes(store)
    assert episode.record.complete and len(used(store, episode, "view2")) == 8


@pytest.mark.parametrize(
    ("how", "fault", "sentence"),
    [
        ({"matrix": (1, 1, -1, 1)}, "turned", "is turned by its metadata by no quarter turn"),
        ({"codec": "ffv1", "form": "gray16le"}, "bit_depth", "is grey with 16 bits"),
    ],
    ids=["45°", "depth"],
)
def test_what_cannot_be_shown_is_left_out_at_the_import(store: Store, source: Path, how: dict[str, Any], fault: str, sentence: str) -> None:
    written(source / "run/view2.mkv", noise(), **how)
    done = import_source(store, source)
    first = done.report.problems[0]
    assert (first.fault, first.where, first.did) == (fault, "run/view2.mkv", "view left out") and sentence in first.what
    assert "view2" not in robot.episodes(store)[0].record.views


@pytest.mark.parametrize(("codec", "form"), [("ffv1", "gray"), ("ffv1", "yuv444p"), ("libx264rgb", "rgb24")])
def test_odd_sizes_and_grey_are_shown_as_they_are(store: Store, source: Path, codec: str, form: str) -> None:
    written(source / "run/view2.mkv", noise(width=65, height=49), codec=codec, form=form)
    done = import_source(store, source)
    assert [p.fault for p in done.report.problems] == ["sizes"]  # the views differ
    (episode,) = robot.episodes(store)
    assert {one.shape for one in used(store, episode, "view2")} == {(49, 65, 3)}


def test_frames_that_an_edit_list_hides_are_no_frames(store: Store, make: type[Make], tmp_path: Path) -> None:
    """The muxer writes an edit list for times before zero; the first frame shown is no key frame, and pictures are stored out of order."""
    pictures = [make.drawn(k, 64, 64) for k in range(12)]
    for view in VIEWS["single"]:
        written(tmp_path / f"s/{view}.mp4", pictures, codec="libx264", form="yuv420p", pts=range(-5, 7), options={"g": "12", "bf": "3"})
    done = import_source(store, tmp_path / "s")
    (episode,) = robot.episodes(store)
    assert (done.report.problems, episode.frames) == ([], 7)
    for index in (6, 0, 3):
        still = robot.still(store, episode, "view3", index)
        assert make.number_in(still.data) == 5 + index and still.timestamp_s == pytest.approx(index / 10)


def test_views_that_start_later_by_their_own_clock_are_named(store: Store, make: type[Make], tmp_path: Path) -> None:
    pictures = [make.drawn(k, 64, 64) for k in range(8)]
    for view in VIEWS["single"]:
        later = 5 if view == "view2" else 0
        written(tmp_path / f"late/{view}.mp4", pictures, codec="libx264", form="yuv420p", pts=range(later, later + 8))
        written(tmp_path / f"same/{view}.mp4", pictures, codec="libx264", form="yuv420p", pts=range(5, 13))
    done = import_source(store, tmp_path / "late")
    assert [(p.fault, p.did) for p in done.report.problems] == [("clock", "frames counted from the first of each")]
    assert "view1 0.000 s, view2 0.500 s" in done.report.problems[0].what
    assert import_source(store, tmp_path / "same").report.problems == []  # a common start is no fault
    for episode in robot.episodes(store):
        assert [robot.still(store, episode, "view2", k).timestamp_s for k in (0, 7)] == pytest.approx([0, 0.7])


def test_a_variable_rate_is_matched_by_the_times_of_the_frames(store: Store, make: type[Make], tmp_path: Path) -> None:
    """view2 shows a frame every 0.1 s, then every 0.4 s; at each time of the others its latest nearest frame stands."""
    uneven = [0, 1, 2, 3, 4, 8, 12, 16]
    for view in VIEWS["single"]:
        pts = uneven if view == "view2" else range(17)
        pictures = [make.drawn(k, 64, 64) for k in (uneven if view == "view2" else range(17))]
        written(tmp_path / f"s/{view}.mp4", pictures, codec="libx264", form="yuv420p", pts=pts)
    import_source(store, tmp_path / "s")
    (episode,) = robot.episodes(store)
    assert episode.frames == 17
    for index in range(17):
        shown = make.number_in(robot.still(store, episode, "view2", index).data)
        assert shown in uneven and abs(shown - index) == min(abs(k - index) for k in uneven)


@pytest.mark.parametrize(("rate", "grain", "said"), [(Fraction(30_000, 1001), "mp4", True), (Fraction(30), "mkv", False)])
def test_rates_that_differ_by_little_are_told_from_coarse_times(
    store: Store, make: type[Make], tmp_path: Path, rate: Fraction, grain: str, said: bool
) -> None:
    """29.97 beside 30 is another rate; whole milliseconds beside exact times are not."""
    pictures = [make.drawn(k % 256, 64, 64) for k in range(40)]
    for view in VIEWS["single"]:
        other = view == "view2"
        place = tmp_path / f"s/{view}.{grain if other else 'mp4'}"
        written(place, pictures, codec="libx264", form="yuv420p", rate=rate if other else Fraction(30))
    done = import_source(store, tmp_path / "s")
    assert [p.fault for p in done.report.problems] == (["unsynchronised"] if said else [])
    assert not said or "view1 30, view2 29.97" in done.report.problems[0].what
    assert robot.episodes(store)[0].frames == 40


def test_an_avi_file_without_times_of_reordered_frames_is_left_out(store: Store, make: type[Make], source: Path) -> None:
    pictures = [make.drawn(k, 64, 64) for k in range(8)]
    written(source / "run/view2.avi", pictures, codec="mpeg4", form="yuv420p", options={"bf": "2"})
    done = import_source(store, source)
    assert any(p.where == "run/view2.avi" and "AVI keeps no times of them" in p.what for p in done.report.problems)
    written(source / "run/view2.avi", pictures, codec="mjpeg", form="yuvj420p")
    assert import_source(store, source).report.problems == []
    (episode,) = robot.episodes(store)
    assert [make.number_in(robot.still(store, episode, "view2", k).data) for k in range(8)] == list(range(8))


def test_a_frame_of_another_size_in_the_middle_is_found_by_decoding_all(store: Store, source: Path) -> None:
    """A stream whose pictures change their size: the frames of the other size are left out, the rest is used."""
    av = video.library()
    parts = noise(4), noise(4, 32, 24)
    data = io.BytesIO()
    with av.open(data, "w", format="matroska") as container:
        stream = container.add_stream("mjpeg", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuvj420p"
        for number, picture in enumerate([*parts[0], *parts[1][:1], *parts[0][:3]]):
            kept = io.BytesIO()
            Image.fromarray(picture).save(kept, "JPEG")
            packet = av.Packet(kept.getvalue())
            packet.stream, packet.pts, packet.dts, packet.time_base = stream, number, number, Fraction(1, 10)
            packet.is_keyframe = True
            container.mux(packet)
    (source / "run/view2.mkv").write_bytes(data.getvalue())
    done = import_source(store, source)
    assert any(p.fault == "sizes" and "Frames 4 have another size than the others (64×48)." in p.what for p in done.report.problems)
    (episode,) = robot.episodes(store)
    assert [episode.record.sound(k) for k in range(8)] == [True] * 4 + [False] + [True] * 3
