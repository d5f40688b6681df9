"""The task "name this object": pictures whose file names tell nothing, a key kept apart, judged answers; and the catalogue's pages."""

import json
from pathlib import Path

import pytest
from PIL import Image

from sim_bridge.__main__ import main
from sim_bridge.backends.mujoco.catalogue import names
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.catalogue.things import RULES
from sim_bridge.backends.mujoco.tools import norming, object_pages


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    """Procedural objects alone."""
    return Catalogue.load(str(tmp_path_factory.mktemp("nothing")))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stimulus set of three looks."""
    monkeypatch.setattr(norming, "stimuli", lambda catalogue, used: {"a": ["mug"], "b": ["loaf_of_bread", "bread"], "c": ["mirror"]})


def test_the_pictures_are_opaque_and_the_key_lies_apart(few: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["norming", "--out", str(tmp_path / "shown"), "--key", str(tmp_path / "key.json"), "--seed", "3"]) == 0
    shown = json.loads((tmp_path / "shown" / "items.json").read_text())
    key = json.loads((tmp_path / "key.json").read_text())
    assert shown["format"] == key["format"] == 1 and shown["catalogue"] == key["catalogue"]
    assert {i["item"] for i in shown["items"]} == set(key["items"]) and len(shown["items"]) == 3
    for item in shown["items"]:
        with Image.open(tmp_path / "shown" / item["picture"]) as image:
            assert image.size == (norming.PICTURE, norming.PICTURE) and image.format == "WEBP"
    told = (tmp_path / "shown" / "items.json").read_text() + " ".join(p.name for p in (tmp_path / "shown").iterdir())
    assert not any(word in told for word in ("mug", "bread", "mirror"))
    assert {entry["category"] for entry in key["items"].values()} == {"mug", "loaf_of_bread", "mirror"}
    assert {p.name for p in (tmp_path / "shown").iterdir()} == {"items.json", *(i["picture"] for i in shown["items"])}


def test_the_order_depends_on_the_seed_alone(few: None, tmp_path: Path) -> None:
    orders = []
    for k, seed in enumerate((1, 1, 2)):
        norming.write(tmp_path / f"{k}", tmp_path / f"key{k}.json", seed=seed, say=lambda _: None)
        orders.append([i["item"] for i in json.loads((tmp_path / f"{k}" / "items.json").read_text())["items"]])
    assert orders[0] == orders[1] and orders[1] != orders[2]


def test_a_key_among_the_pictures_is_refused(few: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["norming", "--out", str(tmp_path), "--key", str(tmp_path / "key.json")]) == 2
    assert "expected a file outside" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_tasks_use_can_be_asked_for_alone_and_a_sample_be_drawn(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    looks = norming.stimuli(catalogue, ["loaf_of_bread", "mug", "shampoo_bottle", "zorgblat"])
    assert sorted(categories[0] for categories in looks.values()) == ["loaf_of_bread", "mug"], "no packages, nothing without a model"
    report = tmp_path / "coverage.json"
    report.write_text(json.dumps({"categories": {"loaf_of_bread": {}, "mug": {}, "shampoo_bottle": {}}}))
    argv = ["norming", "--out", str(tmp_path / "shown"), "--key", str(tmp_path / "key.json"), "--used", str(report)]
    assert main(argv) == 0
    assert {e["category"] for e in json.loads((tmp_path / "key.json").read_text())["items"].values()} == {"loaf_of_bread", "mug"}
    assert main([*argv[:2], str(tmp_path / "one"), *argv[3:], "--sample", "1"]) == 0
    assert len(json.loads((tmp_path / "key.json").read_text())["items"]) == 1
    report.write_text("[]")
    assert main(argv) == 2 and "is no report of `vantage tasks coverage --json`" in capsys.readouterr().err


def test_packages_are_not_named_because_naming_them_is_reading(catalogue: Catalogue) -> None:
    looks = norming.stimuli(catalogue)
    every = {c for categories in looks.values() for c in categories}
    assert len(looks) > 300 and "shampoo_bottle" not in every and "mug" in every
    assert all(catalogue.lookup(c).grade in ("exact", "alias") for c in every)


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("mug", "accepted"),
        ("A Mug.", "accepted"),
        ("two mugs", "accepted"),
        ("coffee cup", "accepted"),
        ("container", "broader"),
        ("toilet", "other"),
        ("", "other"),
    ],
)
def test_an_answer_is_judged_by_words_not_by_spelling(answer: str, verdict: str) -> None:
    item = {"accepted": ["mug", "cup", "coffee cup"], "broader": ["container"]}
    assert norming.judged(answer, item) == verdict


def test_names_join_those_of_all_categories_of_a_look() -> None:
    accepted, broader = norming.names_of(["bread", "loaf_of_bread"])
    assert {"bread", "loaf of bread", "loaf"} <= set(accepted)
    assert not set(accepted) & set(broader)
    accepted, _ = norming.names_of(["duck"])
    assert "rubber duck" in accepted


def test_every_other_name_belongs_to_a_category_that_exists() -> None:
    unknown = [c for c in (*names.SYNONYMS, *names.BROADER) if c not in RULES]
    assert unknown == []


def test_the_pages_of_the_catalogue_show_every_property(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    every = object_pages.rows(Catalogue.load())
    assert {r.category for r in every} >= {"mug", "sofa", "bottle_of_ketchup"}
    kept = [r for r in every if r.category in ("mug", "wicker_basket", "loaf_of_bread", "bottle_of_ketchup")]
    monkeypatch.setattr(object_pages, "rows", lambda catalogue: kept)
    page = object_pages.write(tmp_path / "reference", tmp_path / "images", say=lambda _: None).read_text(encoding="utf-8")
    mug = next(line for line in page.splitlines() if line.startswith("| mug |"))
    assert " exact " in mug and "340 g" in mug and " 0.45 " in mug and " yes " in mug and " ml " in mug and "procedural" in mug
    assert "a package that bears its name" not in page or "labelled" in page
    assert "whiskey_stone: a plain grey cube is not recognisable" in page
    for link in [part.split(")")[0] for part in page.split("](")[1:]]:
        assert (tmp_path / "reference" / link).is_file()
