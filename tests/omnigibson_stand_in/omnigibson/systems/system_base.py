from __future__ import annotations

from typing import Any

import numpy as np

from .._noted import noted
from .._tensor import Tensor, tensor_only


@noted
class BaseSystem:
    radius = 0.01

    def __init__(self, name: str) -> None:
        self.name, self.drops = name, np.zeros((0, 3))

    @property
    def n_particles(self) -> int:
        return len(self.drops)

    def remove_all_particles(self) -> None:
        self.drops = np.zeros((0, 3))

    def get_particles_position_orientation(self) -> tuple[Tensor, Tensor]:
        return Tensor(self.drops), Tensor(np.tile([0.0, 0.0, 0.0, 1.0], (len(self.drops), 1)))

    def set_particles_position_orientation(self, positions: Any = None, orientations: Any = None) -> None:
        wanted = tensor_only(positions)
        assert len(wanted) == len(self.drops), "another number of particles"
        self.drops = wanted

    def state(self) -> np.ndarray:
        return np.array([len(self.drops), *self.drops.ravel()])

    def take_state(self, values: np.ndarray) -> np.ndarray:
        assert len(values), "too few values"
        count = round(float(values[0]))
        self.drops = values[1 : 1 + 3 * count].reshape(-1, 3)
        return values[1 + 3 * count :]
