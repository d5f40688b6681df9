from __future__ import annotations

from typing import Any

import numpy as np

from .._noted import noted
from .._tensor import Tensor, array

SIDE = 100


@noted
class BaseMap:
    def __init__(self, map_resolution: float = 0.1) -> None:
        self.metres = map_resolution

    @property
    def map_resolution(self) -> float:
        return self.metres

    def world_to_map(self, xy: Any) -> Tensor:
        return Tensor(np.flip(array(xy) / self.metres + SIDE / 2), np.int32)
