"""The object catalogue grades categories honestly and works without MuJoCo and without the asset pack."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sim_bridge.backends.mujoco.catalogue import vocabulary
from sim_bridge.backends.mujoco.catalogue.lookup import GRADES, Catalogue
from sim_bridge.backends.mujoco.catalogue.pack import Pack
from sim_bridge.backends.mujoco.models.registry import make
from sim_bridge.backends.mujoco.tools import contact_sheet
from sim_bridge.errors import BridgeError
from tests.present import present


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    """The catalogue where no pack is installed."""
    return Catalogue.load(str(tmp_path_factory.mktemp("nothing")))


@pytest.mark.parametrize(
    ("category", "grade"),
    [
        ("mug", "exact"),
        ("tennis_ball", "exact"),
        ("erlenmeyer_flask", "exact"),
        ("breakfast_table", "alias"),
        ("duck", "alias"),
        ("bottle_of_hot_sauce", "labelled"),
        ("hot_sauce_bottle", "labelled"),
        ("jar_of_honey", "labelled"),
        ("nutmeg_shaker", "labelled"),
        ("can_of_soda", "labelled"),
        ("box_of_crackers", "labelled"),
        ("vinegar_atomizer", "labelled"),
        ("shampoo_dispenser", "labelled"),
        ("whiskey_stone", "none"),
        ("half_lamb", "none"),
        ("cooked__diced__chicken", "none"),
        ("", "none"),
        ("../../etc/passwd", "none"),
    ],
)
def test_a_category_gets_its_grade(bare: Catalogue, category: str, grade: str) -> None:
    assert bare.lookup(category).grade == grade


def test_none_says_why_and_alias_says_what_is_seen(bare: Catalogue) -> None:
    assert "no model" in bare.lookup("test_tube_clamp").reason
    assert bare.lookup("duck").reason == "shown as a rubber duck"


def test_dispensers_and_boxes_that_are_no_packages_bear_no_label(bare: Catalogue) -> None:
    assert bare.lookup("paper_towel_dispenser").grade == "none"
    assert bare.lookup("water_dispenser").grade in ("exact", "none")
    assert bare.lookup("litter_box").grade == "none"


def test_a_package_bears_its_own_name(bare: Catalogue) -> None:
    assert dict(bare.lookup("bottle_of_hot_sauce").settings)["text"] == "hot sauce"
    assert dict(bare.lookup("peanut_butter_jar").settings)["text"] == "peanut butter"
    assert bare.kind_of("jar_of_honey") != bare.kind_of("jar_of_sugar")


def test_glass_vessels_are_hollow_and_see_through(bare: Catalogue) -> None:
    for category in ("beaker", "round_bottom_flask", "hingeless_jar", "wineglass", "carafe", "tank", "marinara_jar", "shampoo_bottle"):
        match = bare.lookup(category)
        assert match.transparent and match.hollow, category
    assert not bare.lookup("mug").transparent and bare.lookup("mug").hollow
    assert not bare.lookup("jar_of_honey").hollow
    assert bare.lookup("vase").glass_possible and not bare.lookup("mug").glass_possible


def test_without_a_pack_it_says_so_and_offers_what_it_can_make(bare: Catalogue) -> None:
    assert not bare.pack_present and bare.name == "procedural"
    assert bare.lookup("teddy_bear").grade == "none" and "pack" in bare.lookup("teddy_bear").reason
    assert bare.lookup("sofa").grade == "exact" and bare.lookup("sofa").model_id is None


def test_real_sizes_are_those_of_the_things(bare: Catalogue) -> None:
    assert bare.lookup("tennis_ball").real_size_m == pytest.approx((0.067, 0.067, 0.067), abs=0.001)
    assert 0.08 < present(bare.lookup("mug").real_size_m)[2] < 0.12
    assert bare.lookup("test_tube_clamp").real_size_m is None


def test_the_hash_names_pack_and_program_and_repeats(bare: Catalogue, tmp_path: Path) -> None:
    assert bare.hash == Catalogue.load(str(tmp_path)).hash
    assert len(bare.hash) == 64


def test_every_procedural_model_has_area_sane_size_and_valid_triangles(bare: Catalogue) -> None:
    for category in vocabulary.known():
        match = bare.lookup(category)
        assert match.grade in GRADES
        if match.grade == "none":
            assert match.reason
            continue
        model = make(present(match.maker), **dict(match.settings))
        assert model.size.min() > 0.0005 and model.size.max() < 3.5, category
        assert model.faces < 12_000, category
        for part in model.parts:
            assert np.isfinite(part.vertices).all() and part.faces.min() >= 0 and part.faces.max() < len(part.vertices), category
            assert part.texture is None or part.uv is not None, category


def test_the_installed_pack_has_every_model_the_vocabulary_names_and_an_attribution() -> None:
    pack = Pack.find()
    if pack is None:
        pytest.skip("the asset pack is not installed: python -m sim_bridge.backends.mujoco.tools.build_assets")
    assert vocabulary.pack_models() <= {e.model for e in pack.entries}
    text = (pack.folder / "ATTRIBUTION.md").read_text(encoding="utf-8")
    for entry in pack.entries:
        assert entry.licence in ("CC0-1.0", "CC-BY-3.0", "CC-BY-3.0-US")
        assert entry.model in text and (entry.licence == "CC0-1.0" or entry.creator)
        assert entry.creator in text


def test_it_imports_without_mujoco_and_without_a_renderer() -> None:
    code = "import sys; from sim_bridge.backends.mujoco.catalogue import Catalogue; Catalogue.load().lookup('mug').real_size_m; "
    code += "sys.exit(any(m == 'mujoco' or m.startswith(('mujoco.', 'OpenGL', 'scipy')) for m in sys.modules))"
    assert (
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=False).returncode
        == 0
    )


def test_two_hundred_looks_are_recognisable_and_most_need_no_pack(bare: Catalogue) -> None:
    for catalogue, least in ((bare, 330), (Catalogue.load(), 400)):
        if catalogue.pack_present or catalogue is bare:
            shown = {catalogue.kind_of(c) for c in vocabulary.known() if catalogue.lookup(c).grade == "exact"}
            assert len(shown) >= least


def test_nothing_bears_a_brand() -> None:
    words = " ".join(vocabulary.known()).replace("_", " ").split()
    for brand in (
        "lego",
        "ikea",
        "apple inc",
        "coca",
        "pepsi",
        "nutella",
        "tupper",
        "frisbee",
        "iphone",
        "playstation",
        "converse",
        "nike",
    ):
        assert brand not in words


def test_the_sheet_of_what_rows_use_says_how_each_category_is_shown(bare: Catalogue, tmp_path: Path) -> None:
    report = tmp_path / "coverage.json"
    report.write_text('{"pack": "x", "categories": {"whiskey_stone": {"grade": "none"}, "mozzarella": {}, "duck": {}, "mug": {}}}')
    found = list(contact_sheet.used_models(bare, contact_sheet.categories_of(report)))
    assert [caption.split("\n")[0] for caption, _ in found] == ["mug", "duck", "mozzarella", "whiskey_stone"]
    assert [caption.split("\n")[1].split()[0] for caption, _ in found] == ["exact", "alias", "labelled", "none"]
    assert "rubber duck" in found[1][0] and [model is None for _, model in found] == [False, False, False, True]


def test_another_file_is_no_report(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[]")
    for name in ("x.json", "y.json"):
        with pytest.raises(BridgeError, match="is no report"):
            contact_sheet.categories_of(tmp_path / name)


def test_what_is_sold_in_packages_has_no_shape_of_its_own_and_words_do_not_change_a_shape(bare: Catalogue) -> None:
    assert bare.form_of("mozzarella") == "" and bare.form_of("whiskey_stone") == ""
    assert bare.form_of("can_of_soup") == bare.form_of("can_of_beans") != bare.form_of("jar_of_honey")
    assert bare.kind_of("can_of_soup") != bare.kind_of("can_of_beans")
    assert bare.lookup("cedar_chest").room == pytest.approx((0.90, 0.86), abs=0.01) and bare.lookup("mug").room is None
