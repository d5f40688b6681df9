"""The COCO file is read by its reference reader, pycocotools: index, results, evaluation, masks, drawing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from annotation.qa.exports.coco import coco
from annotation.qa.exports.form import Entry, Written
from annotation.qa.items import Item
from annotation.qa.parts.colours import COLOURS

mpl.use("Agg")  # no screen: `showAnns` draws into memory


@pytest.fixture
def read(sound: Callable[..., Item], tmp_path: Path) -> COCO:
    """The boxes of a few items of every subtask that has boxes, as pycocotools holds them."""
    subtasks = ("matching", "distance", "consistency", "step")
    entries = [Entry(sound(subtask, seed), 3 * seed + k) for seed in (1, 2) for k, subtask in enumerate(subtasks)]
    path = tmp_path / "coco.json"
    path.write_text(json.dumps(coco(Written(entry, {v.view: f"{v.view}.png" for v in entry.item.views}) for entry in entries)))
    return COCO(path)


def test_ids_names_and_sizes_are_what_the_reader_expects(read: COCO) -> None:
    images, boxes, names = (read.dataset[part] for part in ("images", "annotations", "categories"))
    for part in (images, boxes, names):
        assert [type(entry["id"]) for entry in part] == [int] * len(part) and len({entry["id"] for entry in part}) == len(part) > 0
    assert [category["name"] for category in read.loadCats(read.getCatIds())] == list(COLOURS)
    assert {(image["width"], image["height"]) for image in images} == {(640, 480)}
    red = read.getAnnIds(catIds=read.getCatIds(catNms=["red"]))
    assert red and all(read.anns[box]["iscrowd"] == 0 for box in red)
    for box in boxes:
        x, y, width, height = box["bbox"]
        assert box["area"] == pytest.approx(width * height) and 0 <= x <= x + width <= 640 and 0 <= y <= y + height <= 480
        assert box["image_id"] in read.imgs


def test_a_mask_is_the_box(read: COCO) -> None:
    for box in read.loadAnns(read.getAnnIds()):
        mask = read.annToMask(box)
        x, y, width, height = box["bbox"]
        rows, columns = np.nonzero(mask)
        assert mask.shape == (480, 640)
        assert (columns.min(), rows.min()) == pytest.approx((x, y), abs=1)
        assert (columns.max() + 1, rows.max() + 1) == pytest.approx((x + width, y + height), abs=1)


def test_every_view_is_drawn(read: COCO) -> None:
    import matplotlib.pyplot as plt

    drawn = 0
    for image in read.getImgIds():
        boxes = read.loadAnns(read.getAnnIds(image))
        figure = plt.figure()
        read.showAnns(boxes)
        # two collections for each picture with boxes: areas and outlines
        drawn += sum(len(collection.get_paths()) for collection in figure.gca().collections)
        plt.close(figure)
    assert drawn == 2 * len(read.dataset["annotations"])


@pytest.mark.parametrize("kind", ["bbox", "segm"])
def test_the_boxes_as_a_detector_would_report_them_are_all_right(read: COCO, kind: str, tmp_path: Path) -> None:
    found = []
    for number, box in enumerate(read.dataset["annotations"]):
        mask = read.annToRLE(box)
        where = {"bbox": box["bbox"]} if kind == "bbox" else {"segmentation": {"size": mask["size"], "counts": mask["counts"].decode()}}
        found.append({"image_id": box["image_id"], "category_id": box["category_id"], "score": 1 - number / 1000} | where)
    path = tmp_path / "found.json"
    path.write_text(json.dumps(found))
    judge = COCOeval(read, read.loadRes(str(path)), kind)
    judge.evaluate()
    judge.accumulate()
    judge.summarize()
    assert judge.stats[0] == pytest.approx(1.0)
