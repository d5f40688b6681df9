from __future__ import annotations

from typing import Any

import numpy as np

from .._noted import noted
from .._tensor import Tensor, tensor_only


@noted
class ClothPrim:
    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def compute_particle_positions(self, idxs: Any = None) -> Tensor:
        corners = np.array([[x, y, 0.0] for x in (-0.5, 0.5) for y in (-0.5, 0.5)]) * self.thing.extent
        return Tensor(corners + self.thing.position)

    def set_particle_positions(self, positions: Any, idxs: Any = None) -> None:
        wanted = tensor_only(positions)
        assert len(wanted) == 4, f"Got mismatch in particle setting size: {len(wanted)}"
        self.thing.position = wanted.mean(axis=0)
