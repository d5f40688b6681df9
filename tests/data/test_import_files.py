"""Files on disk: what counts as a row, what is refused and why, and that names can never lead out of the folder."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.importers import reading
from data.importers.esi import read_rows
from data.importers.reading import Rejection, SummaryFile
from data.task import Task

NOBODY = 65534
"""User id of Debian's ``nobody``."""
CAMERA = {"position": [0.0, -1.0, 0.05], "quaternion_xyzw": [math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]}


def row(number: int = 1, **change: Any) -> dict[str, Any]:
    objects = [
        {"_key": f"obj{i}", "category": n, "model": "abcdef", "position": [0.3 * i, 0, 0.05], "quaternion_xyzw": [0, 0, 0, 1]}
        for i, n in enumerate(("mug", "bottle", "grinder"), 1)
    ]
    return {
        "id": f"{number:04d}",
        "big_task": "Spatial Relations",
        "small_task": "Linear Alignment",
        "runner_task": "line",
        "scene": "Rs_int",
        "room": "kitchen_0",
        "question": f"Are the mug, bottle and grinder in a line on the floor of kitchen {number}?",
        "answer": "yes",
        "answer_type": "choice",
        "options_json": '["yes","no"]',
        "image_paths_json": "[]",
        "metadata_json": json.dumps({"camera_poses": [{"_key": "0.png", **CAMERA}], "objects": objects}),
        **change,
    }


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def rejection(path: Path) -> Rejection:
    (found,) = read_rows([path])
    assert isinstance(found, Rejection), found
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two rows in two folders, and a summary list of both."""
    write(tmp_path / "Spatial Relations" / "b" / "2.json", row(2))
    write(tmp_path / "Spatial Relations" / "a" / "1.json", row(1))
    write(
        tmp_path / "Spatial Relations.json",
        {"root_dir": ".", "count": 2, "json_paths": ["Spatial Relations/a/1.json", "Spatial Relations/b/2.json"]},
    )
    return tmp_path


def test_a_folder_is_read_in_order_and_its_summary_is_recognised(folder: Path) -> None:
    found = list(read_rows([folder]))
    assert [type(f) for f in found] == [SummaryFile, Task, Task]
    assert [f.provenance.file for f in found if isinstance(f, Task)] == ["Spatial Relations/a/1.json", "Spatial Relations/b/2.json"]


def test_a_summary_by_itself_stands_for_its_rows(folder: Path) -> None:
    found = list(read_rows([folder / "Spatial Relations.json"]))
    assert [f.task_id for f in found if isinstance(f, Task)] == ["esi-0001", "esi-0002"]


def test_a_file_is_read_once_however_often_it_is_named(folder: Path) -> None:
    found = list(read_rows([folder, folder / "Spatial Relations.json", folder / "Spatial Relations" / "a" / "1.json"]))
    assert sum(isinstance(f, Task) for f in found) == 2


@pytest.mark.parametrize(
    "name", ["../outside.json", "/etc/hostname", "a/../../outside.json", "", "C:/x.json", "..\\outside.json", "nul\0.json"]
)
def test_a_summary_cannot_name_files_outside_its_folder(tmp_path: Path, name: str) -> None:
    write(tmp_path / "outside.json", row())
    summary = write(tmp_path / "lists" / "s.json", {"json_paths": [name]})
    found = list(read_rows([summary]))
    assert [type(f) for f in found] == [SummaryFile, Rejection]
    assert isinstance(found[1], Rejection) and (found[1].file, found[1].field) == ("s.json", "json_paths[0]")


def test_a_summary_that_lists_missing_rows_says_which(tmp_path: Path) -> None:
    summary = write(tmp_path / "s.json", {"json_paths": ["gone.json"]})
    found = list(read_rows([summary]))
    assert isinstance(found[1], Rejection) and found[1].file == "gone.json" and "No such file" in found[1].reason


def test_a_summary_that_lists_no_names_is_refused(tmp_path: Path) -> None:
    assert rejection(write(tmp_path / "s.json", {"json_paths": [1]})).field == "json_paths"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"   \n", "empty"),
        (b"{", "no JSON"),
        (b"[]", "no row"),
        (b"3", "no row"),
        (b"null", "no row"),
        (b"\x00\x01\x02\x03", "no JSON"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(200)), "no UTF-8"),
        (json.dumps(row()).encode("utf-16"), "UTF-16"),
        (json.dumps(row()).encode("utf-32"), "UTF-16 or UTF-32"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "-Infinity"),
        (b'{"id": "1", "id": "2"}', "twice"),
        (b"[" * 100_000, "levels"),
        (b'{"a":' * 500 + b"1" + b"}" * 500, "levels"),
        (b'{"a": ' + b"9" * 5000 + b"}", "number"),
    ],
)
def test_what_is_no_row_is_refused_in_one_sentence(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(data)
    found = rejection(path)
    assert found.file == "x.json"
    assert words in found.reason and found.reason.count("\n") == 0


def test_a_byte_order_mark_is_harmless(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(row()).encode())
    assert [type(f) for f in read_rows([path])] == [Task]


def test_huge_files_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as handle:
        handle.truncate(reading.MAX_BYTES + 1)
    assert "too large" in rejection(path).reason


def test_links_that_loop_pipes_and_missing_files_are_rejections(tmp_path: Path) -> None:
    (tmp_path / "loop.json").symlink_to(tmp_path / "loop.json")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "round").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "dir.json").mkdir()
    found = {f.file: f.reason for f in read_rows([tmp_path, tmp_path / "missing.json"]) if isinstance(f, Rejection)}
    assert set(found) == {"loop.json", "pipe.json", "missing.json"}
    assert "no regular file" in found["pipe.json"]


@contextmanager
def refused_files() -> Iterator[None]:
    """As somebody who can be refused a file, which root cannot."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)


def test_unreadable_files_and_folders_count_as_rows() -> None:
    # under the machine's own folder for such things, whose parents anybody may pass
    with TemporaryDirectory(dir=gettempdir()) as name:
        folder = Path(name)
        folder.chmod(0o755)
        write(folder / "x.json", row()).chmod(0)
        (folder / "closed").mkdir(mode=0)
        with refused_files():
            found = list(read_rows([folder]))
        (folder / "closed").chmod(0o700)
    assert [f.file for f in found if isinstance(f, Rejection)] == ["x.json", "closed"]


def test_names_that_are_no_text_are_printed_all_the_same(tmp_path: Path) -> None:
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.json"))).write_bytes(b"{")
    (found,) = read_rows([tmp_path])
    assert isinstance(found, Rejection)
    found.file.encode()


@settings(max_examples=150, deadline=None)
@given(flips=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4))
def test_flipped_bytes_never_crash(tmp_path_factory: pytest.TempPathFactory, flips: list[tuple[float, int]]) -> None:
    data = bytearray(json.dumps(row()).encode())
    for where, value in flips:
        data[int(where * len(data))] = value
    path = tmp_path_factory.mktemp("flip") / "x.json"
    path.write_bytes(data)
    (found,) = read_rows([path])
    assert isinstance(found, (Task, Rejection))
    if isinstance(found, Task):
        found.canonical_json().encode()
