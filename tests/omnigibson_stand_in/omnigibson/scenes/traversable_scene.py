from __future__ import annotations

from typing import Any

import numpy as np

from .._noted import noted
from .._tensor import Tensor
from ..maps.traversable_map import TraversableMap
from .scene_base import Scene


@noted
class TraversableScene(Scene):
    @property
    def trav_map(self) -> Any:
        return self.walkable  # type: ignore[attr-defined]

    def get_shortest_path(self, floor: int, source_world: Any, target_world: Any, entire_path: bool = False, robot: Any = None) -> Any:
        assert entire_path and isinstance(self.walkable, TraversableMap)  # type: ignore[attr-defined]
        rows = [self.walkable.world_to_map(p).numpy() for p in (source_world, target_world)]  # type: ignore[attr-defined]
        free = self.walkable.cells  # type: ignore[attr-defined]
        if not all((r >= 0).all() and (r < free.shape[0]).all() and free[tuple(r)] for r in rows):
            return None, None
        points = np.array([source_world, target_world], float)
        return Tensor(points), Tensor(np.linalg.norm(points[1] - points[0]))
