"""The asset pack is built from a furniture library, whole or not at all."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sim_bridge.backends.mujoco.catalogue.pack import Pack
from sim_bridge.backends.mujoco.tools import build_assets
from tests.present import present

CUBE = "\n".join(
    [
        "mtllib cube.mtl",
        *(f"v {x} {y} {z}" for x in (0, 2) for y in (0, 4) for z in (0, 1)),
        "vt 0 0",
        "vt 1 0",
        "vt 1 1",
        "vt 0 1",
        "usemtl wood",
        "f 1/1 2/2 4/3 3/4",
        "f 5/1 7/2 8/3 6/4",
        "usemtl plain",
        "f 1 5 6 2",
        "f 3 4 8 7",
        "usemtl glass",
        "f 1 3 7 5",
        "f 2 6 8 4",
    ]
)
MATERIALS = "newmtl wood\nKd 1 1 1\nmap_Kd wood.png\nnewmtl plain\nKd 0.2 0.4 0.6\nnewmtl glass\nKd 1 1 1\nd 0.3\n"


@pytest.fixture
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Four small libraries with one model each, and a list that picks two of them and one that is not there."""
    root = tmp_path / "unpacked"
    for name in build_assets.LICENCES:
        folder = root / name
        (folder / "models").mkdir(parents=True)
        (folder / "models" / "cube.obj").write_text(CUBE)
        (folder / "models" / "cube.mtl").write_text(MATERIALS)
        Image.new("RGB", (400, 300), (120, 80, 40)).save(folder / "models" / "wood.png")
        entry = {
            "name": "Cube",
            "category": "Office",
            "model": "/models/cube.obj",
            "width": "20",
            "depth": "10",
            "height": "40",
            "creator": f"Ada of {name}",
        }
        (folder / "PluginFurnitureCatalog.properties").write_text("\n".join(f"{k}#1={v}" for k, v in entry.items()))
        (folder / "LICENSE.TXT").write_text("licence")
    monkeypatch.setattr(build_assets, "SELECTION", {"cube": ("Scopia", 1, 0), "box": ("KatorLegaz", 1, 100), "gone": ("Scopia", 9, 0)})
    return root


def test_a_pack_holds_true_sizes_licences_and_creators(libraries: Any, tmp_path: Path) -> None:
    said: list[Any] = []
    folder = build_assets.build(libraries, tmp_path / "pack", say=said.append)
    pack = Pack.find(str(folder))
    assert [e.model for e in present(pack).entries] == ["box", "cube"]
    cube = present(pack).entry("cube")
    assert (
        present(cube).size_m == pytest.approx((0.2, 0.1, 0.4))
        and present(cube).licence == "CC-BY-3.0"
        and present(cube).creator == "Ada of Scopia"
    )
    assert "skipped gone" in " ".join(said)
    text = (folder / "ATTRIBUTION.md").read_text()
    assert "Ada of Scopia" in text and "Ada of KatorLegaz" in text and "eTeks" in text
    assert (folder / "LICENSE-Scopia.txt").is_file()


def test_models_stand_on_the_floor_with_their_textures_and_glass(libraries: Any, tmp_path: Path) -> None:
    pack = Pack.find(str(build_assets.build(libraries, tmp_path / "pack", say=lambda _: None)))
    model = present(pack).model("cube")
    low, high = model.bounds
    assert low == pytest.approx([-0.1, -0.05, 0.0], abs=1e-3) and high == pytest.approx([0.1, 0.05, 0.4], abs=1e-3)
    assert {p.alpha for p in model.parts} == {1.0, 0.3}
    textured = [p for p in model.parts if p.texture is not None]
    assert textured and max(present(textured[0].texture).shape) <= build_assets.TEXTURE_EDGE
    assert np.asarray(textured[0].texture).mean(axis=(0, 1)) == pytest.approx([120, 80, 40], abs=4)


def test_building_again_changes_nothing_and_repeats_its_hash(libraries: Any, tmp_path: Path) -> None:
    folder = build_assets.build(libraries, tmp_path / "pack", say=lambda _: None)
    before = (folder / "manifest.json").stat().st_mtime_ns
    said: list[Any] = []
    build_assets.build(libraries, folder, say=said.append)
    assert "complete" in said[0] and (folder / "manifest.json").stat().st_mtime_ns == before
    other = build_assets.build(libraries, tmp_path / "other", say=lambda _: None)
    read: Callable[..., Any] = lambda f: json.loads((f / "manifest.json").read_text())["hash"]  # noqa: E731
    assert read(folder) == read(other)


def test_a_failed_build_leaves_the_old_pack_and_no_debris(libraries: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = build_assets.build(libraries, tmp_path / "packs" / "pack", say=lambda _: None)
    old = (folder / "manifest.json").read_bytes()
    (libraries / "Scopia" / "models" / "cube.obj").write_text("v 1 2\nnonsense")
    with pytest.raises(build_assets.AssetError, match=r"cube\.obj: the model cube could not be read"):
        build_assets.build(libraries, folder, force=True, say=lambda _: None)
    assert (folder / "manifest.json").read_bytes() == old
    assert [p.name for p in folder.parent.iterdir()] == ["pack"]


def test_a_file_that_is_no_package_is_refused_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.deb"
    bad.write_bytes(b"not a package")
    assert build_assets.main(["--deb", str(bad), "--out", str(tmp_path / "pack")]) == 1
    assert "bad.deb" in capsys.readouterr().err
    assert build_assets.main(["--deb", str(tmp_path / "absent.deb"), "--out", str(tmp_path / "pack")]) == 1
    assert "no such file" in capsys.readouterr().err
    assert not (tmp_path / "pack").exists()


def test_a_broken_manifest_counts_as_no_pack(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{")
    assert Pack.find(str(tmp_path)) is None


def test_a_model_brings_the_shape_it_collides_with(libraries: Any, tmp_path: Path) -> None:
    pack = Pack.find(str(build_assets.build(libraries, tmp_path / "pack", say=lambda _: None)))
    cube = present(pack).entry("cube")
    assert present(cube).contact == "box" and max(present(cube).contact_mm) < 1 and present(pack).model("cube").collider == "box"


def test_a_thing_that_is_no_box_collides_in_pieces(libraries: Any, tmp_path: Path) -> None:
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    lines = ["usemtl plain"]
    for k, (at, size) in enumerate((((0, 0, 0), (0.2, 2, 2)), ((3, 0, 0), (0.2, 2, 2)), ((0, 0, 2), (3.2, 2, 0.2)))):
        lines += ["v " + " ".join(str(a + c * s) for a, c, s in zip(at, corner, size, strict=True)) for corner in corners]
        lines += ["f " + " ".join(str(i + 8 * k) for i in f) for f in faces]
    (libraries / "Scopia" / "models" / "cube.obj").write_text("\n".join(["mtllib cube.mtl", *lines]))
    pack = Pack.find(str(build_assets.build(libraries, tmp_path / "pack", say=lambda _: None)))
    bridge = present(pack).model("cube")
    assert (
        present(present(pack).entry("cube")).contact == "pieces"
        and len(bridge.solids) == 3
        and max(present(present(pack).entry("cube")).contact_mm) < 3
    )


def test_a_makers_mark_is_painted_over_and_a_wrong_size_corrected(libraries: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = Image.new("RGB", (100, 100), (120, 80, 40))
    picture.paste((0, 255, 0), (30, 30, 60, 60))
    picture.save(libraries / "Scopia" / "models" / "wood.png")
    monkeypatch.setattr(build_assets, "BLANK", {"cube": ((0.28, 0.28, 0.64, 0.64),)})
    monkeypatch.setattr(build_assets, "LONGEST_M", {"cube": 0.2})
    pack = Pack.find(str(build_assets.build(libraries, tmp_path / "pack", say=lambda _: None)))
    assert present(present(pack).entry("cube")).size_m == pytest.approx((0.1, 0.05, 0.2))
    texture = next(p.texture for p in present(pack).model("cube").parts if p.texture is not None)
    assert texture[:, :, 1].max() < 110
