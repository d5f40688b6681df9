from __future__ import annotations

from typing import Any

from .._data import ROOMS
from .._noted import noted
from .map_base import SIDE, BaseMap


@noted
class SegmentationMap(BaseMap):
    def __init__(self, scene_dir: str, map_resolution: float = 0.1, floor_heights: Any = (0.0,)) -> None:
        super().__init__(map_resolution)

    @property
    def room_ins_name_to_ins_id(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(ROOMS, 1)}

    def get_room_instance_by_point(self, xy: Any) -> str | None:
        row, column = self.world_to_map(xy).numpy()
        if not (10 <= row < SIDE - 10 and 10 <= column < SIDE - 10):
            return None
        return "living_room_0" if column >= SIDE // 4 else "kitchen_0"
