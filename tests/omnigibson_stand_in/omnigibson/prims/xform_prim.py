from __future__ import annotations

from typing import Any

import numpy as np

from .._noted import noted
from .._tensor import Tensor, array
from .prim_base import BasePrim


def put(prim: Any, position: Any, orientation: Any, frame: str) -> None:
    assert frame in ("world", "scene", "parent")
    if position is not None:
        prim.position = array(position).astype(np.float32).astype(np.float64)
    if orientation is not None:
        quaternion = array(orientation).astype(np.float32).astype(np.float64)
        assert abs(np.linalg.norm(quaternion) - 1) < 1e-3, "no unit quaternion"
        prim.quaternion = quaternion


@noted
class XFormPrim(BasePrim):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.position, self.quaternion = np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])

    def set_position_orientation(self, position: Any = None, orientation: Any = None, frame: str = "world") -> None:
        put(self, position, orientation, frame)

    def get_position_orientation(self, frame: str = "world", clone: bool = True) -> tuple[Tensor, Tensor]:
        return Tensor(self.position), Tensor(self.quaternion)
