"""The published tree: read as peers read it, checked, and imported again with the same content."""

from __future__ import annotations

import hashlib
import io
import json
import mimetypes
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from annotation.qa import derive, projects
from annotation.qa.drawn.pictures import ImageFolder, ImageMissing
from annotation.qa.exports.form import Entry
from annotation.qa.items import VIEW_WORDS, VIEWS, Item, ViewImage
from annotation.qa.published.checking import check_tree
from annotation.qa.published.exporting import MANIFEST, PROBLEMS, export, export_entries
from annotation.qa.published.importing import import_tree
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from annotation.qa.work import pool
from annotation.qa.work.blind import neutral
from data.home import Home
from data.store import Store
from study.errors import ExportRefused
from tests.homes import fresh_store
from tests.present import present


def picture(seed: int, kind: str = "PNG") -> bytes:
    kept = io.BytesIO()
    Image.fromarray(np.random.default_rng(seed).integers(0, 255, (96, 128, 3), dtype=np.uint8)).save(kept, kind)
    return kept.getvalue()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, str, Path]:
    """A project with one accepted item of each subtask, a draft, and its export."""
    folder = tmp_path_factory.mktemp("qa")
    store = Store.open(Home.from_env(folder / "vantage.db"))
    images = ImageFolder(store.home)
    project = projects.create_project(store, "Export", reviewers_per_item=1, trial_batch=0)

    def image(view: str, seed: int) -> ViewImage:
        return ViewImage(view=view, image=images.keep(picture(seed, "JPEG" if seed % 2 else "PNG")), width=128, height=96)

    for arm, source in (("dual", "agibot"), ("single", "bridge")):
        scenery = Scenery(
            source, arm, "e1", "m1",  # type: ignore[arg-type]
            tuple(image(view, k) for k, view in enumerate(VIEWS[arm], start=10)),
            tuple(image("left-gripper", k) for k in (20, 21, 22)),
        )  # fmt: skip
        for slug, subtask in SUBTASKS.items():
            if arm not in subtask.arms:
                continue
            stored = pool.create_item(store, project.project_id, subtask.sample(random.Random(slug), scenery), "ann")
            pool.submit(store, stored.item.item_id, "ann", 1)
            # a reviewer each: who has met a moment in one item may not be given it where its pictures are the options
            review, _ = pool.next_review(store, project.project_id, f"rob-{slug}")
            pool.answer_review(store, review.review_id, f"rob-{slug}", present(stored.item.gold))
            pool.decide(store, review.review_id, f"rob-{slug}", "clean")
    pool.create_item(store, project.project_id, SUBTASKS["step"].sample(random.Random(1), scenery), "ann")
    out = folder / "out"
    export(store, project.project_id, out, images)
    return store, project.project_id, out


def copy_of(tree: Path, where: Path) -> Path:
    import shutil

    return Path(shutil.copytree(tree, where / "copy"))


def asked(path: Path) -> tuple[str, list[tuple[str, str, bytes]]]:
    """What a model is sent of one ``QA.json`` by the reading rules of MV-RoboBench's vision script, stated on their own: (question and
    options in the order of the letters, [(words before the picture, its media type, its bytes)]). The script goes on without a picture that
    it does not find or cannot name the type of; here that is an error."""
    qa = json.loads(path.read_text(encoding="utf-8"))
    question, options, images = qa.get("question", "").strip(), qa.get("options", {}), qa.get("images", [])
    assert question and isinstance(options, dict) and options
    pictures = []
    for info in images or []:
        file = (path.parent / info.get("path", "")).resolve()
        kind, _ = mimetypes.guess_type(file)
        assert file.is_file() and kind in ("image/png", "image/jpeg"), file
        pictures.append((f"Image context: {info['illustration']}", kind, file.read_bytes()))
    return "\n".join([question, *(f"{letter}. {text}" for letter, text in sorted(options.items()))]), pictures


def pixels(data: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def look(out: Path, images: ImageFolder) -> Counter[str]:
    """A model gets of every item what a person sees of it; returns items per subtask."""
    seen: Counter[str] = Counter()
    for path in sorted(out.rglob("QA.json")):
        qa = json.loads(path.read_text(encoding="utf-8"))
        item = Item.read(qa["item"])
        text, pictures = asked(path)
        assert text.splitlines()[0] == item.question.splitlines()[0] and text.splitlines()[-1] == f"E. {item.options['E']}"
        assert qa["correct"] == item.gold and path.parent.parent.name == item.subtask and re.fullmatch(r"QA\d{3,}", path.parent.name)
        views = [view for view in item.views if item.subtask != "viewpoint" or view.view == item.reference_view]
        options = [item.option_images[letter] for letter in "ABCDE" if letter in item.option_images]
        words = [VIEW_WORDS[view.view] for view in views] + [f"Image {letter}" for letter in "ABCDE" if letter in item.option_images]
        assert [said for said, _, _ in pictures] == [f"Image context: {said}" for said in words]
        for image, (_, _, given) in zip([*views, *options], pictures, strict=True):
            original = pixels(images(image.image))
            original = original[::-1] if image.transform else original
            marked = image in views and any(mark.view == image.view for mark in item.marks)
            assert given != b"" and pixels(given).shape == original.shape
            assert np.array_equal(pixels(given), original) is not marked, (path, image.view)
        written_back = json.loads(json.dumps(qa | {"some_run": {"model": "m", "choice": "A", "explanation": ""}}))
        assert {key: written_back[key] for key in qa} == qa
        seen[item.subtask] += 1
    return seen


def test_the_vision_script_gets_every_picture_of_the_question(made: tuple[Store, str, Path]) -> None:
    store, _, out = made
    assert look(out, ImageFolder(store.home)) == Counter({slug: len(subtask.arms) for slug, subtask in SUBTASKS.items()})


@pytest.mark.parametrize("kind", list(derive.KINDS))
def test_the_vision_script_reads_derived_sets(made: tuple[Store, str, Path], kind: derive.Kind, tmp_path: Path) -> None:
    store, project_id, _ = made
    accepted = pool.items(store, project_id, state="accepted")
    items = derive.derive([stored.item for stored in accepted], kind).items
    out, images = tmp_path / kind, ImageFolder(store.home)
    export_entries([Entry(item, number) for number, item in enumerate(items, start=1)], out, images, name=kind, about={"derived": kind})
    assert look(out, images).total() == len(items) > 0
    report = check_tree(out)
    assert report.faults == [] and report.items == len(items)


def test_pictures_that_models_do_not_take_are_listed_as_png(store: Store, tmp_path: Path) -> None:
    images = ImageFolder(store.home)
    project = projects.create_project(store, "Formats", trial_batch=0)

    def image(view: str, number: int) -> ViewImage:
        kind = ("WEBP", "BMP", "TIFF", "PNG")[number % 4]
        return ViewImage(view=view, image=images.keep(picture(number, kind)), width=128, height=96)

    scenery = Scenery("bridge", "single", "e1", "m1", tuple(image(view, k) for k, view in enumerate(VIEWS["single"])))
    item = SUBTASKS["step"].sample(random.Random(1), scenery)
    pool.admit(store, project.project_id, item, state="accepted", actor="lea", why="test")
    export(store, project.project_id, tmp_path / "out", images)
    assert look(tmp_path / "out", images) == {"step": 1}
    report = check_tree(tmp_path / "out")
    assert report.faults == []
    (path,) = (tmp_path / "out").rglob("QA.json")
    for view, name in json.loads(path.read_text())["clean_images"].items():
        assert (path.parent / name).read_bytes() == images(present(item.view(view)).image)


def test_the_export_is_sound(made: tuple[Store, str, Path]) -> None:
    _, _, out = made
    report = check_tree(out)
    assert report.faults == []
    assert (report.ok, report.items, report.documents) == (True, 15, 15)
    assert report.images > 60
    assert all(sum(letters.values()) in (1, 2) for letters in report.letters.values())


def test_originals_are_kept_byte_for_byte_and_drawn_copies_have_their_size(made: tuple[Store, str, Path]) -> None:
    store, _, out = made
    images = ImageFolder(store.home)
    for path in out.rglob("QA.json"):
        qa = json.loads(path.read_text())
        item = Item.read(qa["item"])
        for view, name in qa["clean_images"].items():
            assert (path.parent / name).read_bytes() == images(present(item.view(view)).image)
        for view, name in qa["drawn_images"].items():
            drawn = Image.open(path.parent / name)
            assert drawn.size == (128, 96) and item.on(view)
        assert set(qa["drawn_images"]) == {mark.view for mark in item.marks}


def test_viewpoint_folders_hold_no_image_that_gives_the_answer_away(made: tuple[Store, str, Path]) -> None:
    _, _, out = made
    for path in (out / "viewpoint").rglob("QA.json"):
        names = {file.stem for file in path.parent.iterdir()}
        assert names == {"QA", "marks", "head", *(f"option_{letter}" for letter in "ABCDE")}


def test_the_order_in_which_marks_were_drawn_does_not_show(made: tuple[Store, str, Path]) -> None:
    _, _, out = made
    for path in out.rglob("marks.json"):
        item = Item.read(json.loads((path.parent / "QA.json").read_text())["item"])
        again = item.change(marks=tuple(m.model_copy(update={"id": f"gold-{k}"}) for k, m in enumerate(reversed(item.marks))))
        assert json.loads(path.read_text())["marks"] == [m.model_dump(mode="json") for m in neutral(again)]


def test_an_export_names_the_style_of_its_drawn_copies_and_earlier_ones_stay_readable(
    made: tuple[Store, str, Path], tmp_path: Path
) -> None:
    _, _, out = made
    manifest = json.loads((out / MANIFEST).read_text())
    assert manifest["marks_style"] == check_tree(out).marks_style == 3
    earlier = tmp_path / "earlier"
    shutil.copytree(out, earlier)
    del manifest["marks_style"]
    (earlier / MANIFEST).write_text(json.dumps(manifest))
    report = check_tree(earlier)
    assert report.marks_style == 1 and not report.faults and report.items == check_tree(out).items > 0


def test_all_items_with_their_state_are_in_the_tables(made: tuple[Store, str, Path]) -> None:
    store, project_id, out = made
    lines = [json.loads(line) for line in (out / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    table = pq.read_table(out / "items.parquet").to_pylist()
    assert len(lines) == len(table) == len(pool.items(store, project_id)) == 16
    assert {line["status"] for line in lines} == {"accepted", "draft"}
    assert [line["item_id"] for line in lines] == [row["item_id"] for row in table]
    assert all((out / line["folder"] / "QA.json").is_file() == (line["status"] == "accepted") for line in lines)
    assert all(Item.read(row["document"]).content_hash == row["content_hash"] for row in table)


def test_boxes_are_in_coco_form_and_empty_views_are_listed(made: tuple[Store, str, Path]) -> None:
    _, _, out = made
    coco = json.loads((out / "coco.json").read_text())
    sizes = {image["id"]: image for image in coco["images"]}
    names = {category["id"]: category["name"] for category in coco["categories"]}
    boxes = 0
    for path in out.rglob("QA.json"):
        item = Item.read(json.loads(path.read_text())["item"])
        for mark in (m for m in neutral(item) if m.kind == "box"):
            (x0, y0), (x1, y1) = mark.points
            (found,) = [
                a for a in coco["annotations"] if a["mark_id"] == mark.id and sizes[a["image_id"]]["item_id"] == item.item_id
                and sizes[a["image_id"]]["view"] == mark.view
            ]  # fmt: skip
            assert found["bbox"] == [x0, y0, x1 - x0, y1 - y0] and names[found["category_id"]] == mark.colour
            boxes += 1
    assert boxes == len(coco["annotations"]) > 0
    assert {i["id"] for i in coco["images"]} - {a["image_id"] for a in coco["annotations"]}
    assert all((out / image["file_name"]).is_file() for image in coco["images"])


def test_the_round_trip_is_identical_in_content(made: tuple[Store, str, Path], tmp_path: Path) -> None:
    store, project_id, out = made
    other = fresh_store(tmp_path)
    project = projects.create_project(other, "Import", trial_batch=0)
    images = ImageFolder(other.home)
    report = import_tree(other, project.project_id, out, images.keep, actor="lea")
    assert (report.found, report.imported, report.drafts, report.refused) == (15, 15, 0, [])
    hashes = {s.item.item_id: s.item.content_hash for s in pool.items(store, project_id, state="accepted")}
    assert {s.item.item_id: s.item.content_hash for s in pool.items(other, project.project_id, state="accepted")} == hashes
    assert import_tree(other, project.project_id, out, images.keep, actor="lea").duplicates == 15
    again = tmp_path / "again"
    # the gripper views of Viewpoint Identification's own moment are not in its folder
    export(other, project.project_id, again, images)
    assert check_tree(again).faults == []
    originals = {json.loads(p.read_text())["id"]: p.parent for p in out.rglob("QA.json")}
    for path in again.rglob("QA.json"):
        before = originals[json.loads(path.read_text())["id"]]
        assert path.parent.relative_to(again) == before.relative_to(out)
        for file in path.parent.iterdir():
            assert file.read_bytes() == (before / file.name).read_bytes(), file


def change_of(qa: dict[str, Any], name: str, view: str, file: str) -> dict[str, Any]:
    return qa | {name: {**qa[name], view: file}}


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        (lambda qa: qa | {"correct": "F"}, "correct", "one of A to E"),
        (lambda qa: qa | {"question": " "}, "question", "a text is needed"),
        (lambda qa: qa | {"options": {"A": "x"}}, "options", "five texts under A to E"),
        (lambda qa: qa | {"question": "Another?"}, "question", "the document in it"),
        (lambda qa: qa | {"id": "qa_x"}, "id", "The file says 'qa_x'"),
        (lambda qa: qa | {"item": qa["item"] | {"unique_confirmed": False}}, "unique_confirmed", "Confirm"),
        (lambda qa: change_of(qa, "clean_images", "head", "../../coco.json"), "clean_images.head", "A file name beside QA.json"),
        (lambda qa: change_of(qa, "clean_images", "head", "gone.png"), "clean_images.head", "is missing"),
        (lambda qa: change_of(qa, "clean_images", "head", "QA.json"), "clean_images.head", "no image that can be read"),
        (lambda qa: qa | {"images": qa["clean_images"]}, "images", "the vision script reads a list"),
        (lambda qa: qa | {"images": 3}, "images", "a list of {path, illustration} is needed"),
        (lambda qa: qa | {"images": ["head.jpg"]}, "images.0", "an object with a path is needed"),
        (lambda qa: qa | {"images": [{"illustration": "head"}, *qa["images"]]}, "images.0", "an object with a path is needed"),
        (lambda qa: qa | {"images": [*qa["images"], {"path": "gone.png"}]}, "images.3", "'gone.png' is missing"),
        (lambda qa: qa | {"images": [*qa["images"], {"path": "../../../../etc/hostname"}]}, "images.3", "is missing from this folder"),
        (lambda qa: qa | {"images": [*qa["images"], {"path": "a\0b"}]}, "images.3", "is missing"),
        (lambda qa: qa | {"images": [*qa["images"], {"path": "marks.json"}]}, "images.3", "no image that can be read"),
        (lambda qa: qa | {"images": [*qa["images"], {"path": "head.jpg", "illustration": 3}]}, "images.3", "the illustration is a text"),
        (lambda qa: qa | {"images": [{"path": name} for name in qa["clean_images"].values()]}, "images", "The head view with its marks"),
        (lambda qa: qa | {"images": qa["images"][1:]}, "images", "is not listed"),
        (lambda qa: qa | {"images": []}, "images", "is not listed"),
        (lambda qa: qa | {"item": 3}, "document", "should be an object"),
        (lambda qa: [qa], "", "An object is needed"),
    ],
)
def test_a_check_names_what_is_wrong(
    made: tuple[Store, str, Path], tmp_path: Path, change: Callable[..., Any], field: str, words: str
) -> None:
    tree = copy_of(made[2], tmp_path)
    path = next(p for p in sorted((tree / "distance").rglob("QA.json")) if json.loads(p.read_text())["item"]["arm"] == "dual")
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    report = check_tree(tree)
    assert not report.ok
    assert any(field in fault.field and words in f"{fault.field} {fault.sentence}" for fault in report.faults), report.faults
    assert {fault.file for fault in report.faults} == {path.relative_to(tree).as_posix()}


def test_a_viewpoint_item_without_an_option_picture_is_not_sound(made: tuple[Store, str, Path], tmp_path: Path) -> None:
    tree = copy_of(made[2], tmp_path)
    path = tree / "viewpoint" / "QA001" / "QA.json"
    qa = json.loads(path.read_text())
    assert [picture["illustration"] for picture in qa["images"]] == ["head view", *(f"Image {letter}" for letter in "ABCDE")]
    path.write_text(json.dumps(qa | {"images": [p for p in qa["images"] if p["illustration"] != "Image D"]}))
    assert [fault.sentence for fault in check_tree(tree).faults] == [f"The picture of option D ({qa['option_images']['D']}) is not listed."]


def test_an_export_of_the_earlier_form_comes_in_all_the_same(made: tuple[Store, str, Path], tmp_path: Path) -> None:
    tree = copy_of(made[2], tmp_path)
    for path in tree.rglob("QA.json"):
        qa = json.loads(path.read_text())
        path.write_text(json.dumps({**qa, "images": qa["clean_images"]} | {"clean_images": None}))
    faults = check_tree(tree).faults
    assert len(faults) == 15 and all(fault.field == "images" and "export it again" in fault.sentence for fault in faults)
    other = fresh_store(tmp_path)
    project = projects.create_project(other, "Import", trial_batch=0)
    images = ImageFolder(other.home)
    assert import_tree(other, project.project_id, tree, images.keep, actor="lea").imported == 15
    export(other, project.project_id, tmp_path / "again", images)
    assert check_tree(tmp_path / "again").faults == []


def test_a_changed_image_is_found(made: tuple[Store, str, Path], tmp_path: Path) -> None:
    tree = copy_of(made[2], tmp_path)
    file = next((tree / "step").rglob("QA001/*.png"))
    file.write_bytes(picture(99))
    assert any("SHA-256 differs" in fault.sentence for fault in check_tree(tree).faults)
    other = fresh_store(tmp_path)
    project = projects.create_project(other, "Import")
    report = import_tree(other, project.project_id, tree, ImageFolder(other.home).keep, actor="lea")
    assert report.imported == 14 and "SHA-256 differs" in report.refused[0].reason


def test_an_empty_folder_is_not_sound(tmp_path: Path) -> None:
    assert not check_tree(tmp_path).ok


def test_an_export_without_images_says_so_and_is_sound(made: tuple[Store, str, Path], tmp_path: Path) -> None:
    store, project_id, _ = made
    export(store, project_id, tmp_path / "bare", None)
    report = check_tree(tmp_path / "bare")
    assert report.ok and report.images == 0


def test_an_export_replaces_only_its_own_and_leaves_nothing_half_written(made: tuple[Store, str, Path], tmp_path: Path) -> None:
    store, project_id, _ = made
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with pytest.raises(ExportRefused, match="is no QA export"):
        export(store, project_id, tmp_path / "mine", None)

    def missing(sha256: str) -> bytes:
        raise ImageMissing("gone")

    export(store, project_id, tmp_path / "out", None)
    with pytest.raises(ImageMissing):
        export(store, project_id, tmp_path / "out", missing)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine", "out"]
    assert check_tree(tmp_path / "out").ok


def test_an_item_whose_original_is_gone_is_left_out_of_every_form_and_named(made: tuple[Store, str, Path], tmp_path: Path) -> None:
    store, project_id, whole = made
    images = ImageFolder(store.home)
    (viewpoint,) = pool.items(store, project_id, subtask="viewpoint")
    gone = viewpoint.item.option_images["B"].image

    def read(sha256: str) -> bytes:
        if sha256 == gone:
            raise ImageMissing("gone")
        return images(sha256)

    report = export(store, project_id, tmp_path / "out", read)
    lacking = {problem.item_id for problem in report.problems}
    assert viewpoint.item.item_id in lacking
    assert {row["item_id"] for row in json.loads((tmp_path / "out" / PROBLEMS).read_text())} == lacking
    assert len(list((tmp_path / "out").rglob("QA.json"))) == 15 - len(lacking) > 0 and check_tree(tmp_path / "out").faults == []
    assert set(pq.read_table(tmp_path / "out" / "questions.parquet")["id"].to_pylist()).isdisjoint(lacking)
    rows = {row["item_id"]: row["folder"] for row in pq.read_table(tmp_path / "out" / "items.parquet").to_pylist()}
    assert len(rows) == 16 and {item_id for item_id in lacking if rows[item_id]} == set()
    assert not (whole / PROBLEMS).exists()


def test_anothers_tree_comes_in_as_drafts(tmp_path: Path) -> None:
    folder = tmp_path / "tree" / "Cross-View Matching" / "QA001"
    folder.mkdir(parents=True)
    qa = {
        "question": "Which box?",
        "options": {x: f"{c} box" for x, c in zip("ABCDE", ["blue", "green", "pink", "yellow", "orange"], strict=True)},
    }
    (folder / "QA.json").write_text(json.dumps(qa | {"correct": "C"}))
    for k in range(1, 5):
        (folder / f"view_{k}.png").write_bytes(picture(k))
    nowhere = tmp_path / "tree" / "Misc" / "QA001"
    nowhere.mkdir(parents=True)
    (nowhere / "QA.json").write_text(json.dumps(qa | {"correct": "C"}))
    store = fresh_store(tmp_path)
    project = projects.create_project(store, "Import")
    report = import_tree(store, project.project_id, tmp_path / "tree", ImageFolder(store.home).keep, actor="lea")
    assert (report.found, report.imported, report.drafts) == (2, 1, 1)
    assert "No folder on the way names a subtask" in report.refused[0].reason
    (stored,) = pool.items(store, project.project_id)
    assert (stored.state, stored.origin, stored.item.arm, stored.item.gold) == ("draft", "imported", "single", "C")
    assert [view.view for view in stored.item.views] == list(VIEWS["single"])
    assert ImageFolder(store.home)(stored.item.views[0].image) == picture(1)
    assert check_tree(tmp_path / "tree").documents == 0


def publish(folder: Path, images: list[dict[str, str]], **changes: object) -> None:
    """A ``QA.json`` as the released benchmark has it."""
    folder.mkdir(parents=True)
    options = dict(zip("ABCDE", ["Blue", "Green", "Pink", "Yellow", "Orange"], strict=True))
    qa = {"question": "Which box holds the same sponge?", "options": options, "correct": "C", "images": images}
    (folder / "QA.json").write_text(json.dumps(qa | changes))


def test_a_published_list_of_pictures_is_read_in_its_order_and_by_its_words(tmp_path: Path) -> None:
    tree, store = tmp_path / "tree", fresh_store(tmp_path)
    (tree / "pictures").mkdir(parents=True)
    for k in range(1, 8):
        (tree / "pictures" / f"{k}.png").write_bytes(picture(k))
    paths = [f"../../pictures/{k}.png" for k in range(1, 8)]
    views = ["the head view", "Left gripper", "RIGHT-GRIPPER camera"]
    publish(tree / "cross_view_matching" / "QA007", [{"path": p, "illustration": w} for p, w in zip(paths, views, strict=False)])
    shown = [{"path": p, "illustration": w} for p, w in zip(paths, ["Head view", *(f"Option {x}" for x in "ABCDE")], strict=False)]
    publish(tree / "Viewpoint Identification" / "QA001", shown, question="Which image is the right-gripper view at the same moment?")
    away = tmp_path / "secret.png"
    away.write_bytes(picture(9))
    publish(tree / "step" / "QA001", [{"path": "../../../secret.png"}])
    publish(tree / "step" / "QA002", [{"path": "https://pictures.example/1.png", "illustration": "view 1"}])
    project = projects.create_project(store, "Import")
    report = import_tree(store, project.project_id, tree, ImageFolder(store.home).keep, actor="lea")
    assert (report.found, report.imported) == (4, 2)
    assert [(refused.file, refused.field) for refused in report.refused] == [(f"step/QA00{k}/QA.json", "images.0") for k in (1, 2)]
    assert "nothing is fetched" in report.refused[1].reason
    items = {stored.item.subtask: stored.item for stored in pool.items(store, project.project_id)}
    assert [view.view for view in items["matching"].views] == ["head", "left-gripper", "right-gripper"]
    assert (items["matching"].arm, items["matching"].reference_view) == ("dual", "head")
    assert {x: image.file for x, image in items["viewpoint"].option_images.items()} == {x: f"{k}.png" for k, x in enumerate("ABCDE", 2)}
    assert {image.view for image in items["viewpoint"].option_images.values()} == {"right-gripper"}
    faults = check_tree(tree).faults
    assert [(fault.file, fault.field) for fault in faults] == [("step/QA001/QA.json", "images.0")]


@pytest.mark.parametrize("images", [{"View 2": "b.png", "View 1": "a.png"}, ["view_2.png", "view_1.png"]], ids=["by view", "names"])
def test_pictures_that_others_name_in_another_form_are_taken_though_the_tree_is_not_sound(
    images: dict[str, Any] | list[str], tmp_path: Path
) -> None:
    folder = tmp_path / "tree" / "step" / "QA001"
    publish(folder, images)  # type: ignore[arg-type]
    for number, name in enumerate(("a.png", "b.png", "view_1.png", "view_2.png", "other.png")):
        (folder / name).write_bytes(picture(number))
    store = fresh_store(tmp_path)
    project = projects.create_project(store, "Import")
    assert import_tree(store, project.project_id, tmp_path / "tree", ImageFolder(store.home).keep, actor="lea").imported == 1
    (stored,) = pool.items(store, project.project_id)
    assert [view.view for view in stored.item.views] == ["view2", "view1"]
    assert [fault.field.partition(".")[0] for fault in check_tree(tmp_path / "tree").faults] == ["images"]


def test_a_link_that_leads_out_of_the_tree_is_not_followed(made: tuple[Store, str, Path], tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "outside").symlink_to(made[2] / "step")
    (tree / "step").mkdir()
    (tree / "step" / "QA.json").symlink_to(made[2] / "step" / "QA001" / "QA.json")
    assert check_tree(tree).items == 0


def test_an_original_that_changed_on_disk_is_not_served(tmp_path: Path) -> None:
    images = ImageFolder(Home.from_env(tmp_path / "vantage.db"))
    sha256 = images.keep(picture(1))
    assert sha256 == hashlib.sha256(picture(1)).hexdigest() and images(sha256) == picture(1)
    present(images.path(sha256)).write_bytes(b"other")
    with pytest.raises(ImageMissing, match="is not the file it was"):
        images(sha256)
    with pytest.raises(ImageMissing, match="Import its source again"):
        images("0" * 64)


HOSTILE = (  # type: ignore[var-annotated]
    None, True, 2**63, 10**30, "", "x" * 100_000, "a\0b", "../x", [], {}, [[[]]], {"a": {"b": [1]}}, [None], {"head": 5}, {"head": "a\0"},
    {"head": "n" * 300},
)  # fmt: skip


@pytest.mark.parametrize(
    "name", ["id", "question", "options", "correct", "images", "clean_images", "drawn_images", "option_images", "marks", "status", "item"]
)
def test_a_published_item_with_anything_in_a_field_is_read_or_refused(made: tuple[Store, str, Path], tmp_path: Path, name: str) -> None:
    store, _, tree = made
    project_id = projects.create_project(store, f"Hostile {name}", trial_batch=0).project_id
    source = next(iter(sorted(tree.rglob("QA.json"))))
    place = tmp_path / "tree" / source.parent.parent.name / "QA001"
    shutil.copytree(source.parent, place)
    content = json.loads(source.read_text())
    for value in HOSTILE:
        (place / "QA.json").write_text(json.dumps(content | {name: value}))
        check_tree(tmp_path / "tree")
        report = import_tree(store, project_id, tmp_path / "tree", ImageFolder(store.home).keep, actor="lea")
        assert report.found == 1 and report.imported + report.duplicates + len(report.refused) == 1
        assert all(refused.reason.isprintable() for refused in report.refused)
