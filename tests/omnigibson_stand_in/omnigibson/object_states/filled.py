from __future__ import annotations

from typing import Any

import numpy as np

from .. import _boxes
from .._noted import noted
from .contains import ContainedParticles
from .object_state_base import BaseObjectState


@noted
class Filled(BaseObjectState):
    def _get_value(self, system: Any) -> bool:
        state = self.obj.states[ContainedParticles]
        found: bool = state.get_value(system).n_in_volume * (2 * system.particle_radius) ** 3 > 0.2 * state.volume
        return found

    def _set_value(self, system: Any, new_value: bool) -> bool:
        if not new_value:
            raise NotImplementedError
        low, high = _boxes.bounds(self.obj)
        side = 2 * system.radius
        axes = [np.arange(a + side / 2, b, side) for a, b in zip(low, high, strict=True)]
        system.drops = np.concatenate([system.drops, np.stack(np.meshgrid(*axes), -1).reshape(-1, 3)])
        return True
