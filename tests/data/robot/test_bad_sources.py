"""Bad input of a robot source: each is a sentence in the report or in one error, nothing is half-written, nothing is altered."""

from __future__ import annotations

import io
import json
import os
import shutil
import struct
import sys
import zlib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from data.robot import episodes as robot
from data.robot import images, video
from data.robot.errors import BadImage, NoSource, NothingSound, Outside, RobotError, VideoUnavailable
from data.robot.folder import Folder
from data.robot.importing import import_source
from data.robot.sources import detect
from data.store import Store
from tests.data.robot.conftest import Make


def moment(root: Path, make: type[Make], **files: bytes) -> Path:
    """A moment of a dual arm robot whose files are replaced by `files` (stem → bytes of a .png)."""
    for name in ("left-gripper", "head", "right-gripper"):
        make.image(root / f"m/{name}.png", 5)
    for name, data in files.items():
        (root / f"m/{name.replace('_', '-')}.png").write_bytes(data)
    return root


def encoded(image: Image.Image, form: str = "PNG", **save: Any) -> bytes:
    kept = io.BytesIO()
    image.save(kept, form, **save)
    return kept.getvalue()


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_header(width: int, height: int, bits: int = 8, colour: int = 2) -> bytes:
    """The beginning of a PNG that claims a size."""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0))


def bomb(width: int, height: int) -> bytes:
    """A PNG of some dozen bytes that claims to be huge."""
    return png_header(width, height) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


def rgb16() -> bytes:
    """A whole 2×2 RGB PNG of 16 bits per channel, which Pillow would reduce to 8 without a word."""

    rows = b"".join(b"\0" + bytes(range(12)) for _ in range(2))
    return png_header(2, 2, 16) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def frames(count: int) -> list[Image.Image]:
    return [Image.fromarray(np.full((48, 64, 3), 40 * k, np.uint8)) for k in range(count)]


NAMES = "16-bit 16-bit-rgb gif apng tiff-pages still-gif cmyk bomb large cut-jpeg cut-png text nothing"
NOISE = Image.fromarray(np.random.default_rng(1).integers(0, 255, (48, 64, 3), np.uint8))
SIXTEEN = Image.fromarray(np.arange(64 * 48, dtype=np.uint16).reshape(48, 64))


@pytest.mark.parametrize(
    ("data", "fault", "sentence"),
    [
        (encoded(SIXTEEN), "bit_depth", "has 16 bits per channel; camera images have 8"),
        (rgb16(), "bit_depth", "has 16 bits per channel"),
        (encoded(frames(3)[0], "GIF", save_all=True, append_images=frames(3)[1:]), "animated", "is animated or holds several pictures"),
        (encoded(frames(3)[0], "PNG", save_all=True, append_images=frames(3)[1:]), "animated", "is animated or holds several pictures"),
        (encoded(frames(3)[0], "TIFF", save_all=True, append_images=frames(3)[1:]), "animated", "is animated or holds several pictures"),
        (encoded(frames(1)[0], "GIF"), "unsupported", "is a GIF file: PNG, JPEG, WebP, BMP or TIFF are known"),
        (encoded(frames(1)[0].convert("CMYK"), "JPEG"), "unsupported", "pixels of the form CMYK"),
        (bomb(60_000, 60_000), "too_large", "far more than the 50,000,000 pixels"),
        (bomb(9_000, 9_000), "too_large", "has 9000×9000 pixels, at most 50,000,000 are read"),
        (encoded(NOISE, "JPEG")[:-900], "truncated", "cannot be read to its end"),
        (encoded(NOISE)[:900], "truncated", "to its end"),
        (b"not an image", "unreadable", "is no image that can be read"),
        (b"", "unreadable", "is no image that can be read"),
    ],
    ids=iter(NAMES.split()),
)
def test_an_image_that_cannot_serve_is_a_sentence_and_the_other_views_are_imported(
    store: Store, make: type[Make], tmp_path: Path, data: bytes, fault: str, sentence: str
) -> None:
    root = moment(tmp_path / "s", make, head=data)
    done = import_source(store, root)
    problem = done.report.problems[0]
    assert (problem.fault, problem.where, problem.did) == (fault, "m/head.png", "this frame left out") and sentence in problem.what
    assert tuple(robot.episodes(store)[0].record.views) == ("left-gripper", "right-gripper")
    assert (root / "m/head.png").read_bytes() == data


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(2, 9))
def test_an_image_turned_by_exif_is_shown_upright_as_png_and_the_original_stays(
    store: Store, make: type[Make], tmp_path: Path, form: str, orientation: int
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = Image.fromarray(make.drawn(77, 64, 48))
    data = encoded(picture, form, exif=exif)
    root = moment(tmp_path / "s", make, head=data)
    make.json(root / "m/cameras.json", {"head": {"k": [[60, 0, 32], [0, 60, 24], [0, 0, 1]]}})
    done = import_source(store, root)
    assert [p.fault for p in done.report.problems][:2] == ["turned", "calibration"]
    (episode,) = robot.episodes(store)
    still = robot.still(store, episode, "head", 0)
    size = (48, 64) if orientation >= 5 else (64, 48)
    upright = images.opened(still.data, "the still")
    assert (still.width, still.height) == upright.size == size and upright.format == "PNG"
    assert not upright.getexif() and robot.cameras(store, episode, 0) == {}
    # as a browser would show the original
    back = {2: "FLIP_LEFT_RIGHT", 3: "ROTATE_180", 4: "FLIP_TOP_BOTTOM", 5: "TRANSPOSE", 6: "ROTATE_90", 7: "TRANSVERSE", 8: "ROTATE_270"}
    restored = upright.transpose(Image.Transpose[back[orientation]])
    assert np.abs(np.asarray(restored, int) - np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), int)).max() == 0
    assert (root / "m/head.png").read_bytes() == data
    with pytest.raises(BadImage, match="turned by its EXIF orientation"):
        images.opened(data, "It")


def test_a_tiff_image_is_shown_as_png_because_browsers_do_not_show_it(store: Store, make: type[Make], tmp_path: Path) -> None:
    root = moment(tmp_path / "s", make)
    (root / "m/head.png").unlink()
    make.image(root / "m/head.tif", 33)
    assert import_source(store, root).report.problems == []
    still = robot.still(store, robot.episodes(store)[0], "head", 0)
    assert still.data[:4] == b"\x89PNG" and make.number_in(still.data) == 33 and still.file == "m/head.tif"


def test_views_and_frames_of_different_sizes_are_named(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    where = make.bridge(tmp_path / "b", frames=5)
    make.image(where / "images2/im_3.jpg", 1, 32, 24)
    for k in range(5):
        make.image(where / f"images3/im_{k}.jpg", k, 128, 96)
    done = import_source(store, tmp_path / "b")
    assert [fault for fault, _ in faults(done.report)] == ["sizes", "sizes"]
    assert "Frames 3 have another size (32×24) than the others (64×48)." in done.report.problems[0].what
    (episode,) = robot.episodes(store)
    assert [episode.record.sound(k) for k in range(5)] == [True, True, True, False, True]
    assert robot.still(store, episode, "view4", 0).width == 128


def test_different_numbers_of_frames_are_unsynchronised_clocks(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    make.agibot(tmp_path / "a", frames=24, hand_left_color=20)
    done = import_source(store, tmp_path / "a")
    assert ("unsynchronised", "observations/327/648642") in faults(done.report)
    assert any("left-gripper 20" in p.what and "head 24" in p.what for p in done.report.problems)
    (episode,) = robot.episodes(store)
    assert episode.frames == 20 and [s.end for s in episode.record.segments] == [12, 20]


def test_views_of_different_rates_are_matched_by_time(store: Store, make: type[Make], tmp_path: Path) -> None:
    for view, frames, fps in (("left-gripper", 10, 10), ("head", 30, 30), ("right-gripper", 30, 30)):
        make.video(tmp_path / f"p/{view}.mp4", frames, fps, codec="libx264")
    done = import_source(store, tmp_path / "p")
    assert any("different rates (left-gripper 10, head 30, right-gripper 30 frames per second)" in p.what for p in done.report.problems)
    (episode,) = robot.episodes(store)
    assert (episode.frames, episode.fps) == (30, 30.0)
    shown = [make.number_in(robot.still(store, episode, "left-gripper", k).data) for k in (0, 3, 4, 5, 15, 27)]
    assert shown == [0, 1, 1, 2, 5, 9]
    still = robot.still(store, episode, "left-gripper", 4)
    assert still.timestamp_s == pytest.approx(0.1) and robot.still(store, episode, "head", 4).timestamp_s == pytest.approx(4 / 30, abs=1e-4)


def test_a_dropped_frame_does_not_shift_what_follows(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    for view in ("head", "right-gripper"):
        make.video(tmp_path / f"p/{view}.mp4", 24, 10, codec="libx264")
    av = video.library()
    with av.open(str(tmp_path / "p/left-gripper.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=10, options={"g": "6"})
        stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p"
        for number in (k for k in range(24) if k != 9):
            frame = av.VideoFrame.from_ndarray(make.drawn(number, 64, 64), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    done = import_source(store, tmp_path / "p")
    assert faults(done.report) == [("unsynchronised", ".")]
    (episode,) = robot.episodes(store)
    shown = {k: robot.still(store, episode, "left-gripper", k) for k in (8, 9, 10, 20)}
    assert {k: make.number_in(still.data) for k, still in shown.items()} == {8: 8, 9: 8, 10: 10, 20: 20}
    # the images beside each other tell by their times that one of them is late
    assert shown[9].timestamp_s == pytest.approx(0.8) and robot.still(store, episode, "head", 9).timestamp_s == pytest.approx(0.9)


@pytest.mark.parametrize("front", [True, False], ids=["index-first", "index-last"])
def test_a_video_that_was_cut_off_is_imported_as_far_as_it_goes_or_left_out(
    store: Store, make: type[Make], tmp_path: Path, front: bool
) -> None:
    where = make.agibot(tmp_path / "a", frames=40)
    path = where / "videos/hand_left_color.mp4"
    make.video(path, 40, faststart=front)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    done = import_source(store, tmp_path / "a")
    (episode,) = robot.episodes(store)
    said = " ".join(p.what for p in done.report.problems)
    if front:
        assert "The video ends early: its index promises 40 frames" in said
        assert 0 < episode.frames < 40 and episode.record.complete
        for index in (0, episode.frames - 1):
            assert make.number_in(robot.still(store, episode, "left-gripper", index).data) == index
    else:
        assert "cannot be opened as a video" in said and "cut off while it was copied" in said
        assert tuple(episode.record.views) == ("head", "right-gripper") and episode.frames == 40


def test_a_playlist_that_is_called_mp4_is_never_followed(store: Store, make: type[Make], tmp_path: Path) -> None:
    make.agibot(tmp_path / "a")
    secret = make.video(tmp_path / "secret.mp4", 30, codec="libx264")
    fake = tmp_path / "a/observations/327/648642/videos/head_color.mp4"
    for text in (f"#EXTM3U\n#EXTINF:1,\n{secret}\n#EXT-X-ENDLIST\n", f"ffconcat version 1.0\nfile {secret}\n"):
        fake.write_text(text)
        done = import_source(store, tmp_path / "a")
        assert any("head_color.mp4 is no MP4, Matroska/WebM or AVI file" in p.what for p in done.report.problems)
        assert "head" not in robot.episodes(store)[0].record.views


def test_every_frame_finds_what_is_broken_in_the_middle(store: Store, make: type[Make], tmp_path: Path) -> None:
    where = make.agibot(tmp_path / "a", frames=48)
    path = where / "videos/head_color.mp4"
    make.video(path, 48, width=256, height=256, codec="libx264", gop=4)
    data = bytearray(path.read_bytes())
    with video.library().open(str(path)) as container:
        packets = [(p.pos, p.size) for p in container.demux(video=0) if p.size]
    position, size = sorted(packets)[20]
    data[position + 4 : position + size] = bytes([0xFF] * (size - 4))
    path.write_bytes(data)
    quick, slow = (import_source(store, tmp_path / "a", every_frame=thorough) for thorough in (False, True))
    assert "unreadable" not in quick.report.counts()
    assert slow.report.counts()["unreadable"] == 1 and slow.changed == 1
    (episode,) = robot.episodes(store)
    bad = episode.record.views["head"].bad
    assert bad and not episode.record.sound(bad[0]) and episode.record.sound(0) and episode.record.sound(47)


def test_links_and_names_that_leave_the_source_are_refused(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    where = make.bridge(tmp_path / "b")
    outside = make.image(tmp_path / "private.jpg", 9)
    (where / "images0/im_2.jpg").unlink()
    (where / "images0/im_2.jpg").symlink_to(outside)
    (where / "images3").rename(tmp_path / "elsewhere")
    (where / "images3").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "b/loop").symlink_to(tmp_path / "b")
    done = import_source(store, tmp_path / "b")
    place = str(where.relative_to(tmp_path / "b"))
    found = faults(done.report)
    assert found.count(("outside", f"{place}/images0/im_2.jpg")) == 1 and ("outside", f"{place}/images3") in found
    assert any("copy the file it points to into its place" in p.what for p in done.report.problems)
    (episode,) = robot.episodes(store)
    assert tuple(episode.record.views) == ("view1", "view2", "view3") and not episode.record.sound(2)


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/passwd", "a\\..\\x", "a\0b"])
def test_a_path_stays_inside(tmp_path: Path, path: str) -> None:
    with pytest.raises(Outside, match="leaves the source"):
        Folder(tmp_path).path(path)


def test_what_is_no_source_is_one_sentence_and_writes_nothing(store: Store, make: type[Make], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").mkdir()
    (tmp_path / "text/readme.txt").write_text("hello")
    for name, head in (("set.zip", b"PK\x03\x04"), ("shard.tar", b""), ("nameless", b"PK\x03\x04..\x00"), ("data.tar.gz", b"\x1f\x8b")):
        (tmp_path / name).write_bytes(head)
    (tmp_path / "file.txt").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    sentences = {
        "absent": "is not there", "empty": "is empty", "set.zip": "is an archive: unpack it", "shard.tar": "is an archive",
        "nameless": "is an archive", "data.tar.gz": "is an archive", "file.txt": "is a file: name the folder", "pipe": "is no folder",
        "text": "is none of the known sources: lerobot",
    }  # fmt: skip
    for name, sentence in sentences.items():
        with pytest.raises(NoSource, match=sentence):
            import_source(store, tmp_path / name)
    make.bridge(tmp_path / "b")
    with pytest.raises(NoSource, match=r"is no AgiBot World folder"):
        import_source(store, tmp_path / "b", "agibot")
    with pytest.raises(NoSource, match="A source is of the kind lerobot, agibot, bridge, plain; got 'zip'"):
        import_source(store, tmp_path / "b", "zip")
    with pytest.raises(NoSource, match="got 'top' for 'images0'"):
        import_source(store, tmp_path / "b", cameras={"images0": "top"})
    assert store.one("SELECT (SELECT count(*) FROM robot_sources) + (SELECT count(*) FROM robot_episodes) AS n") == {"n": 0}
    assert detect(tmp_path / "b") == "bridge"


def test_archives_inside_a_source_are_named(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    make.agibot(tmp_path / "a")
    (tmp_path / "a/observations/327/648643.tar").write_bytes(b"")
    done = import_source(store, tmp_path / "a")
    assert faults(done.report) == [("archive", "observations/327/648643.tar")]


def test_a_source_without_one_sound_episode_writes_nothing(store: Store, make: type[Make], tmp_path: Path) -> None:
    for camera in ("head_color", "hand_left_color"):
        path = tmp_path / f"a/observations/1/2/videos/{camera}.mp4"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"nothing")
    with pytest.raises(NothingSound, match=r"has no sound episode \(\d faults\); nothing was imported") as refused:
        import_source(store, tmp_path / "a")
    assert refused.value.report.counts() == {"labels": 1, "missing_view": 1, "unreadable": 2}
    assert store.query("SELECT * FROM robot_sources") == [] and store.query("SELECT * FROM events WHERE kind LIKE 'robot%'") == []


def test_a_failure_while_writing_leaves_nothing(store: Store, make: type[Make], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make.bridge(tmp_path / "b")
    make.bridge(tmp_path / "b", "traj1")
    insert, count = store.insert, []

    def fails_at_the_second_episode(table: str, row: dict[str, Any]) -> int:
        count.append(table)
        if count.count("robot_episodes") == 2:
            raise RuntimeError("the disk went away")
        return insert(table, row)

    monkeypatch.setattr(store, "insert", fails_at_the_second_episode)
    with pytest.raises(RuntimeError):
        import_source(store, tmp_path / "b")
    monkeypatch.undo()
    assert store.query("SELECT * FROM robot_sources") == [] and store.query("SELECT * FROM robot_episodes") == []
    assert import_source(store, tmp_path / "b").added == 2


def test_labels_matrices_and_truth_that_are_not_sound_are_left_out(store: Store, make: type[Make], tmp_path: Path) -> None:
    root = tmp_path / "a"
    where = make.agibot(root)
    camera = root / "parameters/327/648642/camera"
    stretched = {"extrinsic": {"rotation_matrix": [[2, 0, 0]] * 3, "translation_vector": [0] * 3}}
    make.json(camera / "head_extrinsic_params_aligned.json", [stretched])
    make.json(camera / "hand_left_intrinsic_params.json", {"intrinsic": {"fx": "wide"}})
    make.json(camera / "hand_right_extrinsic_params_aligned.json", [])
    make.json(where / "truth.json", make.truth(12))
    (root / "task_info/task_327.json").write_text('{"not": "a list"}')
    (root / "task_info/task_999.json").write_text("[]")
    done = import_source(store, root)
    said = {p.where.rpartition("/")[2]: p.what for p in done.report.problems}
    assert "is no rotation and translation" in said["head_extrinsic_params_aligned.json"]
    assert "intrinsic.fx: numbers are needed" in said["hand_left_extrinsic_params_aligned.json"]
    assert "is an empty list" in said["hand_right_extrinsic_params_aligned.json"]
    assert "knows 12 frames, the episode has 24" in said["truth.json"]
    assert said["task_327.json"] == "The file holds no list of episodes." and said["task_999.json"] == "observations/999 is not there."
    (episode,) = robot.episodes(store)
    assert robot.cameras(store, episode, 0) == {} and robot.truth(store, episode, 0) is None and episode.task == ""


def test_episodes_on_disk_and_in_the_labels_that_do_not_match_are_named(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    root = tmp_path / "a"
    make.agibot(root)
    make.agibot(root, episode=7, frames=12)
    info = root / "task_info/task_327.json"
    listed = json.loads(info.read_text())
    make.json(info, [listed[0] | {"episode_id": 5}, listed[1], listed[1] | {"task_name": "Another"}, {"episode_id": None}])
    done = import_source(store, root)
    assert sorted(faults(done.report)) == [
        ("contradiction", "task_info/task_327.json"), ("contradiction", "task_info/task_327.json"),
        ("labels", "observations/327/648642"), ("labels", "task_info/task_327.json"),
    ]  # fmt: skip
    assert [(e.key, e.task) for e in robot.episodes(store)] == [("327/7", "Tidy the table"), ("327/648642", "")]


def test_text_that_is_no_text_does_not_stop_an_import(store: Store, make: type[Make], tmp_path: Path) -> None:
    where = make.bridge(tmp_path / "b")
    (where / "lang.txt").write_bytes(b"put \xff\xfe the\x00cup \xed\xa0\x80 away\n")
    (Path(os.fsdecode(os.fsencode(where) + b"/im\xff.jpg"))).write_bytes(b"x")
    info = make.agibot(tmp_path / "a") and tmp_path / "a/task_info/task_327.json"
    info.write_text(info.read_text().replace("Tidy the table", "Tidy \\ud800 the\\u0000table"))
    bridge, agibot = import_source(store, tmp_path / "b"), import_source(store, tmp_path / "a")
    assert agibot.report.problems == [] and [p.fault for p in bridge.report.problems] == ["unsupported", "labels", "labels"]
    assert "lang.txt is no UTF-8 text (byte 4, line 1)" in bridge.report.problems[1].what
    assert [e.task for e in robot.episodes(store)] == ["put cup", "Tidy \\ud800 the table"]


@pytest.mark.parametrize(("encoding", "faults"), [("utf-8-sig", []), ("utf-16", []), ("cp1252", ["labels"])])
def test_an_instruction_of_another_encoding_is_read_and_a_guess_is_said(
    store: Store, make: type[Make], tmp_path: Path, encoding: str, faults: list[Any]
) -> None:
    where = make.bridge(tmp_path / "b", frames=1)
    (where / "lang.txt").write_bytes("lege den Löffel weg\n".encode(encoding))
    done = import_source(store, tmp_path / "b")
    assert [p.fault for p in done.report.problems] == faults and robot.episodes(store)[0].task == "lege den Löffel weg"
    assert not faults or "a guess" in done.report.problems[0].what


def test_a_source_that_moved_or_changed_is_said_when_a_still_is_asked_for(store: Store, make: type[Make], tmp_path: Path) -> None:
    where = make.bridge(tmp_path / "b")
    import_source(store, tmp_path / "b")
    (episode,) = robot.episodes(store)
    make.image(where / "images1/im_1.jpg", 3, 32, 24)
    with pytest.raises(RobotError, match=r"has changed since it was imported: its size is another"):
        robot.still(store, episode, "view2", 1)
    (where / "images1/im_1.jpg").unlink()
    with pytest.raises(RobotError, match=r"im_1.jpg is not there"):
        robot.still(store, episode, "view2", 1)
    (tmp_path / "b").rename(tmp_path / "c")
    with pytest.raises(RobotError, match="is not there any more"):
        robot.still(store, episode, "view1", 0)


def test_episodes_that_vanished_are_named_and_kept(
    store: Store, make: type[Make], tmp_path: Path, faults: Callable[[Any], list[tuple[str, str]]]
) -> None:
    make.bridge(tmp_path / "b")
    gone = make.bridge(tmp_path / "b", "traj1")
    import_source(store, tmp_path / "b")
    shutil.rmtree(gone)
    done = import_source(store, tmp_path / "b")
    assert (done.episodes, [fault for fault, _ in faults(done.report)]) == (1, ["gone"]) and len(robot.episodes(store)) == 2


def test_without_pyav_the_sentence_says_how_to_get_it(
    store: Store, make: type[Make], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.agibot(tmp_path / "a")
    make.lerobot_2(tmp_path / "l")
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(VideoUnavailable, match=r"pip install 'vantage-studies\[robot\]'"):
        import_source(store, tmp_path / "a")
    make.bridge(tmp_path / "b")
    assert import_source(store, tmp_path / "b").episodes == 1
    with pytest.raises(VideoUnavailable):
        import_source(store, tmp_path / "l")


def test_pickles_are_never_opened(store: Store, make: type[Make], tmp_path: Path) -> None:
    where = make.bridge(tmp_path / "b")
    bomb = b"cposix\nsystem\n(S'touch " + str(tmp_path / "ran").encode() + b"'\ntR."
    for name in ("obs_dict.pkl", "policy_out.pkl", "agent_data.pkl"):
        (where / name).write_bytes(bomb)
    assert import_source(store, tmp_path / "b").report.problems == [] and not (tmp_path / "ran").exists()


def test_a_folder_of_sources_and_a_form_that_is_not_read_say_what_to_do(store: Store, make: type[Make], tmp_path: Path) -> None:
    make.agibot(tmp_path / "both/dual", frames=3)
    make.bridge(tmp_path / "both/single", frames=2)
    with pytest.raises(NoSource, match=r"holds sources in its folders \(dual\): name one of them"):
        import_source(store, tmp_path / "both")
    (tmp_path / "rlds/1.0.0").mkdir(parents=True)
    (tmp_path / "rlds/1.0.0/bridge-train.tfrecord-00000-of-01024").write_bytes(b"x")
    with pytest.raises(NoSource, match="is an RLDS/TFDS dataset: convert it"):
        import_source(store, tmp_path / "rlds")


def test_a_video_whose_last_frames_are_broken_is_shorter(store: Store, make: type[Make], tmp_path: Path) -> None:
    where = make.agibot(tmp_path / "a", frames=40)
    path = where / "videos/head_color.mp4"
    make.video(path, 40, width=256, height=256, codec="libx264", gop=4)
    data = bytearray(path.read_bytes())
    with video.library().open(str(path)) as container:
        packets = sorted((p.pts, p.pos, p.size) for p in container.demux(video=0) if p.size)
    for _, position, size in packets[36:]:
        data[position : position + size] = bytes(size)
    path.write_bytes(data)
    done = import_source(store, tmp_path / "a")
    assert any("Frames 36–39 cannot be decoded (4 of 40)" in p.what for p in done.report.problems)
    (episode,) = robot.episodes(store)
    assert episode.frames == 36 and make.number_in(robot.still(store, episode, "head", 35).data) == 35
