from __future__ import annotations

from typing import Any

import numpy as np

from .._noted import noted
from .._tensor import tensor_only
from .system_base import BaseSystem


@noted
class MicroParticleSystem(BaseSystem):
    @property
    def particle_radius(self) -> float:
        return self.radius


@noted
class MicroPhysicalParticleSystem(MicroParticleSystem):
    def generate_particles(
        self, positions: Any, instancer_idn: Any = None, particle_group: int = 0, velocities: Any = None, orientations: Any = None,
        scales: Any = None, prototype_indices: Any = None,
    ) -> None:  # fmt: skip
        self.drops = np.concatenate([self.drops, tensor_only(positions)])
