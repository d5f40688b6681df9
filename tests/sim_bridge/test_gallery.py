"""`python -m sim_bridge gallery`: pictures and a page, every action checked on the way."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from PIL import Image

from sim_bridge.actions import ACTIONS, CAMERA_ACTIONS, parse_action
from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.backends.toy import create
from sim_bridge.errors import BadRequest
from sim_bridge.gallery import choose, page, show, sized, strip, write_gallery
from sim_bridge.gallery_scenes import HOUSES, LIGHTINGS, ROOM_KINDS, Deed, do, exhibits
from sim_bridge.houses import plan
from sim_bridge.local import LocalClient

EXHIBITS = exhibits()
needs_renderer = pytest.mark.skipif(not gl.available(), reason="libOSMesa is not installed (apt-get install libosmesa6)")


def named(name: Any) -> Any:
    return next(e for e in EXHIBITS if e.name == name)


# --- what is shown ----------------------------------------------------------------------------------------------------


def test_every_physical_action_is_shown() -> None:
    done = {parse_action(d.action).name for e in EXHIBITS for d in e.deeds if not d.action.startswith("phase:")}
    assert set(ACTIONS) - set(CAMERA_ACTIONS) <= done


def test_every_room_type_light_and_more_than_a_dozen_different_houses_are_shown() -> None:
    names = {e.name for e in EXHIBITS}
    assert {f"room-{k.replace('_', '-')}" for k in ROOM_KINDS} <= names
    assert {f"light-{k}" for k in LIGHTINGS} <= names
    assert len({plan(seed, rooms).layout for rooms, seed in HOUSES}) == len(HOUSES) >= 12
    assert {rooms for rooms, _ in HOUSES} == {3, 4, 5, 6, 7, 8}


def test_names_are_unique_and_make_good_file_names() -> None:
    names = [e.name for e in EXHIBITS]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", n) for n in names)
    assert all(e.title and e.text for e in EXHIBITS)


def test_the_scenes_need_no_simulator() -> None:
    code = "import sys, sim_bridge.gallery, sim_bridge.gallery_scenes; sys.exit('mujoco' in sys.modules)"
    assert subprocess.run([sys.executable, "-P", "-c", code], check=False).returncode == 0


# --- the page ---------------------------------------------------------------------------------------------------------


def test_pictures_and_a_page_without_anything_from_elsewhere(tmp_path: Path) -> None:
    results = write_gallery(tmp_path, create(), only=["pick-up", "mirror"], width=64)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    shown = re.findall(r'src="([^"]+)"', text)
    assert shown
    assert all((tmp_path / name).is_file() for name in shown)
    assert "://" not in text
    assert "<script" not in text
    assert [r.left_out for r in results] == ["", "the simulator does not declare mirror"]
    assert "Not shown: the simulator does not declare mirror." in text


def test_a_picture_is_the_view_before_and_every_frame_of_the_action(tmp_path: Path) -> None:
    exhibit = sized(named("slope-rolls"), 64)
    plain = tuple(msgspec.structs.replace(o, params={}) for o in exhibit.scene.objects)
    deeds = do("pick_up(object_2)", "place_on_slope(object_2)")
    exhibit = replace(exhibit, scene=msgspec.structs.replace(exhibit.scene, objects=plain), deeds=deeds)
    shown = show(exhibit, LocalClient(create()), tmp_path)
    assert [s.frames for s in shown.shots] == [2, 5]
    with Image.open(tmp_path / shown.shots[1].file) as image:
        assert image.width > 4.9 * 64


def test_an_action_that_does_otherwise_than_expected_is_told(tmp_path: Path) -> None:
    wrong = (Deed("put(object_2, on, object_1)"), Deed("pick_up(object_2)", fails="too heavy"), Deed("pick_up(object_3)", fails="too far"))
    shown = show(replace(sized(named("pick-up"), 64), deeds=wrong), LocalClient(create()), tmp_path)
    assert shown.troubles == [
        "pick-up: put(object_2, on, object_1) failed: object 2 is not in the hand",
        "pick-up: pick_up(object_2) succeeded, it should fail with 'too heavy'",
        "pick-up: pick_up(object_3) failed with 'object 2 is already in the hand', it should say 'too far'",
    ]
    assert "it should say" in page([shown], {})


def test_what_must_be_hidden_and_is_seen_is_told(tmp_path: Path) -> None:
    shown = show(replace(sized(named("pick-up"), 64), deeds=(), hides=("object_2",)), LocalClient(create()), tmp_path)
    assert shown.troubles == ["pick-up: object_2 should not be seen at the start"]


def test_a_wide_strip_is_reduced() -> None:
    pictures = [np.zeros((48, 640, 3), np.uint8)] * 4
    assert strip(pictures, widest=1000).width == 1000
    assert strip(pictures[:1], widest=1000).size == (640, 48)


def test_groups_and_names_are_chosen_and_others_refused() -> None:
    assert {e.group for e in choose(["hands"])} == {"Hands"}
    assert [e.name for e in choose(["pour"])] == ["pour"]
    with pytest.raises(BadRequest, match="nothing called 'unicorn'"):
        choose(["unicorn"])


# --- the command ------------------------------------------------------------------------------------------------------


def gallery(*arguments: Any) -> Any:
    command = [sys.executable, "-P", "-m", "sim_bridge", "gallery", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_command_prints_json_alone(tmp_path: Path) -> None:
    run = gallery("--backend", "toy", "--out", tmp_path / "g", "--only", "put-inside", "--width", "64", "--json")
    told = json.loads(run.stdout)
    assert run.returncode == (0 if told["ok"] else 1)
    assert {p["exhibit"] for p in told["pictures"]} == {"put-inside"}
    assert "put-inside: " in run.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--only", "pick-up"), "say where the pictures go: --out DIR"),
        (("--out", "x", "--only", "unicorn"), "nothing called 'unicorn'"),
        (("--out", "x", "--width", "5"), "--width is 64 to 1920 pixels, got 5"),
    ],
)
def test_bad_arguments_are_refused_in_a_sentence(arguments: Any, said: str, tmp_path: Path) -> None:
    run = gallery("--backend", "toy", *arguments)
    assert run.returncode == 2
    assert said in run.stderr
    assert "Traceback" not in run.stderr


# --- in the embedded simulator ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def embedded() -> Iterator[LocalClient]:
    from sim_bridge.backends.mujoco import create as create_mujoco

    backend = create_mujoco()
    yield LocalClient(backend)
    backend.shutdown()


@needs_renderer
@pytest.mark.parametrize(
    "name", ["put-inside-refused", "put-on-floor", "refusals", "stack-stands", "locked", "fill", "cloth-mug", "phases"]
)
def test_everything_happens_as_the_gallery_says(name: str, embedded: LocalClient, tmp_path: Path) -> None:
    shown = show(sized(named(name), 160), embedded, tmp_path)
    assert shown.troubles == []
    assert shown.left_out == ""


@needs_renderer
def test_a_pitcher_taller_than_the_glass_is_lifted_over_it_and_fills_it(embedded: LocalClient) -> None:
    """It must not sink into the table beside the glass: the water would be lost through the table top."""
    exhibit = sized(named("pour-overflow"), 64)
    embedded.load("pour", exhibit.scene, exhibit.start)
    assert embedded.act("pour", 1, exhibit.deeds[0].action).ok
    objects = {o.handle: o for o in embedded.state("pour").objects}
    assert objects["object_3"].flags["filled"]
    assert not objects["object_2"].flags["filled"]
    levels = objects["object_3"].levels
    assert levels["water_ml"] > 0.9 * levels["capacity_ml"]
