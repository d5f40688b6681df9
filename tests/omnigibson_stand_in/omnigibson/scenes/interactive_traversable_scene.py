"""The one building: two rooms beside each other, with a table in one."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._data import SCENES
from .._noted import noted
from ..maps.segmentation_map import SegmentationMap
from ..maps.traversable_map import TraversableMap
from ..objects.dataset_object import DatasetObject
from .traversable_scene import TraversableScene


@noted
class InteractiveTraversableScene(TraversableScene):
    def __init__(
        self,
        scene_model: str,
        scene_instance: Any = None,
        scene_file: Any = None,
        trav_map_resolution: float = 0.1,
        default_erosion_radius: float = 0.0,
        trav_map_with_objects: bool = True,
        num_waypoints: int = 10,
        waypoint_resolution: float = 0.2,
        load_object_categories: Any = None,
        not_load_object_categories: Any = None,
        load_room_types: Any = None,
        load_room_instances: Any = None,
        load_task_relevant_only: bool = False,
        seg_map_resolution: float = 0.1,
        include_robots: bool = True,
    ) -> None:
        super().__init__()
        assert scene_model in SCENES
        self.walkable, self.rooms = TraversableMap(trav_map_resolution), SegmentationMap(scene_dir="", map_resolution=seg_map_resolution)
        if load_room_instances is None or "living_room_0" in load_room_instances:
            table = DatasetObject("table_abc_0", category="table", model="ffffff", fixed_base=True)
            table.ready, table.position, table.offset = True, np.array([1.0, 2.0, 0.35]), np.zeros(3)
            self.things.append(table)

    @property
    def seg_map(self) -> Any:
        return self.rooms
