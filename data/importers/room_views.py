"""What payloads of whole rooms have in common: the record of their pictures, and the corner views of a room."""

from __future__ import annotations

from typing import Any

from data.importers import fields
from data.importers.drafts import Recorded, views
from data.importers.rows import Row

Extent = tuple[float, float, float, float]
"""x_min, y_min, x_max, y_max, metres, world frame."""


def render_of(row: Row) -> dict[str, Any]:
    """The record of a row's pictures."""
    return fields.mapping(row.question_data.get("render"), "metadata_json.question_data.render")


def room_views(render: dict[str, Any]) -> tuple[list[Recorded], Extent | None]:
    """Views from the corners, and the recorded extent of the room."""
    multi = render.get("multi_image_input")
    if not isinstance(multi, dict):
        return [], None
    recorded = views("corner", multi.get("views"), "metadata_json.question_data.render.multi_image_input", under="camera_pose")
    box = multi.get("room_bbox_world_xy")
    if box is None:
        return recorded, None
    x0, y0, x1, y1 = fields.numbers(box, 4, "metadata_json.question_data.render.multi_image_input.room_bbox_world_xy")
    return recorded, (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
