from __future__ import annotations

import numpy as np

from .._noted import noted
from .._tensor import Tensor
from .map_base import SIDE, BaseMap


@noted
class TraversableMap(BaseMap):
    def __init__(
        self, map_resolution: float = 0.1, default_erosion_radius: float = 0.0, trav_map_with_objects: bool = True, num_waypoints: int = 10,
        waypoint_resolution: float = 0.2,
    ) -> None:  # fmt: skip
        super().__init__(map_resolution)
        self.cells = np.zeros((SIDE, SIDE), np.uint8)
        self.cells[10:90, 10:90] = 255

    @property
    def floor_map(self) -> list[Tensor]:
        return [Tensor(self.cells, np.uint8)]
