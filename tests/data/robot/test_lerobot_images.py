"""LeRobot datasets whose cameras are images inside the tables, and those with fewer cameras than a moment shows."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from data.robot import episodes as robot
from data.robot.importing import import_source
from data.robot.records import VIEWS
from data.store import Store
from tests.data.robot.conftest import Make

CAMERAS = ("observation.images.head", "observation.images.left_wrist", "observation.images.right_wrist")
LENGTHS = (5, 7, 90)
FILE = "data/chunk-000/file-000.parquet"


def encoded(picture: Any, form: str = "PNG", **save: Any) -> bytes:
    kept = io.BytesIO()
    Image.fromarray(picture).save(kept, form, **save)
    return kept.getvalue()


def cells(make: Any, numbers: range, shape: str) -> pa.Array:
    """A column of images as writers keep them."""
    data = [encoded(make.drawn(number % 256)) for number in numbers]
    if shape == "bytes":
        return pa.array(data, pa.binary())
    entries = [{"bytes": one, "path": f"frame-{k:06d}.png"} for k, one in enumerate(data)]
    return pa.array(entries, pa.struct([("bytes", pa.binary()), ("path", pa.string())]))


def stored(
    make: Any, root: Path, version: int = 3, *, shape: str = "struct", fps: float = 30, cameras: tuple[str, ...] = CAMERAS, rate: float = 30
) -> Path:
    """A dataset whose frames are numbered through; camera k begins at 40·k."""
    starts = [sum(LENGTHS[:k]) for k in range(3)]
    parts = [(range(start, start + n), k) for k, (start, n) in enumerate(zip(starts, LENGTHS, strict=True))]
    tables = []
    for numbers, episode in parts:
        columns: dict[str, Any] = {"episode_index": [episode] * len(numbers), "frame_index": list(range(len(numbers)))}
        columns["timestamp"] = pa.array([k / rate for k in range(len(numbers))], pa.float32())
        columns["task_index"] = [1] + [0] * (len(numbers) - 1)
        for place, camera in enumerate(cameras):
            columns[camera] = cells(make, range(numbers.start + 40 * place, numbers.stop + 40 * place), shape)
        tables.append(pa.table(columns))
    info = {"codebase_version": "v3.0" if version == 3 else "v2.1", "fps": fps, "video_path": None}
    feature = {"dtype": "image", "shape": [48, 64, 3], "names": ["height", "width", "channels"]}
    info["features"] = dict.fromkeys(cameras, feature)  # type: ignore[assignment]
    make.json(root / "meta/info.json", info)
    (root / "data/chunk-000").mkdir(parents=True)
    both = [["place the cup", "pick the cup"]] * 3
    if version == 3:
        pq.write_table(pa.concat_tables(tables), root / FILE, row_group_size=40)
        columns = {"episode_index": [0, 1, 2], "length": list(LENGTHS), "tasks": both}
        columns |= {"data/chunk_index": [0] * 3, "data/file_index": [0] * 3}
        make.table(root / "meta/episodes/chunk-000/file-000.parquet", columns)
        make.table(root / "meta/tasks.parquet", {"task_index": [0, 1], "task": both[0]})
    else:
        for index, table in enumerate(tables):
            pq.write_table(table, root / f"data/chunk-000/episode_{index:06d}.parquet")
        lines = [f'{{"episode_index": {k}, "tasks": ["place the cup", "pick the cup"], "length": {n}}}' for k, n in enumerate(LENGTHS)]
        (root / "meta/episodes.jsonl").write_text("\n".join(lines))
        tasks = [f'{{"task_index": {k}, "task": "{task}"}}' for k, task in enumerate(both[0])]
        (root / "meta/tasks.jsonl").write_text("\n".join(tasks))
    return root


def rewrite(root: Path, camera: str, change: Any) -> None:
    """Change the images of a column."""
    table = pq.read_table(root / FILE)
    values = change(table[camera].to_pylist())
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    pq.write_table(table.set_column(table.column_names.index(camera), camera, pa.array(values, kind)), root / FILE)


@pytest.mark.parametrize(("version", "shape"), [(3, "struct"), (3, "bytes"), (2, "struct")])
def test_images_inside_tables_are_frames_byte_for_byte(store: Store, make: type[Make], tmp_path: Path, version: int, shape: str) -> None:
    root = stored(make, tmp_path / "set", version, shape=shape)
    before = make.snapshot(root)
    done = import_source(store, root)
    assert (done.episodes, done.report.problems, done.report.not_read) == (3, [], [])
    for episode, start, length in zip(robot.episodes(store), (0, 5, 12), LENGTHS, strict=True):
        assert (episode.frames, episode.fps, episode.record.complete) == (length, 30.0, True)
        assert episode.task == "pick the cup; place the cup"  # in the order of the steps
        for index in (length - 1, 0, length // 2):
            for view, camera in (("head", 0), ("left-gripper", 1), ("right-gripper", 2)):
                still = robot.still(store, episode, view, index)
                number = (start + index + 40 * camera) % 256
                assert still.data == encoded(make.drawn(number)) and make.number_in(still.data) == number
                assert still.timestamp_s == pytest.approx(index / 30, abs=1e-6)
    assert (still.file, still.frame_index) == ((FILE, 12 + 45) if version == 3 else ("data/chunk-000/episode_000002.parquet", 45))
    assert make.snapshot(root) == before


def test_a_writer_of_the_field_is_read(store: Store, make: type[Make], tmp_path: Path) -> None:
    """The library that LeRobot writes its tables with."""
    datasets = pytest.importorskip("datasets")
    root = stored(make, tmp_path / "set")
    table = pq.read_table(root / FILE)
    features = datasets.Features(
        {name: datasets.Image() if name in CAMERAS else datasets.Value(str(table.schema.field(name).type)) for name in table.column_names}
    )
    datasets.Dataset.from_dict({name: table[name].to_pylist() for name in table.column_names}, features=features).to_parquet(root / FILE)
    assert import_source(store, root).report.problems == []
    assert make.number_in(robot.still(store, robot.episodes(store)[2], "right-gripper", 40).data) == 12 + 40 + 80


def test_images_that_cannot_serve_are_named_by_their_row_and_the_rest_is_used(store: Store, make: type[Make], tmp_path: Path) -> None:
    root = stored(make, tmp_path / "set")
    exif = Image.Exif()
    exif[0x0112] = 6
    make.image(root / "images/beside.png", 77)

    def spoil(old: list[Any]) -> list[Any]:
        old[1] = {"bytes": old[1]["bytes"][:60], "path": None}
        old[2] = {"bytes": None, "path": None}
        old[3] = {"bytes": None, "path": "images/beside.png"}
        old[4] = {"bytes": None, "path": "../../etc/passwd"}
        old[5] = {"bytes": encoded(make.drawn(9, 48, 64), exif=exif), "path": "x.png"}
        old[6] = {"bytes": encoded(make.drawn(9, 32, 24)), "path": "x.png"}
        return old

    rewrite(root, CAMERAS[0], spoil)
    done = import_source(store, root)
    where = f"{FILE}: {CAMERAS[0]}"
    assert [(p.fault, p.where) for p in done.report.problems] == [
        ("truncated", f"{where}, row 1"),
        ("unreadable", f"{where}, row 2"),
        ("outside", f"{where}, row 4"),
        ("sizes", where),
        ("turned", where),
    ]
    first, second, _ = robot.episodes(store)
    assert [first.record.sound(k) for k in range(5)] == [True, False, False, True, False]
    assert [second.record.sound(k) for k in range(3)] == [True, False, True]
    assert make.number_in(robot.still(store, first, "head", 3).data) == 77
    upright = Image.open(io.BytesIO(robot.still(store, second, "head", 0).data))
    assert (upright.size, second.record.views["head"].turned) == ((64, 48), True)


def test_steps_that_contradict_the_metadata_cost_the_episode_they_concern(store: Store, make: type[Make], tmp_path: Path) -> None:
    root = stored(make, tmp_path / "set")
    table = pq.read_table(root / FILE)
    swapped = table.take([0, 1, 2, 3, 4, 6, 5, *range(7, len(table) - 1)])  # episode 1 out of order, episode 2 one row short
    pq.write_table(swapped, root / FILE)
    done = import_source(store, root)
    said = " ".join(p.what for p in done.report.problems)
    assert "its steps do not lie together in the order of their frame_index" in said
    assert f"Its length is 90 frames, {FILE} has 89 rows of it." in said
    assert [e.key for e in robot.episodes(store)] == ["000000"]


def test_a_rate_that_the_times_of_the_rows_do_not_have_is_said_once(store: Store, make: type[Make], tmp_path: Path) -> None:
    root = stored(make, tmp_path / "set", fps=30, rate=15)
    done = import_source(store, root)
    assert [p.what for p in done.report.problems] == [f"meta/info.json says fps 30, the times of {FILE} are those of 15 frames per second."]
    assert robot.still(store, robot.episodes(store)[2], "head", 45).timestamp_s == pytest.approx(3.0)


@pytest.mark.parametrize("kind", ["image", "video"])
def test_two_cameras_are_explained_once_for_all_episodes(store: Store, make: type[Make], tmp_path: Path, kind: str) -> None:
    root = stored(make, tmp_path / "set", cameras=CAMERAS[:2]) if kind == "image" else make.lerobot_2(tmp_path / "set", (4, 5, 6))
    done = import_source(store, root)
    assert [(p.fault, p.where, p.did) for p in done.report.problems] == [
        ("missing_view", "meta/info.json", "imported without them; no moments are sampled from the dataset")
    ]
    assert (
        "A moment needs all views of a robot at once (dual arm: left-gripper, head, right-gripper; single arm:"
        in done.report.problems[0].what
    )
    assert [tuple(e.record.views) for e in robot.episodes(store)] == [("view1", "view2")] * 3
    assert VIEWS["single"][:2] == ("view1", "view2")
