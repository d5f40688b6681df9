from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from .. import _boxes
from .._noted import noted
from .._tensor import Tensor
from .object_state_base import BaseObjectState

ContainedParticlesData = namedtuple("ContainedParticlesData", ("n_in_volume", "positions", "in_volume"))


@noted
class ContainedParticles(BaseObjectState):
    def _get_value(self, system: Any) -> ContainedParticlesData:
        inside = _boxes.within(system.drops, self.obj)
        return ContainedParticlesData(int(inside.sum()), Tensor(system.drops), Tensor(inside, bool))

    @property
    def volume(self) -> float:
        return float(np.prod(self.obj.extent))


@noted
class Contains(BaseObjectState):
    def _get_value(self, system: Any) -> bool:
        found: bool = self.obj.states[ContainedParticles].get_value(system).n_in_volume > 0
        return found

    def _set_value(self, system: Any, new_value: bool) -> bool:
        if new_value:
            raise NotImplementedError
        system.drops = system.drops[~_boxes.within(system.drops, self.obj)]
        return True
