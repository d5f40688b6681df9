"""Drawn boxes in COCO form, for detectors and for the tools that read such files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from annotation.qa.exports.form import Format, Making, Take, Written
from annotation.qa.exports.published import write_json
from annotation.qa.parts.colours import COLOURS
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work.blind import neutral


@contextmanager
def write(making: Making) -> Iterator[Take]:
    """``coco.json`` with the boxes of all items."""
    taken: list[Written] = []
    yield taken.append
    boxes = coco(taken)
    write_json(making.folder / "coco.json", boxes)
    making.counts["boxes"] += len(boxes["annotations"])


def coco(items: Iterable[Written]) -> dict[str, Any]:
    """The boxes of these items in COCO form, under the ids of ``marks.json``: one category per colour, each box with its outline as
    ``segmentation``, so that masks can be made and shown. A view without boxes is there too: empty is not undone."""
    pictures: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for written in items:
        entry, item = written.entry, written.entry.item
        if "box" not in SUBTASKS[item.subtask].marks.kinds:
            continue
        for view in item.views:
            name = written.clean.get(view.view)
            picture = {"id": len(pictures) + 1, "file_name": f"{entry.folder}/{name}" if name else "", "width": view.width}
            pictures.append(picture | {"height": view.height, "item_id": item.item_id, "view": view.view, "status": entry.status})
            for mark in (m for m in neutral(item) if m.view == view.view):
                (x0, y0), (x1, y1) = mark.points
                box = {"id": len(annotations) + 1, "image_id": picture["id"], "category_id": COLOURS.index(mark.colour) + 1, "iscrowd": 0}
                shape = {"bbox": [x0, y0, x1 - x0, y1 - y0], "area": (x1 - x0) * (y1 - y0)}
                outline = [x0, y0, x1, y0, x1, y1, x0, y1]
                annotations.append(box | shape | {"segmentation": [outline], "mark_id": mark.id})
    categories = [{"id": k, "name": colour, "supercategory": "box"} for k, colour in enumerate(COLOURS, start=1)]
    return {
        "info": {"description": "Boxes of multi-view QA items"},
        "licenses": [],
        "images": pictures,
        "annotations": annotations,
        "categories": categories,
    }


FORMAT = Format(
    name="coco",
    title="Boxes",
    text="The drawn boxes in COCO form, with outlines; a category per colour, an image per view.",
    counts=("boxes",),
    write=write,
)
