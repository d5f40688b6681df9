"""What people call their files, folders and cameras is kept; only what a path cannot hold is refused, and nothing is passed over."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from data import names
from data.robot import episodes as robot
from data.robot.importing import import_source
from data.robot.records import VIEWS
from data.store import Store
from tests.data.robot.conftest import Make

LEGAL = {
    "ideographic space": "録画\u30001",
    "no-break space": "run\u00a0one",
    "narrow no-break space": "Screenshot at 9.41.02\u202fAM",
    "joiner": "می\u200cخواهم",
    "composed": unicodedata.normalize("NFC", "Küche é"),
    "decomposed": unicodedata.normalize("NFD", "Küche é"),
    "blanks around": " run ",
    "two blanks": "a  b",
    "emoji": "🤖👩‍🔬",
    "right to left": "\u200fתרגיל\u200e",
    "soft hyphen": "soft\u00adhyphen",
    "tag": "run\ufe0f",
    "private use": "\ue000",
    "small": "take",
    "capital": "TAKE",
    "quotes": 'it\'s "so" & <b>$x$ *y*',
    "long": "é" * 127,
}
ILLEGAL = {
    "": "is empty",
    "..": "means a folder",
    "a/b": "holds a slash",
    "a\\b": "holds a slash",
    "a\nb": "holds a control character",
    "a\x00b": "holds a control character",
    "a\x7fb": "holds a control character",
    "a\x85b": "holds a control character",
    "a\udcffb": "is no valid text",
    "\ud83d": "is no valid text",
    "é" * 128: "is longer than 255 bytes",
}


@pytest.mark.parametrize("name", LEGAL.values(), ids=LEGAL)
def test_a_name_is_a_name(name: str) -> None:
    assert names.fault(name) == ""


@pytest.mark.parametrize(("name", "why"), ILLEGAL.items(), ids=map(ascii, ILLEGAL))
def test_what_no_path_can_hold_is_no_name(name: str, why: str) -> None:
    assert names.fault(name).startswith(why)


def test_episodes_and_images_with_unusual_names_are_imported_and_shown(store: Store, make: type[Make], tmp_path: Path) -> None:
    for number, name in enumerate(LEGAL.values()):
        for view in VIEWS["dual"]:
            make.image(tmp_path / f"s/{name}/{view}/{name[:90]}.png", number)
    done = import_source(store, tmp_path / "s")
    assert (done.report.problems, done.report.not_read) == ([], [])
    found = {episode.key: episode for episode in robot.episodes(store)}
    assert sorted(found) == sorted(LEGAL.values())
    for number, name in enumerate(LEGAL.values()):
        still = robot.still(store, found[name], "head", 0)
        assert (make.number_in(still.data), still.file) == (number, f"{name}/head/{name[:90]}.png")


def test_a_camera_of_a_data_set_may_have_any_name(store: Store, make: type[Make], tmp_path: Path) -> None:
    cameras = ("observation.images.top (mitte)", "observation.images.カメラ\u3000左", "observation.images.右")
    make.lerobot_2(tmp_path / "set", (4,), cameras=cameras)
    chosen = {"top (mitte)": "view1", "カメラ\u3000左": "view2", "右": "view3"}
    done = import_source(store, tmp_path / "set", cameras=chosen)
    assert not [p for p in done.report.problems if p.fault != "missing_view"]
    (episode,) = robot.episodes(store)
    assert [record.camera for record in episode.record.views.values()] == list(cameras)
    assert make.number_in(robot.still(store, episode, "view2", 3).data) == 43


def test_names_that_cannot_be_are_named_once_wherever_they_lie(store: Store, make: type[Make], tmp_path: Path) -> None:
    for view in VIEWS["single"]:
        make.image(tmp_path / f"s/run/{view}/0.png", 3)
    inside = os.fsencode(tmp_path / "s/run/view2")
    Path(os.fsdecode(inside + b"/1\xff.png")).write_bytes(b"x")
    (tmp_path / "s/run/view3/1\n.png").write_bytes(b"x")
    (tmp_path / "s/run\x01two").mkdir()
    done = import_source(store, tmp_path / "s")
    assert [(p.fault, p.where) for p in done.report.problems] == [
        ("unsupported", "."), ("unsupported", "run/view2"), ("unsupported", "run/view3")
    ]  # fmt: skip
    said = [p.what for p in done.report.problems]
    assert "'run\\x01two'" in said[0] and "is no valid text: '1\\udcff.png'" in said[1]
    assert "holds a control character: '1\\n.png'" in said[2]
    json.dumps(done.as_json()).encode()


def test_every_file_that_is_not_read_is_named_once(store: Store, make: type[Make], tmp_path: Path) -> None:
    for number in range(3):
        where = make.bridge(tmp_path / "b", f"traj{number}", frames=2)
        for name in ("obs_dict.pkl", "policy_out.pkl"):
            (where / name).write_bytes(b"never opened")
        for k in range(2):
            make.image(where / f"depth_images0/im_{k}.png", k)
    make.image(where / "images0/im_1.jpg.bak.png", 1)
    (tmp_path / "b/.hidden").write_text("x")
    done = import_source(store, tmp_path / "b")
    place = "toykitchen/put_cup/00/2022-01-01_00-00-00/raw/traj_group0"
    assert done.report.problems == []
    assert [(group.like, group.files) for group in done.report.not_read] == [
        (".hidden", 1),
        (f"{place}/traj0/obs_dict.pkl", 3),
        (f"{place}/traj0/policy_out.pkl", 3),
        (f"{place}/traj0/depth_images0/im_0.png", 6),
        (f"{place}/traj2/images0/im_1.jpg.bak.png", 1),
    ]
    assert done.as_json()["not_read"][1] == {"like": f"{place}/traj0/obs_dict.pkl", "files": 3}
    assert import_source(store, tmp_path / "b", limit=2).report.not_read == []  # it did not look at the rest


def test_a_folder_beside_the_views_is_named(store: Store, make: type[Make], tmp_path: Path) -> None:
    for view in (*VIEWS["single"], "view 5", "ビュー\u30006"):
        make.image(tmp_path / f"s/run/{view}/000.png", 3)
    done = import_source(store, tmp_path / "s")
    assert [(p.where, p.did) for p in done.report.problems] == [
        ("run/view 5", "folder left out"), ("run/ビュー\u30006", "folder left out")
    ]  # fmt: skip
    assert done.report.not_read == [] and robot.episodes(store)[0].record.complete


@pytest.mark.parametrize(("asked", "written"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_a_camera_chosen_by_name_is_found_however_its_accents_are_composed(
    store: Store, make: type[Make], tmp_path: Path, asked: Any, written: Any
) -> None:
    name = "Kopf é"
    for view in VIEWS["dual"]:
        stem = unicodedata.normalize(written, name) if view == "head" else view
        make.image(tmp_path / f"s/m/{stem}.png", 7)
    done = import_source(store, tmp_path / "s", cameras={unicodedata.normalize(asked, name): "head"})
    assert done.report.problems == [] and robot.episodes(store)[0].record.complete


def test_a_linked_folder_that_leaves_the_source_is_named(store: Store, make: type[Make], tmp_path: Path) -> None:
    for view in VIEWS["single"]:
        make.image(tmp_path / f"s/run/{view}/0.png", 3)
    make.image(tmp_path / "elsewhere/0.png", 3)
    (tmp_path / "s/run/view1/more").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "s/run/view1/again").symlink_to(tmp_path / "s/run/view2")
    done = import_source(store, tmp_path / "s")
    assert [(p.fault, p.where) for p in done.report.problems] == [("outside", "run/view1/more")] and done.report.not_read == []
